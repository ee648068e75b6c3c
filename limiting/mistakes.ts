import { trimBlanks } from "../src/util/ascii.ts";
import { addressKeysOf } from "./client_key.ts";
import { warnOnce } from "./warn_once.ts";

/**
 * Which common mistakes a limiter looks for: all by default, none if `false`, or an object with express-rate-limit's
 * names, and `default` for those it omits: `trustProxy`, `xForwardedForHeader`, `forwardedHeader`,
 * `keyGeneratorIpFallback`, `singleCount`.
 */
export type Validate = boolean | Readonly<Record<string, boolean>>;

/** Number of requests to check from the start. */
const FIRST = 100;
/** After that, one request in this many is checked: a proxy may be added while the program runs. */
const EVERY = 1024;

/** The setting for trusted proxies, as a limiter sees it. */
export interface TrustSetting {
  /** Its value; `false` if no proxy may report the client's address. */
  readonly value: unknown;
  /** What to change, for the warning. */
  readonly remedy: string;
}

/**
 * The setting on the application that handles a request.
 *
 * @param req A request from Sluice or Express
 */
export function trustOf(req: { readonly app: { get(name: string): unknown } }): TrustSetting {
  return {
    value: req.app.get("trust proxy"),
    remedy: 'set "trust proxy" to the number of proxies in front of the program, or to their subnets',
  };
}

/**
 * Whether a generated key contains the client's address, which must then be the right one.
 *
 * @param key The key
 * @param address The address
 */
export function containsClient(key: string, address: string | undefined): boolean {
  return address !== undefined && (key.includes(address) || key.includes(addressKeysOf(64).of(address)));
}

/** Looks for mistakes that make a limit block no client or every client, and warns about each once per process. */
export class Mistakes {
  readonly #caller: string;
  readonly #validate: Validate;
  #looked = 0;
  /** Requests to skip before the next check. */
  #passing = 0;

  /**
   * Starts looking.
   *
   * @param caller Name of the limiter's function, for the warnings
   * @param validate Which mistakes to look for
   */
  constructor(caller: string, validate: Validate = true) {
    this.#caller = caller;
    this.#validate = validate;
  }

  /** Whether to check the next request's headers: rarely, because checking has a cost. */
  isDue(): boolean {
    return this.#passing-- <= 0 && this.#begin();
  }

  #begin(): boolean {
    this.#passing = ++this.#looked < FIRST ? 0 : EVERY - 1;
    return this.#validate !== false;
  }

  /**
   * Checks whether a client's address is its own.
   *
   * @param address The address it is counted by
   * @param header Reads a header from its request
   * @param trust The setting
   */
  lookAtProxy(address: string, header: (name: string) => string | undefined, trust: TrustSetting): void {
    if (trust.value === true) {
      return this.#warn(
        "trustProxy",
        () =>
          '"trust proxy" is true, so clients can choose the address they are counted by, with an X-Forwarded-For of their ' +
          'own. Set "trust proxy" to the number of proxies in front of the program, or to their subnets',
      );
    }
    const forwardedFor = header("x-forwarded-for");
    if (forwardedFor !== undefined) {
      if (trust.value || names(forwardedFor, address)) return;
      return this.#warn("xForwardedForHeader", () => told("an X-Forwarded-For", trust));
    }
    const forwarded = header("forwarded");
    if (forwarded === undefined || names(forwarded, address)) return;
    this.#warn(
      "forwardedHeader",
      () => `${told("a Forwarded", trust)}. Forwarded is never read: the proxy must send X-Forwarded-For as well`,
    );
  }

  /**
   * Checks whether a generated key contains a plain IPv6 address, which would give each address of a client's subnet
   * its own quota.
   *
   * @param key The key
   * @param address The client's address
   */
  lookAtKey(key: string, address: string | undefined): void {
    if (address === undefined || !address.includes(":")) return;
    const at = key.indexOf(address);
    if (at === -1 || /[\da-z]/i.test(key[at - 1] ?? "") || /^[\da-f]|^\/\d/i.test(key.slice(at + address.length))) {
      return;
    }
    this.#warn(
      "keyGeneratorIpFallback",
      () =>
        "keyGenerator returned a key that contains req.ip, an IPv6 address. A client has 2^64 of them, each with a quota of " +
        "its own: use clientKey(req) instead of req.ip",
    );
  }

  /**
   * Warns that one request was counted twice.
   *
   * @param limit Name of the limit
   */
  countedTwice(limit: string): void {
    this.#warn(
      "singleCount",
      () =>
        `the same limiter, "${limit}", counted one request twice, so clients get half of what it allows: it was registered ` +
        "in two places that the request passes. Remove one of them; for two limits, make two limiters, each with a name",
    );
  }

  #warn(name: string, text: () => string): void {
    const validate = this.#validate;
    const isOn = typeof validate === "object" ? validate[name] ?? validate["default"] ?? true : validate;
    if (isOn) warnOnce(name, () => `${this.#caller}: ${text()} (validate: { ${name}: false } silences this)`);
  }
}

function told(header: string, { remedy }: TrustSetting): string {
  return `a request has ${header} header, which names a client other than the address it is counted by: behind a ` +
    `proxy, all clients are counted as one. If there is a proxy, ${remedy}`;
}

// platforms that report the client's address also send these headers
function names(header: string, address: string): boolean {
  const exact = addressKeysOf(128);
  return header.split(/[,;]/).some((one) =>
    exact.of(trimBlanks(one).replace(/^for=/i, "").replaceAll('"', "") || "-") === exact.of(address)
  );
}

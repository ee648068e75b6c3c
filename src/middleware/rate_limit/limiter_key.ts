import { subnetOf } from "../../http/ip_address.ts";
import type { FrameworkRequest } from "../../request/framework_request.ts";
import type { CheckedRateLimit } from "./options.ts";

/** Key of requests whose client is unknown. No address and no generated key can be equal to it by accident. */
const UNKNOWN_CLIENT = "\0unknown client";
/** IPv6 addresses whose keys are remembered, so that they are not parsed for every request. */
const MAX_REMEMBERED = 16_384;

let warned = false;

/** Computes the keys of one limiter. */
export class LimiterKey {
  readonly #options: CheckedRateLimit;
  #remembered = new Map<string, string>();

  /** @param options The limiter's options */
  constructor(options: CheckedRateLimit) {
    this.#options = options;
  }

  /**
   * The key of a request.
   *
   * @param req The request
   * @returns The key; a promise of it where the user's function gives one
   * @throws {TypeError} If the user's function gives no usable key, or the client is unknown and must not be
   */
  of(req: FrameworkRequest): string | Promise<string> {
    const { keyGenerator } = this.#options;
    if (keyGenerator === undefined) return this.#ofAddress(req.ip);
    const key = keyGenerator(req);
    if (typeof key !== "object" || key === null) return this.#ofGenerated(key, req);
    return Promise.resolve(key).then((later) => this.#ofGenerated(later, req));
  }

  /**
   * The keys under which a client may be counted that a user names.
   *
   * @param key An address or a generated key
   * @returns The key itself and, for an address, the key of its client
   */
  named(key: string): string[] {
    return key === "" ? [] : [key, this.#ofAddress(key)];
  }

  #ofGenerated(key: unknown, req: FrameworkRequest): string {
    const text = checkedKey(key);
    // a generator that falls back to req.ip must not count every address of an IPv6 client apart
    return text.includes(":") && text === req.ip ? this.#ofAddress(text) : text;
  }

  #ofAddress(address: string | undefined): string {
    if (!address) return this.#ofUnknown();
    // an IPv4 address has one spelling and is its own key
    if (!address.includes(":") && !address.startsWith("[")) return address;
    const known = this.#remembered.get(address);
    if (known !== undefined) return known;
    const key = subnetOf(withoutPort(address), this.#options.ipv6Subnet) ?? address;
    if (this.#remembered.size >= MAX_REMEMBERED) this.#remembered = new Map();
    this.#remembered.set(address, key);
    return key;
  }

  #ofUnknown(): string {
    const reason = "the client's address is unknown: hand the platform's second argument to app.fetch, or set " +
      '"trust proxy" behind a proxy';
    if (this.#options.missingKey === "error") throw new TypeError(`rateLimit: ${reason}`);
    if (!warned) console.warn(`rateLimit: ${reason}; such requests are counted together`);
    warned = true;
    return UNKNOWN_CLIENT;
  }
}

// some proxies write the client's port, which is another one for every connection
function withoutPort(address: string): string {
  return /^(\d+\.\d+\.\d+\.\d+|\[[^\]]*\]):\d+$/.exec(address)?.[1] ?? address;
}

function checkedKey(key: unknown): string {
  if (typeof key === "string" && key !== "") return key;
  throw new TypeError(
    `rateLimit: keyGenerator must return a non-empty string, not ${key === "" ? '""' : String(key)}; ` +
      "fall back to req.ip for requests without a key",
  );
}

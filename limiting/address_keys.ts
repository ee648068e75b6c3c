import { subnetOf } from "../src/http/ip_address.ts";
import { detachedString } from "../src/util/detached_string.ts";
import { GenerationalCache } from "../src/util/generational_cache.ts";
import { expectPeers } from "../src/util/expected_peers.ts";
import { warnOnce } from "./warn_once.ts";

/** Key for requests from unknown clients. It equals no address and hardly any generated key. */
const UNKNOWN_CLIENT = "\u0000unknown client";
/** Number of IPv6 addresses whose keys are cached, to avoid parsing them for every request. */
const MAX_REMEMBERED = 262_144;
/** Longer than any address with zone and port; longer strings are not worth caching. */
const LONGEST_REMEMBERED = 80;

/** Turns client addresses into keys: one key for all spellings, and one for an IPv6 client's whole subnet. */
export class AddressKeys {
  readonly #prefixLength: number;
  readonly #missing: "share" | "error";
  readonly #remembered = new GenerationalCache<string>(MAX_REMEMBERED);

  /**
   * Creates the key cache.
   *
   * @param prefixLength Bits in an IPv6 address that identify a client
   * @param missing How to handle requests from unknown clients
   */
  constructor(prefixLength: number, missing: "share" | "error") {
    this.#prefixLength = prefixLength;
    this.#missing = missing;
    expectPeers();
  }

  /**
   * The key for an address.
   *
   * @param address As reported by the platform or a trusted proxy, perhaps with a port
   * @returns An IPv4 client's address, an IPv6 client's subnet, or one shared key for unknown clients
   * @throws {TypeError} If it is unknown and `missing` is `"error"`
   */
  of(address: string | undefined): string {
    if (!address) return this.#unknown();
    // an IPv4 address has one spelling and is its own key
    if (!address.includes(":") && !address.startsWith("[")) return address;
    const known = this.#remembered.get(address);
    if (known !== undefined) return known;
    const key = subnetOf(withoutPort(address), this.#prefixLength) ?? detachedString(address);
    if (address.length > LONGEST_REMEMBERED) return key;
    this.#remembered.set(address, key);
    return key;
  }

  #unknown(): string {
    const reason = "the client's address is unknown: pass the platform's second argument to app.fetch, set " +
      '"trust proxy" behind a proxy, pass fetchLimit a clientAddress, or set keyGenerator';
    if (this.#missing === "error") throw new TypeError(`rateLimit: ${reason}`);
    warnOnce("missingKey", () => `rateLimit: ${reason}; such requests are counted together`);
    return UNKNOWN_CLIENT;
  }
}

/**
 * Advice for when the user's function returns no key for a request.
 *
 * @param address The client's address, if known
 */
export function remedyFor(address: string | undefined): string {
  if (address !== undefined) return "fall back to req.ip for requests without a key";
  return "the client's address is unknown, too: pass the platform's second argument to app.fetch, set \"trust proxy\" " +
    "behind a proxy, or return a string of your own where req.ip is undefined";
}

// some proxies add the client's port, which changes with every connection
function withoutPort(address: string): string {
  return /^((?:[\da-f:]*:)?\d+\.\d+\.\d+\.\d+|\[[^\]]*\]):\d+$/i.exec(address)?.[1] ?? address;
}

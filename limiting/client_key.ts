import { checkInteger, checkNames, type OptionNames } from "../src/util/check_option.ts";
import { describe } from "../src/util/error_text.ts";
import { AddressKeys } from "./address_keys.ts";

/**
 * Options of {@linkcode clientKey}.
 *
 * @example One key for each network of a provider
 * ```ts
 * import { clientKey } from "@sluice/sluice";
 *
 * console.log(clientKey({ ip: "2001:db8:1:2::7" }, { ipv6Subnet: 48 })); // 2001:db8:1::/48
 * ```
 */
export interface ClientKeyOptions {
  /** Bits of an IPv6 address that identify a client, 64 by default. */
  ipv6Subnet?: number | undefined;
}

/** Bits of an IPv6 address that identify a client by default: providers give each of their customers such a network. */
export const IPV6_SUBNET = 64;

const NAMES: OptionNames<ClientKeyOptions> = { ipv6Subnet: true };

const keys = new Map<number, AddressKeys>();

/** Keys of clients by prefix length, the same for everyone who asks. */
export function addressKeysOf(prefixLength: number): AddressKeys {
  let known = keys.get(prefixLength);
  if (known === undefined) keys.set(prefixLength, known = new AddressKeys(prefixLength, "share"));
  return known;
}

/**
 * What a limiter counts a client by, for keys that consist of more than that: the address of an IPv4 client, and the
 * subnet of an IPv6 client, because it usually has all addresses of one.
 *
 * With `req.ip` in its place, such as in `` `${req.ip}:${user}` ``, each of the 2^64 addresses of one client would have a
 * quota of its own. Put it first: when the memory for keys is full, a limiter tells by the beginning of a key where it
 * comes from.
 *
 * @param req The request, of Sluice or Express; or any object with the client's address as `ip`
 * @param options How many bits of an IPv6 address identify a client
 * @returns For example `203.0.113.7` or `2001:db8::/64`, in one spelling; one key for all whose address is unknown, with
 * a warning
 * @throws {TypeError} If there is no request, or an option is unknown
 * @throws {RangeError} If `ipv6Subnet` is no integer from 1 to 128
 *
 * @example Five attempts for each client and account
 * ```ts
 * import sluice, { clientKey, rateLimit } from "@sluice/sluice";
 *
 * const app = sluice();
 * app.use(sluice.json());
 * // one spelling of a name, as the login compares it; anything may be sent
 * const nameOf = (name: unknown) =>
 *   (typeof name === "string" && name.normalize("NFKC").trim().toLowerCase()) || "no name";
 * app.post("/login", rateLimit({ limit: 5, keyGenerator: (req) => `${clientKey(req)}:${nameOf(req.body?.user)}` }));
 * ```
 */
export function clientKey(req: { readonly ip?: string | undefined }, options?: ClientKeyOptions): string {
  if (typeof req !== "object" || req === null) {
    throw new TypeError(
      `clientKey takes a request, not ${describe(req)}; for an address, say clientKey({ ip: address })`,
    );
  }
  if (options === undefined) return addressKeysOf(64).of(req.ip);
  checkNames("clientKey", options, NAMES);
  const { ipv6Subnet = IPV6_SUBNET } = options;
  checkInteger("clientKey", "ipv6Subnet", ipv6Subnet, 1, 128);
  return addressKeysOf(ipv6Subnet).of(req.ip);
}

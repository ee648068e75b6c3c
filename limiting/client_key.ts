import { checkInteger, checkNames, type OptionNames } from "../src/util/check_option.ts";
import { describe } from "../src/util/error_text.ts";
import { AddressKeys } from "./address_keys.ts";

/**
 * Options for {@linkcode clientKey}.
 *
 * @example One key per network of a provider
 * ```ts
 * import { clientKey } from "@sluice/sluice";
 *
 * console.log(clientKey({ ip: "2001:db8:1:2::7" }, { ipv6Subnet: 48 })); // 2001:db8:1::/48
 * ```
 */
export interface ClientKeyOptions {
  /** Bits in an IPv6 address that identify a client, 64 by default. */
  ipv6Subnet?: number | undefined;
}

/** Default bits in an IPv6 address that identify a client: providers assign a network of this size to each customer. */
export const IPV6_SUBNET = 64;

const NAMES: OptionNames<ClientKeyOptions> = { ipv6Subnet: true };

const keys = new Map<number, AddressKeys>();

/** Client keys by prefix length, shared by all callers. */
export function addressKeysOf(prefixLength: number): AddressKeys {
  let known = keys.get(prefixLength);
  if (known === undefined) keys.set(prefixLength, known = new AddressKeys(prefixLength, "share"));
  return known;
}

/**
 * The key by which a limiter counts a client, for use in composite keys: an IPv4 client's address, or the subnet of an
 * IPv6 client, which usually owns every address in it.
 *
 * With `req.ip` instead, as in `` `${req.ip}:${user}` ``, each of a client's 2^64 addresses would have its own quota.
 * Put the client key first: once the memory for keys is full, a limiter identifies a key's network by its start.
 *
 * @param req The request, from Sluice or Express; or any object with the client's address in `ip`
 * @param options How many bits in an IPv6 address identify a client
 * @returns For example `203.0.113.7` or `2001:db8::/64`, in one spelling; one shared key for unknown addresses, with a
 * warning
 * @throws {TypeError} If there is no request, or an option is unknown
 * @throws {RangeError} If `ipv6Subnet` is not an integer from 1 to 128
 *
 * @example Five attempts per client and account
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
      `clientKey expects a request, not ${describe(req)}; for an address, use clientKey({ ip: address })`,
    );
  }
  if (options === undefined) return addressKeysOf(64).of(req.ip);
  checkNames("clientKey", options, NAMES);
  const { ipv6Subnet = IPV6_SUBNET } = options;
  checkInteger("clientKey", "ipv6Subnet", ipv6Subnet, 1, 128);
  return addressKeysOf(ipv6Subnet).of(req.ip);
}

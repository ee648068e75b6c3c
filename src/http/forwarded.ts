import { parseSubnet } from "./ip_address.ts";

/** Tells whether an address is trusted to say who connected to it; `hop` counts from the peer, 0. */
export type TrustFunction = (address: string | undefined, hop: number) => boolean;

/** Values of the `trust proxy` setting. */
export type TrustSetting = boolean | number | string | readonly string[] | TrustFunction;

/**
 * Compiles the `trust proxy` setting.
 *
 * @param value `true` for everybody, a number of hops, subnets as a list or with commas, or a function
 * @returns Whom to trust
 * @throws {TypeError} If it is none of these, or a subnet cannot be understood
 */
export function compileTrust(value: TrustSetting | null | undefined): TrustFunction {
  if (typeof value === "function") return value;
  if (value === true) return () => true;
  if (typeof value === "number") return (_address, hop) => hop < value;
  const names = typeof value === "string" ? value.split(",").map((name) => name.trim()) : value || [];
  if (!Array.isArray(names) || names.some((name) => typeof name !== "string")) {
    throw new TypeError(`"trust proxy" takes true, a number of proxies, subnets or a function, not ${String(value)}`);
  }
  const subnets = names.map(parseSubnet);
  return (address) => address !== undefined && subnets.some((contains) => contains(address));
}

/**
 * Walks the forwarding addresses from the peer outwards, as long as each is trusted to name the next.
 *
 * Read from the right: what a client writes into `X-Forwarded-For` itself stands to the left of what proxies add.
 * An entry with a port is kept as it is, and then no subnet contains it.
 *
 * @param peer Address of the connection; one that is not known can be trusted by its number alone
 * @param forwardedFor The `X-Forwarded-For` header
 * @param trust Whom to trust
 * @returns The peer, then farther addresses; the last is the client
 */
export function walkForwarded<Peer extends string | undefined>(
  peer: Peer,
  forwardedFor: string | null | undefined,
  trust: TrustFunction,
): (string | Peer)[] {
  const addresses: (string | Peer)[] = [
    peer,
    ...(forwardedFor ?? "").split(",").map((one) => one.trim()).filter(Boolean).reverse(),
  ];
  const untrusted = addresses.slice(0, -1).findIndex((address, hop) => !trust(address, hop));
  return untrusted === -1 ? addresses : addresses.slice(0, untrusted + 1);
}

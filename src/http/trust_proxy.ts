import { trimBlanks } from "../util/ascii.ts";
import { describe } from "../util/error_text.ts";
import { parseTrusted } from "./ip_address.ts";

/** Returns whether to trust an address to report who connected to it; `hop` counts from 0, the peer. */
export type TrustFunction = (address: string | undefined, hop: number) => boolean;

/** Values for the `trust proxy` setting. */
export type TrustSetting = boolean | number | string | readonly string[] | TrustFunction;

/** Trusts no address, which is the default. */
export const trustNobody: TrustFunction = () => false;

/**
 * Compiles the `trust proxy` setting.
 *
 * @param value `true` for all addresses, a number of hops, subnets as an array or comma-separated, or a function
 * @returns A function that returns whether to trust an address
 * @throws {TypeError} If it is none of these, or a subnet is invalid
 */
export function compileTrust(value: TrustSetting | null | undefined): TrustFunction {
  if (typeof value === "function") return value;
  if (!value) return trustNobody;
  if (value === true) return () => true;
  if (typeof value === "number") return (_address, hop) => hop < value;
  const names = typeof value === "string" ? value.split(",").map(trimBlanks) : value;
  const subnets = [names].flat().map((name) => {
    if (typeof name === "string") return parseTrusted(name);
    throw new TypeError(
      `"trust proxy" must be true, a number of proxies, subnets or a function, not ${describe(name)}`,
    );
  });
  return (address) => subnets.some((contains) => contains(address));
}

/**
 * Walks the forwarding addresses from the peer outwards, as long as each is trusted to report the next.
 *
 * `X-Forwarded-For` is read from the right: proxies append, so anything the client sent is on the left. An entry with a
 * port is kept unchanged and matches no subnet.
 *
 * @param peer The connection's address; if unknown, only its hop can make it trusted
 * @param forwardedFor The `X-Forwarded-For` header
 * @param trust Which addresses to trust
 * @returns The peer, then addresses farther away; the last one is the client
 */
export function walkForwarded(
  peer: string | undefined,
  forwardedFor: string | undefined,
  trust: TrustFunction,
): (string | undefined)[] {
  const addresses = [
    peer,
    ...(forwardedFor ?? "").split(",").map(trimBlanks).filter(Boolean).reverse(),
  ];
  const untrusted = addresses.slice(0, -1).findIndex((address, hop) => !trust(address, hop));
  return untrusted === -1 ? addresses : addresses.slice(0, untrusted + 1);
}

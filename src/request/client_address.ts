import { walkForwarded } from "../http/forwarded.ts";
import { canonicalAddress } from "../http/ip_address.ts";
import { type Exchange, exchangeKey } from "./exchange.ts";

/**
 * What is needed to find out who the client is: the connection, the headers, and the trusted proxies. It does not use
 * `req.peer` and `req.app`, because programs may assign those.
 */
export interface ClientView {
  /** Has the other end of the connection, and the application whose `trust proxy` setting applies. */
  readonly [exchangeKey]: Exchange;
  /** Reads a request header. */
  get(name: string): string | undefined;
}

function trustsPeer(client: ClientView): boolean {
  const { app, peer } = client[exchangeKey];
  return app.settings["trust proxy fn"](peer.address, 0);
}

/**
 * Addresses from the peer to the farthest one that a trusted proxy reported: `X-Forwarded-For` from right to left.
 *
 * @param client The client
 * @returns The peer first, `undefined` where the platform does not tell it
 */
export function clientAddresses(client: ClientView): (string | undefined)[] {
  const { app, peer: { address } } = client[exchangeKey];
  const trust = app.settings["trust proxy fn"];
  // the header of an untrusted peer is not even read: reading it costs more than all the rest
  if (!trust(address, 0)) return [address];
  return walkForwarded(address, client.get("x-forwarded-for"), trust);
}

/** Scheme the client used: the connection's, or `X-Forwarded-Proto` from a trusted peer. */
export function clientProtocol(client: ClientView, encrypted: boolean): string {
  const own = encrypted ? "https" : "http";
  if (!trustsPeer(client)) return own;
  return firstOf(client.get("x-forwarded-proto") || own);
}

/** Host with its port: the `Host` header, or `X-Forwarded-Host` from a trusted peer. */
export function clientHost(client: ClientView): string | undefined {
  const forwarded = client.get("x-forwarded-host");
  if (!forwarded || !trustsPeer(client)) return client.get("host") || undefined;
  return firstOf(forwarded) || undefined;
}

/** Host without its port; brackets around an IPv6 address stay (RFC 3986 section 3.2.2). */
export function hostnameOf(host: string | undefined): string | undefined {
  if (host === undefined) return undefined;
  const colon = host.indexOf(":", host.startsWith("[") ? host.indexOf("]") + 1 : 0);
  return colon === -1 ? host : host.slice(0, colon);
}

/**
 * Labels of a host below the domain, from right to left, as Express's `req.subdomains`.
 *
 * @param hostname The host without a port
 * @param offset How many labels, counted from the right, belong to the domain itself
 * @returns The remaining labels; an IP address counts as one label
 */
export function subdomainsOf(hostname: string | undefined, offset: number): string[] {
  if (!hostname) return [];
  const labels = canonicalAddress(hostname) === undefined ? hostname.split(".").reverse() : [hostname];
  return labels.slice(offset);
}

function firstOf(list: string): string {
  const comma = list.indexOf(",");
  return (comma === -1 ? list : list.slice(0, comma)).trim();
}

import { trimBlanks } from "../util/ascii.ts";
import { type TrustFunction, trustNobody, walkForwarded } from "../http/trust_proxy.ts";
import { canonicalAddress } from "../http/ip_address.ts";
import { originalKey } from "../util/original_object.ts";
import type { AppLike } from "../exchange/app_like.ts";
import type { Any } from "../util/any.ts";
import { appOf, given } from "../exchange/derived_object.ts";
import { type Exchange, exchangeKey } from "../exchange/exchange.ts";

/**
 * Everything needed to determine the client: the connection, the headers and the trusted proxies. For a request from a
 * client, neither `req.socket` nor `req.app` is used, because programs may assign them.
 */
export interface ClientView {
  /** The exchange, with the other end of the connection and the application whose `trust proxy` setting applies. */
  readonly [exchangeKey]: Exchange;
  /** The request itself, unless it is derived from another request or a prototype. */
  readonly [originalKey]?: object;
  /** The application; for derived requests. */
  readonly app?: AppLike;
  /** The connection; for derived requests. */
  readonly socket?: { readonly remoteAddress?: string | undefined };
  /** Reads a request header. */
  get(name: string): string | undefined;
}

/**
 * Reads a setting that applies to a client.
 *
 * @param client The client
 * @param name Name of the setting
 * @param caller Name of the property being read, for error messages
 * @throws {TypeError} If the request was created without a client and has no application
 */
export function settingOf(client: ClientView, name: string, caller: string): Any {
  const app = client[originalKey] === client ? client[exchangeKey].app : appOf(client, caller);
  return app.get(name);
}

function trustOf(client: ClientView, caller: string): TrustFunction {
  return settingOf(client, "trust proxy fn", caller) ?? trustNobody;
}

function addressOf(client: ClientView, caller: string): string | undefined {
  return client[originalKey] === client
    ? client[exchangeKey].peer.address
    : given(client.socket, caller, "req.socket").remoteAddress;
}

// whether the peer is a trusted proxy; reading its address takes longer than everything else
function isProxied(client: ClientView, caller: string): boolean {
  const trust = trustOf(client, caller);
  return trust !== trustNobody && trust(addressOf(client, caller), 0);
}

/**
 * Addresses from the peer to the farthest one reported by a trusted proxy: `X-Forwarded-For` from right to left.
 *
 * @param client The client
 * @param caller Name of the property being read, for error messages
 * @returns The peer first, `undefined` if the platform does not report it
 * @throws {TypeError} If the request was created without a client and lacks the properties needed
 */
export function clientAddresses(client: ClientView, caller: string): (string | undefined)[] {
  const trust = trustOf(client, caller);
  const address = addressOf(client, caller);
  // an untrusted peer's header is not even read: reading it costs more than everything else
  if (!trust(address, 0)) return [address];
  return walkForwarded(address, client.get("x-forwarded-for"), trust);
}

/**
 * The client's scheme: the connection's, or `X-Forwarded-Proto` from a trusted peer.
 *
 * @param client The client
 * @param encrypted Whether the connection is encrypted
 * @throws {TypeError} As {@linkcode clientAddresses}
 */
export function clientProtocol(client: ClientView, encrypted: boolean): string {
  const own = encrypted ? "https" : "http";
  return isProxied(client, "req.protocol") ? firstOf(client.get("x-forwarded-proto") || own) : own;
}

/**
 * Host with its port: the `Host` header, or `X-Forwarded-Host` from a trusted peer.
 *
 * @param client The client
 * @throws {TypeError} As {@linkcode clientAddresses}
 */
export function clientHost(client: ClientView): string | undefined {
  const forwarded = client.get("x-forwarded-host");
  const isForwarded = forwarded && isProxied(client, "req.host");
  return (isForwarded ? firstOf(forwarded) : client.get("host")) || undefined;
}

/** Host without its port; brackets around an IPv6 address stay (RFC 3986 section 3.2.2). */
export function hostnameOf(host: string | undefined): string | undefined {
  if (host === undefined) return undefined;
  const colon = host.indexOf(":", host.startsWith("[") ? host.indexOf("]") + 1 : 0);
  return colon === -1 ? host : host.slice(0, colon);
}

/**
 * A host's labels below the domain, from right to left, as in Express's `req.subdomains`.
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
  return trimBlanks(comma === -1 ? list : list.slice(0, comma));
}

import { asciiLowerCase, sha256 } from "@sluice/shared";
import type { Awaitable } from "../policy/store.ts";

/** A request of either kind, and where it arrived. */
export interface DashboardRequest {
  readonly method: string;
  /** The query, with its question mark if there is one. */
  readonly search: string;
  /** The origin at which the request arrived; compared with the page's. */
  readonly origin: string;
  /** The connection's remote address, `undefined` if unknown. */
  readonly peer: string | undefined;
  /** Reads a header by its name in lower case. */
  readonly header: (name: string) => string | null | undefined;
  /** Whether the program allows the request. */
  readonly authorize: () => Awaitable<boolean>;
}

/** A name or an address with an optional port, the only valid content of a `Host` header (RFC 9110 section 7.2). */
const HOST = /^(\[[\da-f:.]+\]|[^ \t:/?#@\\[\]]+)(?::\d*)?$/i;

/**
 * Normalizes a `Host` header like a URL: in lower case, with canonical addresses, without the port or the final dot of
 * a fully qualified name.
 *
 * @param header The header
 * @returns The host, `undefined` if it is invalid
 */
export function hostName(header: string): string | undefined {
  const [, host] = HOST.exec(header) ?? [];
  if (host === undefined || !URL.canParse(`http://${host}`)) return undefined;
  return new URL(`http://${host}`).hostname.replace(/\.$/, "");
}

/** Headers that show that a proxy forwarded a request. */
const FORWARDING = ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip"];

/**
 * Whether a request arrived at one of the dashboard's hosts. A page on another host cannot set `Host`, even if its name
 * resolves to this server (DNS rebinding).
 *
 * Without names, only this machine's own names count, and only for requests that come from it without a proxy.
 *
 * @param request The request
 * @param hosts The program's names, normalized by {@linkcode hostName}
 */
export function isOwnHost({ header, peer }: DashboardRequest, hosts: ReadonlySet<string>): boolean {
  const host = hostName(header("host") ?? "");
  if (host === undefined) return false;
  if (hosts.has(host)) return true;
  return isLoopbackHost(host) && (peer === undefined || isLoopbackAddress(peer)) &&
    FORWARDING.every((name) => !header(name));
}

// RFC 6761 section 6.3: names below localhost are never looked up
function isLoopbackHost(host: string): boolean {
  return /(?:^|\.)localhost$/.test(host) || /^127\.\d+\.\d+\.\d+$/.test(host) || host === "[::1]";
}

function isLoopbackAddress(address: string): boolean {
  return /^(?:::ffff:)?127\./i.test(address) || address === "::1";
}

/**
 * Whether a request may come from a cross-origin page. Browsers send its source in `Sec-Fetch-Site` (W3C Fetch
 * Metadata), or without TLS in `Origin`.
 *
 * @param request The request
 */
export function isForeignPage({ header, origin }: DashboardRequest): boolean {
  const site = header("sec-fetch-site");
  if (site) return site !== "same-origin" && site !== "none";
  const from = header("origin");
  return Boolean(from) && from !== origin;
}

/**
 * Whether a same-origin page sent a request. A request without information about its page does not count.
 *
 * @param request The request
 */
export function isOwnPage(request: DashboardRequest): boolean {
  const { header } = request;
  const site = header("sec-fetch-site");
  return site ? site === "same-origin" : Boolean(header("origin")) && !isForeignPage(request);
}

/** Makes a browser prompt for the secret (RFC 7617). */
export const CHALLENGE = 'Basic realm="Rate limits", charset="UTF-8"';

const encoder = new TextEncoder();
const COLON = 0x3a;

/**
 * Creates a comparison with a secret. It takes the same time for all passwords of equal length.
 *
 * @param secret The secret
 * @returns Whether a request's Basic credentials have it as their password; any user name is accepted
 */
export function secretCheck(secret: string): (request: Pick<DashboardRequest, "header">) => boolean {
  const wanted = sha256(encoder.encode(secret));
  return ({ header }) => {
    const given = passwordOf(header("authorization") ?? "");
    if (given === undefined) return false;
    return sha256(given).reduce((difference, byte, i) => difference | (byte ^ wanted[i]!), 0) === 0;
  };
}

function passwordOf(header: string): Uint8Array | undefined {
  const [scheme, token, ...rest] = header.split(" ");
  if (asciiLowerCase(scheme!) !== "basic" || token === undefined || rest.length > 0) return undefined;
  try {
    const bytes = Uint8Array.from(atob(token), (character) => character.charCodeAt(0));
    const colon = bytes.indexOf(COLON);
    return colon === -1 ? undefined : bytes.subarray(colon + 1);
  } catch {
    // invalid base64
    return undefined;
  }
}

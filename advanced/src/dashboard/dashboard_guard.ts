import { asciiLowerCase, sha256 } from "@sluice/shared";
import type { Awaitable } from "../policy/store.ts";

/** What a request of either kind asks, and where it arrived. */
export interface DashboardRequest {
  readonly method: string;
  /** The query, with its question mark if there is one. */
  readonly search: string;
  /** The origin at which the request arrived; it is compared with that of the page. */
  readonly origin: string;
  /** Address of the other end of the connection, `undefined` if it is not known. */
  readonly peer: string | undefined;
  /** Reads a header by its name in lower case. */
  readonly header: (name: string) => string | null | undefined;
  /** Whether the program lets it through. */
  readonly authorize: () => Awaitable<boolean>;
}

/** A name or an address in front of an optional port; nothing else may be in a `Host` header (RFC 9110 section 7.2). */
const HOST = /^(\[[\da-f:.]+\]|[^ \t:/?#@\\[\]]+)(?::\d*)?$/i;

/**
 * The host of a `Host` header as URLs have it: in lower case, with addresses in canonical form, without port and without
 * the dot of a fully qualified name.
 *
 * @param header The header
 * @returns The host, `undefined` if it is none
 */
export function hostName(header: string): string | undefined {
  const [, host] = HOST.exec(header) ?? [];
  if (host === undefined || !URL.canParse(`http://${host}`)) return undefined;
  return new URL(`http://${host}`).hostname.replace(/\.$/, "");
}

/** Headers by which a proxy says that a request is somebody else's. */
const FORWARDING = ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip"];

/**
 * Tells whether a request arrived at a host of the dashboard. A page of another host cannot choose `Host`, even if that
 * host's name leads to this server (DNS rebinding).
 *
 * Without names, those of the machine itself count, and only for requests that come from there and through no proxy.
 *
 * @param request The request
 * @param hosts The names that the program gave, as {@linkcode hostName} has them
 */
export function isOwnHost({ header, peer }: DashboardRequest, hosts: ReadonlySet<string>): boolean {
  const host = hostName(header("host") ?? "");
  if (host === undefined) return false;
  if (hosts.has(host)) return true;
  return isLoopbackHost(host) && (peer === undefined || isLoopbackAddress(peer)) &&
    FORWARDING.every((name) => !header(name));
}

// RFC 6761 section 6.3: no name below localhost is asked of a server
function isLoopbackHost(host: string): boolean {
  return /(?:^|\.)localhost$/.test(host) || /^127\.\d+\.\d+\.\d+$/.test(host) || host === "[::1]";
}

function isLoopbackAddress(address: string): boolean {
  return /^(?:::ffff:)?127\./i.test(address) || address === "::1";
}

/**
 * Tells whether a request may be one of another origin's page. Browsers say where a request comes from in
 * `Sec-Fetch-Site` (W3C Fetch Metadata), and where they do not, without TLS, in `Origin`.
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
 * Tells whether a page of the same origin sent a request. One that says nothing of a page is none of the page's.
 *
 * @param request The request
 */
export function isOwnPage(request: DashboardRequest): boolean {
  const { header } = request;
  const site = header("sec-fetch-site");
  return site ? site === "same-origin" : Boolean(header("origin")) && !isForeignPage(request);
}

/** What asks a browser for the secret (RFC 7617). */
export const CHALLENGE = 'Basic realm="Rate limits", charset="UTF-8"';

const encoder = new TextEncoder();
const COLON = 0x3a;

/**
 * Makes the comparison with a secret. It takes as long for whatever is given of the same length.
 *
 * @param secret The secret
 * @returns Whether a request's credentials of the scheme Basic have it for their password; the user name may be any
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
    // it is no base64
    return undefined;
  }
}

import { asciiUpperCase } from "../util/ascii.ts";
/** Methods that `new Request` refuses but an application should receive. */
const FORBIDDEN = /^(?:connect|trace|track)$/i;

/** Methods for which `new Request` refuses a body. */
const BODILESS = /^(?:get|head|connect|trace|track)$/i;

/**
 * Returns whether a web request with this method can have a body.
 *
 * @param method The method
 */
export function mayHaveBody(method: string): boolean {
  return !BODILESS.test(method);
}

/** A path, perhaps with a query. */
const ORIGIN_FORM = /^\/[^#]*$/;

/**
 * Returns whether a request's target is a path and perhaps a query (RFC 9112 section 3.2.1), without a fragment, which
 * some clients send.
 *
 * @param target The target
 */
export function isOriginForm(target: string): boolean {
  return ORIGIN_FORM.test(target);
}

/**
 * Creates a web request with method and URL exactly as sent. `new Request` resolves `/../`, but path checks must see
 * the path the client requested.
 *
 * @param url The URL; the path alone if the client's `Host` is invalid, so applications refuse the request
 * @param init Method, headers, body and signal
 * @returns The request
 */
export function requestAsSent(url: string, init: RequestInit & { method: string }): Request {
  const { method } = init;
  const isForbidden = FORBIDDEN.test(method);
  const parsed = url.startsWith("/") ? `http://localhost${url}` : url;
  const request = new Request(parsed, isForbidden ? { ...init, method: "GET" } : init);
  if (request.url !== url) Object.defineProperty(request, "url", { value: url });
  if (isForbidden) Object.defineProperty(request, "method", { value: asciiUpperCase(method) });
  return request;
}

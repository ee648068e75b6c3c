import { asciiUpperCase } from "../util/ascii.ts";
/** Methods that `new Request` refuses, but an application should get. */
const FORBIDDEN = /^(?:connect|trace|track)$/i;

/** Methods with which `new Request` refuses a body. */
const BODILESS = /^(?:get|head|connect|trace|track)$/i;

/**
 * Tells whether a web request of a method can have a body.
 *
 * @param method The method
 */
export function mayHaveBody(method: string): boolean {
  return !BODILESS.test(method);
}

/**
 * Makes a web request that shows method and URL as they were sent: `new Request` resolves `/../`, and path checks must
 * not see another path than the client asked for.
 *
 * @param url The URL; the path alone if the client's `Host` is no host, so that applications refuse the request
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

import type { AppFetch } from "../shared/platform.ts";

/** Requests whose URL has another scheme than their connection: that of an absolute target, or of HTTP/2's `:scheme`. */
const disguised = new WeakSet<Request>();

/**
 * Watches for requests whose URL does not tell whether they came over TLS: Deno takes over the scheme that a client
 * writes (RFC 9112 section 3.2.2). Only who listens knows better.
 *
 * @param handler Handles requests
 * @param isSecure Whether the server speaks TLS
 */
export function watchScheme(handler: AppFetch, isSecure: boolean): AppFetch {
  return (request, info, context) => {
    if (isSecure !== hasTls(request)) disguised.add(request);
    return handler(request, info, context);
  };
}

/**
 * Tells whether a request came over TLS. With a server of the program's own, `Deno.serve(app.fetch)`, this is what its
 * URL says.
 *
 * @param request The request
 */
export function isEncrypted(request: Request): boolean {
  return hasTls(request) !== disguised.has(request);
}

// "https:" rather than "http:" or "http+unix:"
function hasTls({ url }: Request): boolean {
  return url.charCodeAt(4) === 115 && url.charCodeAt(5) === 58;
}

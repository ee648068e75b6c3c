import type { Exchange } from "../../exchange/exchange.ts";
import { runtimeKey } from "../../util/runtime_key.ts";

/** An object with a request's headers. */
interface Headed {
  /** Reads a header. */
  get(name: string): string | null | undefined;
}

/**
 * Reports whether a request has a body. Parsers, `req.is()`, the stream, decompression and charsets all use this
 * function, so they always agree.
 *
 * Over HTTP/1, the headers decide (RFC 9112 section 6.3); as in Express, `Content-Length: 0` announces a body. Over
 * HTTP/2 and in process, a body needs no header, so the runtime decides.
 *
 * @param exchange The request's exchange
 * @param headed Has the headers; by default, those sent by the client
 */
export function hasBody(exchange: Exchange, headed: Headed = sentHeaders(exchange)): boolean {
  const { app: { [runtimeKey]: runtime }, target: { request } } = exchange;
  if (isBodilessByMethod(exchange)) return false;
  if (announcesBody(headed)) return true;
  // reading may have shown that there is none
  return !exchange.emptied && (runtime.hasUnannouncedBody?.(request) ?? bodyOf(request) !== null);
}

/**
 * Reports whether a request has no body because of its method, without reading a header. That covers most requests;
 * only Node delivers a GET or HEAD request body.
 *
 * @param exchange The request's exchange
 */
export function isBodilessByMethod({ target: { originalMethod, request } }: Exchange): boolean {
  return (originalMethod === "GET" || originalMethod === "HEAD") && bodyOf(request) === null;
}

/**
 * Reports whether a body has been read, which may have been necessary to find that it is empty or that there is none.
 *
 * @param exchange The request's exchange
 */
export function isBodyRead(exchange: Exchange): boolean {
  return (exchange.emptied || exchange.target.request.bodyUsed) && hasBody(exchange);
}

/**
 * Reports whether headers announce a body.
 *
 * @param headed Has the headers
 */
export function announcesBody(headed: Headed): boolean {
  return announcedLength(headed) !== undefined || (headed.get("transfer-encoding") ?? null) !== null;
}

/**
 * A body length in bytes according to `Content-Length`.
 *
 * @param headed Has the headers
 * @returns The number, `undefined` without this header
 */
export function announcedLength(headed: Headed): number | undefined {
  const length = Number(headed.get("content-length") ?? NaN);
  return Number.isNaN(length) ? undefined : length;
}

/**
 * A request body, `null` if there is none. After the response, Deno throws on access to the request; a handler that
 * reads this late must not crash the process.
 *
 * @param request The request
 */
export function bodyOf(request: Request): ReadableStream<Uint8Array<ArrayBuffer>> | null {
  try {
    return request.body;
  } catch {
    return null;
  }
}

function sentHeaders({ app, target }: Exchange): Headed {
  return {
    get(name) {
      try {
        return app[runtimeKey].header(target.request, name);
      } catch {
        // the response has been sent, and the runtime has released the headers with it
        return null;
      }
    },
  };
}

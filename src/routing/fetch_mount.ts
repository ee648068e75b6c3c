import { asciiUpperCase } from "../util/ascii.ts";
import { exchangeFor } from "../exchange/exchange.ts";
import { describe } from "../util/error_text.ts";
import { HttpError } from "../http/http_error.ts";
import { isResponse } from "../exchange/response_class.ts";
import type { FrameworkRequest } from "../request/framework_request.ts";
import { webRequestOf } from "../exchange/web_request.ts";
import { fromForeign } from "../response/web/foreign_response.ts";
import type { Handler } from "./handler.ts";

/** A web request handler, as in every Fetch framework; it also gets the platform's other arguments. */
export type FetchHandler = (request: Request, info?: never, context?: never) => Response | Promise<Response>;

/** An object with a `fetch` method: a different framework's application. */
export interface FetchApp {
  /** Responds to a web request. */
  fetch(request: Request, info?: never, context?: never): Response | Promise<Response>;
}

/** Everything that `new URL()` resolves: dot segments, escaped or not, and backslashes, which it treats as slashes. */
const RESOLVED_ELSEWHERE = /\\|\/(?:\.|%2e){1,2}(?:\/|$)/i;

/** Methods that `new Request` converts to upper case. */
const CAPITALISED_ELSEWHERE = /^(?:delete|get|head|options|post|put)$/i;

/**
 * Turns a web request handler into middleware. The handler sees the path below the mount; its response is final.
 *
 * @param caller Name of the called method, for error messages
 * @param handler The handler, or an application with one
 * @returns The middleware
 * @throws {TypeError} If `handler` is neither
 */
export function fetchMount(caller: string, handler: FetchHandler | FetchApp): Handler {
  const fetch = fetchOf(caller, handler);
  return (req: FrameworkRequest) => {
    const { target, info, context } = exchangeFor(req, "app.mount");
    const given = fetch(requestBelow(caller, req, webRequestOf(target.request)), info as never, context as never);
    return isResponse(given) ? given : Promise.resolve(given).then((late) => responseOf(caller, late));
  };
}

function responseOf(caller: string, given: Response | undefined): Response {
  const response = isResponse(given) ? given : fromForeign(given);
  if (response !== null) return response;
  throw new TypeError(`${caller}: the handler must return a Response, not ${describe(given)}`);
}

function fetchOf(caller: string, handler: FetchHandler | FetchApp): FetchHandler {
  if (typeof (handler as FetchApp | undefined)?.fetch === "function") {
    return (request, info, context) => (handler as FetchApp).fetch(request, info, context);
  }
  // an Express-style handler needs a response to write to
  const isRouter = typeof (handler as { handle?: unknown } | undefined)?.handle === "function";
  if (typeof handler === "function" && !isRouter) return handler;
  const given = isRouter ? "a router or an Express application; mount it with use" : describe(handler);
  throw new TypeError(
    `${caller} expects a function (request) => Response, or an object with a fetch method, not ${given}`,
  );
}

// The platform's own request is passed on if nothing has to change, so it can be upgraded. A Request look-alike, such
// as srvx's or @hono/node-server's, is replaced, because fetch() and new Request() would refuse it.
function requestBelow(caller: string, req: FrameworkRequest, request: Request): Request {
  const { url, method } = req;
  // most handlers resolve the path, which would bypass middleware that matched the path as sent
  if (RESOLVED_ELSEWHERE.test(req.path)) {
    throw new HttpError(400, "The path of a mounted handler must have no dot segments or backslashes");
  }
  // Deno passes methods on as sent, and layers match them exactly
  if (CAPITALISED_ELSEWHERE.test(method) && method !== asciiUpperCase(method)) {
    throw new HttpError(400, `A mounted handler expects the method ${asciiUpperCase(method)}, not ${method}`);
  }
  if (url === req.originalUrl && method === request.method && request.constructor === Request) return request;
  if (request.bodyUsed) {
    throw new TypeError(`${caller}: the body was already read; register the mount before the body parsers`);
  }
  const { protocol, host } = originOf(request);
  const moved = new Request(`${protocol}//${host}${url}`, request);
  return method === request.method ? moved : new Request(moved, { method });
}

// on Unix sockets Deno's scheme is "http+unix:", whose `origin` is "null"; Bun omits the origin of a request without a
// valid Host
function originOf(request: Request): URL {
  try {
    return new URL(request.url, "http://localhost");
  } catch (cause) {
    throw new HttpError(400, "The Host header names no host", { cause });
  }
}

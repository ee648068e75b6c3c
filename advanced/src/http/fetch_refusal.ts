import { DEFAULT_MESSAGE, type HeaderSink } from "@sluice/limiting";
import { describe } from "@sluice/shared";
import type { Decision } from "../limiter/decision.ts";
import type { Awaitable } from "../policy/store.ts";
import type { HandlerOptions } from "./http_options.ts";
import { forbidStoring } from "./refusal.ts";
import type { RequestLimiter } from "./request_limiter.ts";

/** Responds to a refused web request. Receives the limiter's own response, and the platform's second argument. */
// deno-lint-ignore no-explicit-any -- only the program knows the types of its platform's arguments
export type FetchRefusal = (request: Request, options: HandlerOptions, info?: any) => Awaitable<Response>;

/** Response statuses that must not have a body. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * Responds to a refused request.
 *
 * @param asker The limiter
 * @param request The request
 * @param decision The decision about it
 * @param handler Responds instead of the limiter
 * @param info The platform's second argument
 * @throws {TypeError} If the handler returns no response
 */
export async function refuse(
  asker: RequestLimiter<Request>,
  request: Request,
  decision: Decision,
  handler: FetchRefusal | undefined,
  info: unknown,
): Promise<Response> {
  let status = 500;
  try {
    await asker.reached(request, info as never);
    const response = handler === undefined
      ? await refusalTo(asker, request, decision, info)
      : await handled(asker, request, decision, handler, info);
    ({ status } = response);
    return response;
  } finally {
    if (asker.outcome.refunds) await asker.outcome.finish(request, decision, { statusCode: status }, undefined);
  }
}

async function refusalTo(
  asker: RequestLimiter<Request>,
  request: Request,
  decision: Decision,
  info: unknown,
): Promise<Response> {
  const headers = new Headers();
  asker.writeHeaders(request, sinkOf(headers), decision, asker.clock());
  const { status, body, type } = await asker.refusal(request, decision, info as never);
  forbidStoring(sinkOf(headers));
  if (BODILESS.has(status)) return new Response(null, { status, headers });
  const isText = typeof body === "string";
  headers.set("Content-Type", type ?? (isText ? "text/html; charset=utf-8" : "application/json; charset=utf-8"));
  return new Response(isText ? body : JSON.stringify(body), { status, headers });
}

async function handled(
  asker: RequestLimiter<Request>,
  request: Request,
  decision: Decision,
  handler: FetchRefusal,
  info: unknown,
): Promise<Response> {
  const { statusCode = 429, message = DEFAULT_MESSAGE } = asker.options;
  const now = asker.clock();
  const response: unknown = await handler(request, { statusCode, message, decision }, info);
  if (typeof (response as Response | null | undefined)?.status !== "number") {
    throw new TypeError(`fetchLimit: handler must return a Response, not ${describe(response)}`);
  }
  return withHeaders(response as Response, (headers) => {
    if (headers.getHeader("Cache-Control") === undefined) forbidStoring(headers);
    asker.writeHeaders(request, headers, decision, now);
  });
}

/** Adds headers to a copy of a response, because responses from `fetch` have immutable headers. */
export function withHeaders(response: Response, write: (headers: HeaderSink) => void): Response {
  const copy = new Response(response.body, response);
  write(sinkOf(copy.headers));
  return copy;
}

function sinkOf(headers: Headers): HeaderSink {
  return {
    setHeader: (name, value) => headers.set(name, value),
    getHeader: (name) => headers.get(name) ?? undefined,
  };
}

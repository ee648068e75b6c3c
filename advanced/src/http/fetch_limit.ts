import { checkType, describe, isThenable, type OptionNames, peerOf } from "@sluice/sluice/limiting";
import type { Decision } from "../limiter/decision.ts";
import type { Limiter } from "../limiter/limiter.ts";
import type { Awaitable } from "../policy/store.ts";
import { noteDefaultNames } from "./default_names.ts";
import type { HeaderSink } from "./request_like.ts";
import type { RateLimitOptions } from "./http_options.ts";
import { checkRequestNames, COMMON_NAMES } from "./option_names.ts";
import { forbidStoring } from "./refusal.ts";
import { RequestLimiter } from "./request_limiter.ts";

/** What a handler returns: a response; on Bun nothing, if it has upgraded the request. */
export type FetchResult = Response | undefined;

/** A handler of web requests, with further arguments of its platform. */
export type FetchHandler<Rest extends unknown[], Result extends FetchResult = Response> = (
  request: Request,
  ...rest: Rest
) => Result | Promise<Result>;

/** Options of {@linkcode fetchLimit}. */
export interface FetchLimitOptions
  extends Omit<RateLimitOptions<Request, []>, "handler" | "requestPropertyName" | "requestWasSuccessful"> {
  /** Decides which requests succeeded, for the options `skipFailedRequests` and `skipSuccessfulRequests`. */
  requestWasSuccessful?: ((request: Request, response: { statusCode: number }) => Awaitable<boolean>) | undefined;
  /** Returns a client's address, from the request and the platform's further arguments. */
  // deno-lint-ignore no-explicit-any -- only the program knows the types of its platform's arguments
  clientAddress?: ((request: Request, ...rest: any[]) => string | undefined) | undefined;
}

const NAMES: OptionNames<FetchLimitOptions> = { ...COMMON_NAMES, clientAddress: true };

/** Statuses of responses that must not have a body. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

/** A limiter for web requests. */
export interface FetchLimit {
  /**
   * Puts the limiter in front of a handler.
   *
   * @param handler The handler
   * @returns A handler that responds to refused requests itself. It needs the platform's further arguments, which contain
   * the client's address, even if `handler` does not use them
   */
  <Rest extends unknown[], Result extends FetchResult = Response>(
    handler: FetchHandler<Rest, Result>,
  ): (request: Request, ...rest: [...Rest, ...unknown[]]) => Promise<Response | Result>;
  /** The limiter behind it. */
  readonly limiter: Limiter;
}

/**
 * Limits web requests, for any framework with a Fetch handler.
 *
 * The client's address is read from Deno's `info`, Bun's `server` or Netlify's context; on other platforms set
 * `clientAddress` or `keyGenerator`. Options are those of `rateLimit`, except `handler` and `requestPropertyName`.
 *
 * @param options Limits, store, headers, responses
 * @returns A function that puts the limiter in front of a handler
 * @throws {TypeError} If an option has the wrong type
 * @throws {RangeError} If a number is out of range
 *
 * @example In front of any handler
 * ```ts ignore
 * const limit = fetchLimit({ max: 100, windowMs: 60_000 });
 * Deno.serve(limit((request) => new Response("hello")));
 * ```
 */
export function fetchLimit(options: FetchLimitOptions = {}): FetchLimit {
  checkRequestNames("fetchLimit", options, NAMES);
  checkType("fetchLimit", "clientAddress", options.clientAddress, "function");
  const addresses = new WeakMap<Request, string | undefined>();
  const asker = new RequestLimiter<Request>("fetchLimit", options, (request) => addresses.get(request));
  noteDefaultNames(options, asker.limiter);
  const { clientAddress = platformAddress } = options;
  const needsAddress = options.keyGenerator === undefined;

  const limit = <Rest extends unknown[]>(handler: FetchHandler<Rest, FetchResult>) => {
    checkHandler(handler);
    return async (request: Request, ...rest: Rest): Promise<FetchResult> => {
      if (needsAddress) addresses.set(request, checkedAddress(clientAddress(request, ...rest)));
      const decision = await asker.ask(request);
      if (decision === null) return await handler(request, ...rest);
      if (!decision.allowed) return await refuse(asker, request, decision);
      asker.admitted(request, decision);
      return await answer(asker, request, decision, () => handler(request, ...rest));
    };
  };
  return Object.defineProperties(limit, { limiter: { get: () => asker.limiter } }) as FetchLimit;
}

function checkHandler(handler: unknown): void {
  if (typeof handler === "function") return;
  throw new TypeError(
    `fetchLimit: what it makes takes a handler of web requests, such as app.fetch, not ${describe(handler)}`,
  );
}

function checkedAddress(address: unknown): string | undefined {
  if (typeof address === "string" || address === undefined || address === null) return address ?? undefined;
  const told = isThenable(address)
    ? "a promise: where it has to be waited for, give a keyGenerator"
    : describe(address);
  throw new TypeError(`fetchLimit: clientAddress must return an address as text, or nothing, not ${told}`);
}

async function refuse(asker: RequestLimiter<Request>, request: Request, decision: Decision): Promise<Response> {
  await asker.reached(request);
  const headers = new Headers();
  asker.writeHeaders(request, sinkOf(headers), decision);
  const { status, body, type } = await asker.refusal(request, decision);
  forbidStoring(sinkOf(headers));
  if (BODILESS.has(status)) return new Response(null, { status, headers });
  const isText = typeof body === "string";
  headers.set("Content-Type", type ?? (isText ? "text/html; charset=utf-8" : "application/json; charset=utf-8"));
  return new Response(isText ? body : JSON.stringify(body), { status, headers });
}

async function answer(
  asker: RequestLimiter<Request>,
  request: Request,
  decision: Decision,
  handle: () => FetchResult | Promise<FetchResult>,
): Promise<FetchResult> {
  let status = 500;
  try {
    const response = await handle();
    // the response to an upgrade is the platform's own object and must not be copied; on Bun there is none
    status = response?.status ?? 101;
    return response === undefined || status === 101
      ? response
      : withHeaders(response, (headers) => asker.writeHeaders(request, headers, decision));
  } finally {
    // awaited, because some platforms stop work after the response; the time limit bounds the wait
    if (asker.hasLeases || asker.watchesOutcome) {
      await Promise.all([asker.release(decision, request), asker.finished(request, decision, { statusCode: status })]);
    }
  }
}

// a copy, because a response from fetch has immutable headers
function withHeaders(response: Response, write: (headers: HeaderSink) => void): Response {
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

function platformAddress(request: Request, info?: unknown): string | undefined {
  return peerOf(info, request).address;
}

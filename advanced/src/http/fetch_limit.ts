import type { TrustSetting } from "@sluice/limiting";
import { checkType, describe, isThenable, type OptionNames, peerOf } from "@sluice/shared";
import type { Decision } from "../limiter/decision.ts";
import type { Limiter } from "../limiter/limiter.ts";
import type { Awaitable } from "../policy/store.ts";
import { webPathsOf } from "../rules/path_of.ts";
import { noteDefaultNames } from "./default_names.ts";
import type { RateLimitOptions } from "./http_options.ts";
import { checkRequestNames, COMMON_NAMES } from "./request_option_names.ts";
import { type FetchRefusal, refuse, withHeaders } from "./fetch_refusal.ts";
import { CLIENT_LEFT, Disconnected } from "./delay.ts";
import { RequestLimiter } from "./request_limiter.ts";
import type { RequestReader } from "./request_reader.ts";

/** A handler's return value: a response, or `undefined` on Bun if it upgraded the request. */
export type FetchResult = Response | undefined;

/** A Fetch handler, with the platform's additional arguments. */
export type FetchHandler<Rest extends unknown[], Result extends FetchResult = Response> = (
  request: Request,
  ...rest: Rest
) => Result | Promise<Result>;

/**
 * Options for {@linkcode fetchLimit}. Functions receive the request and the platform's second argument: Deno's `info`,
 * Bun's `server` or a Worker's environment.
 *
 * @example Behind a proxy that sets the client's address
 * ```ts
 * import { fetchLimit } from "@sluice/rate-limit";
 *
 * const limit = fetchLimit({ limit: 100, clientAddress: (request) => request.headers.get("cf-connecting-ip") ?? undefined });
 * const handler = limit(() => new Response("hello"));
 * console.log((await handler(new Request("http://localhost/", { headers: { "cf-connecting-ip": "192.0.2.1" } }))).status); // 200
 * ```
 */
export interface FetchLimitOptions extends
  Omit<
    // deno-lint-ignore no-explicit-any -- only the program knows the types of its platform's arguments
    RateLimitOptions<Request, [info?: any]>,
    "handler" | "requestPropertyName" | "requestWasSuccessful" | "costAfter"
  > {
  /** Responds to refused requests instead of the limiter, which adds its headers. */
  handler?: FetchRefusal | undefined;
  /**
   * The actual cost of a request, called once its response has been sent completely or its client has disconnected. It
   * replaces the estimate in `cost`; return `undefined` to keep the estimate. Receives no response if the handler
   * threw, or upgraded the request on Bun. For limits with `maxDebt`; other limits keep what they counted.
   */
  costAfter?:
    | ((
      request: Request,
      response: Response | undefined,
      // deno-lint-ignore no-explicit-any -- only the program knows the types of its platform's arguments
      info?: any,
    ) => Awaitable<number | undefined>)
    | undefined;
  /** Decides which requests succeeded, for the options `skipFailedRequests` and `skipSuccessfulRequests`. */
  requestWasSuccessful?: ((request: Request, response: { statusCode: number }) => Awaitable<boolean>) | undefined;
  /** Returns the client's address from the request and the platform's additional arguments. */
  // deno-lint-ignore no-explicit-any -- only the program knows the types of its platform's arguments
  clientAddress?: ((request: Request, ...rest: any[]) => string | undefined) | undefined;
}

const NAMES: OptionNames<FetchLimitOptions> = { ...COMMON_NAMES, handler: true, clientAddress: true };

/** For addresses that come from the platform. */
const PLATFORM: TrustSetting = {
  value: false,
  remedy: "give fetchLimit a clientAddress that takes the address from what that proxy adds to the header",
};

/** A limiter for web requests. */
export interface FetchLimit {
  /**
   * Puts the limiter in front of a handler.
   *
   * @param handler The handler
   * @returns A handler that responds to refused requests itself. Pass it the platform's additional arguments, which
   * contain the client's address, even if `handler` does not use them
   */
  <Rest extends unknown[], Result extends FetchResult = Response>(
    handler: FetchHandler<Rest, Result>,
  ): (request: Request, ...rest: [...Rest, ...unknown[]]) => Promise<Response | Result>;
  /** The underlying limiter. */
  readonly limiter: Limiter;
  /**
   * Returns the decision about a request, for its handler.
   *
   * @param request The same request object that the limiter received
   * @returns The decision; `undefined` if the request was skipped or did not pass this limiter
   */
  decisionOf(request: Request): Decision | undefined;
}

/** A request's state while it is handled. */
class Asked {
  /** The client's address, if the limiter needs it. */
  readonly address: string | undefined;
  /** The platform's second argument. */
  readonly info: unknown;
  /** The decision; `undefined` if there is none, or not yet. */
  decision: Decision | undefined;
  /** Whether the handler is running. */
  isHandled = false;

  constructor(address: string | undefined, info: unknown) {
    this.address = address;
    this.info = info;
    this.decision = undefined;
  }
}

/**
 * Rate limits web requests, for any framework with a Fetch handler.
 *
 * Reads the client's address from Deno's `info`, Bun's `server` or Netlify's context. On other platforms set
 * `clientAddress` or `keyGenerator`. Options are the same as for `rateLimit`, except `requestPropertyName`; `handler`
 * returns a response.
 *
 * @param options Limits, store, headers, responses
 * @returns A function that puts the limiter in front of a handler
 * @throws {TypeError} If an option has the wrong type
 * @throws {RangeError} If a number is out of range
 *
 * @example In front of any handler
 * ```ts ignore
 * const limit = fetchLimit({ limit: 100, windowMs: 60_000 });
 * Deno.serve(limit((request) => new Response("hello")));
 * ```
 */
export function fetchLimit(given: FetchLimitOptions = {}): FetchLimit {
  const options = checkRequestNames("fetchLimit", given, NAMES);
  const { handler: refusing, ...rest } = options;
  // functions get a different second argument here, and this file passes it
  const common = rest as RateLimitOptions<Request>;
  checkType("fetchLimit", "clientAddress", options.clientAddress, "function");
  checkType("fetchLimit", "handler", refusing, "function");
  const all = new WeakMap<Request, Asked>();
  const { clientAddress = platformAddress } = options;
  const needsAddress = options.keyGenerator === undefined;
  const reader: RequestReader<Request> = {
    methodOf: ({ method }) => method,
    pathsOf: ({ url }) => webPathsOf(url),
    addressOf: (request) => {
      const asked = all.get(request);
      if (needsAddress || options.clientAddress !== undefined) return asked?.address;
      return platformAddress(request, asked?.info);
    },
    header: (request, name) => request.headers.get(name) ?? undefined,
    trustOf: () => options.clientAddress === undefined ? PLATFORM : null,
    signalOf: ({ signal }) => signal,
  };
  const asker = new RequestLimiter<Request>("fetchLimit", common, reader);
  noteDefaultNames(common, asker.limiter);

  const limit = <Rest extends unknown[]>(handler: FetchHandler<Rest, FetchResult>) => {
    checkHandler(handler);
    return async (request: Request, ...rest: Rest): Promise<FetchResult> => {
      const address = needsAddress ? checkedAddress(clientAddress(request, ...rest)) : undefined;
      const asked = new Asked(address, rest[0]);
      const front = all.get(request);
      all.set(request, asked);
      const decision = await asker.ask(request, rest[0] as never);
      if (decision === null) return await handler(request, ...rest);
      if (decision instanceof Disconnected) return new Response(null, { status: CLIENT_LEFT });
      asked.decision = decision;
      // a program may also reuse a request object
      if (front?.isHandled) asker.lookAtEarlier(decision, front.decision!);
      if (!decision.allowed) return await refuse(asker, request, decision, refusing, rest[0]);
      asker.admitted(request, decision);
      const { costAfter } = options;
      const costOf = costAfter && ((response?: Response) => costAfter(request, response, rest[0]));
      asked.isHandled = true;
      try {
        return await respond(asker, request, decision, () => handler(request, ...rest), costOf);
      } finally {
        asked.isHandled = false;
      }
    };
  };
  return Object.defineProperties(limit, {
    limiter: { get: () => asker.limiter },
    decisionOf: { value: (request: Request) => all.get(request)?.decision },
  }) as FetchLimit;
}

function checkHandler(handler: unknown): void {
  if (typeof handler === "function") return;
  throw new TypeError(
    `fetchLimit: the function it returns expects a handler of web requests, such as app.fetch, not ${
      describe(handler)
    }`,
  );
}

function checkedAddress(address: unknown): string | undefined {
  if (typeof address === "string" || address === undefined || address === null) return address ?? undefined;
  const told = isThenable(address) ? "a promise: to await it, use a keyGenerator" : describe(address);
  throw new TypeError(`fetchLimit: clientAddress must return an address as a string, or nothing, not ${told}`);
}

async function respond(
  asker: RequestLimiter<Request>,
  request: Request,
  decision: Decision,
  handle: () => FetchResult | Promise<FetchResult>,
  costOf: ((response?: Response) => Awaitable<number | undefined>) | undefined,
): Promise<FetchResult> {
  const { outcome } = asker;
  const now = asker.clock();
  let status = 500;
  let response: FetchResult;
  let isSending = false;
  try {
    response = await handle();
    // the response to an upgrade is the platform's own object and must not be copied; on Bun there is no response
    status = response?.status ?? 101;
    if (response === undefined || status === 101) return response;
    const told = withHeaders(response, (headers) => asker.writeHeaders(request, headers, decision, now));
    if (costOf === undefined || told.body === null) return told;
    isSending = true;
    return whenSent(told, () => outcome.finish(request, decision, { statusCode: status }, () => costOf(response)));
  } finally {
    // awaited because some platforms stop work after the response; the deadline bounds the wait
    if (isSending) await outcome.release(request, decision);
    else if (outcome.matters) {
      await outcome.end(request, decision, { statusCode: status }, costOf && (() => costOf(response)));
    }
  }
}

/** A response that calls `done` when its body has been sent or canceled. The body ends once `done` has settled. */
function whenSent(response: Response, done: () => Promise<void>): Response {
  const reader = response.body!.getReader();
  let ending: Promise<void> | null = null;
  const end = () => ending ??= done();
  const body = new ReadableStream({
    async pull(controller) {
      try {
        const { done: isOver, value } = await reader.read();
        if (!isOver) return controller.enqueue(value);
      } catch (error) {
        await end();
        throw error;
      }
      await end();
      controller.close();
    },
    async cancel(reason) {
      try {
        await reader.cancel(reason);
      } finally {
        await end();
      }
    },
  }, { highWaterMark: 0 });
  return new Response(body, response);
}

function platformAddress(request: Request, info?: unknown): string | undefined {
  return peerOf(info, request).address;
}

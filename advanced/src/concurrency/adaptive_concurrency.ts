import { failureOf, RequestsInProgress } from "@sluice/limiting";
import { checkInteger, checkNames, checkType, describe, isExempt, type OptionNames, withDetails } from "@sluice/shared";
import type { FetchHandler, FetchResult } from "../http/fetch_limit.ts";
import type { AnyRequest, RequestLike, ResponseLike } from "../http/request_like.ts";
import { Gradient2 } from "./gradient2.ts";

/**
 * How important a request is under overload, as in the framework's `shedLoad`: `"critical"` requests are never refused,
 * `"low"` requests already at half the limit.
 */
export type Priority = "critical" | "normal" | "low";

/**
 * Options for {@linkcode adaptiveConcurrency}; all are optional.
 *
 * @example Never refuse payments, refuse reports first
 * ```ts
 * import { adaptiveConcurrency, type AdaptiveConcurrencyOptions } from "@sluice/rate-limit";
 * import sluice, { type Request } from "@sluice/sluice";
 *
 * const options: AdaptiveConcurrencyOptions<Request> = {
 *   max: 200,
 *   priority: ({ path }) => path.startsWith("/pay") ? "critical" : path.startsWith("/reports") ? "low" : "normal",
 * };
 * const app = sluice();
 * app.use(adaptiveConcurrency(options));
 * ```
 */
export interface AdaptiveConcurrencyOptions<Req = AnyRequest> {
  /** Minimum limit, 4 by default. */
  min?: number | undefined;
  /**
   * Maximum limit, 1000 by default. Until the first requests end, it is the only bound, so set it to what memory and
   * the backend can handle.
   */
  max?: number | undefined;
  /**
   * The initial limit, 20 by default, or the nearest value that `min` and `max` allow. While requests would be refused,
   * it doubles every 50 ms, until they take longer than the first requests did.
   */
  initial?: number | undefined;
  /** Returns a request's priority; `"normal"` by default. Called for every request, so it should be cheap. */
  priority?: ((req: Req) => Priority | undefined) | undefined;
  /** When refused clients should retry, in ms, 1000 by default. `Retry-After` contains it in whole seconds. */
  retryAfterMs?: number | undefined;
  /** Current time in ms, from a monotonic clock; for tests. */
  clock?: (() => number) | undefined;
}

/** Current figures, for metrics. */
export interface ConcurrencyFigures {
  /** Current limit on requests in progress. */
  readonly limit: number;
  /** Requests in progress. */
  readonly inFlight: number;
  /** Requests admitted so far. */
  readonly admitted: number;
  /** Requests refused so far, by priority. */
  readonly refused: Readonly<Record<"normal" | "low", number>>;
  /** Mean latency in the last window, in ms; 0 before the first. */
  readonly latencyMs: number;
  /** The limiter's estimate of the latency without a queue, in ms. */
  readonly baselineMs: number;
}

/**
 * Ends an admitted operation; only the first call counts.
 *
 * @param isMeasured Whether its latency reflects the server's load, `true` by default. Pass `false` if it failed
 * immediately or the client disconnected
 */
export type EndConcurrent = (isMeasured?: boolean) => void;

/** Concurrency-limiting middleware that finds its own limit. Its methods also work outside middleware. */
// deno-lint-ignore no-explicit-any -- middleware, whatever its option types
export interface AdaptiveConcurrency<Req = any> {
  /** Admits or refuses a request. */
  (req: RequestLike, res: ResponseLike, next: (error?: unknown) => void): void;
  /** Same as above. Frameworks that accept this signature infer the types of functions in the options from it. */
  (req: Req, res: ResponseLike, next: (error?: unknown) => void): void;
  /**
   * Puts the limiter in front of a Fetch handler.
   *
   * @param handler The handler
   * @returns A handler that responds to refused requests itself
   */
  fetch<Rest extends unknown[], Result extends FetchResult = Response>(
    handler: FetchHandler<Rest, Result>,
  ): (request: Request, ...rest: Rest) => Promise<Response | Result>;
  /**
   * Admits or refuses an operation that is not a request.
   *
   * @param priority Its priority, `"normal"` by default
   * @returns A function to call when it ends; `null` if it is refused
   */
  begin(priority?: Priority): EndConcurrent | null;
  /** The current figures. */
  readonly figures: ConcurrencyFigures;
}

const NAMES: OptionNames<AdaptiveConcurrencyOptions> = {
  min: true,
  max: true,
  initial: true,
  priority: true,
  retryAfterMs: true,
  clock: true,
};

const MOST = 1_000_000;

/**
 * Limits the number of requests in progress, and derives the limit from their latency. Requests that would only wait in
 * a queue are refused with 503. It counts per process, because latency is also per process, and starts no timer.
 *
 * The initial limit doubles until requests take longer than the first requests did. After that it follows Gradient2
 * from Netflix's concurrency-limits, and occasionally measures the latency without a queue. A request counts until its
 * response has been sent, so exclude routes with endless responses, such as event streams. If its client disconnects
 * before there is a response, it still counts until the handler ends it, for at most one minute. Latency is not
 * measured for responses with status 500 or above, or for disconnected clients.
 *
 * @param options Bounds and priorities
 * @returns The middleware
 * @throws {TypeError} If an option has the wrong type, or is unknown
 * @throws {RangeError} If a number is out of range
 *
 * @example Refuse reports first, and health checks never
 * ```ts ignore
 * import { adaptiveConcurrency } from "@sluice/rate-limit";
 *
 * app.use(adaptiveConcurrency({
 *   priority: (req) => req.path === "/health" ? "critical" : /^\/reports/i.test(req.path) ? "low" : "normal",
 * }));
 * ```
 */
export function adaptiveConcurrency<Req extends AnyRequest | Request = AnyRequest>(
  options: AdaptiveConcurrencyOptions<Req> = {},
): AdaptiveConcurrency<Req> {
  const { initial, max, min, priority, retryAfterMs, clock } = checked(options);
  const gradient = new Gradient2(initial, min, max);
  const refused = { normal: 0, low: 0 };
  const requests = new RequestsInProgress(clock);
  let inFlight = 0;
  let admitted = 0;

  function isFull(matters: "normal" | "low"): boolean {
    return inFlight >= gradient.limit / (matters === "low" ? 2 : 1);
  }

  function begin(matters: Priority = "normal"): EndConcurrent | null {
    requests.expire();
    if (matters !== "critical" && isFull(matters)) {
      gradient.press(clock());
      if (isFull(matters)) {
        refused[matters]++;
        return null;
      }
    }
    inFlight++;
    admitted++;
    const began = clock();
    let isOver = false;
    return (isMeasured = true) => {
      if (isOver) return;
      isOver = true;
      if (isMeasured) gradient.note(began, clock(), inFlight);
      inFlight--;
    };
  }

  const retryAfter = String(Math.ceil(retryAfterMs / 1000));
  const headers = {
    "Content-Type": "text/plain; charset=utf-8",
    "Cache-Control": "no-store",
    "Retry-After": retryAfter,
  };

  function limit(req: Req & RequestLike, res: ResponseLike, next: (error?: unknown) => void): void {
    // not measured either: a free request does not reflect other requests
    if (isExempt(req)) return next();
    let end: EndConcurrent | null;
    try {
      end = begin(told(priority?.(req)));
    } catch (error) {
      return next(failureOf(error));
    }
    if (end === null) {
      res.statusCode = 503;
      for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
      return void res.end("Service Unavailable");
    }
    const ended = end;
    requests.watch(res, (isComplete) => ended(isComplete && res.statusCode < 500));
    next();
  }

  function fetch<Rest extends unknown[]>(handler: FetchHandler<Rest, FetchResult>): FetchHandler<Rest, FetchResult> {
    checkType("adaptiveConcurrency", "handler of fetch", handler, "function");
    return async (request, ...rest) => {
      const end = begin(told(priority?.(request as Req & Request)));
      if (end === null) return new Response("Service Unavailable", { status: 503, headers });
      let isMeasured = false;
      try {
        const response = await handler(request, ...rest);
        isMeasured = response !== undefined && response.status < 500;
        return response;
      } finally {
        end(isMeasured);
      }
    };
  }

  withDetails(limit, { name: "adaptiveConcurrency", limits: { min, max } });
  return Object.defineProperties(limit, {
    fetch: { value: fetch },
    begin: { value: (matters?: Priority) => begin(told(matters)) },
    figures: {
      get: (): ConcurrencyFigures => {
        requests.expire();
        return {
          limit: gradient.limit,
          inFlight,
          admitted,
          refused: { ...refused },
          latencyMs: gradient.latencyMs,
          baselineMs: gradient.baselineMs,
        };
      },
    },
  }) as unknown as AdaptiveConcurrency<Req>;
}

function checked<Req>(options: AdaptiveConcurrencyOptions<Req>) {
  if (Object.hasOwn(Object(options), "store")) {
    throw new TypeError(
      "adaptiveConcurrency: there is no option store: each process measures its own latency and limits itself by it; " +
        "leave it out",
    );
  }
  checkNames("adaptiveConcurrency", options, NAMES);
  const { min = 4, priority, retryAfterMs = 1000, clock = monotonic } = options;
  checkInteger("adaptiveConcurrency", "min", min, 1, MOST);
  const { max = Math.max(1000, min) } = options;
  checkInteger("adaptiveConcurrency", "max", max, min, MOST);
  const { initial = Math.max(min, Math.min(max, 20)) } = options;
  checkInteger("adaptiveConcurrency", "initial", initial, min, max);
  checkInteger("adaptiveConcurrency", "retryAfterMs", retryAfterMs, 0, 86_400_000);
  checkType("adaptiveConcurrency", "priority", priority, "function");
  checkType("adaptiveConcurrency", "clock", clock, "function");
  return { min, max, initial, priority, retryAfterMs, clock };
}

function told(priority: unknown): Priority {
  if (priority === undefined || priority === "normal" || priority === "critical" || priority === "low") {
    return priority ?? "normal";
  }
  throw new TypeError(
    `adaptiveConcurrency: priority must be "critical", "normal" or "low", not ${describe(priority)}`,
  );
}

function monotonic(): number {
  return performance.now();
}

import { DEFAULT_MESSAGE, failureOf, isMadeInRequest, trustOf } from "@sluice/limiting";
import { asciiLowerCase, isThenable, nextSequence, type OptionNames, withDetails } from "@sluice/shared";
import type { Decision } from "../limiter/decision.ts";
import type { PeekOptions } from "../limiter/demand.ts";
import { assertKey } from "../limiter/encode_key.ts";
import type { Limiter } from "../limiter/limiter.ts";
import { whenAll } from "../limiter/when_all.ts";
import type { Policy } from "../policy/policy.ts";
import type { Awaitable } from "../policy/store.ts";
import { noteDefaultNames } from "./default_names.ts";
import type {
  AnyRequest,
  AnyResponse,
  RequestLike,
  ResponseLike,
  ResponseOf,
  SendingResponse,
} from "./request_like.ts";
import type { RateLimitOptions } from "./http_options.ts";
import { sharedLimiter } from "./shared_limiter.ts";
import { checkRequestNames, COMMON_NAMES } from "./request_option_names.ts";
import { LaterRateLimitInfo, RateLimitInfo } from "./rate_limit_info.ts";
import { forbidStoring, type Refusal } from "./refusal.ts";
import { CLIENT_LEFT, Disconnected } from "./delay.ts";
import { decodedTarget, pathOf } from "../rules/path_of.ts";
import { RequestLimiter } from "./request_limiter.ts";
import type { RequestReader } from "./request_reader.ts";
import { signalOf } from "./signal_of.ts";
import { watchOutcome } from "./watch_outcome.ts";

const NAMES: OptionNames<RateLimitOptions> = { ...COMMON_NAMES, handler: true, requestPropertyName: true };

/** The properties of a Sluice or Express request that identify the client. */
interface ProxiedRequest {
  readonly app?: { get?(name: string): unknown };
  get?(name: string): string | undefined;
}

/** The method and target of a framework's or Node's own request. */
interface MountedRequest {
  readonly method?: string;
  readonly originalUrl?: string;
  readonly url?: string;
  readonly baseUrl?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, unknown>>;
}

/** Node's own requests have no application and no client address. */
const READER: RequestReader<RequestLike> = {
  methodOf: ({ method = "" }: MountedRequest) => method,
  // as the router reads it, whatever the target looks like: any difference would be a bypass
  pathsOf: ({ baseUrl, path, originalUrl, url = "" }: MountedRequest) => {
    if (typeof baseUrl === "string" && typeof path === "string") return [baseUrl + path];
    // A mount may have stripped part of `url`, or middleware may have rewritten it. Routers for Node's own requests may
    // decode it before they look for the query, as h3 1 does, or not support fragments.
    return [...new Set([url, originalUrl ?? url])].flatMap((target) => {
      const trimmed = target.trim();
      return [pathOf(decodedTarget(trimmed)), pathOf(trimmed), target.split("?", 1)[0]!];
    });
  },
  addressOf: ({ ip }) => ip,
  header: (req, name) => {
    const { get, headers } = req as ProxiedRequest & MountedRequest;
    return typeof get === "function" ? get.call(req, name) : headers?.[asciiLowerCase(name)] as string | undefined;
  },
  trustOf: (req) => {
    const { app } = req as ProxiedRequest;
    return typeof app?.get === "function" ? trustOf({ app: app as { get(name: string): unknown } }) : null;
  },
  // no response is sent before the limiter decides, so a closed response means the client disconnected
  signalOf: (_req, res) => signalOf(res!),
};

/** Continues with the next layer, or with the error handlers. */
type Next = (error?: unknown) => void;

/**
 * A limiter as middleware, with methods to control it.
 *
 * @typeParam Req The request passed to functions in its options
 * @typeParam Res Their response
 */
// deno-lint-ignore no-explicit-any -- middleware, whatever its option types
export interface RateLimitMiddleware<Req = any, Res = any> {
  /** Counts a request, and admits or refuses it. */
  (req: RequestLike, res: ResponseLike, next: (error?: unknown) => void): void | Promise<void>;
  /** Same as above. Frameworks that accept this signature infer the types of functions in the options from it. */
  (req: Req, res: Res, next: (error?: unknown) => void): void | Promise<void>;
  /** The underlying limiter: `check`, `peek`, `counters`, `on`, `close`. */
  readonly limiter: Limiter;
  /** Forgets all keys. */
  reset(): Awaitable<number>;
  /** Forgets one key: a generated key, or a client's address. */
  resetKey(key: string): Awaitable<number>;
  /**
   * Returns the remaining quota of a generated key or a client's address, without consuming any. `options` sets the
   * key's own limit.
   */
  getKey(key: string, options?: PeekOptions): Awaitable<Decision>;
  /** Keys in memory. */
  readonly size: number;
}

/**
 * Rate limits requests, as Sluice or Express middleware: `(req, res, next)`.
 *
 * Functions in the options get the request and response of the framework it is passed to, as in
 * `app.use(rateLimit(…))`. Elsewhere, name the type: `rateLimit<Request>({ … })`.
 *
 * @typeParam Req The request passed to functions in the options
 * @typeParam Res Their response
 * @param options Limits, store, headers, responses
 * @returns The middleware
 * @throws {TypeError} If an option has the wrong type
 * @throws {RangeError} If a number is out of range
 *
 * @example Exactly 100 requests in any minute, counted in Redis
 * ```ts ignore
 * import { rateLimit, RedisStore } from "@sluice/rate-limit";
 *
 * app.use(rateLimit({
 *   algorithm: "sliding-window",
 *   windowMs: 60_000,
 *   limit: 100,
 *   store: new RedisStore({ url: "redis://localhost:6379" }),
 * }));
 * ```
 */
export function rateLimit<Req extends AnyRequest = AnyRequest, Res extends AnyResponse = ResponseOf<Req>>(
  given: RateLimitOptions<Req, [res: Res], Res> = {},
): RateLimitMiddleware<Req, Res> {
  // the response to a request has this type
  const options = checkRequestNames("rateLimit", given, NAMES) as RateLimitOptions<Req>;
  const own = new RequestLimiter<Req>("rateLimit", options, READER);
  const sequence = nextSequence();
  let asker: RequestLimiter<Req> | null = null;

  function begin(req: RequestLike): RequestLimiter<Req> {
    if (isMadeInRequest(sequence, req)) {
      return new RequestLimiter("rateLimit", options, READER, sharedLimiter(own, req));
    }
    noteDefaultNames(options, own.limiter);
    return own;
  }

  function limit(req: RequestLike, res: ResponseLike, next: Next): void | Promise<void> {
    let asked: Awaitable<Decision | null>;
    try {
      asker ??= begin(req);
      asked = asker.ask(req as Req, res as ResponseOf<Req>);
    } catch (error) {
      return next(failureOf(error));
    }
    return isThenable(asked)
      ? settleLater(asker, asked, req as Req, res, next)
      : settle(asker, asked as Decision | null, req as Req, res, next);
  }

  withDetails(limit, {
    name: "rateLimit",
    get limits() {
      return limitsOf((asker ?? own).limiter.policies);
    },
    refuses: own.refuses,
  });
  return Object.defineProperties(limit, {
    limiter: { get: () => (asker ?? own).limiter },
    reset: { value: () => (asker ?? own).limiter.reset() },
    resetKey: { value: (key: string) => resetKey(asker ?? own, key) },
    getKey: { value: (key: string, options?: PeekOptions) => getKey(asker ?? own, key, options) },
    size: { get: () => (asker ?? own).limiter.size },
  }) as RateLimitMiddleware<Req, Res>;
}

function limitsOf(policies: readonly Policy[]): Record<string, string> {
  return Object.fromEntries(policies.map(({ name, limit, windowMs, window, algorithm }) => {
    return [name, `${limit} ${window === undefined ? `in ${windowMs} ms` : `every ${window.every}`} (${algorithm})`];
  }));
}

// a generated key that looks like an address is counted literally, unless it is the request's own key
function getKey<Req>(asker: RequestLimiter<Req>, key: string, options?: PeekOptions): Awaitable<Decision> {
  assertKey(key, "the key", "getKey");
  const clients = asker.keys.ofAddress(key);
  const asClient = asker.limiter.peek(clients, options);
  if (asker.options.keyGenerator === undefined || clients === key) return asClient;
  const decisions = [asClient, asker.limiter.peek(key, options)];
  return whenAll(decisions, (all) => all.reduce((one, other) => other.remaining < one.remaining ? other : one));
}

// a key that is an address may be counted literally or as its client's key, which differs by subnet
function resetKey<Req>(asker: RequestLimiter<Req>, key: string): Awaitable<number> {
  assertKey(key, "the key", "resetKey");
  const clients = asker.keys.ofAddress(key);
  const keys = new Set([key, ...(typeof clients === "string" ? [clients] : Object.values(clients))]);
  const counts = Array.from(keys, (one) => asker.limiter.reset(one));
  return whenAll(counts, (all) => all.reduce((total, count) => total + count, 0));
}

async function settleLater<Req extends RequestLike>(
  asker: RequestLimiter<Req>,
  asked: PromiseLike<Decision | null>,
  req: Req,
  res: ResponseLike,
  next: Next,
): Promise<void> {
  let decision: Decision | null;
  try {
    decision = await asked;
  } catch (error) {
    return next(failureOf(error));
  }
  return settle(asker, decision, req, res, next);
}

// no client gets it, but logs show nginx's status for it
function leave(res: ResponseLike): void {
  if (res.writableEnded) return;
  if (!res.headersSent) res.statusCode = CLIENT_LEFT;
  res.end();
}

// errors from next() belong to later layers, so it is never called inside a try block
function settle<Req extends RequestLike>(
  asker: RequestLimiter<Req>,
  decision: Decision | null,
  req: Req,
  res: ResponseLike,
  next: Next,
): void | Promise<void> {
  if (decision === null) return next();
  if (decision instanceof Disconnected) return leave(res);
  const now = asker.clock();
  const properties = req as unknown as Record<string, unknown>;
  const front = properties[asker.property];
  properties[asker.property] = front instanceof RateLimitInfo
    ? behind(asker, decision, now, front)
    : new RateLimitInfo(decision, now);
  if (!res.headersSent) asker.writeHeaders(req, res, decision, now);
  const { outcome } = asker;
  if (outcome.matters) {
    const { costAfter } = asker.options;
    watchOutcome(outcome, req, decision, res, costAfter && (() => costAfter(req, res as ResponseOf<Req>)));
  }
  if (!decision.allowed) return refuse(asker, decision, req, res, next);
  asker.admitted(req, decision);
  return next();
}

function behind<Req>(asker: RequestLimiter<Req>, decision: Decision, now: number, front: RateLimitInfo): RateLimitInfo {
  for (let info: RateLimitInfo | null = front; info !== null; info = info.earlier) {
    asker.lookAtEarlier(decision, info.decision);
  }
  return new LaterRateLimitInfo(decision, now, front);
}

async function refuse<Req extends RequestLike>(
  asker: RequestLimiter<Req>,
  decision: Decision,
  req: Req,
  res: ResponseLike,
  next: Next,
): Promise<void> {
  try {
    const { handler } = asker.options;
    const reached = asker.reached(req, res as ResponseOf<Req>);
    if (isThenable(reached)) await reached;
    if (handler !== undefined) {
      const { statusCode = 429, message = DEFAULT_MESSAGE } = asker.options;
      if (!res.headersSent) forbidStoring(res);
      return void await handler(req, res as ResponseOf<Req>, next, { statusCode, message, decision });
    }
    const refusal = await asker.refusal(req, decision, res as ResponseOf<Req>);
    // another middleware, such as a timeout, may have already responded
    if (!res.writableEnded) send(res, refusal);
  } catch (error) {
    next(failureOf(error));
  }
}

function send(res: ResponseLike, { status, body, type }: Refusal): void {
  forbidStoring(res);
  res.statusCode = status;
  const sending = res as ResponseLike & Partial<SendingResponse>;
  if (type !== undefined) res.setHeader("Content-Type", type);
  if (typeof body === "string") {
    if (sending.send !== undefined) return void sending.send(body);
    res.setHeader("Content-Type", "text/html; charset=utf-8");
    return void res.end(body);
  }
  if (sending.json !== undefined) return void sending.json(body);
  if (type === undefined) res.setHeader("Content-Type", "application/json; charset=utf-8");
  res.end(JSON.stringify(body));
}

import { DEFAULT_MESSAGE, type HeaderSink, type TrustSetting } from "@sluice/limiting";
import { checkType, describe, type OptionNames } from "@sluice/shared";
import { noteDefaultNames } from "../http/default_names.ts";
import { CLIENT_LEFT, Disconnected } from "../http/delay.ts";
import type { HandlerOptions, RateLimitOptions } from "../http/http_options.ts";
import { checkRequestNames, COMMON_NAMES } from "../http/request_option_names.ts";
import { RateLimitInfo } from "../http/rate_limit_info.ts";
import { forbidStoring } from "../http/refusal.ts";
import { RequestLimiter } from "../http/request_limiter.ts";
import type { CostOf, RequestOutcome } from "../http/request_outcome.ts";
import type { RequestReader } from "../http/request_reader.ts";
import type { Decision } from "../limiter/decision.ts";
import type { Limiter } from "../limiter/limiter.ts";
import type { Awaitable } from "../policy/store.ts";

/**
 * Options for a limiter in one framework: those for `rateLimit`, except that functions receive the framework's own
 * context.
 *
 * @typeParam Ctx The context that the framework passes to its middleware
 * @typeParam Rest Arguments after it
 * @typeParam Result Return value of `handler`
 *
 * @example Send your own response in Hono
 * ```ts ignore
 * import { rateLimit } from "@sluice/rate-limit/hono";
 *
 * app.use(rateLimit({ limit: 100, handler: (c, { statusCode, decision }) => c.json({ wait: decision.retryAfterMs }, statusCode) }));
 * ```
 */
export interface ContextLimitOptions<Ctx, Rest extends unknown[] = [], Result = unknown> extends
  Omit<
    RateLimitOptions<Ctx, Rest>,
    "handler" | "requestPropertyName" | "requestWasSuccessful" | "costAfter"
  > {
  /** Responds to refused requests instead of the limiter, which adds its headers. */
  handler?: ((context: Ctx, ...rest: [...Rest, options: HandlerOptions]) => Awaitable<Result>) | undefined;
  /** Decides which requests succeeded, for the options `skipFailedRequests` and `skipSuccessfulRequests`. */
  requestWasSuccessful?: ((context: Ctx, response: { statusCode: number }) => Awaitable<boolean>) | undefined;
  /**
   * The actual cost of a request, called once it is over. It replaces `cost`, for limits with `maxDebt`; return
   * `undefined` to keep the estimate. On Node, if the client disconnects first, it is also called then; nothing is
   * refunded until the end.
   */
  costAfter?: ((context: Ctx, response: { statusCode: number }) => Awaitable<number | undefined>) | undefined;
  /** Returns the client's address, where the platform does not provide it or a proxy does. */
  clientAddress?: ((context: Ctx) => string | undefined) | undefined;
  /** What to do if the client is unknown: fail (default), or count such requests together. */
  missingKey?: "share" | "error" | undefined;
}

const NAMES: OptionNames<ContextLimitOptions<unknown>> = { ...COMMON_NAMES, handler: true, clientAddress: true };

/** Request data that a framework provides. */
export interface Framework<Ctx, Rest extends unknown[] = []> {
  /** The method. */
  methodOf(context: Ctx): string;
  /** The complete path that the router matches; several if it may match any of them. */
  pathsOf(context: Ctx): readonly string[];
  /** The client's address, from a trusted source. */
  addressOf(context: Ctx): string | undefined;
  /** Reads a header. */
  header(context: Ctx, name: string): string | undefined;
  /** Which proxies may set the client's address, `null` if the framework is configured for it. */
  trustOf(context: Ctx): TrustSetting | null;
  /** A signal that aborts on disconnect. */
  signalOf(context: Ctx, ...rest: Rest): AbortSignal;
  /** How to fix an unknown address. */
  readonly remedy: string;
}

/** The limiter's response to a refused request, as a string. */
export interface TextRefusal {
  /** The status. */
  readonly status: number;
  /** Body, `null` if the status forbids one. */
  readonly body: string | null;
  /** The body's media type. */
  readonly type: string;
}

/**
 * The limiter in front of one framework's handlers. Each adapter calls the methods that its framework has hooks for.
 */
export class ContextLimiter<Ctx extends object, Rest extends unknown[] = [], Result = unknown> {
  readonly #asker: RequestLimiter<Ctx>;
  readonly #handler: ContextLimitOptions<Ctx, Rest, Result>["handler"];
  readonly #costAfter: ContextLimitOptions<Ctx>["costAfter"];
  readonly #decisions = new WeakMap<Ctx, Decision>();

  /**
   * Creates an instance.
   *
   * @param given The user's options
   * @param framework Reads the framework's requests
   * @throws {TypeError} If an option has the wrong type
   * @throws {RangeError} If a number is out of range
   */
  constructor(given: ContextLimitOptions<Ctx, Rest, Result>, framework: Framework<Ctx, Rest>) {
    const options = checkRequestNames("rateLimit", given, NAMES);
    const { handler, clientAddress, missingKey = "error", ...rest } = options;
    checkType("rateLimit", "handler", handler, "function");
    checkType("rateLimit", "clientAddress", clientAddress, "function");
    // only this class passes the arguments after the context
    const common = { ...rest, missingKey } as unknown as RateLimitOptions<Ctx>;
    const addressOf = clientAddress === undefined ? framework.addressOf : told(clientAddress);
    const mustKnow = missingKey === "error" && options.keyGenerator === undefined;
    const reader: RequestReader<Ctx> = {
      methodOf: framework.methodOf,
      pathsOf: framework.pathsOf,
      addressOf: (context) => {
        const address = addressOf(context) || undefined;
        if (address !== undefined || !mustKnow) return address;
        throw new TypeError(
          `rateLimit: the client's address is unknown: ${framework.remedy}; otherwise give a clientAddress or a keyGenerator. ` +
            'missingKey: "share" counts all such requests together',
        );
      },
      header: framework.header,
      trustOf: (context) => clientAddress === undefined ? framework.trustOf(context) : null,
      signalOf: (context, second) => framework.signalOf(context, ...[second] as unknown as Rest),
    };
    this.#asker = new RequestLimiter("rateLimit", common, reader);
    this.#handler = handler;
    this.#costAfter = options.costAfter;
    noteDefaultNames(common, this.#asker.limiter);
  }

  /** The limiter. */
  get limiter(): Limiter {
    return this.#asker.limiter;
  }

  /**
   * Decides whether to admit a request.
   *
   * @param context The context
   * @param rest The arguments after it for functions in the options
   * @returns The decision, or `null` if the request is skipped
   */
  async decide(context: Ctx, ...rest: Rest): Promise<Decision | null> {
    const decision = await this.#asker.ask(context, rest[0] as never);
    if (decision === null) return null;
    const earlier = this.#decisions.get(context);
    if (earlier !== undefined) this.#asker.lookAtEarlier(decision, earlier);
    this.#decisions.set(context, decision);
    return decision;
  }

  /** The decision made about a request. */
  decisionOf(context: Ctx): Decision | undefined {
    return this.#decisions.get(context);
  }

  /** The current time in ms. */
  get now(): number {
    return this.#asker.clock();
  }

  /** Quota info for a request's handlers. */
  infoOf(decision: Decision): RateLimitInfo {
    return new RateLimitInfo(decision, this.now);
  }

  /** Writes the headers for a decision made at `now`, once per request. */
  writeHeaders(context: Ctx, headers: HeaderSink, decision: Decision, now: number = this.now): void {
    this.#asker.writeHeaders(context, headers, decision, now);
    if (decision.allowed) this.#asker.admitted(context, decision);
    else if (headers.getHeader("Cache-Control") === undefined) forbidStoring(headers);
  }

  /**
   * Responds to a refused request.
   *
   * @param context The context
   * @param decision The decision about it
   * @param send Sends the limiter's response
   * @param rest The arguments after the context for functions in the options
   */
  async refuse(
    context: Ctx,
    decision: Decision,
    send: (refusal: TextRefusal) => Result,
    ...rest: Rest
  ): Promise<Result> {
    // no client gets it, but logs show nginx's status for it
    if (decision instanceof Disconnected) return send({ status: CLIENT_LEFT, body: null, type: "" });
    await this.#asker.reached(context, rest[0] as never);
    if (this.#handler !== undefined) {
      const { statusCode = 429, message = DEFAULT_MESSAGE } = this.#asker.options;
      return await this.#handler(context, ...rest, { statusCode, message, decision });
    }
    const { status, body, type } = await this.#asker.refusal(context, decision, rest[0] as never);
    const isText = typeof body === "string";
    return send({
      status,
      body: BODILESS.has(status) ? null : isText ? body : JSON.stringify(body),
      type: type ?? (isText ? "text/html; charset=utf-8" : "application/json; charset=utf-8"),
    });
  }

  /** Settles a finished request. */
  async end(context: Ctx, decision: Decision | undefined, statusCode: number): Promise<void> {
    if (decision === undefined) return;
    await this.#asker.outcome.end(context, decision, { statusCode }, this.costOf(context, { statusCode }));
  }

  /** Returns the callback for the cost of a request. */
  costOf(context: Ctx, response: { statusCode: number }): CostOf {
    const costAfter = this.#costAfter;
    return costAfter && (() => costAfter(context, response));
  }

  /** Settles finished requests. */
  get outcome(): RequestOutcome<Ctx> {
    return this.#asker.outcome;
  }
}

/** Response statuses that must not have a body. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

/** Converts a refusal to a `Response`. */
export function webRefusal({ status, body, type }: TextRefusal): Response {
  return new Response(body, { status, headers: body === null ? {} : { "Content-Type": type } });
}

function told<Ctx>(clientAddress: (context: Ctx) => unknown): (context: Ctx) => string | undefined {
  return (context) => {
    const address = clientAddress(context);
    if (typeof address === "string" || address === undefined || address === null) return address ?? undefined;
    throw new TypeError(
      `rateLimit: clientAddress must return an address as a string, or nothing, not ${describe(address)}`,
    );
  };
}

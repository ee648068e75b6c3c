import { exhaustedFor, type HeaderSink, Mistakes, noteExhausted } from "@sluice/limiting";
import { isExempt, isThenable, refuseOption } from "@sluice/shared";
import { awaited } from "../limiter/awaited.ts";
import type { Decision } from "../limiter/decision.ts";
import type { ConsumeOptions, Demand, LimiterKeys } from "../limiter/demand.ts";
import { Limiter } from "../limiter/limiter.ts";
import { type PolicyChoice, systemClock } from "../limiter/limiter_options.ts";
import { holdsSlots } from "../policy/policy.ts";
import type { RuleAsker } from "../rules/rule_asker.ts";
import type { RuleChoice, RuleSet } from "../rules/rule_set.ts";
import type { Awaitable } from "../policy/store.ts";
import { Delay } from "./delay.ts";
import { type HeaderOptions, headersSaid, writeHeaders } from "./rate_limit_headers.ts";
import type { ResponseOf } from "./request_like.ts";
import {
  checkHttpOptions,
  headerOptionsOf,
  limiterOptionsOf,
  limitsByRules,
  type RateLimitOptions,
} from "./http_options.ts";
import { PolicyLookup } from "./policy_lookup.ts";
import { type Refusal, refusalOf } from "./refusal.ts";
import { reporterOf } from "./reporter_of.ts";
import { RequestKeys } from "./request_keys.ts";
import { RequestOutcome } from "./request_outcome.ts";
import type { RequestReader } from "./request_reader.ts";
import { consumeByKey, demandKey, prepareKey, reportKey } from "../limiter/limiter_keys.ts";
import { forgetIdleKey } from "../stores/memory_store.ts";

/**
 * Applies a limiter to requests: which are counted, their costs, and how refusals look. Express's objects and web
 * requests share this part of `rateLimit`.
 */
export class RequestLimiter<Req> {
  readonly limiter: Limiter;
  readonly options: RateLimitOptions<Req>;
  /** The called function, for messages. */
  readonly caller: string;
  /** Finds requests' keys. */
  readonly keys: RequestKeys<Req>;
  /** Settles finished requests. */
  readonly outcome: RequestOutcome<Req>;
  /** Request property with the remaining quota. */
  readonly property: string;
  /** The current time in ms. */
  readonly clock: () => number;
  readonly #reader: RequestReader<Req>;
  /** Delays requests, `null` without option `delay`. */
  readonly #delay: Delay | null;
  readonly #headers: HeaderOptions | null;
  /** Policies for individual keys, `null` if there are none. */
  readonly #lookup: PolicyLookup | null;
  /** Applies a document's rules, `null` if there is none. */
  readonly #rules: RuleAsker<Req> | null;
  /**
   * The demand these rules place on the limiter. Other middleware may share the limiter and already use a
   * different document.
   */
  #demand: Demand;
  /** Whether the application has been read from the first request. */
  #hasApp = false;

  /**
   * Creates an instance.
   *
   * @param caller Caller name for error messages
   * @param options The user's options
   * @param reader Reads requests
   * @param limiter An existing limiter with the same options
   */
  constructor(
    caller: string,
    options: RateLimitOptions<Req>,
    reader: RequestReader<Req>,
    limiter?: Limiter,
  ) {
    checkHttpOptions(options, caller);
    this.caller = caller;
    this.options = options;
    this.#reader = reader;
    this.#headers = headerOptionsOf(options, caller);
    this.keys = new RequestKeys(caller, options, reader);
    const { rules } = options;
    this.#rules = rules === undefined ? null : rules.askerFor(this, caller, options, {
      ...reader,
      clientOf: (req, { policy }) => this.keys.ofClient(req, policy.name),
    });
    this.limiter = limiter ?? new Limiter(limiterOptionsOf(options, caller), caller);
    // an existing one may come from a document that has since been replaced
    this.#demand = limiter === undefined || rules === undefined
      ? this.limiter[demandKey]
      : limiter[prepareKey](limitsByRules(rules.rules, options.dryRun), caller)();
    this.keys.follow(this.limiter.policies, rules?.rules.rules ?? options.limits ?? []);
    this.outcome = new RequestOutcome(caller, options, this.limiter);
    this.#delay = options.delay === undefined ? null : new Delay(caller, options.delay, options, this.limiter);
    this.property = options.requestPropertyName ?? "rateLimit";
    this.clock = options.clock ?? systemClock;
    const { policyTtlMs = 10_000 } = options;
    this.#lookup = options.policy === undefined ? null : new PolicyLookup(policyTtlMs, this.clock, this.limiter);
  }

  /** Checks new rules, and returns a function that applies them. */
  prepare(rules: RuleSet): () => void {
    const begin = this.limiter[prepareKey](limitsByRules(rules, this.options.dryRun), this.caller);
    this.#rules!.check(rules);
    const policies = rules.rules.map(({ policy }) => policy);
    this.#delay?.check(policies);
    return () => {
      this.#demand = begin();
      this.limiter[forgetIdleKey]();
      this.#rules!.follow(rules);
      this.keys.follow(policies, rules.rules);
      this.outcome.add(policies);
    };
  }

  /**
   * Decides whether to admit a request, and delays it if the option `delay` says so.
   *
   * @param req The request
   * @param res Second argument for functions in the options; `fetchLimit` has none
   * @returns The decision, `null` if the request is skipped, or `Disconnected` if its client disconnected; synchronous
   * unless a part of it is asynchronous
   */
  ask(req: Req, res?: ResponseOf<Req>): Awaitable<Decision | null> {
    const asked = this.#ask(req, res);
    return this.#delay === null ? asked : this.#hold(this.#delay, asked, req, res);
  }

  // separate, because a closure over its arguments would also slow down requests that do not wait
  #hold(
    delay: Delay,
    asked: Awaitable<Decision | null>,
    req: Req,
    res: ResponseOf<Req> | undefined,
  ): Awaitable<Decision | null> {
    return delay.hold(asked, () => this.#reader.signalOf(req, res));
  }

  #ask(req: Req, res: ResponseOf<Req> | undefined): Awaitable<Decision | null> {
    if (!this.#hasApp) this.#findApp(req);
    if (isExempt(req as Req & object)) return this.#skipped();
    const { skip } = this.options;
    if (skip !== undefined) {
      const skipped = skip(req, res!);
      if (isThenable(skipped)) return skipped.then((is) => is ? this.#skipped() : this.#check(req, res));
      if (skipped) return this.#skipped();
    }
    return this.#check(req, res);
  }

  #findApp(req: Req): void {
    this.#hasApp = true;
    this.limiter[reportKey] ??= reporterOf(req, "limiter");
  }

  #skipped(): null {
    this.limiter.counters.skipped++;
    return null;
  }

  #check(req: Req, res: ResponseOf<Req> | undefined): Awaitable<Decision | null> {
    if (this.#rules !== null) {
      // an asynchronous choice applies under the document it was made for
      const demand = this.#demand;
      const choice = this.#rules.choose(req, res);
      if (isThenable(choice)) return choice.then((found) => this.#checkByRules(found, demand));
      return this.#checkByRules(choice, demand);
    }
    const { cost, limit } = this.options;
    const units = awaited(typeof cost === "function" ? cost(req, res!) : cost);
    const tier = awaited(typeof limit === "function" ? limit(req, res!) : undefined);
    const keys = this.keys.of(req, res);
    if (isThenable(units) || isThenable(tier) || isThenable(keys)) return this.#checkLater(req, res, keys, units, tier);
    return this.#checkNow(req, res, keys, units, tier);
  }

  #checkByRules(choice: RuleChoice | null, demand: Demand): Awaitable<Decision | null> {
    if (choice === null) return this.#skipped();
    const { keys, ...options } = choice;
    return this.limiter[consumeByKey](demand, keys, options);
  }

  async #checkLater(
    req: Req,
    res: ResponseOf<Req> | undefined,
    keys: Awaitable<LimiterKeys>,
    units: Awaitable<ConsumeOptions["cost"]>,
    tier: Awaitable<ConsumeOptions["limit"]>,
  ): Promise<Decision | null> {
    return await this.#checkNow(req, res, await keys, await units, await tier);
  }

  #checkNow(
    req: Req,
    res: ResponseOf<Req> | undefined,
    keys: LimiterKeys,
    cost: ConsumeOptions["cost"],
    limit: ConsumeOptions["limit"],
  ): Awaitable<Decision | null> {
    if (cost === undefined) checkTold("cost", this.options.cost, this.caller);
    if (limit === undefined) checkTold("limit", this.options.limit, this.caller);
    if (typeof keys === "object" && this.limiter.policies.every(({ name }) => keys[name] === null)) {
      return this.#skipped();
    }
    if (this.#lookup !== null) {
      const policy = this.#lookup.of(keys, () => this.options.policy!(req, res!));
      return this.#checkByPolicy(keys, cost, policy);
    }
    return this.limiter.consume(keys, cost === undefined && limit === undefined ? undefined : { cost, limit });
  }

  #checkByPolicy(
    keys: LimiterKeys,
    cost: ConsumeOptions["cost"],
    policy: Awaitable<PolicyChoice | undefined>,
  ): Awaitable<Decision> {
    if (isThenable(policy)) return policy.then((found) => this.#checkByPolicy(keys, cost, found));
    // an unknown customer must not get the default limit
    if (policy === undefined) {
      refuseOption(this.caller, "policy", "a name in policies, or an object, {} for no change", policy);
    }
    return this.limiter.consume(keys, { cost, policy });
  }

  /** Writes the headers for a decision about a request, made at `now`. */
  writeHeaders(req: Req & object, headers: HeaderSink, decision: Decision, now: number): void {
    if (this.#headers !== null) {
      writeHeaders(headers, decision, this.#headers, now, decision.allowed ? 0 : exhaustedFor(req));
    }
  }

  /** Records that a request was admitted, for limiters behind this one. */
  admitted(req: Req & object, decision: Decision): void {
    // a refused request may be refunded
    const waitMs = this.outcome.refunds ? 0 : refillMs(decision);
    if (waitMs > 0) noteExhausted(req, waitMs);
  }

  /**
   * Warns if this limiter has counted a request before, under the same key.
   *
   * @param decision The decision about it
   * @param earlier An earlier decision, by this or a different limiter
   */
  lookAtEarlier({ takes }: Decision, earlier: Decision): void {
    const again = takes.find(({ policy, key, cost }) =>
      cost > 0 && earlier.takes.some((take) => take.policy === policy && take.key === key)
    );
    if (again !== undefined) new Mistakes(this.caller, this.options.validate).countedTwice(again.policy.name);
  }

  /** Calls the user's `onLimitReached`. */
  reached(req: Req, res?: ResponseOf<Req>): unknown {
    return this.options.onLimitReached?.(req, res!);
  }

  /** How it refuses requests, for documentation. */
  get refuses(): Record<number, { description: string; headers: Record<string, string> }> {
    const headers = this.#headers === null ? {} : headersSaid(this.#headers);
    return { [this.options.statusCode ?? 429]: { description: "Too many requests", headers } };
  }

  /** Creates the response to a refused request. */
  async refusal(req: Req, decision: Decision, res?: ResponseOf<Req>): Promise<Refusal> {
    const { message, statusCode = 429, problemDetails = false } = this.options;
    const body = typeof message === "function" ? await message(req, res!) : message;
    return refusalOf({ statusCode, problemDetails, message: body }, decision);
  }
}

/**
 * Time until limits without enough left for another such request have units again, in ms; 0 if all limits have enough.
 */
function refillMs({ takes, verdicts }: Decision): number {
  let wait = 0;
  for (let i = 0; i < takes.length; i++) {
    const { cost, policy, shadow } = takes[i]!;
    const { remaining, nextMs } = verdicts[i]!;
    // a limit on requests in progress frees a slot when this one ends
    if (remaining < cost && !shadow && !holdsSlots(policy)) wait = Math.max(wait, nextMs);
  }
  return wait;
}

// an unknown customer must not get the default limit
function checkTold(option: string, given: unknown, caller: string): void {
  if (typeof given === "function") refuseOption(caller, option, "a number", undefined);
}

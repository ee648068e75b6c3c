import { AddressKeys, ClientFinder, exhaustedFor, type HeaderSink, noteExhausted, remedyFor } from "@sluice/limiting";
import { describe, isThenable, refuseOption } from "@sluice/limiting/core";
import { awaited } from "../limiter/awaited.ts";
import type { Decision } from "../limiter/decision.ts";
import type { CheckOptions, Demand, LimiterKeys } from "../limiter/demand.ts";
import { Limiter } from "../limiter/limiter.ts";
import { type PolicyChoice, systemClock } from "../limiter/limiter_options.ts";
import { chargeOf } from "../policy/charge.ts";
import { MAX_LIMIT } from "../policy/check_policy.ts";
import { hasDebts, holdsSlots, type Policy } from "../policy/policy.ts";
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
  type RequestLimitOptions,
} from "./http_options.ts";
import { PolicyLookup } from "./policy_lookup.ts";
import { type Refusal, refusalOf } from "./refusal.ts";
import { reporterOf } from "./reporter_of.ts";
import type { RequestReader } from "./request_reader.ts";

/**
 * Asks a limiter about requests: what they are counted by, what they cost, how a refusal looks. The part of `rateLimit`
 * that is the same for Express's objects and for web requests.
 */
export class RequestLimiter<Req> {
  /** The limiter. */
  readonly limiter: Limiter;
  /** The options. */
  readonly options: RateLimitOptions<Req>;
  /** What the user called, for messages. */
  readonly caller: string;
  /** Whether a finished request must be looked at, because it may get back what it took. */
  readonly watchesOutcome: boolean;
  /** Lets requests wait, `null` if none does. */
  readonly delay: Delay | null;
  /** Whether what a request took is replaced by what it has cost. */
  readonly settles: boolean;
  /** One of both. */
  readonly looksBack: boolean;
  /** Whether what a request took may end with it. */
  hasLeases: boolean;
  /** Property of the request that tells what is left. */
  readonly property: string;
  /** The present time in ms. */
  readonly clock: () => number;
  readonly #headers: HeaderOptions | null;
  readonly #reader: RequestReader<Req>;
  readonly #keys: AddressKeys;
  readonly #finder: ClientFinder<Req>;
  /** Policies that keys have of their own, `null` when none has. */
  readonly #lookup: PolicyLookup | null;
  /** Keys of the limits that have a subnet of their own, `null` when none has. */
  #layers: ReadonlyMap<string, AddressKeys> | null;
  /** What a document says of requests, `null` when there is none. */
  readonly #rules: RuleAsker<Req> | null;
  /** What these rules demand of the limiter, which others may share that go by another document already. */
  #demand: Demand;
  /** Whether the first request has told which application it runs in. */
  #hasApp = false;

  /**
   * Creates an instance.
   *
   * @param caller Name of the caller for error messages
   * @param options What the user gave
   * @param reader Reads requests
   * @param limiter A limiter that exists already, for the same options
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
    this.#headers = headerOptionsOf(options, caller);
    this.#reader = reader;
    this.#finder = new ClientFinder(caller, reader, options.validate);
    const { ipv6Subnet = 64, missingKey = "share", rules } = options;
    this.#keys = new AddressKeys(ipv6Subnet, missingKey);
    this.#rules = rules === undefined ? null : rules.askerFor(this, caller, options, {
      ...reader,
      clientOf: (req, { policy }) => this.#layerOf(policy.name).of(this.#finder.addressOf(req)),
    });
    this.limiter = limiter ?? new Limiter(limiterOptionsOf(options, caller), caller);
    // one that exists may have been made by a document that has been replaced since
    this.#demand = limiter === undefined || rules === undefined
      ? this.limiter.demand
      : limiter.prepare(limitsByRules(rules.rules, options.dryRun), caller)();
    this.#layers = this.#layersOf(this.limiter.policies, rules?.rules.rules ?? options.limits ?? []);
    if (options.costAfter !== undefined && !this.limiter.policies.some(hasDebts)) {
      throw new TypeError(
        `${caller}: option costAfter is for limits with maxDebt; say by how much a key may exceed the limit, 0 for not at all`,
      );
    }
    this.delay = options.delay === undefined ? null : new Delay(caller, options.delay, options, this.limiter);
    this.settles = options.costAfter !== undefined;
    this.watchesOutcome = options.skipFailedRequests === true || options.skipSuccessfulRequests === true;
    this.looksBack = this.settles || this.watchesOutcome;
    this.hasLeases = this.limiter.policies.some(holdsSlots);
    this.property = options.requestPropertyName ?? "rateLimit";
    this.clock = options.clock ?? systemClock;
    this.#lookup = options.policy === undefined ? null : new PolicyLookup(options.policyTtlMs ?? 10_000, this.clock);
  }

  #layersOf(
    policies: readonly Policy[],
    limits: readonly Pick<RequestLimitOptions, "ipv6Subnet">[],
  ): ReadonlyMap<string, AddressKeys> | null {
    if (!limits.some((limit) => limit.ipv6Subnet !== undefined)) return null;
    const { ipv6Subnet = 64, missingKey = "share" } = this.options;
    return new Map(policies.map(({ name }, i) => [
      name,
      new AddressKeys(limits[i]!.ipv6Subnet ?? ipv6Subnet, missingKey),
    ]));
  }

  /** Checks other rules, and returns what begins to decide by them. */
  prepare(rules: RuleSet): () => void {
    const begin = this.limiter.prepare(limitsByRules(rules, this.options.dryRun), this.caller);
    this.#rules!.check(rules);
    const policies = rules.rules.map(({ policy }) => policy);
    this.delay?.check(policies);
    return () => {
      this.#demand = begin();
      this.limiter.forgetIdle();
      this.#rules!.follow(rules);
      this.#layers = this.#layersOf(policies, rules.rules);
      // requests in progress still end what they have taken
      this.hasLeases ||= policies.some(holdsSlots);
    };
  }

  /**
   * Decides about a request.
   *
   * @param req The request
   * @param res Second argument for functions in the options; `fetchLimit` has none
   * @returns The decision, `null` for a request that is skipped; at once where nothing has to be waited for
   */
  ask(req: Req, res?: ResponseOf<Req>): Awaitable<Decision | null> {
    if (!this.#hasApp) this.#findApp(req);
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
    this.limiter.report ??= reporterOf(req, "limiter");
  }

  #skipped(): null {
    this.limiter.counters.skipped++;
    return null;
  }

  #check(req: Req, res: ResponseOf<Req> | undefined): Awaitable<Decision | null> {
    if (this.#rules !== null) {
      // what has to be waited for is decided by the document that it was asked for
      const demand = this.#demand;
      const choice = this.#rules.choose(req, res);
      if (isThenable(choice)) return choice.then((found) => this.#checkByRules(found, demand));
      return this.#checkByRules(choice, demand);
    }
    const { keyGenerator, cost, max, limit } = this.options;
    const units = awaited(typeof cost === "function" ? cost(req, res!) : cost);
    const most = limit ?? max;
    const tier = awaited(typeof most === "function" ? most(req, res!) : undefined);
    const keys = keyGenerator === undefined ? this.keysOfAddress(this.#finder.addressOf(req)) : keyGenerator(req, res!);
    if (isThenable(units) || isThenable(tier) || isThenable(keys)) return this.#checkLater(req, res, keys, units, tier);
    return this.#checkNow(req, res, keys, units, tier);
  }

  #checkByRules(choice: RuleChoice | null, demand: Demand): Awaitable<Decision | null> {
    if (choice === null) return this.#skipped();
    const { keys, ...options } = choice;
    return this.limiter.checkBy(demand, keys, options);
  }

  /** The keys under which the client of an address is counted. */
  keysOfAddress(address: string | undefined): string | Readonly<Record<string, string>> {
    if (this.#layers === null) return this.#keys.of(address);
    return Object.fromEntries(Array.from(this.#layers, ([name, clients]) => [name, clients.of(address)]));
  }

  async #checkLater(
    req: Req,
    res: ResponseOf<Req> | undefined,
    keys: Awaitable<LimiterKeys | undefined>,
    units: Awaitable<CheckOptions["cost"]>,
    tier: Awaitable<CheckOptions["max"]>,
  ): Promise<Decision | null> {
    return await this.#checkNow(req, res, await keys, await units, await tier);
  }

  #checkNow(
    req: Req,
    res: ResponseOf<Req> | undefined,
    keys: LimiterKeys | undefined,
    cost: CheckOptions["cost"],
    max: CheckOptions["max"],
  ): Awaitable<Decision | null> {
    if (cost === undefined) checkTold("cost", this.options.cost, this.caller);
    if (max === undefined) checkTold("max", this.options.limit ?? this.options.max, this.caller);
    const own = this.options.keyGenerator === undefined ? keys! : this.#generated(keys, req);
    if (typeof own === "object" && this.limiter.policies.every(({ name }) => own[name] === null)) {
      return this.#skipped();
    }
    if (this.#lookup !== null) {
      return this.#checkByPolicy(
        own,
        cost,
        this.#lookup.of(own, () => this.options.policy!(req, res!)),
      );
    }
    return this.limiter.check(own, cost === undefined && max === undefined ? undefined : { cost, max });
  }

  #checkByPolicy(
    keys: LimiterKeys,
    cost: CheckOptions["cost"],
    policy: Awaitable<PolicyChoice | undefined>,
  ): Awaitable<Decision> {
    if (isThenable(policy)) return policy.then((found) => this.#checkByPolicy(keys, cost, found));
    // a customer whom nobody knows must not get what the others have
    if (policy === undefined) {
      refuseOption(this.caller, "policy", "a name in policies, or an object, {} for as usual", policy);
    }
    return this.limiter.check(keys, { cost, policy });
  }

  #generated(keys: LimiterKeys | undefined, req: Req): LimiterKeys {
    if (typeof keys === "string" && keys !== "") return this.#isAddressOf(req, keys) ? this.keysOfAddress(keys) : keys;
    if (typeof keys === "object" && keys !== null) {
      const own = (name: string, key: string | null) => {
        return key !== null && this.#isAddressOf(req, key) ? this.#layerOf(name).of(key) : key;
      };
      return Object.fromEntries(Object.entries(keys).map(([name, key]) => [name, own(name, key)]));
    }
    throw new TypeError(
      `${this.caller}: keyGenerator must return a non-empty string, or one for each limit by name, not ${
        describe(keys)
      }; ${remedyFor(this.#reader.addressOf(req))}`,
    );
  }

  #isAddressOf(req: Req, key: unknown): boolean {
    return typeof key === "string" && this.#finder.isAddressOf(req, key);
  }

  #layerOf(name: string): AddressKeys {
    return this.#layers?.get(name) ?? this.#keys;
  }

  /** Writes the headers of a decision about a request. */
  writeHeaders(req: Req & object, headers: HeaderSink, decision: Decision): void {
    if (this.#headers !== null) {
      writeHeaders(headers, decision, this.#headers, decision.allowed ? 0 : exhaustedFor(req));
    }
  }

  /** Notes that a request was admitted, for limiters behind this one. */
  admitted(req: Req & object, decision: Decision): void {
    // what a refused request took may be given back to it
    const waitMs = this.watchesOutcome ? 0 : refillMs(decision);
    if (waitMs > 0) noteExhausted(req, waitMs);
  }

  /** Whether a finished request may get something back: it was granted, or counted although it was refused. */
  mayGetBack({ allowed, verdicts }: Decision): boolean {
    return this.watchesOutcome && (allowed || verdicts.some((verdict) => chargeOf(verdict) !== undefined));
  }

  /** Calls the user's `onLimitReached`. */
  reached(req: Req, res?: ResponseOf<Req>): unknown {
    return this.options.onLimitReached?.(req, res!);
  }

  /** How it refuses requests, for whoever documents it. */
  get refuses(): Record<number, { description: string; headers: Record<string, string> }> {
    const headers = this.#headers === null ? {} : headersSaid(this.#headers);
    return { [this.options.statusCode ?? 429]: { description: "Too many requests", headers } };
  }

  /** Makes the response to a refused request. */
  async refusal(req: Req, decision: Decision, res?: ResponseOf<Req>): Promise<Refusal> {
    const { message, statusCode = 429, problemDetails = false } = this.options;
    const body = typeof message === "function" ? await message(req, res!) : message;
    return refusalOf({ statusCode, problemDetails, message: body }, decision);
  }

  /**
   * Gives back what a finished request took, if the options say so. Never rejects.
   *
   * @returns Whether it was given back
   */
  async finished(req: Req, decision: Decision, response: { statusCode: number }): Promise<boolean> {
    if (!this.watchesOutcome) return false;
    try {
      return await this.#refund(req, decision, response);
    } catch (error) {
      this.#report(error, req);
      return false;
    }
  }

  /**
   * Replaces what a request took by what it has cost. Never rejects.
   *
   * @param costOf Asks the user's `costAfter`
   */
  async settle(req: Req, decision: Decision, costOf: () => Awaitable<number>): Promise<void> {
    // a limit that has nothing to do with the request has nothing to settle
    if (!decision.policies.some(hasDebts)) return;
    try {
      const cost = await costOf();
      if (!Number.isInteger(cost) || cost < 0 || cost > MAX_LIMIT) {
        throw new RangeError(
          `${this.caller}: costAfter must return an integer from 0 to ${MAX_LIMIT}, not ${describe(cost)}`,
        );
      }
      await decision.settle(cost);
    } catch (error) {
      this.#report(error, req);
    }
  }

  /** Ends the leases of a request. Never rejects. */
  async release(decision: Decision, req: Req): Promise<void> {
    if (!this.hasLeases) return;
    try {
      await this.limiter.release(decision);
    } catch (error) {
      this.#report(error, req);
    }
  }

  // the request has its response: nobody is left to hand the error to, and it must not end the process
  #report(error: unknown, req: Req): void {
    if (this.limiter.listenerCount("error") > 0) return void this.limiter.emit("error", error);
    const report = reporterOf(req, "request");
    if (report !== null) report(error);
    else console.error(`${this.caller}: after a request had its response:`, error);
  }

  async #refund(req: Req, decision: Decision, response: { statusCode: number }): Promise<boolean> {
    const { skipFailedRequests, skipSuccessfulRequests, requestWasSuccessful } = this.options;
    const success = requestWasSuccessful === undefined
      ? response.statusCode < 400
      : await requestWasSuccessful(req, response as ResponseOf<Req>);
    const isFree = success ? skipSuccessfulRequests : skipFailedRequests;
    return isFree === true && await this.limiter.refund(decision);
  }
}

/** ms until limits that have nothing left for another request like this one have units again, 0 if there are none. */
function refillMs({ takes, verdicts }: Decision): number {
  let wait = 0;
  for (let i = 0; i < takes.length; i++) {
    const { cost, policy, shadow } = takes[i]!;
    const { remaining, nextMs } = verdicts[i]!;
    // what counts requests in progress has room again once this one has ended
    if (remaining < cost && !shadow && !holdsSlots(policy)) wait = Math.max(wait, nextMs);
  }
  return wait;
}

// a customer whom nobody knows must not get what the default gives
function checkTold(option: string, given: unknown, caller: string): void {
  if (typeof given === "function") refuseOption(caller, option, "a number", undefined);
}

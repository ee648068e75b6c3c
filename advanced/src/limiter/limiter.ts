import {
  checkInteger,
  checkNames,
  Emitter,
  listenerFailed,
  type OptionNames,
  reasonOf,
  refuseMembers,
  tell,
} from "@sluice/shared";
import { type Charge, chargeOf } from "../policy/charge.ts";
import { hasDebts, holdsSlots, type Policy, refusesFreely } from "../policy/policy.ts";
import { forgetIdleKey, MemoryStore } from "../stores/memory_store.ts";
import type { Awaitable, Entry, Store, Take, Verdict } from "../policy/store.ts";
import { CoalescingStore } from "../wrappers/coalescing.ts";
import { DenyCacheStore } from "../wrappers/deny_cache.ts";
import { type Decided, FailurePolicy } from "../wrappers/failure_policy.ts";
import { LeasingStore } from "../wrappers/leases.ts";
import { type Counters, newCounters } from "../wrappers/counters.ts";
import type { Timers } from "../wrappers/timers.ts";
import { aged } from "../wrappers/verdict_cache.ts";
import { Decision } from "./decision.ts";
import { type ConsumeOptions, Demand, type LimiterKeys, type PeekOptions } from "./demand.ts";
import { assertKey, formsOf } from "./encode_key.ts";
import { Cancellation } from "./cancellation.ts";
import { checkLeases, checkStoreOptions, type LimiterOptions, type LimitsOptions } from "./limiter_options.ts";
import {
  checkLimiterNames,
  INSTEAD,
  LIMIT_NAMES,
  LIMITER_NAMES,
  LIMITS_NAMES,
  withLimit,
} from "./limiter_option_names.ts";
import { assertDoesMore, checkOutcomeOnly, isOutcomeOnly } from "./outcome_only.ts";
import { allowSettlement, endSettlement, type Settleable, type Settling } from "./settlement.ts";
import { splitDecisions } from "./split_decisions.ts";
import { noteSameCounters } from "./same_counters.ts";
import { joinStore, leaveStore } from "./store_users.ts";
import { MOST_REFUSED, type RefusedKey, TopRefusals } from "./top_refusals.ts";
import { UnreadRefusals } from "./unread_refusals.ts";
import { WaitQueue } from "./wait_queue.ts";
import { whenAll } from "./when_all.ts";
import {
  consumeByKey,
  demandKey,
  endsWithRequestsKey,
  pauseKey,
  prepareKey,
  refusesFreelyKey,
  reportKey,
  waitAfterKey,
} from "./limiter_keys.ts";

const NO_OPTIONS: ConsumeOptions = {};
const NOTHING: Charge = { units: 0, stamp: 0 };

/**
 * Options for `waitFor`.
 *
 * @example Wait for a turn, but no longer than a second
 * ```ts
 * import { Limiter } from "@sluice/rate-limit";
 *
 * const limiter = new Limiter({ algorithm: "token-bucket", limit: 10, windowMs: 1000 });
 * await limiter.waitFor("api.example", { timeoutMs: 1000 });
 * ```
 */
export interface WaitOptions extends ConsumeOptions {
  /** Ends the wait: the promise rejects with its reason. */
  signal?: AbortSignal | undefined;
  /** Maximum wait in ms; unlimited by default. A longer wait fails immediately unless a refund could shorten it. */
  timeoutMs?: number | undefined;
}

/** One decision: a take per limit. */
type Batch = readonly Take[];

const PEEK_NAMES: OptionNames<PeekOptions> = { limit: true, policy: true };
const CONSUME_NAMES: OptionNames<ConsumeOptions> = { cost: true, ...PEEK_NAMES };
const WAIT_NAMES: OptionNames<WaitOptions> = { ...CONSUME_NAMES, signal: true, timeoutMs: true };

/**
 * A limiter without HTTP: for WebSocket messages, queues, calls to other services, and as the middleware's engine.
 *
 * With the memory store, decisions are synchronous. With other stores, they are promises that never reject: when the
 * store fails, `onStoreFailure` decides.
 *
 * It emits `limited` and `shadowLimited` with the decision, `forgiven` with the decision and the units it cost beyond
 * `maxDebt`, and `storeFailure` and `error` with the error.
 *
 * @example At most ten messages a second per socket
 * ```ts ignore
 * const limiter = new Limiter({ algorithm: "token-bucket", limit: 10, windowMs: 1000 });
 * app.ws("/chat", { message: async (socket, text) => {
 *   const { allowed } = await limiter.consume(socket.data.user);
 *   if (allowed) socket.publish("chat", text);
 * } });
 * ```
 */
export class Limiter extends Emitter {
  /** Counts its decisions. */
  readonly counters: Counters = newCounters();
  /**
   * Receives messages instead of the console; middleware in a Sluice application sets it.
   *
   * @internal
   */
  [reportKey]: ((error: unknown) => void) | null = null;
  readonly #memory: MemoryStore | null;
  readonly #store: Store;
  readonly #guarded: FailurePolicy | null;
  readonly #leasing: LeasingStore | null;
  #demand: Demand;
  readonly #queue: WaitQueue;
  readonly #timers: Timers;
  readonly #checkCaller: string;
  /** Whether a limit has or had debts, so that decisions can be settled. */
  #settles = false;
  readonly #elapsed: () => number;
  /** Refusals by key, once `top` has been called. */
  #refusals: TopRefusals | null = null;
  /** How often the breaker had opened when a failure was last reported; `-1` if no failure was. */
  #logged = -1;
  #isWholeQuotaNoted = false;
  readonly #unreadRefusals = new UnreadRefusals();

  /**
   * Creates a limiter.
   *
   * @param given Limits and store
   * @param caller Caller name for error messages, if a different function creates the limiter from its own options
   * @throws {TypeError} If an option has the wrong type, or the store does not support it
   * @throws {RangeError} If a number is out of range
   */
  constructor(given: LimiterOptions = {}, caller?: string) {
    super();
    const made = caller ?? "Limiter";
    this.#checkCaller = caller ?? "limiter.consume";
    checkLimiterNames(made, given, LIMITER_NAMES, LIMIT_NAMES);
    const options = withLimit(made, given);
    const checked = checkStoreOptions(options, made);
    const { maxWaiting = 1000 } = options;
    checkInteger(made, "maxWaiting", maxWaiting, 0, 10_000_000);
    const { store = new MemoryStore({ maxKeys: checked.maxKeys, clock: options.clock }) }: {
      store?: Store | undefined;
    } = options;
    checkOutcomeOnly(store, options, made);
    this.#store = store;
    this.#demand = new Demand(options, store, made);
    checkLeases(checked.leases, this.policies, made);
    joinStore(this, store);
    // a limiter for requests learns only later whether it was created inside one, where sharing is intended
    if (caller === undefined) noteSameCounters(store, this.policies, made);
    this.#timers = checked.timers;
    this.#elapsed = checked.elapsed;
    this.#queue = new WaitQueue({
      most: maxWaiting,
      timers: checked.timers,
      elapsed: checked.elapsed,
      // a lease already holds units for waiting callers; where refusals are counted, each waiting caller would add its
      // own
      asksForMany: checked.leases === null && store.capabilities.exactDeny,
      ask: (batches) => this.#decideAll(batches),
      giveBack: (decision) => void this.refund(decision),
    });
    this.#letSettle();
    this.#memory = store instanceof MemoryStore ? store : null;
    this.#leasing = null;
    this.#guarded = null;
    if (this.#memory !== null) return;
    const isRemote = store.capabilities.scope !== "process";
    const { elapsed } = checked;
    let outer = store;
    // an outcome-only store needs a call per request even when merged, and does not report how long a refusal lasts
    const saves = isRemote && !isOutcomeOnly(store);
    if (options.coalesce ?? saves) outer = new CoalescingStore(outer, this.counters);
    if (options.denyCache ?? saves) outer = new DenyCacheStore(outer, elapsed, this.counters);
    // outermost, so that decisions from leases need no promise
    if (checked.leases !== null) {
      outer = this.#leasing = new LeasingStore(outer, checked.leases, elapsed, this.counters);
    }
    const isShareUnknown = options.processes === undefined && checked.onStoreFailure === "local" && isRemote;
    const failed = (error: unknown) => {
      if (isShareUnknown) this.#noteWholeQuota(made);
      this.#failed(error, `${made}: onStoreFailure "${checked.onStoreFailure}"`);
    };
    const returned = (take: Take) => this.#queue.wake({ takes: [take] });
    this.#guarded = new FailurePolicy(outer, { ...checked, clock: options.clock, failed, returned }, this.counters);
  }

  // limiters without debts have no settlement overhead
  #letSettle(): void {
    if (this.#settles || !this.policies.some(hasDebts)) return;
    this.#settles = true;
    const settling: Settling = {
      settle: (take, stamp, change, by) =>
        this.#memory?.settle(take, stamp, change) ?? this.#guarded!.settle(take, stamp, change, by),
      returned: (decision, units) => {
        this.counters.refunded += units;
        this.#queue.wake(decision);
      },
      forgave: (decision, units) => this.#forgave(decision as Decision, units),
    };
    const counted = this.#counted;
    this.#counted = (decision) => {
      if (decision.allowed && decision.takes.some(isSettled)) allowSettlement(decision, settling);
      return counted(decision);
    };
  }

  #forgave(decision: Decision, units: number): void {
    const isFirst = this.counters.forgiven === 0;
    this.counters.forgiven += units;
    if (this.listenerCount("forgiven") > 0) return void tell(this, "forgiven", decision, units);
    if (!isFirst) return;
    const names = decision.policies.filter(hasDebts).map(({ name }) => `"${name}"`).join(", ");
    console.warn(
      `limiter: a request has cost ${units} units more than option maxDebt of ${names} lets its key owe, and these ` +
        "are forgiven (listen to forgiven for more). Set maxDebt to at least what one request may cost beyond its " +
        "estimate",
    );
  }

  /** The policies, in the limits' order. */
  get policies(): readonly Policy[] {
    return this.#demand.policies;
  }

  /**
   * Consumes units, if all limits grant them.
   *
   * @param keys The key, or the limits' keys by name
   * @param options Units to consume, or the cost and a different limit or policy for this call
   * @returns The decision
   * @throws {TypeError} If a key is not a non-empty string, an option or limit is unknown, or the store cannot grant
   * more than one unit
   * @throws {RangeError} If the cost is not an integer, or negative; 0 is free and always granted
   */
  consume(keys: LimiterKeys, options: number | ConsumeOptions = NO_OPTIONS): Awaitable<Decision> {
    if (typeof options === "number") {
      if (arguments.length > 2) throw new TypeError("limiter.consume(key, units) has no options");
      return this[consumeByKey](this.#demand, keys, { cost: options });
    }
    if (options !== NO_OPTIONS) checkNames("limiter.consume", options, CONSUME_NAMES, { points: "use cost" });
    return this[consumeByKey](this.#demand, keys, options);
  }

  /**
   * The former name for {@linkcode Limiter.consume}.
   *
   * @deprecated Write `consume`
   */
  check(keys: LimiterKeys, options?: number | ConsumeOptions): Awaitable<Decision> {
    return this.consume(keys, options);
  }

  /**
   * The limiter's current demand on its store.
   *
   * @internal
   */
  get [demandKey](): Demand {
    return this.#demand;
  }

  /**
   * Consumes units under a demand, which may since have been replaced.
   *
   * @internal
   */
  [consumeByKey](demand: Demand, keys: LimiterKeys, options: ConsumeOptions): Awaitable<Decision> {
    const takes = takesOf(demand, keys, options, this.#checkCaller);
    // fast path for the most common call on each request
    if (this.#memory !== null) return this.#counted(new Decision(takes, this.#memory.decide(takes), "store"));
    return this.#ask(takes, [], ({ verdicts, by }) => this.#counted(new Decision(takes, verdicts, by)));
  }

  // decides a batch, and batches equal to it, in one command
  #ask<T>(takes: Batch, others: readonly Batch[], made: (decided: Decided) => T): Awaitable<T> {
    if (this.#memory !== null) return made({ verdicts: this.#memory.decide(takes, 1 + others.length), by: "store" });
    const decided = this.#guarded!.decide(takes, others);
    return "then" in decided ? decided.then(made) : made(decided);
  }

  // Decides equal batches in one command. Returns a decision for each batch that passed, and one for the first refused
  // batch.
  #decideAll(batches: readonly Batch[]): Awaitable<readonly Decision[]> {
    const [first, ...others] = batches as [Batch, ...Batch[]];
    return this.#ask(first, others, ({ verdicts, by }) => splitDecisions(batches, verdicts, by).map(this.#counted));
  }

  /**
   * Reads the quota without consuming any: `allowed` and `retryAfterMs` say what `consume(keys)` would get now.
   *
   * @param keys The key, or the limits' keys by name
   * @param options A different limit or policy, if calls with this key use one
   * @returns The decision about one unit
   * @throws {TypeError} If a key is not a non-empty string, an option or limit is unknown, or the store cannot read
   */
  peek(keys: LimiterKeys, options: PeekOptions = NO_OPTIONS): Awaitable<Decision> {
    if (options !== NO_OPTIONS) checkNames("limiter.peek", options, PEEK_NAMES);
    assertDoesMore(this.#store, "limiter.peek", "to look without counting");
    const takes = this.#demand.takes(keys, 0, options, "limiter.peek");
    // without a decider, every request passes, whatever its limit
    const told = ({ verdicts, by }: Decided) => by === "open" ? verdicts : verdicts.map(ofOneUnit);
    return this.#ask(takes, [], (decided) => new Decision(takes, told(decided), decided.by));
  }

  #counted = (decision: Decision): Decision => {
    if (decision.shadowDenied) {
      this.counters.shadowLimited++;
      tell(this, "shadowLimited", decision);
    }
    if (decision.allowed) {
      this.counters.admitted++;
    } else {
      this.counters.limited++;
      tell(this, "limited", decision);
      this.#unreadRefusals.watch(decision, this.#elapsed);
    }
    return decision;
  };

  /**
   * Refunds a decision, once: for requests that turned out not to count. Has no effect after `charge` or `settle`,
   * which set the actual cost.
   *
   * @param decision The decision
   * @returns Whether anything changed; units that have expired with their window are not refunded
   * @throws {TypeError} If it is not a decision, or the store cannot refund
   */
  refund(decision: Decision): Awaitable<boolean> {
    assertDecision("refund", decision);
    assertDoesMore(this.#store, "limiter.refund", "to give back");
    if (this.#settles && !endSettlement(decision)) return false;
    return this.#giveBack(decision, decision.takes.map((_, i) => i));
  }

  /**
   * Releases the slots held under `"concurrency"` limits. Units under other limits stay consumed.
   *
   * @param decision The decision
   * @returns Whether anything changed
   */
  release(decision: Decision): Awaitable<boolean> {
    assertDecision("release", decision);
    const leases = decision.policies.flatMap((policy, i) => holdsSlots(policy) ? [i] : []);
    return this.#giveBack(decision, leases);
  }

  #giveBack(decision: Decision, indices: readonly number[]): Awaitable<boolean> {
    const gifts: Awaitable<boolean>[] = [];
    for (const i of indices) {
      const verdict = decision.verdicts[i]!;
      const { units, stamp } = takenBy(verdict);
      if (units === 0 || decision.given?.[i]) continue;
      (decision.given ??= [])[i] = true;
      const take = decision.takes[i]!;
      const gift = this.#memory?.give(take, stamp, units) ??
        this.#guarded!.give(take, stamp, units, decision.decidedBy);
      const noted = (given: boolean) => {
        if (given) this.counters.refunded += units;
        return given;
      };
      gifts.push(typeof gift === "boolean" ? noted(gift) : gift.then(noted));
    }
    return whenAll(gifts, (given) => {
      if (given.includes(true)) this.#queue.wake(decision);
      return given.includes(true);
    });
  }

  /**
   * Waits until units are available, and consumes them. Callers that wait for the same key in this process are served
   * in order; equal requests are sent in one command. An aborted caller consumes nothing: units granted at that moment
   * go to the next caller, or back to the store.
   *
   * Refunds in this process wake callers immediately. Refunds elsewhere are noticed at the predicted time.
   *
   * @param keys The key, or the limits' keys by name
   * @param options Cost, a different limit, signal and longest wait
   * @returns The decision, allowed
   * @throws {TypeError} If a key is not a non-empty string, an option or limit is unknown, or the store only reports
   * outcomes
   * @throws {RangeError} If too many are waiting already, or the cost can never be granted
   * @throws {DOMException} `TimeoutError` if the wait takes too long, or immediately if it certainly would; the
   * signal's reason if it aborts; `AbortError` if the limiter is closed
   */
  async waitFor(keys: LimiterKeys, options: WaitOptions = {}): Promise<Decision> {
    checkNames("limiter.waitFor", options, WAIT_NAMES);
    assertDoesMore(this.#store, "limiter.waitFor", "to wait");
    const lane = typeof keys === "string" ? keys : JSON.stringify(keys);
    return await this.#queue.enter(lane, takesOf(this.#demand, keys, options, "limiter.waitFor"), options);
  }

  /**
   * Waits after a refusal, as `waitFor` does. If the wait takes too long, returns the latest refusal, as far as it is
   * known: quota that came back meanwhile may have gone to earlier callers.
   *
   * @internal
   */
  async [waitAfterKey](refusal: Decision, options: WaitOptions): Promise<Decision> {
    const lane = JSON.stringify(refusal.takes.map(({ key }) => key));
    let latest = null as { readonly denied: Decision; readonly at: number } | null;
    const refused = (denied: Decision, at: number) => void (latest = { denied, at });
    try {
      return await this.#queue.enter(lane, refusal.takes, options, refusal, refused);
    } catch (error) {
      if (latest === null || options.signal?.aborted || (error as Error).name !== "TimeoutError") throw error;
      const { denied, at } = latest;
      const ms = this.#elapsed() - at;
      const decision = new Decision(refusal.takes, denied.verdicts.map((one) => aged(one, ms)), denied.decidedBy);
      if (decision.retryAfterMs === 0) throw error;
      return decision;
    }
  }

  /**
   * Waits for `ms`, or until a signal aborts, and brings a decision's waits up to date, because headers follow.
   *
   * @internal
   */
  async [pauseKey](decision: Settleable, ms: number, signal: AbortSignal): Promise<void> {
    const cancellation = new Cancellation({ signal, timeoutMs: ms }, this.#timers);
    await cancellation.promise.catch(() => {});
    cancellation.forget();
    decision.verdicts = decision.verdicts.map((verdict) => aged(verdict, ms));
  }

  /**
   * Whether pending work ends with its request, as on Workers.
   *
   * @internal
   */
  get [endsWithRequestsKey](): boolean {
    return this.#timers.endWithRequest === true;
  }

  /**
   * Whether refusals under the policies have no side effects, so a waiting request may be refused repeatedly.
   *
   * @internal
   */
  [refusesFreelyKey](policies: readonly Policy[]): boolean {
    return this.#store.capabilities.exactDeny && policies.every(refusesFreely);
  }

  /**
   * Replaces the limits at runtime. A limit that keeps its name and algorithm keeps its keys' usage, in the store and
   * in memory, even with a different `limit` and `windowMs`. Callers already in `waitFor` keep waiting for the units
   * they requested. If an option is invalid, nothing changes.
   *
   * @param options All limits, and the policies for individual keys; omitted ones are removed
   * @throws {TypeError} If an option has the wrong type or is unknown, the store does not support it, or the limiter
   * has `leases`
   * @throws {RangeError} If a number is out of range
   *
   * @example Raise the limit for all keys
   * ```ts
   * import { Limiter } from "@sluice/rate-limit";
   *
   * const limiter = new Limiter({ name: "api", limit: 2 });
   * for (let i = 0; i < 3; i++) await limiter.consume("client");
   * limiter.replace({ name: "api", limit: 10 });
   * console.log((await limiter.consume("client")).remaining); // 7
   * ```
   */
  replace(options: LimitsOptions): void {
    this[prepareKey](options, "limiter.replace")();
    this[forgetIdleKey]();
  }

  /**
   * Frees replaced limits' memory.
   *
   * @internal
   */
  [forgetIdleKey](): void {
    this.#memory?.[forgetIdleKey]();
  }

  /**
   * Checks new limits, and returns a function that applies them.
   *
   * @internal
   */
  [prepareKey](given: LimitsOptions, caller: string): () => Demand {
    checkLimiterNames(caller, given, LIMITS_NAMES, LIMIT_NAMES);
    const options = withLimit(caller, given);
    if (this.#leasing !== null) {
      throw new TypeError(
        `${caller}: option leases reserves decisions under the previous limit; leave it out of the limiter, or make ` +
          "another one",
      );
    }
    checkOutcomeOnly(this.#store, options, caller);
    const demand = new Demand(options, this.#store, caller);
    return () => {
      this.#demand = demand;
      this.#letSettle();
      return demand;
    };
  }

  /**
   * Forgets a key or all keys, including their blocks.
   *
   * @param key The key, or its form as listed by `keys`; all keys if omitted
   * @returns The number of keys, across all limits; rejects if the store fails or takes longer than ten seconds
   * @throws {TypeError} If the key is not a non-empty string, or the store only reports outcomes
   */
  reset(key?: string): Awaitable<number> {
    if (key !== undefined) assertKey(key, "the key", "limiter.reset");
    assertDoesMore(this.#store, "limiter.reset", "to forget keys");
    const forms = key === undefined ? [undefined] : formsOf(key, this.#demand.encode);
    this.#refusals?.forget(this.policies.map(({ name }) => name), forms);
    const selectors = this.policies.flatMap(({ name }) => forms.map((form) => ({ policy: name, key: form })));
    const counts = selectors.map((selector) => this.#memory?.reset(selector) ?? this.#guarded!.reset(selector));
    return whenAll(counts, (all) => {
      this.#queue.wake();
      return all.reduce((total, count) => total + count, 0);
    });
  }

  /**
   * Lists the keys in use, each with its remaining quota. Keys over 256 characters are listed as their hash. Keys whose
   * policy counts in another way are listed if it is among `policies`.
   *
   * @param name The limit's name; the first limit by default
   * @throws {RangeError} If there is no limit with that name
   * @throws {TypeError} If the store only reports outcomes
   */
  keys(name?: string): AsyncIterable<Entry> {
    const policy = name === undefined ? this.policies[0]! : this.policies.find((one) => one.name === name);
    if (policy === undefined) throw new RangeError(`limiter.keys: there is no limit named "${name}"`);
    assertDoesMore(this.#store, "limiter.keys", "a list of keys");
    return entriesOf(this.#store, this.#demand.waysToCount(policy));
  }

  /**
   * Lists the keys that this process refuses most often, and how long each has to wait. Counting starts with the first
   * call; without one, the limiter counts nothing. A key is listed until a window has passed without a refusal and its
   * last refused request could pass. Shadow limits count the requests that they would have refused.
   *
   * Memory is bounded: if more than 2000 keys are refused at a time, those with the most refusals are kept. Their
   * counts are too low by at most a thousandth of all refusals, and never too high.
   *
   * @param n How many to list, 20 by default, 1000 at most
   * @returns The keys, most refusals first
   * @throws {RangeError} If `n` is out of range
   *
   * @example List the most refused keys
   * ```ts
   * import { Limiter } from "@sluice/rate-limit";
   *
   * const limiter = new Limiter({ limit: 1 });
   * limiter.top(); // counts from here on
   * for (const key of ["a", "a", "a", "b", "b", "c"]) await limiter.consume(key);
   * for (const { key, refusals } of limiter.top(2)) console.log(key, refusals); // a 2, then b 1
   * ```
   */
  top(n = 20): readonly RefusedKey[] {
    checkInteger("limiter.top", "n", n, 1, MOST_REFUSED);
    return (this.#refusals ??= this.#countRefusals()).list(n);
  }

  // until then, decisions have no counting overhead
  #countRefusals(): TopRefusals {
    const refusals = new TopRefusals(this.#elapsed);
    const counted = this.#counted;
    this.#counted = (decision) => {
      refusals.add(decision);
      return counted(decision);
    };
    return refusals;
  }

  /** Whether the circuit breaker is open: after repeated failures, the store is not called. */
  get breakerIsOpen(): boolean {
    return this.#guarded?.breakerIsOpen ?? false;
  }

  /** Keys in memory; 0 with other stores. */
  get size(): number {
    return this.#memory?.size ?? 0;
  }

  /** Number of decisions that shared a counter because the memory for keys was full; 0 with other stores. */
  get overflows(): number {
    return this.#memory?.overflows ?? 0;
  }

  /** Connects to the store, so that the first decision does not have to wait. Rejects if connecting fails. */
  async warm(): Promise<void> {
    await this.#store.warm?.();
  }

  // A misconfigured store fails every time, while requests pass as if it counted. So the first failure, and each time
  // the breaker opens, is reported to the application or the console, unless the program listens for it.
  #failed(error: unknown, policy: string): void {
    if (this.listenerCount("storeFailure") > 0) return void tell(this, "storeFailure", error);
    if (this.#logged === this.counters.breakerOpened) return;
    this.#logged = this.counters.breakerOpened;
    // without a cause: client errors may contain the command with its arguments, such as a password
    const told = `${policy} decides, because the store failed (listen to storeFailure for more): ${reasonOf(error)}`;
    if (this[reportKey] !== null) this[reportKey](new Error(told));
    else console.error(told);
  }

  #noteWholeQuota(caller: string): void {
    if (this.#isWholeQuotaNoted) return;
    this.#isWholeQuotaNoted = true;
    console.warn(
      `${caller}: the store failed, and until it is back each process that shares it grants the whole quota. Set ` +
        "option processes to their number, 1 if this is the only one: each then grants its share",
    );
  }

  /**
   * Reports a listener's error, which must neither prevent a decision nor crash the process.
   *
   * @internal
   */
  override [listenerFailed](error: unknown): void {
    if (this[reportKey] !== null) this[reportKey](error);
    else console.error("limiter: a listener failed", error);
  }

  /**
   * Rejects `waitFor` callers with an `AbortError`, returns leases as far as the store accepts them in time, and closes
   * the store. If other limiters still use it, the last one closes it.
   */
  async close(): Promise<void> {
    this.#queue.close();
    await this.#leasing?.giveAllBack((take, stamp, amount) => this.#guarded!.give(take, stamp, amount, "store"));
    await leaveStore(this)?.close?.();
  }
}

refuseMembers(Limiter.prototype, "limiter", {
  limit: "write limiter.consume(key)",
  removeTokens: "write limiter.consume(key, tokens) or limiter.waitFor(key, { cost })",
  reserve: "write limiter.consume(key, most), then decision.settle(cost), with option maxDebt",
  get: "write limiter.peek(key)",
  getTokensRemaining: "write limiter.peek(key)",
  delete: "write limiter.reset(key)",
  set: "write limiter.reset(key)",
  penalty: "write limiter.consume(key, units)",
  reward: "write limiter.refund(decision)",
  block: "use option block: { after, forMs }",
});
// options of other limiters, which are also members there
refuseMembers(Limiter.prototype, "limiter", Object.fromEntries(INSTEAD));

function takesOf(demand: Demand, keys: LimiterKeys, options: ConsumeOptions, caller: string): Batch {
  const { cost = 1 } = options;
  return demand.takes(keys, cost, options, caller);
}

// stores grant a take of nothing to everybody, also to a key that is blocked
function ofOneUnit(verdict: Verdict): Verdict {
  const isLeft = !verdict.blocked && !(verdict.remaining < 1);
  if (verdict.denied || isLeft) return verdict;
  // a limit of 0 never has one; of several limits, a cached refusal may outlast one that has units again
  const never = verdict.limit === 0 && verdict.nextMs === 0;
  return { ...verdict, denied: true, retryAfterMs: never ? Infinity : verdict.nextMs };
}

function isSettled({ policy }: Take): boolean {
  return hasDebts(policy);
}

/** The units a verdict consumed: those it granted, or those charged to a refusal. */
function takenBy(verdict: Verdict): Charge {
  const { granted, stamp } = verdict;
  return granted > 0 ? { units: granted, stamp } : chargeOf(verdict) ?? NOTHING;
}

// `consume` may return a promise, and `await` is easily forgotten
function assertDecision(method: string, decision: unknown): void {
  if ((decision as Partial<Decision> | null | undefined)?.takes !== undefined) return;
  const shown = typeof decision === "object" && decision !== null ? "this object" : String(decision);
  throw new TypeError(`limiter.${method} expects what await limiter.consume(…) or waitFor(…) returns, not ${shown}`);
}

// empty for a store that cannot list keys; after a change of its policy, a key may be counted in several ways
async function* entriesOf(store: Store, policies: readonly Policy[]): AsyncGenerator<Entry> {
  if (store.inspect === undefined) return;
  if (policies.length === 1) return yield* store.inspect(policies[0]!);
  const listed = new Set<string>();
  for (const policy of policies) {
    for await (const entry of store.inspect(policy)) {
      if (listed.has(entry.key)) continue;
      listed.add(entry.key);
      yield entry;
    }
  }
}

import { isThenable } from "@sluice/shared";
import type { Policy } from "../policy/policy.ts";
import type { Awaitable, Capabilities, Entry, Selector, Store, Take, Verdict } from "../policy/store.ts";

/**
 * What happens to one call: nothing (`"pass"`); it fails, with a default or the given error; it never settles; the
 * store executes it, but the reply is lost and the call fails; or it reaches the store once a promise has settled.
 */
export type Fault = "pass" | "fail" | "hang" | "loseReply" | Error | PromiseLike<unknown>;

/**
 * A store that fails on demand, to test the code around a store: timeouts, breakers and fallbacks.
 *
 * It has no timers and no randomness. A fault lasts until `heal`, or is scripted call by call with `next`. Calls are
 * `decide`, `decideEach`, `give`, `settle`, `reset`, `inspect` and `warm`; `close` always passes. Without a fault it
 * replies like the store, synchronously if the store does.
 *
 * @example A limiter that must respond although its store does not
 * ```ts
 * import { FaultyStore } from "@sluice/rate-limit/testing";
 * import type { Store } from "@sluice/rate-limit";
 *
 * function unwell(store: Store): FaultyStore {
 *   // the first call is lost on the way back, the second never replies, then all is well
 *   return new FaultyStore(store).next("loseReply", "hang");
 * }
 * ```
 */
export class FaultyStore implements Store {
  /** The wrapped store's capabilities. */
  readonly capabilities: Capabilities;
  /** Decides many keys in one call, if the wrapped store can. */
  readonly decideEach?: NonNullable<Store["decideEach"]>;
  /** Corrects a grant, if the wrapped store can. */
  readonly settle?: NonNullable<Store["settle"]>;
  /** Lists keys in use, if the wrapped store can. */
  readonly inspect?: (policy: Policy) => AsyncIterable<Entry>;
  /** Connects and prepares, if the wrapped store can. */
  readonly warm?: () => Awaitable<void>;
  /** Closes the wrapped store, whatever the fault, if it can. */
  readonly close?: () => Awaitable<void>;
  readonly #store: Store;
  #standing: Fault = "pass";
  #script: Fault[] = [];
  #error: Error | undefined;
  #calls = 0;
  #inFlight = 0;

  /**
   * Wraps a store, without a fault.
   *
   * @param store The store that does the work
   */
  constructor(store: Store) {
    this.#store = store;
    this.capabilities = store.capabilities;
    if (store.decideEach !== undefined) {
      this.decideEach = (takes, times) => this.#call(() => store.decideEach!(takes, times));
    }
    if (store.settle !== undefined) {
      this.settle = (take, stamp, change) => this.#call(() => store.settle!(take, stamp, change));
    }
    if (store.inspect !== undefined) this.inspect = (policy) => this.#inspect(policy);
    if (store.warm !== undefined) this.warm = () => this.#call(() => store.warm!());
    if (store.close !== undefined) this.close = () => store.close!();
  }

  /** Calls so far, including failed calls. */
  get calls(): number {
    return this.#calls;
  }

  /** Number of calls that have not settled, including those that hang. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /**
   * Fails every call from now on, before it reaches the store.
   *
   * @param error The error they reject with
   */
  fail(error?: Error): this {
    return this.#stand(error ?? "fail");
  }

  /** Makes every call hang from now on, without reaching the store. */
  hang(): this {
    return this.#stand("hang");
  }

  /**
   * Delays every call from now on before it reaches the store.
   *
   * @param until What they wait for; if it rejects, they reject too
   */
  delay(until: PromiseLike<unknown>): this {
    return this.#stand(until);
  }

  /**
   * From now on, executes every call but makes it reject, like a connection lost at the wrong moment.
   *
   * @param error The error they reject with
   */
  loseReply(error?: Error): this {
    this.#stand("loseReply");
    this.#error = error;
    return this;
  }

  /** Ends all faults, including scripted faults. Calls that already hang do so forever. */
  heal(): this {
    this.#script = [];
    return this.#stand("pass");
  }

  /**
   * Scripts the next calls, one fault each; afterwards the lasting fault applies again.
   *
   * @param faults What happens to them, in order, after those already scripted
   */
  next(...faults: Fault[]): this {
    this.#script.push(...faults);
    return this;
  }

  #stand(fault: Fault): this {
    this.#standing = fault;
    this.#error = undefined;
    return this;
  }

  /** Decides a batch, faults permitting; see {@linkcode Store}. */
  decide(takes: readonly Take[], times?: number): Awaitable<readonly Verdict[]> {
    return this.#call(() => this.#store.decide(takes, times));
  }

  /** Refunds units, faults permitting; see {@linkcode Store}. */
  give(take: Take, stamp: number, amount: number): Awaitable<boolean> {
    return this.#call(() => this.#store.give(take, stamp, amount));
  }

  /** Forgets keys, faults permitting; see {@linkcode Store}. */
  reset(selector: Selector): Awaitable<number> {
    return this.#call(() => this.#store.reset(selector));
  }

  async *#inspect(policy: Policy): AsyncGenerator<Entry> {
    const entries = this.#call(async () => {
      const all: Entry[] = [];
      for await (const entry of this.#store.inspect!(policy)) all.push(entry);
      return all;
    });
    yield* await entries;
  }

  #call<T>(body: () => Awaitable<T>): Awaitable<T> {
    this.#calls++;
    const fault = this.#script.shift() ?? this.#standing;
    if (fault !== "pass") return this.#settling(this.#faulty(fault, body));
    const result = body();
    return isThenable(result) ? this.#settling(Promise.resolve(result)) : result;
  }

  async #settling<T>(result: Promise<T>): Promise<T> {
    this.#inFlight++;
    try {
      return await result;
    } finally {
      this.#inFlight--;
    }
  }

  async #faulty<T>(fault: Exclude<Fault, "pass">, body: () => Awaitable<T>): Promise<T> {
    const error = this.#error;
    if (fault instanceof Error) throw fault;
    if (fault === "fail") throw new Error("FaultyStore: the call failed, as it was told to");
    if (fault === "hang") return new Promise(() => {});
    if (fault !== "loseReply") {
      await fault;
      return body();
    }
    await body();
    throw error ?? new Error("FaultyStore: the reply was lost, as it was told to be");
  }
}

import type { Capabilities, Entry, Policy, Selector, Store, Take, Verdict } from "../../mod.ts";

/** Simulates a remote store: an in-memory store that replies with promises and counts calls. */
export class AsyncStore implements Store {
  /** The store's capabilities. */
  readonly capabilities: Capabilities;
  /** Number of commands so far, by method name. */
  readonly calls: { decide: number; give: number; settle: number; reset: number } = {
    decide: 0,
    give: 0,
    settle: 0,
    reset: 0,
  };
  /** Awaited before a command runs. */
  ahead: Promise<unknown> | null = null;
  /** Awaited after a command has run, before its reply is returned. */
  back: Promise<unknown> | null = null;
  /** Error with which every command fails, before it runs. */
  failure: Error | null = null;
  readonly #store: Store;

  /** @param store The underlying store */
  constructor(store: Store) {
    this.#store = store;
    this.capabilities = { ...store.capabilities, scope: "global" };
  }

  /** Decides a batch. */
  decide(takes: readonly Take[], times?: number): Promise<readonly Verdict[]> {
    this.calls.decide++;
    return this.#call(() => this.#store.decide(takes, times));
  }

  /** Refunds units. */
  give(take: Take, stamp: number, amount: number): Promise<boolean> {
    this.calls.give++;
    return this.#call(() => this.#store.give(take, stamp, amount));
  }

  /** Corrects a grant. */
  settle(take: Take, stamp: number, change: number): Promise<Verdict> {
    this.calls.settle++;
    return this.#call(() => this.#store.settle!(take, stamp, change));
  }

  /** Resets keys. */
  reset(selector: Selector): Promise<number> {
    this.calls.reset++;
    return this.#call(() => this.#store.reset(selector));
  }

  /** Lists the keys in use. */
  inspect(policy: Policy): AsyncIterable<Entry> {
    return this.#store.inspect!(policy);
  }

  async #call<T>(body: () => T | PromiseLike<T>): Promise<T> {
    const { ahead, back, failure } = this;
    if (ahead !== null) await ahead;
    if (failure !== null) throw failure;
    const result = await body();
    if (back !== null) await back;
    return result;
  }
}

import type { Capabilities, Selector, Store, Take, Verdict } from "../../../advanced/mod.ts";
import type { VirtualClock } from "../../../advanced/testing.ts";

/** A store whose calls and replies take time on a virtual clock. */
export class SlowStore implements Store {
  /** The underlying store's, but outside the process. */
  readonly capabilities: Capabilities;
  /** How long calls take to arrive from now on, in ms. */
  aheadMs = 0;
  /** How long replies take from now on, in ms. */
  backMs = 0;
  /** Whether calls fail when they arrive. */
  fails = false;
  readonly #store: Store;
  readonly #clock: VirtualClock;

  /**
   * @param store The underlying store
   * @param clock Its clock
   */
  constructor(store: Store, clock: VirtualClock) {
    this.capabilities = { ...store.capabilities, scope: "global" };
    this.#store = store;
    this.#clock = clock;
  }

  decide(takes: readonly Take[], times?: number): Promise<readonly Verdict[]> {
    return this.#call(() => this.#store.decide(takes, times));
  }

  decideEach(takes: readonly Take[], times: readonly number[]): Promise<readonly Verdict[]> {
    return this.#call(async () => {
      const verdicts = await Promise.all(takes.map((take, i) => this.#store.decide([take], times[i])));
      return verdicts.flat();
    });
  }

  give(take: Take, stamp: number, amount: number): Promise<boolean> {
    return this.#call(() => this.#store.give(take, stamp, amount));
  }

  settle(take: Take, stamp: number, change: number): Promise<Verdict> {
    return this.#call(() => this.#store.settle!(take, stamp, change));
  }

  reset(selector: Selector): Promise<number> {
    return this.#call(() => this.#store.reset(selector));
  }

  async #call<T>(body: () => T | PromiseLike<T>): Promise<T> {
    const { aheadMs, backMs } = this;
    await this.#passed(aheadMs);
    if (this.fails) throw new Error("planted");
    const reply = await body();
    await this.#passed(backMs);
    return reply;
  }

  #passed(ms: number): Promise<void> {
    return new Promise((resolve) => ms === 0 ? resolve() : void this.#clock.timers.start(resolve, ms));
  }
}

import { detachedString } from "@sluice/shared";
import { setCharge } from "../policy/charge.ts";
import type { Policy } from "../policy/policy.ts";
import type { Take, Verdict } from "../policy/store.ts";
import { type AnyCounter, type CounterInfo, hit, infoOf } from "./counter_like.ts";
import { KeyedMutex } from "./keyed_mutex.ts";
import type { StoreClock } from "@sluice/limiting";

/** Maximum keys whose windows are remembered; beyond that, the least recently seen key gets no more refunds. */
const MOST_SEEN = 100_000;

/** ms by which two replies may differ about the end of a window. */
const MAX_END_ERROR = 1000;

/** The window for a key: used units, and its end in ms. */
interface Window {
  readonly used: number;
  readonly end: number;
}

/** The counter for one policy. Turns express-rate-limit's two operations into decisions. */
export class PolicyCounter {
  readonly #legacy: AnyCounter;
  readonly #windowMs: number;
  readonly #clock: StoreClock;
  // some counters return an object that later hits change, so decisions on one key are serialized
  readonly #turns = new KeyedMutex(() => this.#clock.now());
  /** The last known windows, least recently seen first. */
  readonly #seen = new Map<string, Window>();

  private constructor(legacy: AnyCounter, windowMs: number, clock: StoreClock) {
    this.#legacy = legacy;
    this.#windowMs = windowMs;
    this.#clock = clock;
  }

  static async begin(
    legacy: AnyCounter,
    { windowMs, limit }: Policy,
    told: object,
    clock: StoreClock,
  ): Promise<PolicyCounter> {
    await legacy.init?.({ limit, ...told, windowMs });
    return new PolicyCounter(legacy, windowMs, clock);
  }

  decide({ policy, key, cost }: Take, times: number): Promise<Verdict> {
    return this.#turns.take([key], async () => {
      let fits = cost === 0 ? times : 0;
      let window: Window | null = null;
      let charged = 0;
      // a request that can never fit is not counted
      if (cost === 1 && policy.limit > 0) {
        // concurrently, because a crowd on one key would otherwise use up the store's timeout
        ({ window, within: fits } = await this.#count(key, times, policy.limit));
        charged = times - fits;
      } else if (cost > 0 && cost <= policy.limit) {
        for (; fits < times; fits++) {
          ({ window } = await this.#count(key, cost, policy.limit));
          if (window.used <= policy.limit) continue;
          window = await this.#takeBack(key, cost, window);
          break;
        }
      }
      window ??= await this.#look(key);
      const verdict = verdictOf(policy, cost, fits, times, window, this.#clock.now());
      // hits from refused requests stay, as in express-rate-limit, which refunds them with `skipFailedRequests`
      if (charged > 0) setCharge(verdict, { units: charged, stamp: window.end });
      return verdict;
    });
  }

  /** Counts hits, and returns how many are within the limit. */
  async #count(key: string, hits: number, limit: number): Promise<{ window: Window; within: number }> {
    const counts = await Promise.all(Array.from({ length: hits }, () => hit(this.#legacy, key)));
    const last = counts.reduce((most, one) => one.totalHits > most.totalHits ? one : most);
    // Hits from other processes may lie between these. If an object changed before it was read, only one thing is
    // certain: no more hits are above the limit than the last count is.
    const within = Math.max(
      counts.filter(({ totalHits }) => totalHits <= limit).length,
      hits - Math.max(0, last.totalHits - limit),
    );
    return { window: this.#remember(key, last), within };
  }

  async #takeBack(key: string, amount: number, { used, end }: Window): Promise<Window> {
    // a counter that cannot remove hits counts too many
    const done = await Promise.allSettled(
      Array.from({ length: amount }, async () => await this.#legacy.decrement(key)),
    );
    const fulfilled = done.filter(({ status }) => status === "fulfilled").length;
    return this.#remember(key, { totalHits: Math.max(0, used - fulfilled), resetTime: new Date(end) });
  }

  async #look(key: string): Promise<Window> {
    const now = this.#clock.now();
    const known = this.#seen.get(key);
    if (this.#legacy.get === undefined) return known !== undefined && known.end > now ? known : { used: 0, end: now };
    const info = await this.#legacy.get(key);
    // for an unknown key, some counters return nothing, and some, such as rate-limit-redis, a count that is not a
    // number
    return Number.isFinite(info?.totalHits) ? this.#remember(key, infoOf(info!)) : { used: 0, end: now };
  }

  #remember(key: string, { totalHits, resetTime }: CounterInfo): Window {
    const now = this.#clock.now();
    const known = this.#seen.get(key);
    const assumed = known !== undefined && known.end > now ? known.end : now + this.#windowMs;
    const window = { used: totalHits, end: resetTime?.getTime() ?? assumed };
    this.#seen.delete(key);
    this.#seen.set(detachedString(key), window);
    for (const [oldest, { end }] of this.#seen) {
      if (end > now && this.#seen.size <= MOST_SEEN) break;
      this.#seen.delete(oldest);
    }
    return window;
  }

  give(key: string, stamp: number, amount: number): Promise<boolean> {
    return this.#turns.take([key], async () => {
      // decrementing after the end would start a window without a hit
      const known = this.#seen.get(key);
      if (known === undefined || known.used === 0 || !this.#isSameEnd(known.end, stamp)) return false;
      if (this.#clock.now() >= Math.min(stamp, known.end)) return false;
      const given = Math.min(amount, known.used);
      for (let i = 0; i < given; i++) await this.#legacy.decrement(key);
      this.#seen.set(key, { used: known.used - given, end: known.end });
      return given > 0;
    });
  }

  // counters that report a window's remaining time, such as rate-limit-redis, return a different end each time
  #isSameEnd(one: number, other: number): boolean {
    return Math.abs(one - other) <= Math.min(MAX_END_ERROR, this.#windowMs / 2);
  }

  async delete(key: string): Promise<number> {
    const { used, end } = await this.#look(key);
    await this.#legacy.resetKey(key);
    this.#seen.delete(key);
    return used > 0 && end > this.#clock.now() ? 1 : 0;
  }

  async clear(): Promise<number> {
    if (this.#legacy.resetAll === undefined) {
      throw new TypeError("store.reset: the counter has no resetAll; name a key");
    }
    const { size } = this.#seen;
    await this.#legacy.resetAll();
    this.#seen.clear();
    return size;
  }

  async close(): Promise<void> {
    await this.#legacy.shutdown?.();
  }
}

function verdictOf(
  { limit }: Policy,
  cost: number,
  fits: number,
  times: number,
  window: Window,
  now: number,
): Verdict {
  // a count that refused is the newest, whatever the counter's clock reports about its window
  const used = fits < times || window.end > now ? window.used : 0;
  const remaining = Math.max(0, limit - used);
  const leftMs = Math.max(0, window.end - now);
  let retryAfterMs = 0;
  if (fits < times) retryAfterMs = cost > limit ? Infinity : remaining >= cost ? 1 : Math.max(1, leftMs);
  return {
    granted: fits * cost,
    denied: fits < times,
    limit,
    remaining,
    retryAfterMs,
    nextMs: remaining >= limit ? 0 : leftMs,
    resetMs: used > 0 ? leftMs : 0,
    blocked: false,
    stamp: fits > 0 && cost > 0 ? window.end : 0,
  };
}

import { detachedString } from "@sluice/shared";
import type { Policy } from "../policy/policy.ts";
import type { Verdict } from "../policy/store.ts";
import type { Decision } from "./decision.ts";

/**
 * A key that a limit has recently refused, as listed by {@linkcode Limiter.top}.
 *
 * @example The key that is refused most often
 * ```ts
 * import { Limiter, type RefusedKey } from "@sluice/rate-limit";
 *
 * const limiter = new Limiter({ name: "api", limit: 1 });
 * limiter.top(); // counts from here on
 * for (let i = 0; i < 3; i++) await limiter.consume("client");
 * const [most]: readonly RefusedKey[] = limiter.top();
 * console.log(most?.policy, most?.key, most?.refusals); // api client 2
 * ```
 */
export interface RefusedKey {
  /** The limit's name. */
  readonly policy: string;
  /** The key in the store, which `reset` accepts; long keys are a hash. */
  readonly key: string;
  /** How often it was refused; too low if more than 2000 keys are refused at a time. */
  readonly refusals: number;
  /** Time since its last refusal, in ms. */
  readonly sinceMs: number;
  /** Time until its last refused request could pass, in ms; 0 if it already could, `Infinity` if it never can. */
  readonly retryAfterMs: number;
  /** Units left at its last refusal, too few for the request. */
  readonly remaining: number;
  /** The most units the limit can ever grant it at once. */
  readonly limit: number;
  /** Whether it is blocked after repeated refusals. */
  readonly blocked: boolean;
  /** Whether the limit only reports requests that it would have refused. */
  readonly shadow: boolean;
}

/** Recorded figures for a key. */
interface Count {
  readonly policy: Policy;
  readonly key: string;
  readonly shadow: boolean;
  readonly last: Verdict;
  readonly lastMs: number;
  refusals: number;
}

/** Keys kept when there are twice as many. */
export const MOST_REFUSED = 1000;

/**
 * Counts refusals by key in bounded memory, so that the most refused keys are known however many keys there are.
 * Implements Misra and Gries's frequent items, with the batches from Anderson et al., "A High-Performance Algorithm for
 * Identifying Frequent Items in Data Streams" (2017). No count is too high, and none is too low by more than a
 * thousandth of all refusals.
 *
 * A key is forgotten when a window has passed without a refusal and its last refused request could pass.
 */
export class TopRefusals {
  readonly #clock: () => number;
  /** By limit name and key. */
  readonly #counts = new Map<string, Count>();

  /**
   * Creates an instance.
   *
   * @param clock A clock in ms; only differences matter
   */
  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** Counts a decision's refusals, including those of shadow limits. */
  add({ allowed, shadowDenied, takes, verdicts }: Decision): void {
    if (allowed && !shadowDenied) return;
    const now = this.#clock();
    verdicts.forEach((last, i) => {
      if (!last.denied) return;
      const { policy, key, shadow = false } = takes[i]!;
      const id = idOf(policy.name, key);
      const known = this.#counts.get(id);
      const refusals = (known?.refusals ?? 0) + 1;
      this.#counts.set(id, { policy, key: known?.key ?? detachedString(key), shadow, refusals, last, lastMs: now });
    });
    if (this.#counts.size > 2 * MOST_REFUSED) this.#shrink(now);
  }

  // subtracts the count of the first dropped key from all counts, so that the key can return and be counted fairly
  #shrink(now: number): void {
    this.#forgetFree(now);
    const byRefusals = Array.from(this.#counts).sort(([, a], [, b]) => b.refusals - a.refusals);
    const least = byRefusals[MOST_REFUSED]?.[1].refusals ?? 0;
    byRefusals.forEach(([id, count], i) => {
      if (i >= MOST_REFUSED) this.#counts.delete(id);
      else count.refusals -= least;
    });
  }

  #forgetFree(now: number): void {
    for (const [id, { policy, last: { retryAfterMs }, lastMs }] of this.#counts) {
      const forMs = retryAfterMs === Infinity ? policy.windowMs : Math.max(policy.windowMs, retryAfterMs);
      if (now - lastMs >= forMs) this.#counts.delete(id);
    }
  }

  /**
   * Forgets one key or all keys.
   *
   * @param limits The limits' names
   * @param forms The forms in which it may be stored; `undefined` for all keys
   */
  forget(limits: readonly string[], forms: readonly (string | undefined)[]): void {
    for (const form of forms) {
      if (form === undefined) return this.#counts.clear();
      for (const limit of limits) this.#counts.delete(idOf(limit, form));
    }
  }

  /**
   * Lists the keys with the most refusals; among equals, those with the longest wait come first.
   *
   * @param most How many
   */
  list(most: number): RefusedKey[] {
    const now = this.#clock();
    this.#forgetFree(now);
    return Array.from(this.#counts.values(), (count) => refusedKey(count, now))
      .sort((a, b) => b.refusals - a.refusals || compare(b.retryAfterMs, a.retryAfterMs) || a.sinceMs - b.sinceMs)
      .slice(0, most);
  }
}

function idOf(limit: string, key: string): string {
  return `${limit.length}/${limit}${key}`;
}

// two infinite waits are equal
function compare(a: number, b: number): number {
  return a === b ? 0 : a - b;
}

function refusedKey({ policy, key, shadow, refusals, last, lastMs }: Count, now: number): RefusedKey {
  const { retryAfterMs, remaining, limit, blocked } = last;
  const sinceMs = Math.max(0, now - lastMs);
  return {
    policy: policy.name,
    key,
    // it was refused at least once, whatever was subtracted
    refusals: Math.max(1, refusals),
    sinceMs,
    retryAfterMs: Math.max(0, retryAfterMs - sinceMs),
    remaining,
    limit,
    blocked,
    shadow,
  };
}

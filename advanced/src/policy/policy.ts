import type { CalendarWindow } from "./calendar_window.ts";

/**
 * All algorithm names.
 *
 * @example Check a setting
 * ```ts
 * import { ALGORITHM_NAMES, type AlgorithmName, Limiter } from "@sluice/rate-limit";
 *
 * const given = "sliding-window";
 * const algorithm: AlgorithmName = ALGORITHM_NAMES.find((name) => name === given) ?? "fixed-window";
 * console.log((await new Limiter({ algorithm, limit: 10 }).consume("client")).remaining); // 9
 * ```
 */
export const ALGORITHM_NAMES = [
  "fixed-window",
  "sliding-window",
  "sliding-log",
  "sliding-approximate",
  "token-bucket",
  "concurrency",
] as const;

/** An algorithm name, for the `algorithm` option. */
export type AlgorithmName = typeof ALGORITHM_NAMES[number];

/**
 * What a refused request does to the quota: nothing, consume it like an admitted request, or restart the wait. With
 * `"charge"`, usage is capped at twice the limit.
 */
export type OnDenied = "free" | "charge" | "extend";

/** Blocks a key for a while after too many refusals. */
export interface Block {
  /** Number of refusals within one window that start a block. */
  readonly after: number;
  /** How long it lasts, in ms. */
  readonly forMs: number;
}

/** One limit: units per window. Passed with every decision, so changes take effect immediately. */
export interface Policy {
  /** Name: part of the key in the store, and used in headers. */
  readonly name: string;
  /** The algorithm. */
  readonly algorithm: AlgorithmName;
  /** Units per window; for `"concurrency"`, slots held at a time. 0 refuses everything. */
  readonly limit: number;
  /**
   * Window length in ms. For `"concurrency"`, the longest time a slot is held. With `window`, the usual length.
   */
  readonly windowMs: number;
  /** `"fixed-window"`: uses calendar windows. */
  readonly window?: CalendarWindow | undefined;
  /** `"token-bucket"`: units that may be consumed at once, `limit` by default. */
  readonly burst?: number | undefined;
  /**
   * `"sliding-window"`: number of buckets per window, 10 by default. Quota returns at most one bucket late; less than
   * two if the window cannot be divided into buckets of whole ms.
   */
  readonly buckets?: number | undefined;
  /** `"fixed-window"`: whether windows begin with a key's first request (default), or are aligned to the clock. */
  readonly align?: "first-hit" | "clock" | undefined;
  /** The effect of a refusal, `"free"` by default. */
  readonly onDenied?: OnDenied | undefined;
  /** Blocks a key after repeated refusals. */
  readonly block?: Block | undefined;
  /**
   * Allows settling decisions under this policy: the most units by which usage on a key may exceed the limit. Later
   * windows pay the debt off before they grant anything. Not for `"concurrency"`; requires `onDenied: "free"`.
   */
  readonly maxDebt?: number | undefined;
}

/**
 * The most units a policy can ever grant at once.
 *
 * @param policy The policy
 * @returns The burst of a token bucket, otherwise the limit
 */
export function capacityOf({ algorithm, limit, burst }: Policy): number {
  return algorithm === "token-bucket" && limit > 0 ? burst ?? limit : limit;
}

/** Default number of buckets in a sliding window. */
export const DEFAULT_BUCKETS = 10;

/**
 * The number of buckets in a sliding window.
 *
 * @param policy The policy
 * @returns `buckets`, or fewer if that many whole-millisecond buckets would exceed the window
 */
export function bucketsOf({ buckets = DEFAULT_BUCKETS, windowMs }: Policy): number {
  return Math.ceil(windowMs / Math.ceil(windowMs / buckets));
}

/**
 * Whether refusals under a policy have no side effects: they write nothing and are not counted.
 *
 * @param policy The policy
 * @returns `false` if they are charged, extend the wait or may block the key
 */
export function refusesFreely({ onDenied = "free", block }: Policy): boolean {
  return onDenied === "free" && block === undefined;
}

/**
 * Whether a policy counts requests in progress, which free their slots when they end.
 *
 * @param policy The policy
 */
export function holdsSlots({ algorithm }: Pick<Policy, "algorithm">): boolean {
  return algorithm === "concurrency";
}

/**
 * Whether decisions under a policy can be settled, with later windows paying off usage above the limit.
 *
 * @param policy The policy
 */
export function hasDebts({ maxDebt }: Pick<Policy, "maxDebt">): boolean {
  return maxDebt !== undefined;
}

/**
 * Whether a policy's windows follow the system clock or calendar rather than a client's requests.
 *
 * @param policy The policy
 */
export function followsClock({ align, window }: Pick<Policy, "align" | "window">): boolean {
  return align === "clock" || window !== undefined;
}

/**
 * Debt that one window pays off. With a limit of 0, which grants nothing, a debt still ends.
 *
 * @param policy The policy
 */
export function paidIn({ limit }: Policy): number {
  return Math.max(1, limit);
}

/** The longest reported debt, in ms, so that sums of times stay exact. */
export const LONGEST_DEBT_MS: number = 2 ** 52;

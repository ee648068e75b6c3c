import type { CalendarWindow } from "./calendar_window.ts";

/**
 * All names of algorithms.
 *
 * @example Whether a setting names an algorithm
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

/** Names of the algorithms, as the `algorithm` option takes them. */
export type AlgorithmName = typeof ALGORITHM_NAMES[number];

/**
 * What a refused request does to the quota: nothing; counts like an admitted one; or restarts the wait.
 * With `"charge"`, usage is capped at twice the limit.
 */
export type OnDenied = "free" | "charge" | "extend";

/** Blocks a key for a while after too many rejections. */
export interface Block {
  /** Number of rejections within one window after which it begins. */
  readonly after: number;
  /** How long it lasts, in ms. */
  readonly forMs: number;
}

/** One limit: how many units in which time. Passed with every decision, so changes take effect immediately. */
export interface Policy {
  /** Name: part of the key in the store, and used in headers. */
  readonly name: string;
  /** How it counts. */
  readonly algorithm: AlgorithmName;
  /** Units per window; for `"concurrency"` slots held at a time; 0 refuses everything. */
  readonly limit: number;
  /** Length of the window in ms; for `"concurrency"` longest time a slot is held; with `window` its usual length. */
  readonly windowMs: number;
  /** `"fixed-window"`: the windows are those of the calendar. */
  readonly window?: CalendarWindow | undefined;
  /** `"token-bucket"`: units that may be taken at once, `limit` by default. */
  readonly burst?: number | undefined;
  /**
   * `"sliding-window"`: number of parts the window is counted in, 10 by default. Quota returns at most one part late;
   * less than two, if the window is not a multiple of parts of whole ms.
   */
  readonly buckets?: number | undefined;
  /** `"fixed-window"`: whether windows begin with a key's first request (default), or are aligned to the clock. */
  readonly align?: "first-hit" | "clock" | undefined;
  /** What a rejection does, `"free"` by default. */
  readonly onDenied?: OnDenied | undefined;
  /** Blocks a key after repeated rejections. */
  readonly block?: Block | undefined;
  /**
   * Makes decisions by this policy ones that can be settled: the most units by which what a key has used may exceed the
   * limit. Later windows pay them off before they grant anything. Not for `"concurrency"`, and with free refusals only.
   */
  readonly maxDebt?: number | undefined;
}

/**
 * The most units a policy can ever grant at once.
 *
 * @param policy The policy
 * @returns The burst of a token bucket, the limit of everything else
 */
export function capacityOf({ algorithm, limit, burst }: Policy): number {
  return algorithm === "token-bucket" && limit > 0 ? burst ?? limit : limit;
}

/** Parts a sliding window is counted in by default. */
export const DEFAULT_BUCKETS = 10;

/**
 * The number of parts a sliding window is counted in.
 *
 * @param policy The policy
 * @returns `buckets`, or fewer if that many parts of whole milliseconds would exceed the window
 */
export function bucketsOf({ buckets = DEFAULT_BUCKETS, windowMs }: Policy): number {
  return Math.ceil(windowMs / Math.ceil(windowMs / buckets));
}

/**
 * Whether rejections by a policy have no consequences: they write nothing, and their number does not matter.
 *
 * @param policy The policy
 * @returns `false` if they are charged, extend the wait or may block the key
 */
export function refusesFreely({ onDenied = "free", block }: Policy): boolean {
  return onDenied === "free" && block === undefined;
}

/**
 * Whether a policy counts what is in progress: what a request takes of it ends with the request.
 *
 * @param policy The policy
 */
export function holdsSlots({ algorithm }: Pick<Policy, "algorithm">): boolean {
  return algorithm === "concurrency";
}

/**
 * Whether decisions by a policy can be settled, and what is used above its limit is paid off by later windows.
 *
 * @param policy The policy
 */
export function hasDebts({ maxDebt }: Pick<Policy, "maxDebt">): boolean {
  return maxDebt !== undefined;
}

/**
 * Tells whether the windows of a policy begin by the system's clock or calendar, and not with a client's requests.
 *
 * @param policy The policy
 */
export function followsClock({ align, window }: Pick<Policy, "align" | "window">): boolean {
  return align === "clock" || window !== undefined;
}

/**
 * Units of what is owed that one window pays off. A limit of 0, which grants nothing, is not owed to for ever.
 *
 * @param policy The policy
 */
export function paidIn({ limit }: Policy): number {
  return Math.max(1, limit);
}

/** No debt is told to last for longer, in ms: sums of times stay exact. */
export const LONGEST_DEBT_MS: number = 2 ** 52;

/** Names of the algorithms, as the `algorithm` option takes them. */
export type AlgorithmName =
  | "fixed-window"
  | "sliding-window"
  | "sliding-log"
  | "sliding-approximate"
  | "token-bucket"
  | "concurrency";

/** All names, for messages and tests. */
export const ALGORITHM_NAMES: readonly AlgorithmName[] = [
  "fixed-window",
  "sliding-window",
  "sliding-log",
  "sliding-approximate",
  "token-bucket",
  "concurrency",
];

/**
 * What a refused request does to the quota: nothing; counts like an admitted one; or restarts the wait.
 * Debt by `"charge"` ends at twice the limit.
 */
export type OnDenied = "free" | "charge" | "extend";

/** Refuses a key for a while after it was refused too often. */
export interface Block {
  /** Number of refusals within one window that bring it about. */
  readonly after: number;
  /** How long it lasts, in ms. */
  readonly forMs: number;
}

/** One limit: how much of what in which time. Passed with every decision, so a change takes effect at once. */
export interface Policy {
  /** Its name: part of the key in the store, and how headers call it. */
  readonly name: string;
  /** How it counts. */
  readonly algorithm: AlgorithmName;
  /** Units per window; leases at once for `"concurrency"`; 0 refuses everything. */
  readonly limit: number;
  /** Length of the window in ms; longest time a lease is held for `"concurrency"`. */
  readonly windowMs: number;
  /** `"token-bucket"`: units that may come at once, `limit` by default. */
  readonly burst?: number | undefined;
  /**
   * `"sliding-window"`: parts the window is counted in, 10 by default. Quota comes back at most one part late; less than
   * two, where parts of whole ms do not divide the window.
   */
  readonly buckets?: number | undefined;
  /** `"fixed-window"`: whether a window begins with a key's first request, which is the default, or with the clock. */
  readonly align?: "first-hit" | "clock" | undefined;
  /** What a refusal does, `"free"` by default. */
  readonly onDenied?: OnDenied | undefined;
  /** Blocks a key after repeated refusals. */
  readonly block?: Block | undefined;
}

/**
 * The most units a policy ever has to give.
 *
 * @param policy The policy
 * @returns The burst of a token bucket, the limit of everything else
 */
export function capacityOf({ algorithm, limit, burst }: Policy): number {
  return algorithm === "token-bucket" && limit > 0 ? burst ?? limit : limit;
}

/**
 * The number of parts a sliding window is counted in.
 *
 * @param policy The policy
 * @returns `buckets`, or as many fewer as reach over the window, for a part has whole milliseconds
 */
export function bucketsOf({ buckets = 10, windowMs }: Policy): number {
  return Math.ceil(windowMs / Math.ceil(windowMs / buckets));
}

/**
 * Whether refusals by a policy have no consequences: they write nothing, and it makes no difference how many there were.
 *
 * @param policy The policy
 * @returns `false` where they are charged for, extend the wait or block the key
 */
export function refusesFreely({ onDenied = "free", block }: Policy): boolean {
  return onDenied === "free" && block === undefined;
}

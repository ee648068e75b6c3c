import type { AlgorithmName, Policy } from "./policy.ts";

/** A value, or a promise of it. */
export type Awaitable<T> = T | PromiseLike<T>;

/** A demand for units of one policy for one key. */
export interface Take {
  /** The policy. */
  readonly policy: Policy;
  /** The key, at most 1024 characters. */
  readonly key: string;
  /** Units to take; 0 only reads. */
  readonly cost: number;
  /** Decides and counts, but never prevents the others from being granted. */
  readonly shadow?: boolean | undefined;
}

/** The result of a {@linkcode Take}. */
export interface Verdict {
  /** Units that were taken: the cost times the number of times the whole batch was granted. */
  readonly granted: number;
  /** Whether this policy refused at least a part. */
  readonly denied: boolean;
  /** The most the policy can ever grant at once. */
  readonly limit: number;
  /** Units that are left: exactly as many would be granted now. `NaN` if the store cannot tell (`outcomeOnly`). */
  readonly remaining: number;
  /** ms until the same cost fits, if nobody else takes any; 0 if it was granted, `Infinity` if it never fits. */
  readonly retryAfterMs: number;
  /** ms until there is one unit more than now; 0 if the quota is full. */
  readonly nextMs: number;
  /** ms until the quota is full. */
  readonly resetMs: number;
  /** Whether the key is blocked after repeated rejections. */
  readonly blocked: boolean;
  /** Needed by `give`: identifies a window, a time or a lease. */
  readonly stamp: number;
}

/** What a store can do, declared explicitly. */
export interface Capabilities {
  /** The algorithms it supports. */
  readonly algorithms: ReadonlySet<AlgorithmName>;
  /** Which batches are atomic: all of them, those of one key, or none. */
  readonly atomicBatch: "all" | "same-key" | "none";
  /** Whether a rejection writes nothing, if the policy's `onDenied` is `"free"` and it has no `block`. */
  readonly exactDeny: boolean;
  /** Who shares the counters. */
  readonly scope: "process" | "host" | "region" | "global";
  /** Whose clock is used. */
  readonly clock: "store" | "process";
  /**
   * Whether all it does is to grant one unit or not: one limit with a cost of 1 or 0, and nothing given back, forgotten
   * or listed. What is left after a grant is not known, and times are the longest that are possible.
   */
  readonly outcomeOnly?: boolean | undefined;
}

/** Selects keys for `reset`. */
export interface Selector {
  /** Name of the policy. */
  readonly policy: string;
  /** The key; without it, all keys of the policy. */
  readonly key?: string | undefined;
}

/** A key in use, as `inspect` lists it. */
export interface Entry {
  /** The key. */
  readonly key: string;
  /** Its state, as returned for cost 0. */
  readonly verdict: Verdict;
}

/**
 * Where counters are kept. A batch is decided as one: either every take is granted, or none is.
 */
export interface Store {
  /** What the store can do. */
  readonly capabilities: Capabilities;
  /**
   * Decides a batch.
   *
   * @param takes The takes; each policy and key at most once
   * @param times How often the whole batch is requested, 1 by default; it is granted as often as it fits
   * @returns One verdict for every take, in their order
   */
  decide(takes: readonly Take[], times?: number): Awaitable<readonly Verdict[]>;
  /**
   * Decides many keys of one policy separately, but in one command. Optional.
   *
   * @param takes The takes: the same policy, cost and shadow, and each key at most once
   * @param times How often each is requested
   * @returns The verdicts, in the order of the takes
   */
  decideEach?(takes: readonly Take[], times: readonly number[]): Awaitable<readonly Verdict[]>;
  /**
   * Gives units back.
   *
   * @param take What was granted
   * @param stamp The stamp of its verdict
   * @param amount Units to give back
   * @returns Whether anything changed: an outdated stamp has no effect
   */
  give(take: Take, stamp: number, amount: number): Awaitable<boolean>;
  /**
   * Corrects what was granted to its real cost, as one. Optional: a store without it serves no policy with `maxDebt`.
   *
   * Below 0, that many units are given back, as by `give`. Above 0, that many more are counted, whether there is room
   * for them or not, but no more than `maxDebt` beyond the limit.
   *
   * @param take What was granted, by a policy with `maxDebt`
   * @param stamp The stamp of its verdict
   * @param change Units to count more, or, below 0, to give back
   * @returns The state afterwards; `granted` says by how many units more the take is counted now, below 0 by how many
   * less
   */
  settle?(take: Take, stamp: number, change: number): Awaitable<Verdict>;
  /**
   * Forgets keys, blocks included.
   *
   * @param selector Which keys
   * @returns How many there were
   */
  reset(selector: Selector): Awaitable<number>;
  /**
   * Lists keys in use.
   *
   * @param policy The policy
   */
  inspect?(policy: Policy): AsyncIterable<Entry>;
  /**
   * Checks that the store can serve a policy, beyond its algorithm.
   *
   * @throws {TypeError} If it cannot
   * @throws {RangeError} If it cannot with such a limit or window
   */
  checkPolicy?(policy: Policy): void;
  /** Connects; importing or constructing a store never does. */
  warm?(): Awaitable<void>;
  /** Closes connections, and gives back units reserved in advance. */
  close?(): Awaitable<void>;
}

/** Longest key in characters that a store has to accept. */
export const MAX_KEY_LENGTH = 1024;

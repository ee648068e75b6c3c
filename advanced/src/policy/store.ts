import type { AlgorithmName, Policy } from "./policy.ts";

/** A value, or a promise of it. */
export type Awaitable<T> = T | PromiseLike<T>;

/** A request for units for one key under one policy. */
export interface Take {
  /** The policy. */
  readonly policy: Policy;
  /** The key, at most 1024 characters. */
  readonly key: string;
  /** Units to consume; 0 only reads. */
  readonly cost: number;
  /** Decides and counts, but never prevents other takes from being granted. */
  readonly shadow?: boolean | undefined;
}

/** The result of a {@linkcode Take}. */
export interface Verdict {
  /** Units granted: the cost times how often the whole batch was granted. */
  readonly granted: number;
  /** Whether this policy refused any part. */
  readonly denied: boolean;
  /** The most units the policy can ever grant at once. */
  readonly limit: number;
  /** Units left: exactly this many would be granted now. `NaN` if the store does not report them (`outcomeOnly`). */
  readonly remaining: number;
  /**
   * Time until the same cost fits if no other units are consumed, in ms; 0 if it was granted, `Infinity` if it never
   * fits.
   */
  readonly retryAfterMs: number;
  /** Time until one more unit is available, in ms; 0 if the quota is full. */
  readonly nextMs: number;
  /** Time until the quota is full, in ms. */
  readonly resetMs: number;
  /** Whether the key is blocked after repeated refusals. */
  readonly blocked: boolean;
  /** Identifies a window, a time or a lease; needed by `give`. */
  readonly stamp: number;
}

/** A store's capabilities, declared explicitly. */
export interface Capabilities {
  /** The algorithms it supports. */
  readonly algorithms: ReadonlySet<AlgorithmName>;
  /** Which batches are atomic: all of them, those on one key, or none. */
  readonly atomicBatch: "all" | "same-key" | "none";
  /** Whether a refusal writes nothing, if the policy's `onDenied` is `"free"` and it has no `block`. */
  readonly exactDeny: boolean;
  /** The counters' scope. */
  readonly scope: "process" | "host" | "region" | "global";
  /** Whose clock is used. */
  readonly clock: "store" | "process";
  /**
   * Whether it can only grant or refuse one unit: a single limit with a cost of 1 or 0, without refunds, resets or
   * listing. The quota left after a grant is unknown, and times are the longest possible.
   */
  readonly outcomeOnly?: boolean | undefined;
}

/** Selects keys for `reset`. */
export interface Selector {
  /** The policy name. */
  readonly policy: string;
  /** The key; without it, all keys under the policy. */
  readonly key?: string | undefined;
}

/** A key in use, as listed by `inspect`. */
export interface Entry {
  /** The key. */
  readonly key: string;
  /** Its state, as returned for cost 0. */
  readonly verdict: Verdict;
}

/** Stores counters. A batch is decided atomically: either every take is granted, or no take is. */
export interface Store {
  /** The store's capabilities. */
  readonly capabilities: Capabilities;
  /**
   * Decides a batch.
   *
   * @param takes The takes; each policy and key at most once
   * @param times How often the whole batch is requested, 1 by default; it is granted as often as it fits
   * @returns One verdict per take, in order
   */
  decide(takes: readonly Take[], times?: number): Awaitable<readonly Verdict[]>;
  /**
   * Decides many keys under one policy separately, but in one command. Optional.
   *
   * @param takes The takes: the same policy, cost and shadow, and each key at most once
   * @param times How often each is requested
   * @returns The verdicts, in the takes' order
   */
  decideEach?(takes: readonly Take[], times: readonly number[]): Awaitable<readonly Verdict[]>;
  /**
   * Refunds units.
   *
   * @param take The granted take
   * @param stamp The stamp from its verdict
   * @param amount Units to refund
   * @returns Whether anything changed: an outdated stamp has no effect
   */
  give(take: Take, stamp: number, amount: number): Awaitable<boolean>;
  /**
   * Corrects a grant to its actual cost, atomically. Optional: a store without it does not support policies with
   * `maxDebt`.
   *
   * Below 0, that many units are refunded, as by `give`. Above 0, that many more are counted even if they exceed the
   * limit, but by no more than `maxDebt`.
   *
   * @param take The granted take, under a policy with `maxDebt`
   * @param stamp The stamp from its verdict
   * @param change Units to add, or, below 0, to refund
   * @returns The state afterwards; `granted` is the actual change in counted units, below 0 if fewer are counted
   */
  settle?(take: Take, stamp: number, change: number): Awaitable<Verdict>;
  /**
   * Forgets keys, including their blocks.
   *
   * @param selector Which keys
   * @returns The number of keys
   */
  reset(selector: Selector): Awaitable<number>;
  /**
   * Lists keys in use.
   *
   * @param policy The policy
   */
  inspect?(policy: Policy): AsyncIterable<Entry>;
  /**
   * Checks that the store supports a policy, beyond its algorithm.
   *
   * @throws {TypeError} If it does not
   * @throws {RangeError} If the limit or window is unsupported
   */
  checkPolicy?(policy: Policy): void;
  /** Connects; importing or constructing a store never does. */
  warm?(): Awaitable<void>;
  /** Closes connections, and returns units reserved in advance. */
  close?(): Awaitable<void>;
}

/** Longest key that a store must accept, in characters. */
export const MAX_KEY_LENGTH = 1024;

import type { AlgorithmName, Policy } from "./policy.ts";

/** A value, or a promise of it. */
export type Awaitable<T> = T | PromiseLike<T>;

/** One demand: some units of one policy for one key. */
export interface Take {
  /** The policy. */
  readonly policy: Policy;
  /** The key, at most 1024 characters. */
  readonly key: string;
  /** Units wanted; 0 only looks. */
  readonly cost: number;
  /** Decides and counts, and never keeps the others from being granted. */
  readonly shadow?: boolean | undefined;
}

/** What became of a {@linkcode Take}. */
export interface Verdict {
  /** Units that were taken: the cost times the number of times the whole batch was granted. */
  readonly granted: number;
  /** Whether this policy refused, be it only a part. */
  readonly denied: boolean;
  /** The most the policy ever has to give. */
  readonly limit: number;
  /** Units that are left: as many would be granted now, and not one more. */
  readonly remaining: number;
  /** ms until the same cost fits, if nobody else takes any; 0 when it was granted, `Infinity` when it never fits. */
  readonly retryMs: number;
  /** ms until there is one unit more than now; 0 when the quota is full. */
  readonly nextMs: number;
  /** ms until the quota is full. */
  readonly resetMs: number;
  /** Whether the key is blocked after repeated refusals. */
  readonly blocked: boolean;
  /** What `give` wants to see: it tells a window, a time or a lease. */
  readonly stamp: number;
}

/** What a store can do. Declared, so that nobody has to guess. */
export interface Capabilities {
  /** The algorithms it decides by. */
  readonly algorithms: ReadonlySet<AlgorithmName>;
  /** Which batches are decided as one: all of them, those of one key, or none. */
  readonly atomicBatch: "all" | "same-key" | "none";
  /** Whether a refusal writes nothing, as long as a policy's `onDenied` is `"free"` and it has no `block`. */
  readonly exactDeny: boolean;
  /** Who shares the counters. */
  readonly scope: "process" | "host" | "region" | "global";
  /** Whose clock counts. */
  readonly clock: "store" | "process";
}

/** Which keys `reset` and `inspect` mean. */
export interface Selector {
  /** Name of the policy. */
  readonly policy: string;
  /** The key; all keys of the policy without it. */
  readonly key?: string | undefined;
}

/** A key in use, as `inspect` lists it. */
export interface Entry {
  /** The key. */
  readonly key: string;
  /** How it stands, as a look (cost 0) would say. */
  readonly verdict: Verdict;
}

/**
 * Where counters are kept. One verb decides a batch as one: either every take is granted, or none is.
 */
export interface Store {
  /** What the store can do. */
  readonly capabilities: Capabilities;
  /**
   * Decides a batch.
   *
   * @param takes What is wanted; no policy and key twice
   * @param times How often the whole batch is wanted, 1 by default; it is granted as often as it fits
   * @returns One verdict for every take, in their order
   */
  decide(takes: readonly Take[], times?: number): Awaitable<readonly Verdict[]>;
  /**
   * Decides many keys by one policy, each by itself, in one command. A store has it that can.
   *
   * @param takes The takes: the same policy, cost and shadow, and no key twice
   * @param times How often each is wanted
   * @returns The verdicts, in the order of the takes
   */
  decideEach?(takes: readonly Take[], times: readonly number[]): Awaitable<readonly Verdict[]>;
  /**
   * Gives units back.
   *
   * @param take What was granted
   * @param stamp The stamp of its verdict
   * @param amount Units to give back
   * @returns Whether anything changed: a stamp that is out of date changes nothing
   */
  give(take: Take, stamp: number, amount: number): Awaitable<boolean>;
  /**
   * Forgets keys, blocks included.
   *
   * @param selector Which
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
   * Refuses a policy the store can't serve although it has the algorithm.
   *
   * @throws {TypeError} If it can't
   */
  checkPolicy?(policy: Policy): void;
  /** Connects and prepares; a store is never connected by importing or constructing it. */
  warm?(): Awaitable<void>;
  /** Lets go of connections and returns what is held in advance. */
  close?(): Awaitable<void>;
}

/** Longest key a store has to take, in characters. */
export const MAX_KEY_LENGTH = 1024;

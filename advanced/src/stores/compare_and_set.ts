import type { Awaitable } from "../policy/store.ts";

/** The location of a state: the policy name, the key, and the shape of the state. */
export type StateKey = readonly [policy: string, key: string, shape: string];

/** A value with a version that distinguishes it from other values. */
export interface VersionedValue {
  /** The value, `null` if there is none. */
  readonly value: Uint8Array | null;
  /** Its version, in any form the database needs. An absent value also has one. */
  readonly version: unknown;
  /** The database's time in ms at the read, if its clock is used for counting. Then all values have a time. */
  readonly now?: number;
}

/** A value and its location. */
export interface ListedValue {
  /** Location. */
  readonly key: StateKey;
  /** The value. */
  readonly value: Uint8Array;
  /** The database's time in ms, if {@linkcode VersionedValue} also has it. */
  readonly now?: number;
}

/** One write in a commit. */
export interface StateWrite {
  /** Location. */
  readonly key: StateKey;
  /** The new value, `null` to delete. */
  readonly value: Uint8Array | null;
  /** The version that was read. The commit fails if it has changed. */
  readonly expected: unknown;
  /** Minimum time before the value may be deleted, in ms. */
  readonly ttlMs: number;
}

/** When a commit may happen by the database's clock, in ms. Outside this range, it writes nothing. */
export interface CommitTime {
  /** The earliest time. */
  readonly from: number;
  /** The latest time. */
  readonly until: number;
}

/** A commit's result. */
export interface CommitResult {
  /** Whether everything was written; otherwise nothing was. */
  readonly written: boolean;
  /** The current values, in the writes' order: the written ones with their versions, or those found instead. */
  readonly values: readonly VersionedValue[];
}

/** The database operations that counters need: reads with versions, and commits that fail if a version has changed. */
export interface CompareAndSet {
  /**
   * Whether commits return the values they found ({@linkcode CommitResult}). Then most grants need no read: they are
   * tried on the last known values. An absent value's version must then be `null`, and a version must never be reused
   * for a different value.
   */
  readonly commitsTell?: boolean;
  /**
   * Which writes a commit can make atomically: any, or with `"same-key"` only writes for one client key, whatever their
   * policies. Then a batch's keys are decided concurrently, and grants are refunded if another key refused.
   */
  readonly atomicBatch?: "all" | "same-key";
  /** Whether `list` needs a key. Then `reset` also needs one, and a limiter lists no keys. */
  readonly listsByKey?: boolean;
  /** Reads values, in their keys' order. Must not return stale values. */
  read(keys: readonly StateKey[]): Awaitable<readonly VersionedValue[]>;
  /**
   * Writes all or nothing. Returns `false` if a version did not match and the current values are unknown.
   *
   * @param writes The writes
   * @param within When the writes may happen by the database's clock, if it reports one
   */
  commit(writes: readonly StateWrite[], within?: CommitTime): Awaitable<boolean | CommitResult>;
  /** Deletes a value, whatever its version. */
  delete(key: StateKey): Awaitable<void>;
  /** Lists the values for a policy, or those for one of its keys. */
  list(policy: string, key?: string): AsyncIterable<ListedValue>;
  /** Closes the connection. */
  close?(): Awaitable<void>;
}

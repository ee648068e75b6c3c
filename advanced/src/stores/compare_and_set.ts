import type { Awaitable } from "../policy/store.ts";

/** Where a state is kept: the policy's name, the key, and the shape of the state. */
export type StateKey = readonly [policy: string, key: string, shape: string];

/** A value and what tells it from the ones before and after it. */
export interface VersionedValue {
  /** The value, `null` when there is none. */
  readonly value: Uint8Array | null;
  /** Its version; whatever the database needs to see again. There is one for "no value" too. */
  readonly version: unknown;
  /** The database's time in ms when it was read, if its clock is to be counted by. Then all values have one. */
  readonly now?: number;
}

/** A value and where it was found. */
export interface ListedValue {
  /** Where. */
  readonly key: StateKey;
  /** The value. */
  readonly value: Uint8Array;
  /** The database's time in ms, if {@linkcode VersionedValue} has it too. */
  readonly now?: number;
}

/** One write of a commit. */
export interface StateWrite {
  /** Where. */
  readonly key: StateKey;
  /** The new value, `null` to delete. */
  readonly value: Uint8Array | null;
  /** The version that was read: the commit fails when there is another one by now. */
  readonly expected: unknown;
  /** ms after which the value may be deleted; it must not be deleted sooner. */
  readonly ttlMs: number;
}

/** What a database's time must be for a commit, in ms. At another time, it writes nothing. */
export interface CommitTime {
  /** The earliest time. */
  readonly from: number;
  /** The latest time. */
  readonly until: number;
}

/** What came of a commit. */
export interface CommitResult {
  /** Whether everything was written; otherwise nothing was. */
  readonly written: boolean;
  /** What there is now, in the order of the writes: what was written, with its version, or what was found instead. */
  readonly values: readonly VersionedValue[];
}

/** What counters need of a database: reads with versions, and commits that fail if a version has changed. */
export interface CompareAndSet {
  /**
   * Whether commits tell what they found ({@linkcode CommitResult}), so that most grants need no read: they are tried on
   * what was seen last. The version of no value must be `null` then, and no other may ever stand for two values of a key.
   */
  readonly commitsTell?: boolean;
  /**
   * Which writes a commit can do as one: any, or, with `"same-key"`, those of one key of a client, whatever their policies.
   * Then the keys of a batch are decided side by side, and what was granted is given back if another one refused.
   */
  readonly atomicBatch?: "all" | "same-key";
  /** Whether `list` needs a key. Then `reset` needs one, too, and a limiter lists no keys. */
  readonly listsByKey?: boolean;
  /** Reads values, in the order of their keys. Must not return stale values. */
  read(keys: readonly StateKey[]): Awaitable<readonly VersionedValue[]>;
  /**
   * Writes all or nothing. `false` when a version was not the expected one and it is not known what there is instead.
   *
   * @param writes What is written
   * @param within Given if the database tells its time: when it may be written, by that
   */
  commit(writes: readonly StateWrite[], within?: CommitTime): Awaitable<boolean | CommitResult>;
  /** Deletes a value, whatever its version. */
  delete(key: StateKey): Awaitable<void>;
  /** Lists the values of a policy, or of one key of it. */
  list(policy: string, key?: string): AsyncIterable<ListedValue>;
  /** Closes the connection. */
  close?(): Awaitable<void>;
}

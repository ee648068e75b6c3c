import { checkInteger, checkNames, checkType, type OptionNames } from "@sluice/limiting/core";
import { decideAlone, decideBatch, giveTake, settleTake } from "../algorithms/decide_batch.ts";
import { ALGORITHM_NAMES, type Policy } from "../policy/policy.ts";
import { assertDistinct } from "./assert_distinct.ts";
import { assertMethods } from "./assert_methods.ts";
import { checkScope } from "./check_scope.ts";
import { KeyedMutex } from "./keyed_mutex.ts";
import {
  decodeState,
  encodeState,
  fromBytes,
  isChanged,
  type KeyState,
  recordExpiry,
  shapeOf,
  toBytes,
} from "./state_record.ts";
import type { Awaitable, Capabilities, Entry, Selector, Store, Take, Verdict } from "../policy/store.ts";
import { StoreClock } from "@sluice/limiting";
import { SeenValues, type Snapshot } from "./seen_values.ts";

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

/** What a database's time must be for a commit, in ms, if values have {@linkcode VersionedValue.now}. */
export interface CommitTime {
  /** Nothing may be written before. */
  readonly from: number;
  /** Nothing may be written after; `Infinity` for no such time. */
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
  /** Reads values, in the order of their keys. Must not return stale values. */
  read(keys: readonly StateKey[]): Awaitable<readonly VersionedValue[]>;
  /**
   * Writes all or nothing. `false` when a version was not the expected one, or the time not between its bounds, and
   * what there is instead is not known.
   */
  commit(writes: readonly StateWrite[], time?: CommitTime): Awaitable<boolean | CommitResult>;
  /** Deletes a value, whatever its version. */
  delete(key: StateKey): Awaitable<void>;
  /** Lists the values of a policy, or of one key of it. */
  list(policy: string, key?: string): AsyncIterable<ListedValue>;
  /** Closes the connection. */
  close?(): Awaitable<void>;
}

/**
 * Options of {@linkcode fromCompareAndSet}.
 *
 * @example A database that many processes write to
 * ```ts ignore
 * import { fromCompareAndSet, Limiter } from "@sluice/rate-limit";
 * import { database } from "./database.ts"; // read, commit, delete and list
 *
 * const store = fromCompareAndSet(database, { attempts: 30, scope: "global" });
 * const limiter = new Limiter({ algorithm: "sliding-window", max: 100, store });
 * ```
 */
export interface CompareAndSetOptions {
  /** How often a decision is tried before it fails because of concurrent changes, 10 by default. */
  attempts?: number;
  /** Who shares the database, `"global"` by default. */
  scope?: Capabilities["scope"];
  /** The present time in ms, the system's by default. Clocks of processes that share counters must roughly agree. */
  clock?: () => number;
  /** Waits some ms before the next attempt; for tests. */
  pause?: (ms: number) => Awaitable<void>;
}

const NAMES: OptionNames<CompareAndSetOptions> = { attempts: true, scope: true, clock: true, pause: true };

const LONGEST_PAUSE = 100;
/** How old a decision on what was seen before may be when it is committed, in ms. */
const LONGEST_DELAY = 1000;

/** A decision, before it is committed. */
interface Draft<T> {
  readonly result: T;
  /** In the order of the keys; `null` where nothing changes. */
  readonly writes: readonly (StateWrite | null)[];
  /** The time it was made for. */
  readonly now: number;
}

/** How takes are decided on their states. */
interface Rule<T> {
  /** Decides, and changes the states. */
  decide(states: KeyState[], now: number): T;
  /** Whether something is refused. */
  refuses?(result: T): boolean;
}

/**
 * Keeps counters in a database with compare-and-set: every algorithm, batches decided as one.
 *
 * All keys of a batch are read with their versions and decided, and changes are committed together. If there was a
 * concurrent change, it is tried again after a growing random pause. Decisions of this process on one key take turns,
 * so only other processes can conflict.
 *
 * A rejection that writes nothing commits nothing. A decision that could not be recorded is never a grant: `decide`,
 * `give` and `settle` reject with an `Error` after the last attempt.
 *
 * @param kv The database
 * @param options Attempts, scope and clock
 * @returns The store
 * @throws {TypeError} If an option has the wrong type or is unknown, or the database lacks a method
 * @throws {RangeError} If `attempts` is out of range
 *
 * @example Counters in a database
 * ```ts ignore
 * import { fromCompareAndSet, Limiter } from "@sluice/rate-limit";
 * import { database } from "./database.ts"; // read, commit, delete and list
 *
 * const store = fromCompareAndSet(database);
 * const limiter = new Limiter({ algorithm: "sliding-window", max: 100, store });
 * ```
 */
export function fromCompareAndSet(kv: CompareAndSet, options: CompareAndSetOptions = {}): Store {
  checkNames("fromCompareAndSet", options, NAMES);
  assertMethods(
    "fromCompareAndSet: the database",
    kv,
    ["read", "commit", "delete", "list"],
    "CompareAndSet tells what each does",
  );
  return new CompareAndSetStore(kv, options);
}

/** What {@linkcode fromCompareAndSet} returns. */
export class CompareAndSetStore implements Store {
  /** What the store can do. */
  readonly capabilities: Capabilities;
  readonly #kv: CompareAndSet;
  readonly #attempts: number;
  readonly #clock: StoreClock;
  readonly #pause: (ms: number) => Awaitable<void>;
  readonly #turns: KeyedMutex;
  readonly #seen: SeenValues | null;
  #closing: Promise<void> | null = null;

  /** The same as {@linkcode fromCompareAndSet}, for a database that is known to be one. */
  constructor(kv: CompareAndSet, { attempts = 10, scope = "global", clock, pause = sleep }: CompareAndSetOptions) {
    checkInteger("fromCompareAndSet", "attempts", attempts, 1, 1000);
    checkScope(scope, "fromCompareAndSet");
    checkType("fromCompareAndSet", "clock", clock, "function");
    checkType("fromCompareAndSet", "pause", pause, "function");
    this.#kv = kv;
    this.#attempts = attempts;
    this.#clock = new StoreClock(clock);
    this.#turns = new KeyedMutex(() => this.#clock.now());
    this.#seen = kv.commitsTell ? new SeenValues(clock ?? (() => performance.now())) : null;
    this.#pause = pause;
    const algorithms = new Set(ALGORITHM_NAMES);
    this.capabilities = { algorithms, atomicBatch: "all", exactDeny: true, scope, clock: "process" };
  }

  /** Decides a batch; see {@linkcode Store}. */
  async decide(takes: readonly Take[], times = 1): Promise<readonly Verdict[]> {
    assertDistinct(takes);
    return await this.#update("decide", takes, {
      decide: (states, now) => decideBatch(takes, states, times, now),
      refuses: anyRefuses,
    });
  }

  /** Gives units back; see {@linkcode Store}. */
  async give(take: Take, stamp: number, amount: number): Promise<boolean> {
    return await this.#update("give", [take], {
      decide: ([state], now) => giveTake(take, state!, stamp, amount, now),
    });
  }

  /** Corrects what was granted to its real cost; see {@linkcode Store}. */
  async settle(take: Take, stamp: number, change: number): Promise<Verdict> {
    return await this.#update("settle", [take], {
      decide: ([state], now) => settleTake(take, state!, stamp, change, now),
    });
  }

  /**
   * Decides many keys separately, and commits them together.
   *
   * @param takes The takes, each key at most once
   * @param times How often each is requested
   * @returns The verdicts, `null` when there was a concurrent change: then nothing was counted
   */
  async decideTogether(takes: readonly Take[], times: readonly number[]): Promise<readonly Verdict[] | null> {
    const tried = await this.#inTurn(takes, (keys, ids) => {
      return this.#try(keys, ids, takes, {
        decide: (states, now) => takes.map((take, i) => decideAlone(take, states[i]!, times[i]!, now)),
        refuses: anyRefuses,
      });
    });
    return tried?.result ?? null;
  }

  #update<T>(verb: string, takes: readonly Take[], rule: Rule<T>): Promise<T> {
    return this.#inTurn(takes, async (keys, ids) => {
      for (let attempt = 1; attempt <= this.#attempts; attempt++) {
        const tried = await this.#try(keys, ids, takes, rule);
        if (tried !== null) return tried.result;
        if (attempt < this.#attempts) await this.#pause(Math.random() * Math.min(LONGEST_PAUSE, 2 ** attempt));
      }
      const names = takes.map(({ policy }) => `"${policy.name}"`).join(", ");
      throw new Error(`store.${verb}: others changed a key of ${names} during each of ${this.#attempts} attempts`);
    });
  }

  #inTurn<T>(takes: readonly Take[], body: (keys: StateKey[], ids: string[]) => Promise<T>): Promise<T> {
    const keys = keysOf(takes);
    const ids = keys.map((key) => JSON.stringify(key));
    return this.#turns.take(ids, () => body(keys, ids));
  }

  async #try<T>(
    keys: readonly StateKey[],
    ids: readonly string[],
    takes: readonly Take[],
    rule: Rule<T>,
  ): Promise<Draft<T> | null> {
    let snapshot: Snapshot | null = null;
    const seen = this.#seen?.recall(ids) ?? null;
    if (seen !== null) {
      const draft = this.#draft(keys, takes, rule, seen);
      // a commit checks what it writes; and who is refused for a time that is a little too early would wait in vain
      if (!draft.writes.includes(null) && rule.refuses?.(draft.result) !== true) {
        const found = await this.#commit(ids, draft, seen, LONGEST_DELAY);
        if (found === "written") return draft;
        snapshot = found;
      }
    }
    snapshot ??= await this.#read(keys, ids);
    const draft = this.#draft(keys, takes, rule, snapshot);
    if (draft.writes.every((write) => write === null)) return draft;
    return await this.#commit(ids, draft, snapshot, Infinity) === "written" ? draft : null;
  }

  async #read(keys: readonly StateKey[], ids: readonly string[]): Promise<Snapshot> {
    const values = await this.#kv.read(keys);
    this.#seen?.note(ids, values);
    return { values, now: values.at(-1)?.now };
  }

  #draft<T>(keys: readonly StateKey[], takes: readonly Take[], rule: Rule<T>, { values, now }: Snapshot): Draft<T> {
    const time = now === undefined ? this.#clock.now() : Math.floor(now);
    const states = takes.map(({ policy }, i) => decodeState(policy, recordIn(values[i]!), time));
    const result = rule.decide(states, time);
    const writes = states.map((state, i) => writeOf(keys[i]!, takes[i]!.policy, state, values[i]!, time));
    return { result, writes, now: time };
  }

  // "written", or what was found instead of all values; null when it is not known
  async #commit(
    ids: readonly string[],
    { writes, now }: Draft<unknown>,
    on: Snapshot,
    delay: number,
  ): Promise<"written" | Snapshot | null> {
    const written = ids.filter((_, i) => writes[i] !== null);
    const list = writes.filter((write) => write !== null);
    const time = on.now === undefined ? undefined : { from: now, until: now + delay };
    const outcome = await this.#kv.commit(list, time);
    if (typeof outcome === "boolean") {
      this.#seen?.forget(written);
      return outcome ? "written" : null;
    }
    this.#seen?.note(written, outcome.values, outcome.written ? now : undefined);
    if (outcome.written) return "written";
    return list.length < ids.length ? null : { values: outcome.values, now: outcome.values.at(-1)?.now };
  }

  /** Forgets keys; see {@linkcode Store}. */
  async reset({ policy, key }: Selector): Promise<number> {
    let count = 0;
    for await (const entry of this.#kv.list(policy, key)) {
      if (recordExpiry(fromBytes(entry.value)) > this.#timeOf(entry)) count++;
      await this.#kv.delete(entry.key);
    }
    return count;
  }

  /** Lists keys in use; see {@linkcode Store}. */
  async *inspect(policy: Policy): AsyncGenerator<Entry> {
    const shape = shapeOf(policy);
    for await (const entry of this.#kv.list(policy.name)) {
      const { key: [, key, other], value } = entry;
      const now = this.#timeOf(entry);
      const record = fromBytes(value);
      if (other !== shape || recordExpiry(record) <= now) continue;
      const [verdict] = decideBatch([{ policy, key, cost: 0 }], [decodeState(policy, record, now)], 1, now);
      yield { key, verdict: verdict! };
    }
  }

  // the time of the process, unless the database told its own, which is that of all processes: also when it goes back
  #timeOf(read: { readonly now?: number }): number {
    return read.now ?? this.#clock.now();
  }

  /** Closes the database. */
  close(): Promise<void> {
    // each limiter on the store closes it, and closing a database twice may be an error
    return this.#closing ??= (async () => await this.#kv.close?.())();
  }
}

function keysOf(takes: readonly Take[]): StateKey[] {
  return takes.map(({ policy, key }): StateKey => [policy.name, key, shapeOf(policy)]);
}

function recordIn({ value }: VersionedValue): Float64Array | null {
  return value === null ? null : fromBytes(value);
}

function anyRefuses(verdicts: readonly Verdict[]): boolean {
  return verdicts.some(({ denied }) => denied);
}

// null when nothing changes
function writeOf(key: StateKey, policy: Policy, state: KeyState, seen: VersionedValue, now: number): StateWrite | null {
  if (!isChanged(state)) return null;
  const record = encodeState(policy, state, now);
  if (record !== null) {
    return { key, value: toBytes(record), expected: seen.version, ttlMs: recordExpiry(record) - now };
  }
  return seen.value === null ? null : { key, value: null, expected: seen.version, ttlMs: 0 };
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

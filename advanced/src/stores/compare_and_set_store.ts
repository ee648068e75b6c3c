import { checkInteger, checkNames, checkType, type OptionNames, refuseOption } from "@sluice/shared";
import { decideBatch, decideBy, giveTake, settleTake } from "../algorithms/decide_batch.ts";
import { ALGORITHM_NAMES, type Policy } from "../policy/policy.ts";
import { assertDistinct } from "./assert_distinct.ts";
import { assertMethods } from "./assert_methods.ts";
import { checkScope } from "./check_scope.ts";
import { decideByKey } from "./decide_by_key.ts";
import type { CompareAndSet, StateKey, StateWrite, VersionedValue } from "./compare_and_set.ts";
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
import { CommitDelay } from "./commit_delay.ts";
import { SeenValues, type Snapshot } from "./seen_values.ts";

/**
 * Options for {@linkcode fromCompareAndSet}.
 *
 * @example A database that many processes write to
 * ```ts ignore
 * import { fromCompareAndSet, Limiter } from "@sluice/rate-limit";
 * import { database } from "./database.ts"; // read, commit, delete and list
 *
 * const store = fromCompareAndSet(database, { attempts: 30, scope: "global" });
 * const limiter = new Limiter({ algorithm: "sliding-window", limit: 100, store });
 * ```
 */
export interface CompareAndSetOptions {
  /** How often to try a decision that fails because of concurrent changes, 10 by default. */
  attempts?: number;
  /** The database's scope, `"global"` by default. */
  scope?: Capabilities["scope"];
  /** Current time in ms; the system clock by default. If processes share counters, their clocks must roughly agree. */
  clock?: () => number;
  /** Waits before the next attempt, in ms; for tests. */
  pause?: (ms: number) => Awaitable<void>;
}

const NAMES: OptionNames<CompareAndSetOptions> = { attempts: true, scope: true, clock: true, pause: true };

const LONGEST_PAUSE = 100;

/** A decision, before it is committed. */
interface Draft<T> {
  readonly result: T;
  /** In the keys' order; `null` if nothing changes. */
  readonly writes: readonly (StateWrite | null)[];
  /** The time it was made for. */
  readonly now: number;
  /** The latest time at which it may be committed. */
  readonly by: number;
}

/** Decides takes on their states. */
interface Rule<T> {
  /** Decides and updates the states, validly from `now` until `by`. */
  decide(states: KeyState[], now: number, by: number): T;
  /** Time until a refused take fits, in ms; 0 without refusals. */
  waitMs?(result: T): number;
}

/**
 * A store on any database with compare-and-set. Supports all algorithms and atomic batches.
 *
 * All of a batch's keys are read with their versions and decided, and changes are committed together. After a
 * concurrent change it tries again, with a growing random pause. This process serializes its decisions on one key, so
 * only other processes can conflict.
 *
 * A refusal that writes nothing commits nothing. A decision that could not be recorded is never a grant: `decide`,
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
 * const limiter = new Limiter({ algorithm: "sliding-window", limit: 100, store });
 * ```
 */
export function fromCompareAndSet(kv: CompareAndSet, options: CompareAndSetOptions = {}): Store {
  checkNames("fromCompareAndSet", options, NAMES);
  assertMethods(
    "fromCompareAndSet: the database",
    kv,
    ["read", "commit", "delete", "list"],
    "CompareAndSet describes each",
  );
  const { atomicBatch = "all" } = kv;
  if (atomicBatch !== "all" && atomicBatch !== "same-key") {
    refuseOption("fromCompareAndSet", "atomicBatch", '"all" or "same-key"', atomicBatch);
  }
  return new CompareAndSetStore(kv, options);
}

/** Returned by {@linkcode fromCompareAndSet}. */
export class CompareAndSetStore implements Store {
  /** The store's capabilities. */
  readonly capabilities: Capabilities;
  /** Lists keys in use; see {@linkcode Store}. */
  readonly inspect?: (policy: Policy) => AsyncGenerator<Entry>;
  readonly #kv: CompareAndSet;
  readonly #attempts: number;
  readonly #clock: StoreClock;
  readonly #pause: (ms: number) => Awaitable<void>;
  readonly #turns: KeyedMutex;
  readonly #seen: SeenValues | null;
  readonly #delay: CommitDelay;
  #closing: Promise<void> | null = null;

  /** Like {@linkcode fromCompareAndSet}, for a database that has already been checked. */
  constructor(kv: CompareAndSet, { attempts = 10, scope = "global", clock, pause = sleep }: CompareAndSetOptions) {
    checkInteger("fromCompareAndSet", "attempts", attempts, 1, 1000);
    checkScope(scope, "fromCompareAndSet");
    checkType("fromCompareAndSet", "clock", clock, "function");
    checkType("fromCompareAndSet", "pause", pause, "function");
    this.#kv = kv;
    this.#attempts = attempts;
    this.#clock = new StoreClock(clock);
    this.#turns = new KeyedMutex(() => this.#clock.now());
    this.#seen = kv.commitsTell ? new SeenValues(clock ?? (() => performance.now()), () => this.#clock.now()) : null;
    // if a test's clock stands still, nothing takes time
    this.#delay = new CommitDelay(clock === undefined ? 10 : 0);
    this.#pause = pause;
    const algorithms = new Set(ALGORITHM_NAMES);
    const { atomicBatch = "all" } = kv;
    this.capabilities = { algorithms, atomicBatch, exactDeny: true, scope, clock: "process" };
    if (!kv.listsByKey) this.inspect = (policy) => this.#inspect(policy);
  }

  /** Decides a batch; see {@linkcode Store}. */
  async decide(takes: readonly Take[], times = 1): Promise<readonly Verdict[]> {
    assertDistinct(takes);
    if (this.capabilities.atomicBatch === "all" || takes.every(({ key }) => key === takes[0]!.key)) {
      return await this.#decide(takes, times);
    }
    return await decideByKey(
      takes,
      times,
      (part, wanted) => this.#decide(part, wanted),
      (take, stamp, amount) => this.give(take, stamp, amount),
    );
  }

  #decide(takes: readonly Take[], times: number): Promise<readonly Verdict[]> {
    return this.#update("decide", takes, {
      decide: (states, now, by) => decideBatch(takes, states, times, now, by),
      waitMs: waitOf,
    });
  }

  /** Refunds units; see {@linkcode Store}. */
  async give(take: Take, stamp: number, amount: number): Promise<boolean> {
    return await this.#update("give", [take], {
      decide: ([state], now) => giveTake(take, state!, stamp, amount, now),
    });
  }

  /** Corrects a grant to its actual cost; see {@linkcode Store}. */
  async settle(take: Take, stamp: number, change: number): Promise<Verdict> {
    return await this.#update("settle", [take], {
      decide: ([state], now, by) => settleTake(take, state!, stamp, change, now, by),
    });
  }

  /**
   * Decides many keys separately, and commits them together.
   *
   * @param takes The takes, each key at most once
   * @param times How often each is requested
   * @returns The verdicts; `null` after a concurrent change, in which case nothing was counted
   */
  async decideTogether(takes: readonly Take[], times: readonly number[]): Promise<readonly Verdict[] | null> {
    const tried = await this.#inTurn(takes, (keys, ids) => {
      return this.#try(keys, ids, takes, {
        decide: (states, now, by) => takes.map((take, i) => decideBy(take, states[i]!, times[i]!, now, by)),
        waitMs: waitOf,
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
      // a commit only checks the values it writes, and a refusal for a slightly early time would make the client wait
      // in vain
      if (!draft.writes.includes(null) && (rule.waitMs?.(draft.result) ?? 0) === 0) {
        const found = await this.#commit(ids, draft, seen.now !== undefined);
        if (found === "written") return draft;
        snapshot = found;
      }
    }
    snapshot ??= await this.#read(keys, ids);
    const draft = this.#draft(keys, takes, rule, snapshot);
    if (draft.writes.every((write) => write === null)) {
      const waitMs = rule.waitMs?.(draft.result) ?? 0;
      if (waitMs > 0) this.#seen?.noteRefusal(ids, draft.now + waitMs);
      return draft;
    }
    return await this.#commit(ids, draft, snapshot.now !== undefined) === "written" ? draft : null;
  }

  async #read(keys: readonly StateKey[], ids: readonly string[]): Promise<Snapshot> {
    const asked = this.#seen?.now();
    const values = await this.#kv.read(keys);
    this.#seen?.note(ids, values);
    const now = values.at(-1)?.now;
    this.#heardAfter(asked, now);
    return { values, now };
  }

  #draft<T>(keys: readonly StateKey[], takes: readonly Take[], rule: Rule<T>, snapshot: Snapshot): Draft<T> {
    const { values } = snapshot;
    const told = snapshot.now === undefined ? undefined : Math.floor(snapshot.now);
    // decides on values read earlier for the current time, in case they are still valid
    const now = told === undefined ? this.#clock.now() : Math.max(told, this.#seen?.now() ?? told);
    const states = takes.map(({ policy }, i) => decodeState(policy, recordIn(values[i]!), now));
    let by = told === undefined ? now : now + this.#delay.ms;
    takes.forEach(({ policy }, i) => {
      const { algorithm, cells } = states[i]!;
      if (by > now) by = Math.min(by, algorithm.holdsUntil?.(policy, cells, now) ?? by);
    });
    const result = rule.decide(states, now, by);
    const writes = states.map((state, i) => writeOf(keys[i]!, takes[i]!.policy, state, values[i]!, now));
    return { result, writes, now, by };
  }

  // "written", or the values found instead; null if unknown
  async #commit(
    ids: readonly string[],
    { writes, now, by }: Draft<unknown>,
    isTold: boolean,
  ): Promise<"written" | Snapshot | null> {
    const written = ids.filter((_, i) => writes[i] !== null);
    const list = writes.filter((write) => write !== null);
    const outcome = await this.#kv.commit(list, isTold ? { from: now, until: by } : undefined);
    if (typeof outcome === "boolean") {
      // it may have arrived too late
      if (!outcome && isTold && this.#seen === null) this.#delay.note(this.#delay.ms + 1);
      this.#seen?.forget(written);
      return outcome ? "written" : null;
    }
    this.#seen?.note(written, outcome.values, outcome.written ? now : undefined);
    const told = outcome.values.at(-1)?.now;
    this.#heardAfter(now, told);
    if (told !== undefined) this.#delay.note(told - now);
    if (outcome.written) return "written";
    return list.length < ids.length ? null : { values: outcome.values, now: outcome.values.at(-1)?.now };
  }

  // a time before the assumed one means that the clock is slow, or was set back
  #heardAfter(asked: number | undefined, now: number | undefined): void {
    if (asked !== undefined && now !== undefined && now < asked) this.#seen?.setBack(now);
  }

  /** Forgets keys; see {@linkcode Store}. */
  async reset({ policy, key }: Selector): Promise<number> {
    if (key === undefined && this.inspect === undefined) {
      throw new TypeError(`store.reset: this store can't list the keys of policy "${policy}"; name a key`);
    }
    let count = 0;
    for await (const entry of this.#kv.list(policy, key)) {
      if (recordExpiry(fromBytes(entry.value)) > this.#timeOf(entry)) count++;
      await this.#kv.delete(entry.key);
    }
    return count;
  }

  async *#inspect(policy: Policy): AsyncGenerator<Entry> {
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

  // the process's time, unless the database reports one. All processes share it, even if it goes back
  #timeOf(read: { readonly now?: number }): number {
    return read.now ?? this.#clock.now();
  }

  /** Closes the database. */
  close(): Promise<void> {
    // every limiter on the store closes it, and closing a database twice may be an error
    return this.#closing ??= (async () => await this.#kv.close?.())();
  }
}

function keysOf(takes: readonly Take[]): StateKey[] {
  return takes.map(({ policy, key }): StateKey => [policy.name, key, shapeOf(policy)]);
}

function recordIn({ value }: VersionedValue): Float64Array | null {
  return value === null ? null : fromBytes(value);
}

function waitOf(verdicts: readonly Verdict[]): number {
  let wait = 0;
  // at least 1, to distinguish a refusal from none
  for (const { denied, retryAfterMs } of verdicts) if (denied) wait = Math.max(wait, retryAfterMs, 1);
  return wait;
}

// null if nothing changes
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

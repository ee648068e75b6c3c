import { checkNames, type OptionNames, refuseOption } from "@sluice/shared";
import type { Policy } from "../policy/policy.ts";
import type { CompareAndSet, ListedValue, StateKey, StateWrite, VersionedValue } from "./compare_and_set.ts";
import { fromCompareAndSet } from "./compare_and_set_store.ts";
import { assertMethods } from "./assert_methods.ts";
import { checkLog } from "./check_log.ts";
import { shortKey } from "./short_key.ts";
import type { Capabilities, Entry, Selector, Store, Take, Verdict } from "../policy/store.ts";

/** Part of a Deno KV key. */
export type KvKeyPart = Uint8Array | string | number | bigint | boolean;

/** The part of a Deno KV entry that the store reads. */
export interface KvEntry {
  /** The key. */
  readonly key: readonly unknown[];
  /** The value, `null` if there is none. */
  readonly value: unknown;
  /** Its version, `null` if there is none. */
  readonly versionstamp: string | null;
}

/** An atomic Deno KV operation. */
export interface KvAtomic {
  /** Makes the commit fail unless a key has this version. */
  check(...checks: { key: KvKeyPart[]; versionstamp: string | null }[]): KvAtomic;
  /** Writes a value. */
  set(key: KvKeyPart[], value: unknown, options?: { expireIn?: number }): KvAtomic;
  /** Deletes a value. */
  delete(key: KvKeyPart[]): KvAtomic;
  /** Applies all operations, or no operation. */
  commit(): Promise<{ ok: boolean }>;
}

/** The part of a Deno KV database that the store uses; the result of `openKv()` fits. */
export interface KvDatabase {
  /** Reads up to ten entries. */
  getMany(keys: KvKeyPart[][]): Promise<KvEntry[]>;
  /** Begins an atomic operation. */
  atomic(): KvAtomic;
  /** Lists entries. */
  list(selector: { prefix: KvKeyPart[] }): AsyncIterable<KvEntry>;
  /** Deletes an entry. */
  delete(key: KvKeyPart[]): Promise<void>;
  /** Closes the database. */
  close(): void;
}

/**
 * Options for a {@linkcode DenoKvStore}.
 *
 * @example Set a key prefix
 * ```ts ignore
 * import { DenoKvStore, Limiter } from "@sluice/rate-limit";
 *
 * const store = new DenoKvStore({ kv: await Deno.openKv(), prefix: ["limits"] });
 * const limiter = new Limiter({ algorithm: "sliding-window", limit: 100, store });
 * ```
 */
export interface DenoKvStoreOptions {
  /** The database. */
  kv: KvDatabase;
  /** Prefix for all keys, `["sluice", "rate-limit"]` by default. */
  prefix?: KvKeyPart[];
  /** The database's scope, `"global"` by default; a file is `"host"`. */
  scope?: Capabilities["scope"];
  /** How often to try a decision that loses to other processes, 10 by default. */
  attempts?: number;
  /** Current time in ms; for tests. */
  clock?: () => number;
}

const NAMES: OptionNames<DenoKvStoreOptions> = { kv: true, prefix: true, scope: true, attempts: true, clock: true };

/** Maximum keys per `getMany`. */
const KEYS_PER_READ = 10;
/** Extra time to keep an entry, in ms, because the processes' clocks do not agree. */
const CLOCK_TOLERANCE = 60_000;

/**
 * A Deno KV store. Supports all algorithms and atomic batches.
 *
 * Entries are stored under `[...prefix, policy, key, shape of the state]` and expire on their own. Values hold up to 64
 * KiB, so a `"sliding-log"` limit may be up to 4000. A key over 1024 bytes is listed as its SHA-256.
 *
 * @example Share counters between all isolates in a deployment
 * ```ts ignore
 * import { DenoKvStore, Limiter } from "@sluice/rate-limit";
 *
 * const store = new DenoKvStore({ kv: await Deno.openKv() });
 * const limiter = new Limiter({ algorithm: "sliding-window", limit: 100, store });
 * ```
 */
export class DenoKvStore implements Store {
  /** The store's capabilities. */
  readonly capabilities: Capabilities;
  readonly #store: Store;

  /**
   * Creates an instance.
   *
   * @param options Database, prefix and clock
   * @throws {TypeError} If `kv` is not a database, or an option is unknown
   * @throws {RangeError} If `attempts` is out of range
   */
  constructor(options: DenoKvStoreOptions) {
    checkNames("DenoKvStore", options ?? {}, NAMES);
    const { kv, prefix = ["sluice", "rate-limit"], ...others } = options ?? {};
    assertMethods("DenoKvStore: option kv", kv, ["atomic", "getMany"], "pass the database from Deno.openKv()");
    if (!Array.isArray(prefix)) refuseOption("DenoKvStore", "prefix", "a list of key parts", prefix);
    this.#store = fromCompareAndSet(new KvStates(kv, prefix), others);
    this.capabilities = this.#store.capabilities;
  }

  /**
   * Checks that a policy's state fits into a value; see {@linkcode Store}.
   *
   * @throws {RangeError} If a `"sliding-log"` has a limit above 4000
   */
  checkPolicy(policy: Policy): void {
    checkLog(policy, "DenoKvStore");
  }

  /** Decides a batch; see {@linkcode Store}. Rejects after losing to other processes too often. */
  async decide(takes: readonly Take[], times?: number): Promise<readonly Verdict[]> {
    return await this.#store.decide(takes, times);
  }

  /** Refunds units; see {@linkcode Store}. */
  async give(take: Take, stamp: number, amount: number): Promise<boolean> {
    return await this.#store.give(take, stamp, amount);
  }

  /** Corrects a grant to its actual cost; see {@linkcode Store}. */
  async settle(take: Take, stamp: number, change: number): Promise<Verdict> {
    return await this.#store.settle!(take, stamp, change);
  }

  /** Forgets keys; see {@linkcode Store}. */
  async reset(selector: Selector): Promise<number> {
    return await this.#store.reset(selector);
  }

  /** Lists keys in use; see {@linkcode Store}. */
  async *inspect(policy: Policy): AsyncGenerator<Entry> {
    yield* this.#store.inspect!(policy);
  }

  /** Closes the database. */
  async close(): Promise<void> {
    await this.#store.close!();
  }
}

class KvStates implements CompareAndSet {
  readonly #kv: KvDatabase;
  readonly #prefix: KvKeyPart[];

  constructor(kv: KvDatabase, prefix: KvKeyPart[]) {
    this.#kv = kv;
    this.#prefix = prefix;
  }

  async read(keys: readonly StateKey[]): Promise<VersionedValue[]> {
    const kvKeys = keys.map((key) => this.#kvKey(key));
    const chunks: Promise<KvEntry[]>[] = [];
    for (let i = 0; i < kvKeys.length; i += KEYS_PER_READ) {
      chunks.push(this.#kv.getMany(kvKeys.slice(i, i + KEYS_PER_READ)));
    }
    const entries = (await Promise.all(chunks)).flat();
    return entries.map(({ value, versionstamp }) => ({ value: bytesIn(value), version: versionstamp }));
  }

  #kvKey([policy, key, shape]: StateKey): KvKeyPart[] {
    return [...this.#prefix, policy, shortKey(key), shape];
  }

  async commit(writes: readonly StateWrite[]): Promise<boolean> {
    const atomic = this.#kv.atomic();
    for (const { key, value, expected, ttlMs } of writes) {
      const kvKey = this.#kvKey(key);
      atomic.check({ key: kvKey, versionstamp: expected as string | null });
      if (value === null) atomic.delete(kvKey);
      else atomic.set(kvKey, value, { expireIn: ttlMs + CLOCK_TOLERANCE });
    }
    try {
      return (await atomic.commit()).ok;
    } catch (error) {
      // a file database throws it while another process writes; nothing was written, so it is a lost race
      if (error instanceof Error && error.message.includes("database is locked")) return false;
      throw error;
    }
  }

  async delete(key: StateKey): Promise<void> {
    await this.#kv.delete(this.#kvKey(key));
  }

  async *list(policy: string, key?: string): AsyncGenerator<ListedValue> {
    const prefix = [...this.#prefix, policy];
    if (key !== undefined) prefix.push(shortKey(key));
    for await (const entry of this.#kv.list({ prefix })) {
      const [found, shape] = entry.key.slice(this.#prefix.length + 1) as string[];
      yield { key: [policy, found!, shape!], value: bytesIn(entry.value) ?? new Uint8Array() };
    }
  }

  close(): void {
    this.#kv.close();
  }
}

function bytesIn(value: unknown): Uint8Array | null {
  return value instanceof Uint8Array ? value : null;
}

import { checkNames, checkType, type OptionNames, refuseOption } from "@sluice/shared";
import type { SessionStore, SetSessionOptions } from "../session/session_store.ts";

/** Part of a Deno KV key. */
export type KvKeyPart = Uint8Array | string | number | bigint | boolean;

/** The part of a Deno KV entry that the store reads. */
export interface KvEntry {
  /** The value, `null` when there is none. */
  readonly value: unknown;
  /** Its version, `null` when there is none. */
  readonly versionstamp: string | null;
}

/** A Deno KV atomic operation. */
export interface KvAtomic {
  /** Makes the commit fail unless a key has this version. */
  check(...checks: { key: KvKeyPart[]; versionstamp: string | null }[]): KvAtomic;
  /** Writes a value. */
  set(key: KvKeyPart[], value: unknown, options?: { expireIn?: number }): KvAtomic;
  /** Commits the whole operation, or nothing. */
  commit(): Promise<{ ok: boolean }>;
}

/** The part of a Deno KV database that the store uses; Deno's `openKv()` resolves to one. */
export interface KvDatabase {
  /** Reads an entry. */
  get(key: KvKeyPart[]): Promise<KvEntry>;
  /** Writes an entry. */
  set(key: KvKeyPart[], value: unknown, options?: { expireIn?: number }): Promise<unknown>;
  /** Begins an atomic operation. */
  atomic(): KvAtomic;
  /** Deletes an entry. */
  delete(key: KvKeyPart[]): Promise<void>;
}

/**
 * Options of a {@linkcode DenoKvSessionStore}.
 *
 * @example Keys below a prefix
 * ```ts ignore
 * app.use(session({ store: new DenoKvSessionStore({ kv: await Deno.openKv(), prefix: ["sessions"] }) }));
 * ```
 */
export interface DenoKvSessionStoreOptions {
  /** The program's own database; it is never closed. */
  kv: KvDatabase;
  /** Prefix of the keys, `["sluice", "session"]` by default. */
  prefix?: KvKeyPart[];
  /** Current time in ms; for tests. */
  clock?: () => number;
}

/** A stored session. Deno KV deletes expired entries eventually. */
interface Written {
  readonly content: string;
  readonly expires: number;
}

const NAMES: OptionNames<DenoKvSessionStoreOptions> = { kv: true, prefix: true, clock: true };

/**
 * Sessions in Deno KV: one entry each, of at most 64 KiB.
 *
 * @example Sessions in Deno KV
 * ```ts ignore
 * import { session } from "@sluice/middleware/session";
 * import { DenoKvSessionStore } from "@sluice/middleware/session/deno-kv";
 *
 * app.use(session({ store: new DenoKvSessionStore({ kv: await Deno.openKv() }) }));
 * ```
 */
export class DenoKvSessionStore implements SessionStore {
  readonly #kv: KvDatabase;
  readonly #prefix: KvKeyPart[];
  readonly #clock: () => number;

  /**
   * Creates an instance.
   *
   * @param options Database and prefix
   * @throws {TypeError} If `kv` is not a database, or an option is unknown
   */
  constructor(options: DenoKvSessionStoreOptions) {
    checkNames("DenoKvSessionStore", options, NAMES);
    const { kv, prefix = ["sluice", "session"], clock = () => Date.now() } = options;
    if (typeof kv?.get !== "function" || typeof kv.atomic !== "function") {
      refuseOption("DenoKvSessionStore", "kv", "a database, which Deno.openKv() resolves to", kv);
    }
    if (!Array.isArray(prefix)) refuseOption("DenoKvSessionStore", "prefix", "a list of key parts", prefix);
    checkType("DenoKvSessionStore", "clock", clock, "function");
    this.#kv = kv;
    this.#prefix = prefix;
    this.#clock = clock;
  }

  /** Reads a session; see {@linkcode SessionStore}. */
  async get(id: string): Promise<string | undefined> {
    return this.#live(await this.#kv.get(this.#keyOf(id)))?.content;
  }

  /** Writes a session; see {@linkcode SessionStore}. */
  async set(id: string, content: string, { ttlMs, isNew }: SetSessionOptions): Promise<boolean> {
    if (!isNew) return await this.#replace(id, () => content, ttlMs);
    await this.#kv.set(this.#keyOf(id), this.#written(content, ttlMs), { expireIn: ttlMs });
    return true;
  }

  /** Deletes a session; see {@linkcode SessionStore}. */
  async destroy(id: string): Promise<void> {
    await this.#kv.delete(this.#keyOf(id));
  }

  /** Prolongs a session; see {@linkcode SessionStore}. */
  async touch(id: string, ttlMs: number): Promise<boolean> {
    return await this.#replace(id, (content) => content, ttlMs);
  }

  // Retries until no other write intervenes: of concurrent attempts, one always succeeds.
  async #replace(id: string, change: (content: string) => string, ttlMs: number): Promise<boolean> {
    const key = this.#keyOf(id);
    for (;;) {
      const entry = await this.#kv.get(key);
      const live = this.#live(entry);
      if (live === undefined) return false;
      const { ok } = await this.#kv.atomic()
        .check({ key, versionstamp: entry.versionstamp })
        .set(key, this.#written(change(live.content), ttlMs), { expireIn: ttlMs })
        .commit();
      if (ok) return true;
    }
  }

  #live({ value }: KvEntry): Written | undefined {
    const written = value as Written | null;
    return written !== null && written.expires > this.#clock() ? written : undefined;
  }

  #written(content: string, ttlMs: number): Written {
    return { content, expires: this.#clock() + ttlMs };
  }

  #keyOf(id: string): KvKeyPart[] {
    return [...this.#prefix, id];
  }
}

import type { Take } from "../policy/store.ts";
import { decideIn, dropExpired, giveIn, resetIn, settleIn, type StateRecords } from "./partition_records.ts";
import { recordExpiry } from "./state_record.ts";
import { StoreClock } from "@sluice/limiting";
import { ALARM_DELAY_MS } from "@sluice/shared";

/** The part of a Durable Object's storage that is used. */
export interface DurableObjectStorageLike {
  /** Reads everything. */
  list(): Promise<Map<string, unknown>>;
  /** Writes a value. */
  put(name: string, value: Float64Array): Promise<void>;
  /** Deletes a value. */
  delete(name: string): Promise<boolean>;
  /** When the alarm is due, in ms since 1970; `null` if no alarm is set. */
  getAlarm?(): Promise<number | null>;
  /** Sets the alarm, in ms since 1970. */
  setAlarm?(time: number): Promise<void>;
  /** Deletes the alarm. */
  deleteAlarm?(): Promise<void>;
  /** Deletes everything, and the storage itself. */
  deleteAll?(): Promise<void>;
  /** The underlying database; in an object without one, Cloudflare throws on access. */
  readonly sql?: { exec(query: string): { toArray(): readonly unknown[] } };
}

/** The part of a Durable Object's state that is used. */
export interface DurableObjectStateLike {
  /** Storage that outlives the memory. */
  readonly storage: DurableObjectStorageLike;
}

/** A request from the store. Takes and policies are plain data. */
export type Question =
  | { readonly verb: "decide"; readonly takes: readonly Take[]; readonly times: number }
  | { readonly verb: "give"; readonly take: Take; readonly stamp: number; readonly amount: number }
  | { readonly verb: "settle"; readonly take: Take; readonly stamp: number; readonly change: number }
  | { readonly verb: "reset"; readonly policy: string };

/**
 * The Durable Object behind a {@linkcode DurableObjectStore}: a Worker exports this class and binds its namespace to
 * it. It holds one key's states in memory and writes them to its storage. Once none of them matters anymore, an alarm
 * deletes them, and then the storage itself.
 *
 * @example Export it from a Worker
 * ```ts ignore
 * import sluice from "@sluice/sluice";
 * export { RateLimitObject } from "@sluice/rate-limit";
 *
 * export default sluice(); // and in its configuration: the binding RATE_LIMIT of the class RateLimitObject
 * ```
 */
export class RateLimitObject {
  readonly #records: StoredRecords;
  readonly #clock: StoreClock;

  /**
   * Creates an instance.
   *
   * @param state The state passed by the runtime
   * @param _env Bindings, which are not used
   * @param clock The current time in ms; for tests
   */
  constructor(state: DurableObjectStateLike, _env?: unknown, clock?: () => number) {
    this.#clock = new StoreClock(clock ?? Date.now);
    this.#records = new StoredRecords(state.storage, this.#clock);
  }

  /** Handles a request from the store. Responds once the result is written. */
  async fetch(request: Request): Promise<Response> {
    const question = await request.json() as Question;
    await this.#records.load();
    const reply = this.#reply(question);
    await this.#records.written();
    if (reply === undefined) return new Response("unknown verb", { status: 400 });
    return new Response(JSON.stringify(reply), { headers: { "content-type": "application/json" } });
  }

  #reply(question: Question): unknown {
    const now = this.#clock.now();
    switch (question.verb) {
      case "decide":
        return decideIn(this.#records, question.takes, question.times, now);
      case "give":
        return giveIn(this.#records, question.take, question.stamp, question.amount, now);
      case "settle":
        return settleIn(this.#records, question.take, question.stamp, question.change, now);
      case "reset":
        return resetIn(this.#records, question.policy, now);
    }
  }

  /** Deletes expired states; the runtime calls it when the alarm is due. */
  async alarm(): Promise<void> {
    await this.#records.load();
    this.#records.expire();
    await this.#records.written();
    await this.#records.release();
  }
}

/** States in memory that are also written to storage. */
class StoredRecords implements StateRecords {
  readonly #storage: DurableObjectStorageLike;
  readonly #clock: StoreClock;
  readonly #memory = new Map<string, Float64Array>();
  #loading: Promise<void> | null = null;
  #writes: Promise<unknown>[] = [];
  #alarmAt = 0;

  constructor(storage: DurableObjectStorageLike, clock: StoreClock) {
    this.#storage = storage;
    this.#clock = clock;
  }

  load(): Promise<void> {
    return this.#loading ??= this.#read().catch((error) => {
      this.#loading = null;
      throw error;
    });
  }

  async #read(): Promise<void> {
    for (const [name, record] of await this.#storage.list()) {
      if (record instanceof Float64Array) this.#memory.set(name, record);
    }
    this.#alarmAt = await this.#storage.getAlarm?.() ?? 0;
  }

  get(name: string): Float64Array | undefined {
    return this.#memory.get(name);
  }

  keys(): Iterable<string> {
    return this.#memory.keys();
  }

  set(name: string, record: Float64Array): void {
    this.#memory.set(name, record);
    this.#writes.push(this.#storage.put(name, record));
    // one alarm is enough: if it fires too early, it is set again
    if (this.#alarmAt <= this.#clock.now()) this.#setAlarm(recordExpiry(record));
  }

  delete(name: string): boolean {
    if (!this.#memory.delete(name)) return false;
    this.#writes.push(this.#storage.delete(name));
    return true;
  }

  expire(): void {
    this.#alarmAt = 0;
    const latest = dropExpired(this, this.#clock.now());
    if (latest > 0) this.#setAlarm(latest);
  }

  #setAlarm(expiry: number): void {
    if (this.#storage.setAlarm === undefined) return;
    this.#alarmAt = expiry + ALARM_DELAY_MS;
    this.#writes.push(this.#storage.setAlarm(this.#alarmAt));
  }

  /** Deletes the database once it is empty: even an empty one is billed, and there is one per client. */
  async release(): Promise<void> {
    if (this.#memory.size > 0) return;
    const { size } = await this.#storage.list();
    const isAwaited = await this.#storage.getAlarm?.() !== null;
    // a subclass may keep data there, and a request may have arrived since the check above
    if (size > 0 || isAwaited || this.#memory.size > 0 || !isEmptyDatabase(this.#storage)) return;
    // before compatibility date 2026-02-24, the running alarm's record would remain
    await Promise.all([this.#storage.deleteAlarm?.(), this.#storage.deleteAll?.()]);
  }

  /** Waits for all writes so far. */
  async written(): Promise<void> {
    await Promise.all(this.#writes.splice(0));
  }
}

const FOREIGN_TABLES = "SELECT name FROM sqlite_master WHERE name NOT GLOB '_cf_*'";

// other storages, for which this fails, need only their contents deleted
function isEmptyDatabase(storage: DurableObjectStorageLike): boolean {
  try {
    return storage.sql?.exec(FOREIGN_TABLES).toArray().length === 0;
  } catch {
    return false;
  }
}

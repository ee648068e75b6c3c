import type { Take } from "../policy/store.ts";
import { decideIn, dropExpired, giveIn, resetIn, settleIn, type StateRecords } from "./partition_records.ts";
import { recordExpiry } from "./state_record.ts";
import { StoreClock } from "@sluice/limiting";
import { ALARM_DELAY_MS } from "@sluice/shared";

/** Storage of a Durable Object, as far as the object uses it. */
export interface DurableObjectStorageLike {
  /** Reads everything. */
  list(): Promise<Map<string, unknown>>;
  /** Writes a value. */
  put(name: string, value: Float64Array): Promise<void>;
  /** Deletes a value. */
  delete(name: string): Promise<boolean>;
  /** When the alarm is due, in ms since 1970; `null` when none is set. */
  getAlarm?(): Promise<number | null>;
  /** Sets the alarm, in ms since 1970. */
  setAlarm?(time: number): Promise<void>;
  /** Deletes the alarm. */
  deleteAlarm?(): Promise<void>;
  /** Deletes everything, and the storage itself. */
  deleteAll?(): Promise<void>;
  /** The database that the storage is in; in an object without one, Cloudflare throws on access. */
  readonly sql?: { exec(query: string): { toArray(): readonly unknown[] } };
}

/** State of a Durable Object, as far as the object uses it. */
export interface DurableObjectStateLike {
  /** What outlives the object's memory. */
  readonly storage: DurableObjectStorageLike;
}

/** What the store asks an object. Take and policies go as they are: they are plain data. */
export type Question =
  | { readonly verb: "decide"; readonly takes: readonly Take[]; readonly times: number }
  | { readonly verb: "give"; readonly take: Take; readonly stamp: number; readonly amount: number }
  | { readonly verb: "settle"; readonly take: Take; readonly stamp: number; readonly change: number }
  | { readonly verb: "reset"; readonly policy: string };

/**
 * The Durable Object behind a {@linkcode DurableObjectStore}: a worker exports this class, and its namespace is bound
 * to it. It holds the states of one key in memory, writes them to its storage, and deletes them, and then the storage
 * itself, by an alarm when none of them matters any more.
 *
 * @example What a Worker exports
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
   * @param state What the runtime hands over
   * @param _env Bindings, which it does not use
   * @param clock The present time in ms; for tests
   */
  constructor(state: DurableObjectStateLike, _env?: unknown, clock?: () => number) {
    this.#clock = new StoreClock(clock ?? Date.now);
    this.#records = new StoredRecords(state.storage, this.#clock);
  }

  /** Answers the store. What was decided is told after it was written. */
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

  /** Deletes what has expired; the runtime calls it when the alarm is due. */
  async alarm(): Promise<void> {
    await this.#records.load();
    this.#records.expire();
    await this.#records.written();
    await this.#records.release();
  }
}

/** States in memory that are written to a storage too. */
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
    // one alarm is enough: when it comes too early, it is set anew
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

  /** Frees the database once it is empty: even then it has to be paid for, and there is one for each client. */
  async release(): Promise<void> {
    if (this.#memory.size > 0) return;
    const { size } = await this.#storage.list();
    const isAwaited = await this.#storage.getAlarm?.() !== null;
    // a subclass may keep something there; and a request may have come meanwhile
    if (size > 0 || isAwaited || this.#memory.size > 0 || !isEmptyDatabase(this.#storage)) return;
    // before compatibility date 2026-02-24, the record of the alarm that is running would be left
    await Promise.all([this.#storage.deleteAlarm?.(), this.#storage.deleteAll?.()]);
  }

  /** Waits for everything that was written up to now. */
  async written(): Promise<void> {
    await Promise.all(this.#writes.splice(0));
  }
}

const FOREIGN_TABLES = "SELECT name FROM sqlite_master WHERE name NOT GLOB '_cf_*'";

// other storages, for which this fails, need no more than what is in them
function isEmptyDatabase(storage: DurableObjectStorageLike): boolean {
  try {
    return storage.sql?.exec(FOREIGN_TABLES).toArray().length === 0;
  } catch {
    return false;
  }
}

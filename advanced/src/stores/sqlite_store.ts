import { checkNames, checkType, type OptionNames } from "@sluice/shared";
import { decideAlone, decideBatch, giveTake, settleTake } from "../algorithms/decide_batch.ts";
import { ALGORITHM_NAMES, type Policy } from "../policy/policy.ts";
import { assertDistinct } from "./assert_distinct.ts";
import { assertMethods } from "./assert_methods.ts";
import { checkLog } from "./check_log.ts";
import { tableOf } from "./table_of.ts";
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
import type { Capabilities, Entry, Selector, Store, Take, Verdict } from "../policy/store.ts";
import { StoreClock } from "@sluice/limiting";

/** A parameter value. */
export type SqliteValue = string | number | Uint8Array;

/** The part of a prepared statement that is used. */
export interface SqliteStatement {
  /** Runs it, and returns the first row. */
  get(...values: SqliteValue[]): unknown;
  /** Runs it, and returns all rows. */
  all(...values: SqliteValue[]): unknown[];
  /** Runs it. */
  run(...values: SqliteValue[]): unknown;
}

/**
 * The part of a database that the store uses: `DatabaseSync` from `node:sqlite`, `Database` from `bun:sqlite`, or an
 * object with the same methods.
 */
export interface SqliteDatabase {
  /** Runs statements. */
  exec(sql: string): unknown;
  /** Prepares a statement. */
  prepare(sql: string): SqliteStatement;
  /** Closes the database. */
  close(): unknown;
}

/**
 * Options for a {@linkcode SqliteStore}.
 *
 * @example Set the table name
 * ```ts ignore
 * import { DatabaseSync } from "node:sqlite";
 * import { SqliteStore } from "@sluice/rate-limit/sqlite";
 *
 * const store = new SqliteStore({ database: new DatabaseSync("limits.db"), table: "login_limits" });
 * ```
 */
export interface SqliteStoreOptions {
  /** A connection for this store alone: other code's transactions would merge with the store's. */
  database: SqliteDatabase;
  /** Prefix for the table name, `"sluice_rate_limit"` by default. */
  table?: string | undefined;
  /** Current time in ms; for tests. */
  clock?: (() => number) | undefined;
}

const NAMES: OptionNames<SqliteStoreOptions> = { database: true, table: true, clock: true };

/** How long a decision waits for other processes if the connection does not set it, in ms. */
const BUSY_MS = 1000;
/** Rows written between two sweeps for expired rows. */
const WRITES_PER_SWEEP = 16;
/** Rows examined per sweep: more than can have been added, so that every row gets its turn. */
const ROWS_PER_SWEEP = 64;
/** Extra time to keep a row, in ms: it still counts if the policy gets a longer window. */
const KEPT_MS = 60_000;
/** Rows listed per page. */
const PAGE = 100;
// a key may begin with a byte order mark
const TEXT = /* @__PURE__ */ new TextDecoder("utf-8", { ignoreBOM: true });

/** The store's statements; it sends no other statements. */
interface Statements {
  readonly begin: SqliteStatement;
  readonly commit: SqliteStatement;
  readonly rollback: SqliteStatement;
  readonly read: SqliteStatement;
  readonly write: SqliteStatement;
  readonly remove: SqliteStatement;
  readonly sweepTo: SqliteStatement;
  readonly sweep: SqliteStatement;
  readonly countKey: SqliteStatement;
  readonly countPolicy: SqliteStatement;
  readonly resetKey: SqliteStatement;
  readonly resetPolicy: SqliteStatement;
  readonly list: SqliteStatement;
}

/**
 * A SQLite store. Supports all algorithms and atomic batches. All processes that open the file share its counters.
 *
 * A decision is one transaction, and synchronous. A refusal without changes does not write to the file. The store
 * creates its table on first use. With every sixteenth row written, it examines the next 64 rows and removes those that
 * expired more than a minute ago. A decision that could not be written is never a grant: it throws the database's
 * error.
 *
 * While another process writes, a decision waits for the connection's `busy_timeout`, or for one second if it is not
 * set. This blocks the event loop, so the file should use a write-ahead log, which makes the wait take microseconds.
 *
 * @example Share counters between all processes on a machine
 * ```ts ignore
 * import { DatabaseSync } from "node:sqlite";
 * import { Limiter } from "@sluice/rate-limit";
 * import { SqliteStore } from "@sluice/rate-limit/sqlite";
 *
 * const database = new DatabaseSync("limits.db");
 * database.exec("PRAGMA busy_timeout = 1000; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
 * const limiter = new Limiter({ algorithm: "sliding-window", limit: 100, store: new SqliteStore({ database }) });
 * ```
 */
export class SqliteStore implements Store {
  /** The store's capabilities. */
  readonly capabilities: Capabilities = {
    algorithms: new Set(ALGORITHM_NAMES),
    atomicBatch: "all",
    exactDeny: true,
    scope: "host",
    clock: "process",
  };
  readonly #database: SqliteDatabase;
  readonly #table: string;
  readonly #clock: StoreClock;
  #prepared: Statements | null = null;
  #writes = 0;
  /** The last row that was examined. */
  #swept = 0;
  #isClosed = false;

  /**
   * Creates an instance, without touching the database.
   *
   * @param options Database, table and clock
   * @throws {TypeError} If `database` is not a database, `table` is not a name, or an option is unknown
   */
  constructor(options: SqliteStoreOptions) {
    checkNames("SqliteStore", options ?? {}, NAMES);
    const { database, table, clock } = options ?? {};
    assertMethods(
      "SqliteStore: option database",
      database,
      ["exec", "prepare", "close"],
      "pass a DatabaseSync of node:sqlite, a Database of bun:sqlite, or an object with the same methods",
    );
    checkType("SqliteStore", "clock", clock, "function");
    this.#database = database;
    this.#table = tableOf("SqliteStore", table);
    this.#clock = new StoreClock(clock);
  }

  /**
   * Checks that a policy's state is short enough to read and write with each decision; see {@linkcode Store}.
   *
   * @throws {RangeError} If a `"sliding-log"` has a limit above 4000
   */
  checkPolicy(policy: Policy): void {
    checkLog(policy, "SqliteStore");
  }

  /** Decides a batch; see {@linkcode Store}. Throws the database's error, in which case nothing was granted. */
  decide(takes: readonly Take[], times = 1): readonly Verdict[] {
    assertDistinct(takes);
    return this.#update(takes, (states, now) => decideBatch(takes, states, times, now));
  }

  /** Decides many keys under a policy in one transaction; see {@linkcode Store}. */
  decideEach(takes: readonly Take[], times: readonly number[]): readonly Verdict[] {
    return this.#update(takes, (states, now) => {
      return takes.map((take, i) => decideAlone(take, states[i]!, times[i]!, now));
    });
  }

  /** Refunds units; see {@linkcode Store}. */
  give(take: Take, stamp: number, amount: number): boolean {
    return this.#update([take], ([state], now) => giveTake(take, state!, stamp, amount, now));
  }

  /** Corrects a grant to its actual cost; see {@linkcode Store}. */
  settle(take: Take, stamp: number, change: number): Verdict {
    return this.#update([take], ([state], now) => settleTake(take, state!, stamp, change, now));
  }

  /** Forgets keys; see {@linkcode Store}. */
  reset({ policy, key }: Selector): number {
    return this.#transact(({ countKey, countPolicy, resetKey, resetPolicy }) => {
      const now = this.#clock.now();
      const counted = key === undefined ? countPolicy.get(policy, now) : countKey.get(policy, now, key);
      if (key === undefined) resetPolicy.run(policy);
      else resetKey.run(policy, key);
      return (counted as { n: number }).n;
    });
  }

  /** Lists keys in use; see {@linkcode Store}. */
  async *inspect(policy: Policy): AsyncGenerator<Entry> {
    const shape = shapeOf(policy);
    let last = "";
    for (;;) {
      const rows = this.#statements().list.all(policy.name, last, shape) as { key: Uint8Array; value: Uint8Array }[];
      for (const { key: bytes, value } of rows) {
        const key = TEXT.decode(bytes);
        const now = this.#clock.now();
        const record = fromBytes(value);
        last = key;
        if (recordExpiry(record) <= now) continue;
        const [verdict] = decideBatch([{ policy, key, cost: 0 }], [decodeState(policy, record, now)], 1, now);
        yield { key, verdict: verdict! };
      }
      if (rows.length < PAGE) return;
    }
  }

  /** Creates the table if necessary. */
  warm(): void {
    this.#statements();
  }

  /** Closes the database. */
  close(): void {
    // every limiter on the store closes it, and closing a database twice is an error
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#database.close();
  }

  #update<T>(takes: readonly Take[], body: (states: KeyState[], now: number) => T): T {
    return this.#transact((statements) => {
      const { read, write, remove } = statements;
      // read once the lock is held: earlier writes are not later than this
      const now = this.#clock.now();
      const states = takes.map(({ policy, key }) => {
        const row = read.get(policy.name, key, shapeOf(policy)) as { value: Uint8Array } | null | undefined;
        return decodeState(policy, row ? fromBytes(row.value) : null, now);
      });
      const result = body(states, now);
      states.forEach((state, i) => {
        if (!isChanged(state)) return;
        const { policy, key } = takes[i]!;
        const record = encodeState(policy, state, now);
        if (record === null) remove.run(policy.name, key, shapeOf(policy));
        else {
          write.run(policy.name, key, shapeOf(policy), toBytes(record), recordExpiry(record));
          if (++this.#writes % WRITES_PER_SWEEP === 0) this.#sweep(statements, now - KEPT_MS);
        }
      });
      return result;
    });
  }

  // in row order, because each decision would have to update an index on the expiry
  #sweep({ sweepTo, sweep }: Statements, expired: number): void {
    const { last, n } = sweepTo.get(this.#swept) as { last: number; n: number };
    if (n > 0) sweep.run(this.#swept, last, expired);
    // from the start again, rather than after rows added at the end
    this.#swept = n < ROWS_PER_SWEEP ? 0 : last;
  }

  #transact<T>(body: (statements: Statements) => T): T {
    const statements = this.#statements();
    statements.begin.run();
    try {
      const result = body(statements);
      statements.commit.run();
      return result;
    } catch (error) {
      try {
        statements.rollback.run();
      } catch {
        // on some errors, such as a full disk, SQLite has already rolled back; the caller needs the original error
      }
      throw error;
    }
  }

  #statements(): Statements {
    return this.#prepared ??= this.#open();
  }

  #open(): Statements {
    const database = this.#database;
    const table = this.#table;
    const timeout = database.prepare("PRAGMA busy_timeout").get() as { timeout: number };
    if (timeout.timeout === 0) database.exec(`PRAGMA busy_timeout = ${BUSY_MS}`);
    database.exec(`
      CREATE TABLE IF NOT EXISTS ${table} (
        policy TEXT NOT NULL, key TEXT NOT NULL, shape TEXT NOT NULL, value BLOB NOT NULL, expires INTEGER NOT NULL,
        PRIMARY KEY (policy, key, shape)
      )`);
    const [one, ofKey] = ["policy = ? AND key = ? AND shape = ?", "policy = ? AND key = ?"];
    const next = `SELECT rowid AS id FROM ${table} WHERE rowid > ? ORDER BY rowid LIMIT ${ROWS_PER_SWEEP}`;
    const inUse = `SELECT count(DISTINCT key) AS n FROM ${table} WHERE policy = ? AND expires > ?`;
    return {
      begin: database.prepare("BEGIN IMMEDIATE"),
      commit: database.prepare("COMMIT"),
      rollback: database.prepare("ROLLBACK"),
      read: database.prepare(`SELECT value FROM ${table} WHERE ${one}`),
      write: database.prepare(
        `INSERT INTO ${table} (policy, key, shape, value, expires) VALUES (?, ?, ?, ?, ?)
          ON CONFLICT DO UPDATE SET value = excluded.value, expires = excluded.expires`,
      ),
      remove: database.prepare(`DELETE FROM ${table} WHERE ${one}`),
      sweepTo: database.prepare(`SELECT max(id) AS last, count(*) AS n FROM (${next})`),
      sweep: database.prepare(`DELETE FROM ${table} WHERE rowid > ? AND rowid <= ? AND expires <= ?`),
      countKey: database.prepare(`${inUse} AND key = ?`),
      countPolicy: database.prepare(inUse),
      resetKey: database.prepare(`DELETE FROM ${table} WHERE ${ofKey}`),
      resetPolicy: database.prepare(`DELETE FROM ${table} WHERE policy = ?`),
      list: database.prepare(
        // drivers may end a text at a NUL
        `SELECT CAST(key AS BLOB) AS key, value FROM ${table} WHERE policy = ? AND key > ? AND shape = ? ORDER BY key LIMIT ${PAGE}`,
      ),
    };
  }
}

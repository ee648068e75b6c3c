import { checkNames, checkType, type OptionNames, refuseOption } from "@sluice/limiting/core";
import type { Policy } from "../policy/policy.ts";
import { checkLog } from "./check_log.ts";
import {
  type CompareAndSet,
  CompareAndSetStore,
  type ListedValue,
  type StateKey,
  type StateWrite,
  type VersionedValue,
} from "./compare_and_set_store.ts";
import { hex } from "./hex.ts";
import { hashKey, shortKey } from "./short_key.ts";
import { tableOf } from "./table_of.ts";
import type { Capabilities, Entry, Selector, Store, Take, Verdict } from "../policy/store.ts";

/** A value of a parameter: the store sends nothing but text. */
export type PostgresValue = string;

/** A client with `query`: `Pool`, `Client` of `npm:pg`, `PGlite`, or an object of your own. */
export interface PostgresQueryClient {
  /** Runs one statement, and resolves to its rows, or to an object that has them. */
  query(text: string, values: PostgresValue[]): PromiseLike<{ readonly rows: readonly unknown[] } | readonly unknown[]>;
}

/** A client with `unsafe`: `npm:postgres`. */
export interface PostgresUnsafeClient {
  /** Runs one statement, and resolves to its rows. */
  unsafe(text: string, values: PostgresValue[]): PromiseLike<readonly unknown[]>;
}

/** Any client that a {@linkcode PostgresStore} accepts. */
export type PostgresClient = PostgresQueryClient | PostgresUnsafeClient;

/**
 * Options of a {@linkcode PostgresStore}.
 *
 * @example A table of another name
 * ```ts ignore
 * import { Pool } from "pg";
 * import { PostgresStore } from "@sluice/rate-limit/postgres";
 *
 * const store = new PostgresStore({ client: new Pool(), table: "login_limits" });
 * ```
 */
export interface PostgresStoreOptions {
  /** What sends the statements. You connect and close it yourself. */
  client: PostgresClient;
  /** What the table's name begins with, `"sluice_rate_limit"` by default. */
  table?: string | undefined;
  /** How often a decision is tried when other processes are faster, 30 by default. */
  attempts?: number | undefined;
  /** The present time in ms; for tests. The server's by default. */
  clock?: (() => number) | undefined;
}

const NAMES: OptionNames<PostgresStoreOptions> = { client: true, table: true, attempts: true, clock: true };

/** Commits after which expired rows are removed. */
const COMMITS_PER_SWEEP = 100;
/** Most rows that are removed then: more than may have come, so that they become fewer. */
const ROWS_PER_SWEEP = 1000;
/** The server's time in ms. */
const NOW_MS = "floor(extract(epoch FROM clock_timestamp()) * 1000)::float8";
/** Rows that are listed at a time. */
const PAGE = 100;

/** What PostgreSQL says of a statement that wrote nothing because of others: lost races. */
const LOST_RACES: ReadonlySet<unknown> = new Set([
  // division by zero, by which a batch says that only a part of it could be written; serialization failure; deadlock
  ...["22012", "40001", "40P01"],
]);

/**
 * Counters in PostgreSQL 12 or later: every algorithm, batches as one, by the server's clock.
 *
 * A decision reads its rows with the server's time in one statement, and writes what changed in another one, which
 * writes nothing if a row has changed meanwhile; then it is tried again. A refusal or a look needs the first statement
 * alone. The decisions of a limiter in one turn of the event loop share them, whatever their keys. There are no
 * transactions of several statements, so any pool does, PgBouncer included.
 *
 * The store makes its table when it is first used. The table is not logged: a server that crashes forgets its counts. Rows
 * that have expired are removed by later decisions, up to 1000 with every hundredth that writes.
 *
 * @example Counters that all processes share
 * ```ts ignore
 * import { Pool } from "pg";
 * import { Limiter } from "@sluice/rate-limit";
 * import { PostgresStore } from "@sluice/rate-limit/postgres";
 *
 * const client = new Pool({ connectionString: "postgres://localhost/app" });
 * const limiter = new Limiter({ algorithm: "sliding-window", max: 100, store: new PostgresStore({ client }) });
 * ```
 */
export class PostgresStore implements Store {
  /** What the store can do. */
  readonly capabilities: Capabilities;
  readonly #rows: PostgresRows;
  readonly #store: CompareAndSetStore;

  /**
   * Creates an instance, without connecting.
   *
   * @param options Client, table, attempts and clock
   * @throws {TypeError} If `client` is none, `table` is no name, or there is no option of a name
   * @throws {RangeError} If `attempts` is out of range
   */
  constructor(options: PostgresStoreOptions) {
    checkNames("PostgresStore", options ?? {}, NAMES);
    const { client, table, attempts = 30, clock } = options ?? {};
    checkType("PostgresStore", "clock", clock, "function");
    this.#rows = new PostgresRows(queryOf(client), tableOf("PostgresStore", table), clock);
    this.#store = new CompareAndSetStore(this.#rows, clock === undefined ? { attempts } : { attempts, clock });
    this.capabilities = { ...this.#store.capabilities, clock: "store" };
  }

  /**
   * Checks that a policy's state is short enough to be sent with each decision; see {@linkcode Store}.
   *
   * @throws {RangeError} If a `"sliding-log"` has a limit above 4000
   */
  checkPolicy(policy: Policy): void {
    checkLog(policy, "PostgresStore");
  }

  /** Decides a batch; see {@linkcode Store}. Rejects when other processes were faster too often. */
  async decide(takes: readonly Take[], times?: number): Promise<readonly Verdict[]> {
    return await this.#store.decide(takes, times);
  }

  /** Decides many keys of a policy in two statements; see {@linkcode Store}. */
  async decideEach(takes: readonly Take[], times: readonly number[]): Promise<readonly Verdict[]> {
    const together = await this.#store.decideTogether(takes, times);
    // one key that others want must not keep all from being decided
    return together ?? await Promise.all(takes.map(async (take, i) => (await this.decide([take], times[i]))[0]!));
  }

  /** Gives units back; see {@linkcode Store}. */
  async give(take: Take, stamp: number, amount: number): Promise<boolean> {
    return await this.#store.give(take, stamp, amount);
  }

  /** Corrects what was granted to its real cost; see {@linkcode Store}. */
  async settle(take: Take, stamp: number, change: number): Promise<Verdict> {
    return await this.#store.settle(take, stamp, change);
  }

  /** Forgets keys; see {@linkcode Store}. */
  async reset(selector: Selector): Promise<number> {
    return await this.#store.reset(selector);
  }

  /** Lists keys in use; see {@linkcode Store}. */
  async *inspect(policy: Policy): AsyncGenerator<Entry> {
    yield* this.#store.inspect(policy);
  }

  /** Makes the table, unless it is there. */
  async warm(): Promise<void> {
    await this.#rows.made();
  }
}

type Query = (text: string, values: PostgresValue[]) => Promise<readonly unknown[]>;

function queryOf(client: PostgresClient): Query {
  const given = client as Partial<PostgresQueryClient & PostgresUnsafeClient> | null | undefined;
  if (typeof given?.unsafe === "function") {
    return async (text, values) => await (client as PostgresUnsafeClient).unsafe(text, values);
  }
  if (typeof given?.query === "function") {
    return async (text, values) => {
      const result = await (client as PostgresQueryClient).query(text, values);
      return "rows" in result ? result.rows : result;
    };
  }
  const wanted = "a Pool or Client of npm:pg, a client of npm:postgres, a PGlite, or an object with query";
  // it may contain a password, and errors are logged
  if (typeof client !== "string") refuseOption("PostgresStore", "client", wanted, client);
  throw new TypeError(`PostgresStore: option client must be ${wanted}, not an address: give it to one of those`);
}

/** A row as it is listed: bytes as hexadecimal digits, which every client returns as they are. */
interface Row {
  readonly key: string;
  readonly shape: string;
  readonly value: string;
  readonly now: number;
}

/** States in the rows of a table. The version of a value is the value: to have changed and be the same is no change. */
class PostgresRows implements CompareAndSet {
  readonly #query: Query;
  readonly #table: string;
  readonly #clock: (() => number) | undefined;
  #making: Promise<void> | null = null;
  #commits = 0;

  constructor(query: Query, table: string, clock: (() => number) | undefined) {
    this.#query = query;
    this.#table = table;
    this.#clock = clock;
  }

  async read(keys: readonly StateKey[]): Promise<VersionedValue[]> {
    await this.made();
    const values: PostgresValue[] = [];
    const columns = keys.map((key, i) => {
      return `(SELECT encode(value, 'hex') FROM ${this.#table} WHERE ${isRow(key, values)}) AS v${i}`;
    });
    const [row] = await this.#query(`SELECT ${[`${NOW_MS} AS now`, ...columns].join(", ")}`, values);
    const { now, ...digits } = row as { now: number } & Record<string, string | null>;
    return keys.map((_, i) => {
      const version = digits[`v${i}`] as string | null;
      return { value: version === null ? null : bytesOf(version), version, ...this.#time(now) };
    });
  }

  async commit(writes: readonly StateWrite[]): Promise<boolean> {
    if (++this.#commits % COMMITS_PER_SWEEP === 0) await this.#sweep();
    // in one order, so that no two batches wait for each other
    const sorted = [...writes].sort((a, b) => order(`${a.key}`, `${b.key}`));
    const values: PostgresValue[] = [];
    const parts = sorted.filter(({ value, expected }) => value !== null || expected !== null)
      .map((write) => this.#statementFor(write, values));
    if (parts.length === 0) return true;
    const written = parts.map((_, i) => `(SELECT count(*) FROM w${i})`).join(" + ");
    try {
      const [row] = await this.#query(
        `WITH ${parts.map((part, i) => `w${i} AS (${part} RETURNING 1)`).join(", ")}, n AS (SELECT ${written} AS n)
          SELECT n = ${parts.length} AS written, 1 / (n IN (0, ${parts.length}))::int AS whole FROM n`,
        values,
      );
      return (row as { written: boolean }).written;
    } catch (error) {
      if (LOST_RACES.has((error as { code?: unknown } | null)?.code)) return false;
      throw error;
    }
  }

  #statementFor({ key, value, expected, ttlMs }: StateWrite, values: PostgresValue[]): string {
    const table = this.#table;
    if (value === null) return `DELETE FROM ${table} WHERE ${isRow(key, values)} AND ${isValue(expected, values)}`;
    const bytes = `decode($${values.push(hex(value))}, 'hex')`;
    // whole minutes, so that most updates leave the index alone, and with it the page; one more than necessary, for a
    // policy may get a longer window, which still counts it
    const later = `${this.#now()} + ($${values.push(String(ttlMs))}::text || ' ms')::interval`;
    const expires = `date_trunc('minute', ${later}) + interval '2 minutes'`;
    if (expected === null) {
      const columns = column(key).map((text) => `$${values.push(text)}`).join(", ");
      return `INSERT INTO ${table} (policy, key, shape, value, expires) VALUES (${columns}, ${bytes}, ${expires})
        ON CONFLICT DO NOTHING`;
    }
    return `UPDATE ${table} SET value = ${bytes}, expires = ${expires}
      WHERE ${isRow(key, values)} AND ${isValue(expected, values)}`;
  }

  // rows that others are writing are not expired, or are removed by those
  async #sweep(): Promise<void> {
    await this.#query(
      `DELETE FROM ${this.#table} WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM ${this.#table} WHERE expires <= ${this.#now()}
        LIMIT ${ROWS_PER_SWEEP} FOR UPDATE SKIP LOCKED
      ))`,
      [],
    );
  }

  async delete(key: StateKey): Promise<void> {
    const values: PostgresValue[] = [];
    await this.#query(`DELETE FROM ${this.#table} WHERE ${isRow(key, values)}`, values);
  }

  async *list(policy: string, key?: string): AsyncGenerator<ListedValue> {
    await this.made();
    const only = key === undefined ? [] : [textKey(key)];
    let last = ["", ""];
    for (;;) {
      const rows = await this.#query(
        `SELECT key, shape, encode(value, 'hex') AS value, ${NOW_MS} AS now FROM ${this.#table}
          WHERE policy = $1 AND (key, shape) > ($2, $3) ${key === undefined ? "" : "AND key = $4"}
          ORDER BY key, shape LIMIT ${PAGE}`,
        [policy, ...last, ...only],
      ) as Row[];
      for (const { key, shape, value, now } of rows) {
        last = [key, shape];
        yield { key: [policy, key, shape], value: bytesOf(value), ...this.#time(now) };
      }
      if (rows.length < PAGE) return;
    }
  }

  /** Makes the table, unless it is there. */
  made(): Promise<void> {
    return this.#making ??= this.#make().catch((error) => {
      this.#making = null;
      throw error;
    });
  }

  // one process after the other, for two that make the same table at once fail; who may not make tables can use one
  async #make(): Promise<void> {
    const table = this.#table;
    await this.#query(
      `DO $make$ BEGIN
        IF to_regclass('${table}') IS NULL THEN
          PERFORM pg_advisory_xact_lock(hashtext('${table}'));
          CREATE UNLOGGED TABLE IF NOT EXISTS ${table} (
            policy text COLLATE "C", key text COLLATE "C", shape text COLLATE "C", value bytea NOT NULL,
            expires timestamptz NOT NULL, PRIMARY KEY (policy, key, shape)
          ) WITH (fillfactor = 70);
          CREATE INDEX IF NOT EXISTS ${table}_expires ON ${table} (expires);
        END IF;
      END $make$`,
      [],
    );
  }

  #time(now: number): { now?: number } {
    return this.#clock === undefined ? { now } : {};
  }

  // the server's time, unless a test has its own
  #now(): string {
    return this.#clock === undefined ? "clock_timestamp()" : `to_timestamp(${Number(this.#clock()) / 1000})`;
  }
}

/** The columns that tell a row. */
function column([policy, key, shape]: StateKey): string[] {
  return [policy, textKey(key), shape];
}

function isRow(key: StateKey, values: PostgresValue[]): string {
  const [policy, text, shape] = column(key).map((value) => values.push(value));
  return `policy = $${policy} AND key = $${text} AND shape = $${shape}`;
}

function isValue(expected: unknown, values: PostgresValue[]): string {
  return `value = decode($${values.push(expected as string)}, 'hex')`;
}

// text of PostgreSQL has no NUL
function textKey(key: string): string {
  return key.includes("\0") ? hashKey(key) : shortKey(key);
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function bytesOf(digits: string): Uint8Array {
  const bytes = new Uint8Array(digits.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = parseInt(digits.slice(2 * i, 2 * i + 2), 16);
  return bytes;
}

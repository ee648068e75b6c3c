import type {
  CommitResult,
  CommitTime,
  CompareAndSet,
  ListedValue,
  StateKey,
  StateWrite,
  VersionedValue,
} from "./compare_and_set.ts";
import { hex } from "./hex.ts";
import {
  columnsOf,
  type CommitRow,
  commitStatement,
  isRow,
  type PostgresTime,
  type PostgresValue,
  type RowWrite,
  textKey,
  valueOf,
} from "./postgres_commit.ts";

/** Sends a statement, and resolves to its rows. */
export type PostgresQuery = (text: string, values: PostgresValue[]) => Promise<readonly unknown[]>;

/** Commits between two removals of expired rows. */
const COMMITS_PER_SWEEP = 100;
/** Maximum rows removed at once: more than are added, so that the backlog shrinks. */
const ROWS_PER_SWEEP = 1000;
/** Rows listed per page. */
const PAGE = 100;
const SERVER_TIME: PostgresTime = {
  now: "clock_timestamp()",
  nowMs: "floor(extract(epoch FROM clock_timestamp()) * 1000)::float8",
};

/** PostgreSQL error codes for statements that wrote nothing because of concurrent statements: lost races. */
const LOST_RACES: ReadonlySet<unknown> = new Set([
  // division by zero, which a commit uses to report that it could write only a part; serialization failure; deadlock
  ...["22012", "40001", "40P01"],
]);

/** A listed row: bytes as hexadecimal digits, which every client returns unchanged. */
interface Row {
  readonly key: string;
  readonly shape: string;
  readonly value: string;
  readonly now: number;
}

/** The server's time in ms, and row values, `v0` and so on, as hexadecimal digits. */
interface FoundRow {
  readonly now: number;
  readonly [column: `v${number}`]: string | null;
}

/** States in table rows. A value is its own version: changing back to it is no change. */
export class PostgresRows implements CompareAndSet {
  readonly commitsTell = true;
  readonly #query: PostgresQuery;
  readonly #table: string;
  readonly #clock: (() => number) | undefined;
  #making: Promise<void> | null = null;
  #commits = 0;

  constructor(query: PostgresQuery, table: string, clock: (() => number) | undefined) {
    this.#query = query;
    this.#table = table;
    this.#clock = clock;
  }

  async read(keys: readonly StateKey[]): Promise<VersionedValue[]> {
    await this.made();
    const values: PostgresValue[] = [];
    const found = keys.map((key, i) => `${valueOf(this.#table, columnsOf(key, values))} AS v${i}`);
    const [row] = await this.#query(`SELECT ${[`${this.#time().nowMs} AS now`, ...found].join(", ")}`, values);
    const { now, ...there } = row as FoundRow;
    return keys.map((_, i) => versioned(there[`v${i}`]!, now));
  }

  async commit(writes: readonly StateWrite[], within?: CommitTime): Promise<boolean | CommitResult> {
    if (++this.#commits % COMMITS_PER_SWEEP === 0) await this.#sweep();
    const rows = writes.map((write): RowWrite => ({
      ...write,
      digits: write.value === null ? null : hex(write.value),
    }));
    const sorted = [...rows].sort((a, b) => compare(`${a.key}`, `${b.key}`));
    const { text, values } = commitStatement(this.#table, sorted, within!, this.#time());
    try {
      const [row] = await this.#query(text, values);
      const { now, ok, written, found } = row as CommitRow;
      if (written) return { written, values: rows.map(({ value, digits }) => ({ value, version: digits, now })) };
      // another statement has changed rows that this one still saw unchanged
      if (ok) return false;
      const there = found!.split(",");
      return { written, values: rows.map((row) => versioned(there[sorted.indexOf(row)]! || null, now)) };
    } catch (error) {
      if (LOST_RACES.has((error as { code?: unknown } | null)?.code)) return false;
      throw error;
    }
  }

  // rows locked by other statements are either not expired, or are being removed
  async #sweep(): Promise<void> {
    await this.#query(
      `DELETE FROM ${this.#table} WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM ${this.#table} WHERE expires <= ${this.#time().now}
        LIMIT ${ROWS_PER_SWEEP} FOR UPDATE SKIP LOCKED
      ))`,
      [],
    );
  }

  async delete(key: StateKey): Promise<void> {
    const values: PostgresValue[] = [];
    await this.#query(`DELETE FROM ${this.#table} WHERE ${isRow(columnsOf(key, values))}`, values);
  }

  async *list(policy: string, key?: string): AsyncGenerator<ListedValue> {
    await this.made();
    const only = key === undefined ? [] : [textKey(key)];
    let last = ["", ""];
    for (;;) {
      const rows = await this.#query(
        `SELECT key, shape, encode(value, 'hex') AS value, ${this.#time().nowMs} AS now FROM ${this.#table}
          WHERE policy = $1 AND (key, shape) > ($2, $3) ${key === undefined ? "" : "AND key = $4"}
          ORDER BY key, shape LIMIT ${PAGE}`,
        [policy, ...last, ...only],
      ) as Row[];
      for (const { key, shape, value, now } of rows) {
        last = [key, shape];
        yield { key: [policy, key, shape], value: bytesOf(value), now };
      }
      if (rows.length < PAGE) return;
    }
  }

  /** Creates the table if necessary. */
  made(): Promise<void> {
    return this.#making ??= this.#make().catch((error) => {
      this.#making = null;
      throw error;
    });
  }

  // One process at a time: creating the same table concurrently fails. Users without permission to create tables can
  // use an existing one.
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

  // the server's, unless a test sets its own
  #time(): PostgresTime {
    if (this.#clock === undefined) return SERVER_TIME;
    const ms = Number(this.#clock());
    return { now: `to_timestamp(${ms / 1000})`, nowMs: `${ms}::float8` };
  }
}

function versioned(digits: string | null, now: number): VersionedValue {
  return { value: digits === null ? null : bytesOf(digits), version: digits, now };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function bytesOf(digits: string): Uint8Array {
  const bytes = new Uint8Array(digits.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = parseInt(digits.slice(2 * i, 2 * i + 2), 16);
  return bytes;
}

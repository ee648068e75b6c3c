import type { CommitTime, StateKey, StateWrite } from "./compare_and_set.ts";
import { hashKey, shortKey } from "./short_key.ts";

/** A parameter value: the store only sends text. */
export type PostgresValue = string;

/** A statement and its parameter values. */
export interface PostgresStatement {
  /** The statement. */
  readonly text: string;
  /** The values. */
  readonly values: PostgresValue[];
}

/** A row write. */
export interface RowWrite extends StateWrite {
  /** The value as hexadecimal digits, `null` to delete. */
  readonly digits: string | null;
}

/** The row returned by a commit statement. */
export interface CommitRow {
  /** The server's time in ms. */
  readonly now: number;
  /** Whether everything matched when the statement began. */
  readonly ok: boolean;
  /** Whether everything was written. */
  readonly written: boolean;
  /** The values found instead, in the writes' order: hexadecimal digits, empty if there is no row. */
  readonly found: string | null;
}

/** Where a statement gets the time: the server, or a test. */
export interface PostgresTime {
  /** The current time. */
  readonly now: string;
  /** The same in ms. */
  readonly nowMs: string;
}

/** Maximum rows with their own part of a statement. */
const MOST_APART = 3;

/**
 * Builds a commit statement. It writes every row or no row, in order, and fails with `division by zero` if another
 * statement changed some of them after it began.
 *
 * Up to three rows get their own parts, which PostgreSQL plans faster; for more, the parts are lists.
 *
 * @param table The table
 * @param writes The writes, sorted by key so that two statements cannot deadlock
 * @param within When the server may apply it
 * @param time How it gets the time
 * @returns The statement, which returns a {@linkcode CommitRow}
 */
export function commitStatement(
  table: string,
  writes: readonly RowWrite[],
  within: CommitTime,
  time: PostgresTime,
): PostgresStatement {
  return (writes.length > MOST_APART ? asLists : asParts)(table, writes, within, time);
}

function asParts(
  table: string,
  writes: readonly RowWrite[],
  within: CommitTime,
  time: PostgresTime,
): PostgresStatement {
  const values: PostgresValue[] = [];
  const conditions = [isWithin(within, values)];
  const seen: string[] = [];
  const parts = writes.map((write, i) => {
    const columns = columnsOf(write.key, values);
    const version = versionOf(write, values);
    seen.push(`${valueOf(table, columns)} AS v${i}`);
    conditions.push(version === null ? `v${i} IS NULL` : `v${i} = ${version}`);
    return partOf(table, write, i, columns, version, time, values);
  });
  const text = `WITH s AS (SELECT ${time.nowMs} AS now, ${seen.join(", ")}),
    o AS (SELECT s.*, coalesce(${conditions.join(" AND ")}, false) AS ok FROM s),
    ${parts.join(", ")}, ${countOf(parts)}
    SELECT now, ok, ${outcome(String(parts.length))},
      CASE WHEN NOT ok THEN concat_ws(',', ${parts.map((_, i) => `coalesce(v${i}, '')`).join(", ")}) END AS found
      FROM o, n`;
  return { text, values };
}

function versionOf({ expected }: RowWrite, values: PostgresValue[]): string | null {
  return expected === null ? null : `$${values.push(expected as string)}`;
}

// compares again: another statement may have changed a row after this one began
function partOf(
  table: string,
  { digits, ttlMs }: RowWrite,
  i: number,
  columns: Columns,
  version: string | null,
  time: PostgresTime,
  values: PostgresValue[],
): string {
  const condition = "(SELECT ok FROM o)";
  const isStill = `${isRow(columns)} AND value = decode(${version}, 'hex') AND ${condition}`;
  if (digits === null) return `w${i} AS (DELETE FROM ${table} WHERE ${isStill} RETURNING 1)`;
  const bytes = `decode($${values.push(digits)}, 'hex')`;
  const expires = expiry(`$${values.push(String(ttlMs))}::text`, time);
  if (version !== null) {
    return `w${i} AS (UPDATE ${table} SET value = ${bytes}, expires = ${expires} WHERE ${isStill} RETURNING 1)`;
  }
  return `w${i} AS (INSERT INTO ${table} (policy, key, shape, value, expires)
    SELECT ${columns.join(", ")}, ${bytes}, ${expires} WHERE ${condition} ON CONFLICT DO NOTHING RETURNING 1)`;
}

function countOf(parts: readonly string[]): string {
  return `n AS (SELECT ${parts.map((_, i) => `(SELECT count(*) FROM w${i})`).join(" + ")} AS n)`;
}

function isWithin({ from, until }: CommitTime, values: PostgresValue[]): string {
  const [first, last] = [from, until].map((ms) => `$${values.push(String(ms))}::text::float8`);
  return `now BETWEEN ${first} AND ${last}`;
}

function asLists(
  table: string,
  writes: readonly RowWrite[],
  within: CommitTime,
  time: PostgresTime,
): PostgresStatement {
  const values: PostgresValue[] = [];
  const lists: string[][] = [[], [], [], [], [], []];
  for (const { key, digits, expected, ttlMs } of writes) {
    const row = [...textsOf(key), expected as string | null ?? "", digits ?? "", String(ttlMs)];
    row.forEach((text, i) => lists[i]!.push(text));
  }
  const given = lists.map((list) => `$${values.push(arrayText(list))}::text::text[]`);
  const count = `$${values.push(String(writes.length))}::text::int`;
  const isStill = "t.ctid = s.at AND t.value = decode(s.expected, 'hex') AND (SELECT ok FROM o)";
  const text = `WITH s AS (
      SELECT g.*, t.ctid AS at, coalesce(encode(t.value, 'hex'), '') AS found FROM unnest(${given.join(", ")})
        WITH ORDINALITY AS g(policy, key, shape, expected, written, ttl, i) LEFT JOIN ${table} t USING (policy, key, shape)
    ),
    c AS (SELECT ${time.nowMs} AS now, bool_and(found = expected) AS ok FROM s),
    o AS (SELECT now, ok AND ${isWithin(within, values)} AS ok FROM c),
    u AS (UPDATE ${table} t SET value = decode(s.written, 'hex'), expires = ${expiry("s.ttl", time)}
      FROM s WHERE s.written <> '' AND ${isStill} RETURNING 1),
    d AS (DELETE FROM ${table} t USING s WHERE s.written = '' AND ${isStill} RETURNING 1),
    i AS (INSERT INTO ${table} (policy, key, shape, value, expires)
      SELECT policy, key, shape, decode(written, 'hex'), ${expiry("ttl", time)} FROM s
      WHERE at IS NULL AND (SELECT ok FROM o) ORDER BY i ON CONFLICT DO NOTHING RETURNING 1),
    n AS (SELECT (SELECT count(*) FROM u) + (SELECT count(*) FROM d) + (SELECT count(*) FROM i) AS n)
    SELECT now, ok, ${outcome(count)},
      CASE WHEN NOT ok THEN (SELECT string_agg(found, ',' ORDER BY i) FROM s) END AS found FROM o, n`;
  return { text, values };
}

function outcome(count: string): string {
  return `n = ${count} AS written, 1 / (n IN (0, ${count}))::int AS whole`;
}

// whole minutes, so that most updates leave the index and its page alone; one extra, because the row still counts if
// the policy gets a longer window
function expiry(ttl: string, { now }: PostgresTime): string {
  return `date_trunc('minute', ${now} + (${ttl} || ' ms')::interval) + interval '2 minutes'`;
}

/** Parameters for the columns that identify a row. */
type Columns = readonly string[];

/** Adds the parameters that identify a row. */
export function columnsOf(key: StateKey, values: PostgresValue[]): Columns {
  return textsOf(key).map((text) => `$${values.push(text)}`);
}

/** The condition that identifies a row. */
export function isRow([policy, key, shape]: Columns): string {
  return `policy = ${policy} AND key = ${key} AND shape = ${shape}`;
}

/** The value of a row as hexadecimal digits: a subquery, which PostgreSQL can plan by the key alone. */
export function valueOf(table: string, columns: Columns): string {
  return `(SELECT encode(value, 'hex') FROM ${table} WHERE ${isRow(columns)})`;
}

/** Converts a key to PostgreSQL text, which cannot contain NUL. */
export function textKey(key: string): string {
  return key.includes("\0") ? hashKey(key) : shortKey(key);
}

function textsOf([policy, key, shape]: StateKey): string[] {
  return [policy, textKey(key), shape];
}

function arrayText(list: readonly string[]): string {
  return `{${list.map((text) => `"${text.replace(/["\\]/g, "\\$&")}"`).join(",")}}`;
}

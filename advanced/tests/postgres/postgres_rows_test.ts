import { assert, assertEquals } from "@std/assert";
import pg from "pg";
import { until } from "../../../tests/support/until.ts";
import type { CommitResult, StateKey, StateWrite } from "../../mod.ts";
import { PostgresRows } from "../../src/stores/postgres_rows.ts";

const client = new pg.Pool({ connectionString: Deno.env.get("POSTGRES_URL")! });
addEventListener("unload", () => void client.end());

const bytes = (...values: number[]) => new Uint8Array(values);
const ALWAYS = { from: 0, until: Infinity };

/** Rows in their own table, and a query for its contents. */
async function setUp() {
  const table = `rows_${crypto.randomUUID().replaceAll("-", "")}`;
  const rows = new PostgresRows(async (text, values) => (await client.query(text, values)).rows, table, undefined);
  await rows.made();
  return { table, rows };
}

/** Keys that a PostgreSQL array would have to quote. */
const NAMES = ["a", 'b "quoted"', "c\\", "d,e", "{f}", "NULL", "", "ü\n", "i", "j", "k", "l"];
const keyOf = (name: string): StateKey => ["policy's", name, "shape/1"];

for (const count of [1, 3, 4, 12]) {
  Deno.test(`rows of PostgreSQL are inserted, updated and deleted together, or none is: ${count} at once`, async () => {
    const { rows } = await setUp();
    // unordered
    const keys = NAMES.slice(0, count).reverse().map(keyOf);
    const write = (value: (i: number) => Uint8Array | null, expected: readonly unknown[]): StateWrite[] => {
      return keys.map((key, i) => ({ key, value: value(i), expected: expected[i], ttlMs: 60_000 }));
    };
    const versions = async () => (await rows.read(keys)).map(({ version }) => version);
    const none = keys.map(() => null);
    const inserted = await rows.commit(write((i) => bytes(1, i), none), ALWAYS) as CommitResult;
    assert(inserted.written);
    assertEquals(inserted.values.map(({ version }) => version), await versions());
    assertEquals((await rows.read(keys)).map(({ value }) => value), keys.map((_, i) => bytes(1, i)));
    const first = await versions();

    // each kind of change, in one commit: the first is updated, the second deleted, and the third inserted again
    await rows.delete(keys[2] ?? keyOf("none"));
    const expected = first.map((version, i) => i === 2 ? null : version);
    const changed = await rows.commit(write((i) => i === 1 ? null : bytes(2, i), expected), ALWAYS) as CommitResult;
    assert(changed.written);
    assertEquals(changed.values.map(({ version }) => version), await versions());
    assertEquals((await rows.read(keys)).map(({ value }) => value), keys.map((_, i) => i === 1 ? null : bytes(2, i)));

    // a single unexpected row, whichever it is, keeps all rows from being written
    const now = await versions();
    for (const at of keys.keys()) {
      const wrong = now.map((version, i) => i === at ? (version === null ? "ff" : null) : version);
      const failed = await rows.commit(write(() => bytes(3), wrong), ALWAYS) as CommitResult;
      assertEquals(await versions(), now);
      assertEquals([failed.written, failed.values.map(({ version }) => version)], [false, now]);
    }
  });
}

for (const count of [2, 5]) {
  Deno.test(`rows of PostgreSQL are written only while the server's time is within bounds: ${count} at once`, async () => {
    const { rows } = await setUp();
    const keys = NAMES.slice(0, count).map(keyOf);
    const writes = keys.map((key) => ({ key, value: bytes(1), expected: null, ttlMs: 1000 }));
    const now = (await rows.read(keys))[0]!.now!;
    for (const within of [{ from: now + 60_000, until: Infinity }, { from: 0, until: now - 1 }]) {
      const failed = await rows.commit(writes, within) as CommitResult;
      assertEquals([failed.written, failed.values.map(({ value }) => value)], [false, keys.map(() => null)]);
      assert(failed.values.every((value) => value.now! >= now));
    }
    assert((await rows.commit(writes, { from: now, until: now + 60_000 }) as CommitResult).written);
  });

  Deno.test(`rows of PostgreSQL that change while a statement waits for one of them stay as they are: ${count} at once`, async () => {
    const { rows, table } = await setUp();
    const keys = NAMES.slice(0, count).map(keyOf);
    const fill = keys.map((key) => ({ key, value: bytes(1), expected: null, ttlMs: 60_000 }));
    assert((await rows.commit(fill, ALWAYS) as CommitResult).written);
    const other = await client.connect();
    try {
      await other.query("BEGIN");
      await other.query(`UPDATE ${table} SET value = '\\x09' WHERE key = $1`, [keys[1]![1]]);
      // it finds all rows as expected, writes the first, and waits for the second
      const waiting = rows.commit(fill.map((write) => ({ ...write, value: bytes(2), expected: "01" })), ALWAYS);
      const sql = "SELECT count(*)::int AS n FROM pg_locks WHERE NOT granted AND pid <> pg_backend_pid()";
      await until(async () => (await client.query(sql)).rows[0].n > 0, "a statement that waits for a row");
      await other.query("COMMIT");
      assertEquals(await waiting, false);
    } finally {
      other.release();
    }
    assertEquals((await rows.read(keys)).map(({ version }) => version), keys.map((_, i) => i === 1 ? "09" : "01"));
  });
}

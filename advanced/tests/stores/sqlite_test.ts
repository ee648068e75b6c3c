import { assert, assertEquals, assertThrows } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { SqliteStore, type SqliteStoreOptions } from "@sluice/rate-limit/sqlite";
import { Limiter, type LimitOptions, type Policy, type Take } from "../../mod.ts";
import { VirtualClock } from "../../testing.ts";
import { decidesAsMemory } from "../support/random_trace.ts";
import { Takers } from "../support/takers.ts";

const FIXED: Policy = { name: "fixed", algorithm: "fixed-window", limit: 50, windowMs: 60_000 };

/** A database file in a temporary folder. */
class DatabaseFile implements Disposable {
  readonly #folder = Deno.makeTempDirSync();
  readonly path = `${this.#folder}/limits.db`;

  [Symbol.dispose](): void {
    Deno.removeSync(this.#folder, { recursive: true });
  }
}

function rowsOf(database: DatabaseSync): number {
  return (database.prepare("SELECT count(*) AS n FROM sluice_rate_limit_1").get() as { n: number }).n;
}

Deno.test("SqliteStore decides like the memory store, in memory and in a file", async () => {
  using file = new DatabaseFile();
  for (const [path, steps] of [[":memory:", 150], [file.path, 30]] as const) {
    const clock = new VirtualClock();
    const store = new SqliteStore({ database: new DatabaseSync(path), clock: clock.read });
    try {
      assert(await decidesAsMemory(store, clock, 4, steps) > steps * 15);
    } finally {
      store.close();
    }
  }
});

Deno.test("processes that share a file of SQLite admit exactly max, whatever the algorithm", async (t) => {
  using file = new DatabaseFile();
  await using takers = new Takers(2);
  const url = pathToFileURL(file.path).href;
  const windowMs = 2 ** 40;
  const limits: LimitOptions[] = [
    { algorithm: "fixed-window", windowMs, limit: 333 },
    { algorithm: "sliding-window", windowMs, limit: 333 },
    { algorithm: "token-bucket", windowMs, limit: 1, burst: 333 },
  ];
  for (const limit of limits) {
    await t.step(limit.algorithm!, async () => {
      const order = { url, key: "key", limit: { ...limit, name: limit.algorithm! }, coalesce: false };
      assertEquals(await takers.take(1000, order), { admitted: 333, byStore: 1000 });
    });
  }
});

Deno.test("a batch of SqliteStore is granted or refused as a whole, over any number of keys", () => {
  const store = new SqliteStore({ database: new DatabaseSync(":memory:") });
  const takes = Array.from({ length: 25 }, (_, i): Take => ({ policy: FIXED, key: `key ${i}`, cost: 2 }));
  assert(store.decide(takes).every(({ granted, remaining }) => granted === 2 && remaining === 48));
  store.decide([{ policy: FIXED, key: "key 17", cost: 48 }]);
  const refused = store.decide(takes);
  assertEquals(refused.flatMap(({ denied }, i) => denied ? [i] : []), [17]);
  assert(refused.every(({ granted, remaining }, i) => granted === 0 && remaining === (i === 17 ? 0 : 48)));
  store.close();
});

Deno.test("what SqliteStore counted is there when the file is opened again", () => {
  using file = new DatabaseFile();
  for (const left of [40, 30]) {
    const store = new SqliteStore({ database: new DatabaseSync(file.path) });
    assertEquals(store.decide([{ policy: FIXED, key: "a", cost: 10 }])[0]!.remaining, left);
    store.close();
  }
});

Deno.test("expired rows of SqliteStore are removed by fewer decisions than made them, and rows in use are not", () => {
  const clock = new VirtualClock();
  const database = new DatabaseSync(":memory:");
  const store = new SqliteStore({ database, clock: clock.read });
  for (let i = 0; i < 1600; i++) store.decide([{ policy: FIXED, key: `old ${i}`, cost: 1 }]);
  assertEquals(rowsOf(database), 1600);
  clock.advance(FIXED.windowMs + 60_000);
  // 25 sweeps of 64 rows, one that reaches the end, and those in progress
  for (let i = 0; i < 16 * 51; i++) store.decide([{ policy: FIXED, key: `new ${i}`, cost: 1 }]);
  assertEquals(rowsOf(database), 16 * 51);
  assertEquals(store.reset({ policy: "fixed" }), 16 * 51);
  store.close();
});

Deno.test("a refusal of SqliteStore writes nothing to the file", () => {
  using file = new DatabaseFile();
  const database = new DatabaseSync(file.path);
  const other = new DatabaseSync(file.path);
  const store = new SqliteStore({ database });
  store.decide([{ policy: FIXED, key: "a", cost: 50 }]);
  // changes when another connection has written
  const version = () => (other.prepare("PRAGMA data_version").get() as { data_version: number }).data_version;
  const before = version();
  assert(store.decide([{ policy: FIXED, key: "a", cost: 1 }])[0]!.denied);
  store.decide([{ policy: FIXED, key: "b", cost: 0 }]);
  assertEquals(version(), before);
  store.decide([{ policy: FIXED, key: "b", cost: 1 }]);
  assert(version() !== before);
  other.close();
  store.close();
});

Deno.test("a decision of SqliteStore that cannot be written is an error and no grant, and the next one is decided", () => {
  using file = new DatabaseFile();
  const database = new DatabaseSync(file.path);
  database.exec("PRAGMA busy_timeout = 1");
  const store = new SqliteStore({ database });
  store.warm();
  const other = new DatabaseSync(file.path);
  other.exec("BEGIN IMMEDIATE");
  assertThrows(() => store.decide([{ policy: FIXED, key: "a", cost: 1 }]), Error, "database is locked");
  other.exec("ROLLBACK");
  assertEquals(store.decide([{ policy: FIXED, key: "a", cost: 1 }])[0]!.remaining, 49);
  // in the middle of a transaction
  database.exec("CREATE TRIGGER full BEFORE INSERT ON sluice_rate_limit_1 BEGIN SELECT RAISE(ABORT, 'full'); END");
  assertThrows(() => store.decide([{ policy: FIXED, key: "b", cost: 1 }]), Error, "full");
  database.exec("DROP TRIGGER full");
  assertEquals(store.decide([{ policy: FIXED, key: "b", cost: 1 }])[0]!.remaining, 49);
  other.close();
  store.close();
});

Deno.test("every limiter on a SqliteStore may be closed, and the database is closed with the last of them", async () => {
  const database = new DatabaseSync(":memory:");
  const store = new SqliteStore({ database });
  const limiters = ["a", "b"].map((name) => new Limiter({ name, store }));
  await limiters[0]!.close();
  await limiters[0]!.close();
  assertEquals((await limiters[1]!.consume("a")).decidedBy, "store");
  await limiters[1]!.close();
  assertThrows(() => database.exec("SELECT 1"));
});

Deno.test("SqliteStore lists more keys than one page has", async () => {
  const store = new SqliteStore({ database: new DatabaseSync(":memory:") });
  for (let i = 0; i < 250; i++) store.decide([{ policy: FIXED, key: `key ${i}`, cost: 1 }]);
  const keys = new Set<string>();
  for await (const { key, verdict } of store.inspect(FIXED)) {
    assertEquals(verdict.remaining, 49);
    keys.add(key);
  }
  assertEquals(keys.size, 250);
  assertEquals(store.reset({ policy: "fixed" }), 250);
  store.close();
});

Deno.test("SqliteStore lists keys with a NUL whole and once, however many begin alike", async () => {
  const store = new SqliteStore({ database: new DatabaseSync(":memory:") });
  const keys = ["a", "b", "\ufeffa", ...Array.from({ length: 250 }, (_, i) => `a\0${i}`)];
  for (const key of keys) store.decide([{ policy: FIXED, key, cost: 1 }]);
  const listed: string[] = [];
  for await (const { key } of store.inspect(FIXED)) {
    listed.push(key);
    if (listed.length > keys.length) break;
  }
  assertEquals(listed.sort(), keys.sort());
  store.close();
});

Deno.test("options that SqliteStore cannot use are errors that say what to give", () => {
  const database = new DatabaseSync(":memory:");
  const wrong: [unknown, string][] = [
    [{}, "SqliteStore: option database must have the methods exec, prepare and close, not be undefined"],
    [{ database: DatabaseSync }, "not be a function; pass a DatabaseSync of node:sqlite"],
    [{ database: "limits.db" }, "pass a DatabaseSync of node:sqlite, a Database of bun:sqlite"],
    [{ database, table: "limits; DROP TABLE users" }, "SqliteStore: option table must be a name of at most 48"],
    [{ database, clock: 1 }, "SqliteStore: option clock"],
    [{ database, path: "limits.db" }, "path"],
  ];
  for (const [options, part] of wrong) {
    assertThrows(() => new SqliteStore(options as SqliteStoreOptions), TypeError, part);
  }
  const says = 'SqliteStore: option limit of "sliding-log" must be at most 4000, not 4001';
  const store = new SqliteStore({ database });
  assertThrows(() => new Limiter({ store, algorithm: "sliding-log", limit: 4001 }), RangeError, says);
  database.close();
});

import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { PGlite } from "@electric-sql/pglite";
import pg from "pg";
import postgres from "postgres";
import { type PostgresClient, PostgresStore, type PostgresStoreOptions } from "@sluice/rate-limit/postgres";
import { Limiter, type LimitOptions, type Policy, type Take } from "../../mod.ts";
import { VirtualClock } from "../../testing.ts";
import { decidesAsMemory } from "../support/random_trace.ts";
import { Takers } from "../support/takers.ts";

const URL = Deno.env.get("POSTGRES_URL")!;
const FIXED: Policy = { name: "fixed", algorithm: "fixed-window", limit: 50, windowMs: 60_000 };

function aTable(): string {
  return `t${crypto.randomUUID().replaceAll("-", "")}`;
}

/** A pool that counts statements. */
class CountedPool implements AsyncDisposable {
  readonly pool: pg.Pool = new pg.Pool({ connectionString: URL });
  /** Statements so far. */
  statements = 0;
  /** Runs before a statement that writes. */
  meanwhile: (() => Promise<unknown>) | null = null;

  async query(text: string, values: unknown[]): Promise<{ rows: unknown[] }> {
    this.statements++;
    if (text.startsWith("WITH")) await this.meanwhile?.();
    return await this.pool.query(text, values);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.pool.end();
  }
}

/** Every client that the store accepts, each with its own connection. */
const CLIENTS: Record<string, () => Promise<{ client: PostgresClient; close: () => Promise<unknown> }>> = {
  "Pool of pg": () => {
    const client = new pg.Pool({ connectionString: URL });
    return Promise.resolve({ client, close: () => client.end() });
  },
  "statements of pg that are prepared": () => {
    const pool = new pg.Pool({ connectionString: URL });
    const names = new Map<string, string>();
    const client: PostgresClient = {
      query(text, values) {
        if (!names.has(text)) names.set(text, `sluice_${names.size}`);
        return pool.query({ name: names.get(text)!, text, values });
      },
    };
    return Promise.resolve({ client, close: () => pool.end() });
  },
  "Client of pg": async () => {
    const client = new pg.Client({ connectionString: URL });
    await client.connect();
    return { client, close: () => client.end() };
  },
  postgres: () => {
    const client = postgres(URL, { onnotice: () => {} });
    return Promise.resolve({ client, close: () => client.end() });
  },
  PGlite: () => {
    const client = new PGlite();
    return Promise.resolve({ client, close: () => client.close() });
  },
};

for (const [name, connect] of Object.entries(CLIENTS)) {
  Deno.test(`PostgresStore over ${name} decides like the memory store, and batches as one`, async () => {
    const { client, close } = await connect();
    try {
      const clock = new VirtualClock();
      const store = new PostgresStore({ client, table: aTable(), clock: clock.read });
      // in WebAssembly, everything takes longer
      const steps = name === "PGlite" ? 3 : 12;
      assert(await decidesAsMemory(store, clock, 5, steps) > steps * 15);
      const takes = Array.from({ length: 25 }, (_, i): Take => ({ policy: FIXED, key: `key ${i}`, cost: 2 }));
      assert((await store.decide(takes)).every(({ granted, remaining }) => granted === 2 && remaining === 48));
      await store.decide([{ policy: FIXED, key: "key 17", cost: 48 }]);
      const refused = await store.decide(takes);
      assertEquals(refused.flatMap(({ denied }, i) => denied ? [i] : []), [17]);
      assert(refused.every(({ granted, remaining }, i) => granted === 0 && remaining === (i === 17 ? 0 : 48)));
    } finally {
      await close();
    }
  });
}

Deno.test("processes that share a PostgreSQL admit exactly max, whatever the algorithm", async (t) => {
  await using takers = new Takers(2);
  const windowMs = 2 ** 40;
  const limits: LimitOptions[] = [
    { algorithm: "fixed-window", windowMs, limit: 100 },
    { algorithm: "sliding-window", windowMs, limit: 100 },
    { algorithm: "token-bucket", windowMs, limit: 1, burst: 100 },
  ];
  for (const limit of limits) {
    for (const coalesce of [false, true]) {
      await t.step(`${limit.algorithm}${coalesce ? ", merged" : ""}`, async () => {
        const order = { url: URL, key: crypto.randomUUID(), limit: { ...limit, name: limit.algorithm! }, coalesce };
        assertEquals(await takers.take(200, order), { admitted: 100, byStore: 200 });
      });
    }
  }
});

Deno.test("batches of two keys that cross in two connections grant what fits and no more", async () => {
  await using one = new CountedPool();
  await using two = new CountedPool();
  const table = aTable();
  const stores = [one, two].map((client) => new PostgresStore({ client, table, attempts: 1000 }));
  const verdicts = await Promise.all(Array.from({ length: 80 }, async (_, i) => {
    const keys = i % 2 === 0 ? ["a", "b"] : ["b", "a"];
    return await stores[i % 2]!.decide(keys.map((key) => ({ policy: FIXED, key, cost: 1 })));
  }));
  assertEquals(verdicts.filter((both) => both.every(({ granted }) => granted === 1)).length, 50);
  assertEquals(verdicts.filter((both) => both.every(({ granted }) => granted === 0)).length, 30);
});

Deno.test("requests of two connections that are settled at once count exactly what they used", async () => {
  await using one = new CountedPool();
  await using two = new CountedPool();
  const table = aTable();
  const stores = [one, two].map((client) => new PostgresStore({ client, table, attempts: 1000 }));
  const policy: Policy = { name: "debts", algorithm: "sliding-window", limit: 100, windowMs: 2 ** 40, maxDebt: 1000 };
  const take = { policy, key: "key", cost: 5 };
  const used = [0, 3, 5, 8, 40, 2, 1, 10, 12, 2];
  const granted = await Promise.all(used.map(async (_, i) => (await stores[i % 2]!.decide([take]))[0]!));
  const settled = await Promise.all(used.map((units, i) => {
    return stores[i % 2]!.settle(take, granted[i]!.stamp, units - 5);
  }));
  assertEquals(settled.map((verdict) => verdict.granted), used.map((units) => units - 5));
  assertEquals((await stores[0]!.decide([{ ...take, cost: 0 }]))[0]!.remaining, 17);
});

Deno.test("the server's clock decides, whatever that of the process says", async () => {
  await using client = new CountedPool();
  const real = Date.now;
  const store = new PostgresStore({ client, table: aTable() });
  const policy: Policy = { ...FIXED, windowMs: 3_600_000 };
  try {
    assertEquals((await store.decide([{ policy, key: "a", cost: 50 }]))[0]!.granted, 50);
    Date.now = () => real() + 7_200_000;
    assertEquals((await store.decide([{ policy, key: "a", cost: 1 }]))[0]!.granted, 0);
  } finally {
    Date.now = real;
  }
  assertEquals(store.capabilities.clock, "store");
});

Deno.test("a decision takes one statement of PostgreSQL, and a second one if another process has written", async () => {
  await using client = new CountedPool();
  await using other = new CountedPool();
  const table = aTable();
  const store = new PostgresStore({ client, table });
  const rival = new PostgresStore({ client: other, table });
  const policy: Policy = { ...FIXED, maxDebt: 10 };
  const a = { policy, key: "a", cost: 1 };
  const b = { policy: { ...policy, name: "other" }, key: "b", cost: 1 };
  // a process's first decision reads the server's time
  await store.warm();
  await store.decide([{ ...a, key: "first" }]);
  let stamp = 0;
  const steps: [what: string, statements: number, body: () => Promise<unknown>][] = [
    ["the first grant of a key", 1, () => store.decide([a])],
    ["another one", 1, () => store.decide([a])],
    ["two limits at once", 1, () => store.decide([a, b])],
    ["a look", 1, () => store.decide([{ ...a, cost: 0 }])],
    ["a refusal", 1, () => store.decide([{ ...a, cost: 48 }])],
    ["a grant that another process does not know of", 2, async () => {
      assertEquals((await rival.decide([a]))[0]!.remaining, 46);
      const [granted] = await store.decide([a]);
      assertEquals(granted!.remaining, 45);
      stamp = granted!.stamp;
    }],
    ["the one after it, for others seem to use the key", 2, () => store.decide([a])],
    ["a settlement", 1, () => store.settle(a, stamp, 3)],
    ["units that are given back", 1, () => store.give(a, stamp, 1)],
    ["two limits of which another process has used one", 2, async () => {
      assertEquals((await rival.decide([b]))[0]!.remaining, 48);
      assertEquals((await store.decide([a, b])).map(({ remaining }) => remaining), [41, 47]);
    }],
    ["a key that another process has used", 2, async () => {
      await rival.decide([{ ...a, key: "c" }]);
      assertEquals((await store.decide([{ ...a, key: "c" }]))[0]!.remaining, 48);
    }],
    ["a key that another process has reset", 2, async () => {
      assertEquals(await rival.reset({ policy: "fixed", key: "a" }), 1);
      assertEquals((await store.decide([a]))[0]!.remaining, 49);
    }],
  ];
  for (const [what, statements, body] of steps) {
    const before = client.statements;
    await body();
    assertEquals(client.statements - before, statements, what);
  }
});

Deno.test("the keys a limiter is asked for in one turn take one statement, and each is decided if others change one", async () => {
  await using client = new CountedPool();
  await using other = new CountedPool();
  const table = aTable();
  // on a busy machine, the statement would be late by the server's clock, and would be decided again
  const clock = () => 1_700_000_000_000;
  const limiter = new Limiter({
    store: new PostgresStore({ client, table, clock }),
    limit: 5,
    name: "turn",
    timeoutMs: 60_000,
  });
  const rival = new Limiter({ store: new PostgresStore({ client: other, table, clock }), limit: 5, name: "turn" });
  await limiter.warm();
  await limiter.consume("first");
  const keys = Array.from({ length: 20 }, (_, i) => `key ${i}`);
  const before = client.statements;
  assert((await Promise.all(keys.map((key) => limiter.consume(key)))).every(({ remaining }) => remaining === 4));
  assertEquals(client.statements - before, 1);
  client.meanwhile = async () => {
    client.meanwhile = null;
    assertEquals((await rival.consume("key 7")).remaining, 3);
  };
  const decisions = await Promise.all(keys.map((key) => limiter.consume(key)));
  assertEquals(decisions.map(({ remaining }) => remaining), keys.map((key) => key === "key 7" ? 2 : 3));
});

Deno.test("a batch of which another connection changed one row writes nothing and is decided again", async () => {
  await using client = new CountedPool();
  await using other = new CountedPool();
  const table = aTable();
  const store = new PostgresStore({ client, table });
  const rival = new PostgresStore({ client: other, table });
  const takes = ["a", "b"].map((key): Take => ({ policy: FIXED, key, cost: 10 }));
  await store.decide(takes);
  let races = 0;
  client.meanwhile = async () => {
    if (races++ === 0) await rival.decide([{ policy: FIXED, key: "b", cost: 35 }]);
  };
  const verdicts = await store.decide(takes);
  assertEquals([races, ...verdicts.map(({ granted, remaining }) => [granted, remaining])], [1, [0, 40], [0, 5]]);
});

Deno.test("a key that was reset while a decision was made is decided anew", async () => {
  await using client = new CountedPool();
  await using other = new CountedPool();
  const table = aTable();
  const store = new PostgresStore({ client, table });
  const rival = new PostgresStore({ client: other, table });
  await store.decide([{ policy: FIXED, key: "a", cost: 10 }]);
  client.meanwhile = async () => {
    client.meanwhile = null;
    assertEquals(await rival.reset({ policy: "fixed", key: "a" }), 1);
  };
  assertEquals((await store.decide([{ policy: FIXED, key: "a", cost: 1 }]))[0]!.remaining, 49);
});

Deno.test("a decision that PostgreSQL cannot record rejects, and the next one is decided", async () => {
  await using client = new CountedPool();
  const table = aTable();
  const store = new PostgresStore({ client, table });
  await store.warm();
  client.meanwhile = () => Promise.reject(new Error("the server has gone"));
  await assertRejects(() => store.decide([{ policy: FIXED, key: "a", cost: 1 }]), Error, "the server has gone");
  client.meanwhile = null;
  assertEquals((await store.decide([{ policy: FIXED, key: "a", cost: 1 }]))[0]!.remaining, 49);
  // if creating the table fails, it is created later
  let asked = 0;
  const failing = new PostgresStore({
    client: {
      query: (text, values) => asked++ === 0 ? Promise.reject(new Error("starting up")) : client.query(text, values),
    },
    table: aTable(),
  });
  await assertRejects(() => failing.warm(), Error, "starting up");
  assertEquals((await failing.decide([{ policy: FIXED, key: "a", cost: 1 }]))[0]!.remaining, 49);
});

Deno.test("stores that make one table at the same time all make it", async () => {
  const pools = Array.from({ length: 6 }, () => new pg.Pool({ connectionString: URL }));
  const table = aTable();
  await Promise.all(pools.map((client) => new PostgresStore({ client, table }).warm()));
  await Promise.all(pools.map((pool) => pool.end()));
});

Deno.test("expired rows of PostgreSQL are removed by later decisions, and rows in use are not", async () => {
  await using client = new CountedPool();
  const clock = new VirtualClock();
  const table = aTable();
  const store = new PostgresStore({ client, table, clock: clock.read });
  for (let i = 0; i < 40; i++) await store.decide([{ policy: FIXED, key: `old ${i}`, cost: 1 }]);
  clock.advance(FIXED.windowMs + 121_000);
  for (let i = 0; i < 60; i++) await store.decide([{ policy: FIXED, key: `new ${i}`, cost: 1 }]);
  const { rows } = await client.pool.query(`SELECT key FROM ${table}_1 WHERE key LIKE 'old%'`);
  assertEquals(rows, []);
  assertEquals(await store.reset({ policy: "fixed" }), 60);
});

Deno.test("PostgresStore lists more keys than one page has", async () => {
  await using client = new CountedPool();
  const store = new PostgresStore({ client, table: aTable() });
  const takes = Array.from({ length: 250 }, (_, i): Take => ({ policy: FIXED, key: `key ${i}`, cost: 1 }));
  await store.decide(takes);
  const keys = new Set<string>();
  for await (const { key, verdict } of store.inspect(FIXED)) {
    assertEquals(verdict.remaining, 49);
    keys.add(key);
  }
  assertEquals(keys.size, 250);
});

Deno.test("options that PostgresStore cannot use are errors that say what to give", async () => {
  await using client = new CountedPool();
  const wrong: [unknown, string][] = [
    [{}, "PostgresStore: option client must be a Pool or Client of npm:pg"],
    [{ client: "postgres://localhost" }, "not an address: pass it to one of those"],
    [{ client, table: "Limits" }, "PostgresStore: option table must be a name of at most 48"],
    [{ client, clock: 1 }, "PostgresStore: option clock"],
    [{ client, url: "postgres://localhost" }, "url"],
  ];
  for (const [options, part] of wrong) {
    assertThrows(() => new PostgresStore(options as PostgresStoreOptions), TypeError, part);
  }
  assertThrows(() => new PostgresStore({ client, attempts: 0 }), RangeError, "attempts");
  const store = new PostgresStore({ client });
  const says = 'PostgresStore: option limit of "sliding-log" must be at most 4000, not 4001';
  assertThrows(() => new Limiter({ store, algorithm: "sliding-log", limit: 4001 }), RangeError, says);
});

Deno.test("an error of an idle connection does not end the process, until the last store of a pool is closed", async () => {
  const pool = new pg.Pool({ connectionString: URL });
  const [one, other] = [new PostgresStore({ client: pool }), new PostgresStore({ client: pool })];
  const limiter = new Limiter({ limit: 2, store: one });
  assertEquals(pool.listenerCount("error"), 1);
  await limiter.close();
  assertEquals(pool.listenerCount("error"), 1);
  await other.close();
  assertEquals(pool.listenerCount("error"), 0);
  await pool.end();
});

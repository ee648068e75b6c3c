/** The documented Memcached adapter, on a real server. */
import { MemcacheClient } from "memcache-client";
import { fromCompareAndSet, type Policy } from "@sluice/rate-limit";
import { storeContract } from "@sluice/rate-limit/testing";
import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { assertNotLate } from "../../advanced/tests/support/late/assert_not_late.ts";
import { lateDatabase } from "../../advanced/tests/support/late/late_database.ts";
import { MemcachedCounters } from "../../examples/stores/memcached.ts";
import { startMemcached } from "../support/memcached_server.ts";

const POLICY: Policy = { name: "policy", algorithm: "sliding-window", limit: 50, windowMs: 60_000 };

function setUp(server = Deno.env.get("MEMCACHED_ADDRESS")!, prefix = `${crypto.randomUUID()}:`) {
  const client = new MemcacheClient({ server });
  return { store: fromCompareAndSet(new MemcachedCounters(client, prefix), { attempts: 1000 }), client };
}

storeContract(
  {
    name: "the adapter for Memcached",
    make(clock) {
      const client = new MemcacheClient({ server: Deno.env.get("MEMCACHED_ADDRESS")! });
      const counters = new MemcachedCounters(client, `${crypto.randomUUID()}:`);
      const dispose = () => Promise.resolve(client.shutdown());
      return Promise.resolve({ store: fromCompareAndSet(counters, { clock: clock.read }), dispose });
    },
  },
  Deno.test,
  { operations: 300 },
);

Deno.test("processes that share Memcached admit exactly what the limit says", async () => {
  const prefix = `${crypto.randomUUID()}:`;
  const processes = Array.from({ length: 4 }, () => setUp(undefined, prefix));
  const verdicts = await Promise.all(Array.from({ length: 120 }, async (_, i) => {
    return (await processes[i % 4]!.store.decide([{ policy: POLICY, key: "a", cost: 1 }]))[0]!;
  }));
  assertEquals(verdicts.filter(({ granted }) => granted === 1).length, 50);
  for (const { client } of processes) client.shutdown();
});

Deno.test("Memcached grants as much as is documented while commands and replies are late by up to a second", async () => {
  const prefix = `${crypto.randomUUID()}:`;
  const port = Number(Deno.env.get("MEMCACHED_ADDRESS")!.split(":")[1]);
  const subject = lateDatabase("Memcached", port, (port) => {
    const client = new MemcacheClient({ server: `127.0.0.1:${port}` });
    return { database: new MemcachedCounters(client, prefix), close: () => client.shutdown() };
  });
  await assertNotLate(subject, 6);
});

Deno.test("an item in Memcached is kept as long as the longest of its limits, even beyond a month", async () => {
  const { store, client } = setUp();
  const year: Policy = { ...POLICY, name: "year", windowMs: 365 * 86_400_000 };
  const second: Policy = { ...POLICY, name: "second", windowMs: 1000 };
  await store.decide([{ policy: year, key: "a", cost: 20 }, { policy: second, key: "a", cost: 1 }]);
  await store.decide([{ policy: second, key: "a", cost: 1 }]);
  assertEquals((await store.decide([{ policy: year, key: "a", cost: 0 }]))[0]!.remaining, 30);
  client.shutdown();
});

Deno.test("without keys to list, a policy of Memcached is not reset as a whole", async () => {
  const { store, client } = setUp();
  assertEquals([store.inspect, store.capabilities.atomicBatch], [undefined, "same-key"]);
  await store.decide([{ policy: POLICY, key: "a", cost: 1 }]);
  await assertRejects(async () => await store.reset({ policy: "policy" }), TypeError, "name a key");
  assertEquals(await store.reset({ policy: "policy", key: "a" }), 1);
  client.shutdown();
});

Deno.test("what Memcached evicts is forgotten, as the page says", async () => {
  const server = await startMemcached(["-m", "2", "-I", "512k"]);
  const client = new MemcacheClient({ server: server.address });
  const counters = new MemcachedCounters(client);
  const store = fromCompareAndSet(counters);
  await store.decide([{ policy: POLICY, key: "a", cost: 50 }]);
  const [mine] = await Array.fromAsync(counters.list("policy", "a"));
  const [policy, , shape] = mine!.key;
  // several times as many other keys as fit in memory
  const expected = { cas: null, states: {} };
  for (let i = 0; i < 20_000; i += 500) {
    await Promise.all(Array.from({ length: 500 }, (_, n) => {
      return counters.commit([{ key: [policy, `${i + n}`, shape], value: mine!.value, expected, ttlMs: 60_000 }]);
    }));
  }
  assertEquals((await store.decide([{ policy: POLICY, key: "a", cost: 0 }]))[0]!.remaining, 50);
  client.shutdown();
  await server.stop();
});

Deno.test("the page of other databases prints the adapter for Memcached as it is", async () => {
  const page = await Deno.readTextFile(new URL("../../docs/limits/other-stores.md", import.meta.url));
  const adapter = await Deno.readTextFile(new URL("../../examples/stores/memcached.ts", import.meta.url));
  assertStringIncludes(page, `\`\`\`ts [memcached.ts]\n${adapter}\`\`\`\n`);
});

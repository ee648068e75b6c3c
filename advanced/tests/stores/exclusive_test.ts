import { assert, assertEquals, assertRejects } from "@std/assert";
import { dropExpired } from "@sluice/rate-limit";
import type { Policy } from "../../src/policy/policy.ts";
import { type ExclusiveOptions, fromExclusive, type RunExclusive } from "../../src/stores/exclusive_store.ts";
import { MemoryStore } from "../../src/stores/memory_store.ts";
import type { StateRecords } from "../../src/stores/partition_records.ts";
import type { Take, Verdict } from "../../src/policy/store.ts";
import { VirtualClock } from "../../src/testing/virtual_clock.ts";
import { seededRandom } from "../../src/testing/seeded_random.ts";
import { decidesAsMemory, PLAIN, policyNamed } from "../support/random_trace.ts";

function setUp(options: ExclusiveOptions = {}) {
  const clock = new VirtualClock();
  const partitions = new Map<string, Map<string, Float64Array>>();
  const runs: string[] = [];
  const run: RunExclusive = (partition, body) => {
    runs.push(partition);
    let records = partitions.get(partition);
    if (records === undefined) partitions.set(partition, records = new Map());
    return body(records, clock.now);
  };
  return { clock, partitions, runs, run, store: fromExclusive(run, options) };
}

const FIXED = policyNamed("fixed");
const LOG = policyNamed("log");

Deno.test("decides like the memory store, with every algorithm and consequence, singly and in batches of one key", async () => {
  const { store, clock } = setUp();
  assert(await decidesAsMemory(store, clock, 4, 300) > 5000);
});

Deno.test("batches of several keys grant what the memory store grants, with the same remaining", async () => {
  const { store, clock } = setUp();
  const memory = new MemoryStore({ clock: clock.read });
  const pick = seededRandom(5);
  let refusals = 0;
  for (let step = 0; step < 4000; step++) {
    clock.advance(pick(60));
    // the charge or extension for a refusal depends on units held temporarily only if a part was granted
    const first = pick(PLAIN.length);
    const takes = [0, 1, 2].map((n): Take => {
      const policy = PLAIN[(first + n) % PLAIN.length]!;
      return { policy, key: `${n} ${pick(2)}`, cost: pick(3), shadow: pick(8) === 0 };
    });
    const times = 1 + pick(2);
    const short = ({ granted, denied, remaining, limit, blocked }: Verdict) => (
      { granted, denied, remaining, limit, blocked }
    );
    const expected = memory.decide(takes, times).map(short);
    assertEquals({ step, verdicts: (await store.decide(takes, times)).map(short) }, { step, verdicts: expected });
    if (expected.some(({ denied }) => denied)) refusals++;
  }
  assert(refusals > 400, `${refusals}`);
});

Deno.test("a batch of one key is answered synchronously if access is synchronous", () => {
  const { store } = setUp();
  const verdicts = store.decide([{ policy: FIXED, key: "a", cost: 1 }, { policy: LOG, key: "a", cost: 1 }]);
  assert(Array.isArray(verdicts));
  assertEquals(verdicts.map(({ granted }) => granted), [1, 1]);
});

Deno.test("every key has one exclusive section for a grant, and one more if something is refunded", async () => {
  const { store, runs } = setUp();
  const takes: Take[] = [{ policy: FIXED, key: "a", cost: 4 }, { policy: FIXED, key: "b", cost: 1 }];
  await store.decide(takes);
  assertEquals(runs.splice(0), ["a", "b"]);
  const verdicts = await store.decide(takes);
  assertEquals(runs, ["a", "b", "b"]);
  assertEquals(verdicts.map(({ granted, denied, remaining }) => [granted, denied, remaining]), [
    [0, true, 2],
    [0, false, 5],
  ]);
});

Deno.test("granted units are refunded when another key fails", async () => {
  const { run } = setUp();
  const store = fromExclusive(async (partition, body) => {
    await Promise.resolve();
    if (partition === "broken") throw new Error("no access");
    return run(partition, body);
  });
  const takes: Take[] = [{ policy: FIXED, key: "a", cost: 4 }, { policy: FIXED, key: "broken", cost: 1 }];
  await assertRejects(async () => await store.decide(takes), Error, "no access");
  assertEquals((await store.decide([{ policy: FIXED, key: "a", cost: 0 }]))[0]!.remaining, 6);
});

Deno.test("the capabilities say that only batches of one key are atomic", () => {
  assertEquals(setUp().store.capabilities.atomicBatch, "same-key");
});

Deno.test("a refusal that writes nothing writes nothing", async () => {
  const { partitions, store } = setUp();
  await store.decide([{ policy: FIXED, key: "a", cost: 6 }]);
  const records: StateRecords = partitions.get("a")!;
  records.set = () => {
    throw new Error("written");
  };
  assertEquals((await store.decide([{ policy: FIXED, key: "a", cost: 1 }]))[0]!.denied, true);
});

Deno.test("reset and inspect without a key iterate over the partitions", async () => {
  const listed: string[] = [];
  const { store, clock } = setUp({ partitions: () => listed });
  for (const key of ["a", "b", "c"]) {
    listed.push(key);
    await store.decide([{ policy: FIXED, key, cost: 2 }]);
  }
  await store.decide([{ policy: LOG, key: "a", cost: 1 }]);
  const keys = async (policy: Policy) => {
    const found: string[] = [];
    for await (const { key } of store.inspect!(policy)) found.push(key);
    return found;
  };
  assertEquals(await store.reset({ policy: "fixed", key: "b" }), 1);
  assertEquals(await keys(FIXED), ["a", "c"]);
  assertEquals(await store.reset({ policy: "fixed" }), 2);
  assertEquals(await keys(LOG), ["a"]);
  clock.advance(LOG.windowMs);
  assertEquals(await keys(LOG), []);
});

Deno.test("without a list of partitions reset needs a key, and there is no inspect", async () => {
  const { store } = setUp();
  await assertRejects(async () => await store.reset({ policy: "fixed" }), TypeError, "name a key");
  assertEquals(store.inspect, undefined);
});

Deno.test("a policy's name may look like the name of a record", async () => {
  const { store } = setUp();
  const odd = { ...FIXED, name: "fixed-window/2/fixed" };
  await store.decide([{ policy: odd, key: "a", cost: 1 }, { policy: FIXED, key: "a", cost: 1 }]);
  assertEquals(await store.reset({ policy: "fixed", key: "a" }), 1);
  assertEquals((await store.decide([{ policy: odd, key: "a", cost: 0 }]))[0]!.remaining, 5);
});

Deno.test("dropExpired deletes expired records and returns when the rest expire", async () => {
  const { partitions, store, clock } = setUp();
  await store.decide([{ policy: FIXED, key: "a", cost: 1 }, { policy: LOG, key: "a", cost: 1 }]);
  const records = partitions.get("a")!;
  const start = clock.now;
  assertEquals(dropExpired(records, start + 799), start + 1000);
  assertEquals(records.size, 2);
  assertEquals(dropExpired(records, start + 800), start + 1000);
  assertEquals([...records.keys()], ["fixed-window/2/fixed"]);
  assertEquals(dropExpired(records, start + 1000), 0);
  assertEquals(records.size, 0);
});

Deno.test("partitions that disappear and reappear while they are listed or reset are handled once", async () => {
  const { partitions, run } = setUp();
  const policy = FIXED;
  let runs = 0;
  const again: RunExclusive = (partition, body) => {
    if (runs++ > 10) throw new Error("without end");
    const result = run(partition, body);
    // as when an empty partition is dropped and its client returns immediately
    const records = partitions.get(partition)!;
    partitions.delete(partition);
    partitions.set(partition, records);
    return result;
  };
  const store = fromExclusive(again, { partitions: () => partitions.keys() });
  for (const key of ["a", "b"]) await store.decide([{ policy, key, cost: 1 }]);
  const listed: string[] = [];
  for await (const { key } of store.inspect!(policy)) listed.push(key);
  assertEquals(listed, ["a", "b"]);
  assertEquals(await store.reset({ policy: policy.name }), 2);
});

import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import type { Policy } from "../../src/policy/policy.ts";
import type {
  CompareAndSet,
  ListedValue,
  StateKey,
  StateWrite,
  VersionedValue,
} from "../../src/stores/compare_and_set.ts";
import { type CompareAndSetOptions, fromCompareAndSet } from "../../src/stores/compare_and_set_store.ts";
import type { Entry } from "../../src/policy/store.ts";
import { VirtualClock } from "../../src/testing/virtual_clock.ts";
import { decidesAsMemory, policyNamed } from "../support/random_trace.ts";

/** An in-memory database that counts its commits and can simulate lost races. */
class FakeDatabase implements CompareAndSet {
  readonly values = new Map<string, { key: StateKey; value: Uint8Array; version: number }>();
  commits: (readonly StateWrite[])[] = [];
  version = 0;
  /** Called between a read and the next commit. */
  meanwhile: (() => void) | null = null;
  async read(keys: readonly StateKey[]): Promise<VersionedValue[]> {
    await Promise.resolve();
    return keys.map((key) => this.values.get(JSON.stringify(key)) ?? { value: null, version: null });
  }
  async commit(writes: readonly StateWrite[]): Promise<boolean> {
    await Promise.resolve();
    this.meanwhile?.();
    const fresh = ({ key, expected }: StateWrite) =>
      (this.values.get(JSON.stringify(key))?.version ?? null) === expected;
    if (!writes.every(fresh)) return false;
    this.commits.push(writes);
    for (const { key, value } of writes) {
      if (value === null) this.values.delete(JSON.stringify(key));
      else this.values.set(JSON.stringify(key), { key, value: value.slice(), version: ++this.version });
    }
    return true;
  }
  delete(key: StateKey): void {
    this.values.delete(JSON.stringify(key));
  }
  async *list(policy: string, key?: string): AsyncGenerator<ListedValue> {
    for (const entry of [...this.values.values()]) {
      if (entry.key[0] === policy && (key === undefined || entry.key[1] === key)) yield entry;
    }
  }
  /** Changes all versions, as rewriting the same values would. */
  touch(): void {
    for (const entry of this.values.values()) entry.version = ++this.version;
  }
}

function setUp(options: CompareAndSetOptions = {}) {
  const clock = new VirtualClock();
  const database = new FakeDatabase();
  const store = fromCompareAndSet(database, { clock: clock.read, pause: () => {}, ...options });
  return { clock, database, store };
}

const FIXED = policyNamed("fixed");
const LOG = policyNamed("log");

Deno.test("decides like the memory store, with every algorithm and consequence, singly and in batches", async () => {
  const { store, clock } = setUp();
  assert(await decidesAsMemory(store, clock, 1, 300) > 5000);
});

Deno.test("a refusal that writes nothing commits nothing", async () => {
  const { store, database } = setUp();
  await store.decide([{ policy: FIXED, key: "a", cost: 6 }, { policy: LOG, key: "a", cost: 1 }]);
  assertEquals(database.commits.map(({ length }) => length), [2]);
  const [refused] = await store.decide([{ policy: FIXED, key: "a", cost: 1 }, { policy: LOG, key: "a", cost: 1 }]);
  assert(refused!.denied);
  await store.decide([{ policy: FIXED, key: "a", cost: 0 }]);
  assertEquals(database.commits.length, 1);
});

Deno.test("a batch of two keys is one commit", async () => {
  const { store, database } = setUp();
  await store.decide([{ policy: FIXED, key: "a", cost: 1 }, { policy: LOG, key: "b", cost: 1 }]);
  assertEquals(database.commits.map((writes) => writes.map(({ key }) => key)), [
    [["fixed", "a", "fixed-window/2"], ["log", "b", "sliding-log/0"]],
  ]);
});

Deno.test("a lost race is retried on the winner's state", async () => {
  const { store, database, clock } = setUp();
  const rival = fromCompareAndSet(database, { clock: clock.read });
  await store.decide([{ policy: FIXED, key: "a", cost: 5 }]);
  let races = 0;
  const values = database.values;
  database.meanwhile = () => {
    if (races++ === 0) database.touch();
  };
  const [granted] = await store.decide([{ policy: FIXED, key: "a", cost: 1 }]);
  assertEquals([races, granted!.granted, granted!.remaining], [2, 1, 0]);
  assertEquals(values.size, 1);
  const [refused] = await rival.decide([{ policy: FIXED, key: "a", cost: 1 }]);
  assertEquals(refused!.granted, 0);
});

Deno.test("a race lost ten times is an error, not a grant, and each pause may be longer than the last", async () => {
  const pauses: number[] = [];
  const { store, database } = setUp({ pause: (ms) => void pauses.push(ms) });
  await store.decide([{ policy: FIXED, key: "a", cost: 1 }]);
  database.meanwhile = () => database.touch();
  const error = await assertRejects(async () => await store.decide([{ policy: FIXED, key: "a", cost: 1 }]), Error);
  assertStringIncludes(error.message, 'store.decide: others changed a key of "fixed" during each of 10 attempts');
  assertEquals(pauses.length, 9);
  pauses.forEach((ms, i) => assert(ms >= 0 && ms <= Math.min(100, 2 ** (i + 1))));
  database.meanwhile = null;
  assertEquals((await store.decide([{ policy: FIXED, key: "a", cost: 0 }]))[0]!.remaining, 5);
});

Deno.test("of two hundred concurrent takes in four processes with a limit of fifty, exactly fifty are admitted", async () => {
  const { database, clock } = setUp();
  const policy: Policy = { ...FIXED, limit: 50 };
  const pause = () => new Promise<void>((resolve) => queueMicrotask(resolve));
  const stores = Array.from({ length: 4 }, () => {
    return fromCompareAndSet(database, { clock: clock.read, attempts: 300, pause });
  });
  const verdicts = await Promise.all(Array.from({ length: 200 }, async (_, i) => {
    return (await stores[i % 4]!.decide([{ policy, key: "a", cost: 1 }]))[0]!;
  }));
  assertEquals(verdicts.filter(({ granted }) => granted === 1).length, 50);
  assertEquals(verdicts.filter(({ denied }) => denied).length, 150);
});

Deno.test("reset forgets one key or all of a policy, and returns how many were in use", async () => {
  const { store, clock } = setUp();
  for (const key of ["a", "b", "c"]) await store.decide([{ policy: FIXED, key, cost: 1 }]);
  await store.decide([{ policy: LOG, key: "a", cost: 1 }]);
  assertEquals(await store.reset({ policy: "fixed", key: "a" }), 1);
  assertEquals(await store.reset({ policy: "fixed", key: "a" }), 0);
  assertEquals(await store.reset({ policy: "fixed" }), 2);
  assertEquals((await store.decide([{ policy: LOG, key: "a", cost: 0 }]))[0]!.remaining, 4);
  clock.advance(LOG.windowMs);
  assertEquals(await store.reset({ policy: "log" }), 0);
});

Deno.test("inspect lists the keys in use with what peek would return", async () => {
  const { store, clock } = setUp();
  await store.decide([{ policy: FIXED, key: "a", cost: 2 }]);
  clock.advance(600);
  await store.decide([{ policy: FIXED, key: "b", cost: 1 }]);
  clock.advance(500);
  const entries: Entry[] = [];
  for await (const entry of store.inspect!(FIXED)) entries.push(entry);
  assertEquals(entries.map(({ key, verdict }) => [key, verdict.remaining]), [["b", 5]]);
});

Deno.test("a state of another shape counts as an unused key, and is still there when the old policy returns", async () => {
  const { store } = setUp();
  const sliding = policyNamed("sliding");
  await store.decide([{ policy: sliding, key: "a", cost: 5 }]);
  const finer = { ...sliding, buckets: 8 };
  assertEquals((await store.decide([{ policy: finer, key: "a", cost: 1 }]))[0]!.remaining, 4);
  assertEquals((await store.decide([{ policy: sliding, key: "a", cost: 0 }]))[0]!.remaining, 0);
});

Deno.test("units that a longer window still covers count, even if they had expired under a shorter one", async () => {
  const { store, clock } = setUp();
  await store.decide([{ policy: LOG, key: "a", cost: 5 }]);
  clock.advance(LOG.windowMs + 100);
  const longer = { ...LOG, windowMs: LOG.windowMs * 2 };
  assertEquals((await store.decide([{ policy: longer, key: "a", cost: 1 }]))[0]!.granted, 0);
});

Deno.test("bytes that are not a valid record count as an unused key", async () => {
  const { store, database } = setUp();
  const key: StateKey = ["fixed", "a", "fixed-window/2"];
  for (const value of [new Uint8Array(3), new Uint8Array(80).fill(255), new TextEncoder().encode("x".repeat(64))]) {
    database.values.set(JSON.stringify(key), { key, value, version: ++database.version });
    assertEquals((await store.decide([{ policy: FIXED, key: "a", cost: 1 }]))[0]!.remaining, 5);
  }
});

Deno.test("requests of several processes that are settled at the same time count exactly what they used", async () => {
  const clock = new VirtualClock();
  const database = new FakeDatabase();
  // each has its own queue, so that only versions keep them apart
  const stores = Array.from({ length: 4 }, () => {
    return fromCompareAndSet(database, { clock: clock.read, pause: () => {}, attempts: 1000 });
  });
  const algorithms = ["fixed-window", "sliding-window", "sliding-log", "sliding-approximate", "token-bucket"] as const;
  for (const algorithm of algorithms) {
    const policy: Policy = { name: algorithm, algorithm, limit: 100, windowMs: 60_000, maxDebt: 1000 };
    const take = { policy, key: "key", cost: 5 };
    const used = [0, 3, 5, 8, 40, 70, 1, 90, 12, 2];
    const granted = await Promise.all(used.map(async (_, i) => (await stores[i % 4]!.decide([take]))[0]!));
    const settled = await Promise.all(used.map((units, i) => {
      return stores[i % 4]!.settle!(take, granted[i]!.stamp, units - 5);
    }));
    assertEquals(settled.map((verdict) => verdict.granted), used.map((units) => units - 5), algorithm);
    // 231 units are used with a limit of 100: one is free once 132 have been paid off, and none at 131
    const [before] = await stores[0]!.decide([{ ...take, cost: 1 }]);
    const twin = { ...take, key: `${algorithm} twin` };
    const [one] = await stores[0]!.decide([twin]);
    await stores[0]!.settle!(twin, one!.stamp, 226);
    const [its] = await stores[0]!.decide([{ ...twin, cost: 1 }]);
    assertEquals([before!.remaining, before!.retryAfterMs], [0, its!.retryAfterMs], algorithm);
  }
});

Deno.test("an estimate is given back by its process, whichever of them has a clock that is ahead", async () => {
  const clock = new VirtualClock();
  const database = new FakeDatabase();
  const stores = [50, 0].map((aheadMs) => fromCompareAndSet(database, { clock: () => clock.now + aheadMs }));
  // not "fixed-window", whose end another process shortens to a window from its own time
  for (const algorithm of ["sliding-window", "sliding-log", "sliding-approximate"] as const) {
    const policy: Policy = { name: algorithm, algorithm, limit: 20, windowMs: 1000, maxDebt: 9 };
    const take = { policy, key: "key", cost: 5 };
    const granted = [(await stores[0]!.decide([take]))[0]!, (await stores[1]!.decide([take]))[0]!];
    const settled = [1, 0].map((i) => stores[i]!.settle!(take, granted[i]!.stamp, -4));
    assertEquals((await Promise.all(settled)).map((verdict) => verdict.granted), [-4, -4], algorithm);
  }
});

Deno.test("a settlement that cannot be recorded rejects", async () => {
  const { database, store } = setUp({ attempts: 3 });
  const policy: Policy = { name: "policy", algorithm: "fixed-window", limit: 5, windowMs: 1000, maxDebt: 5 };
  const [granted] = await store.decide([{ policy, key: "key", cost: 1 }]);
  database.meanwhile = () => database.touch();
  await assertRejects(
    async () => await store.settle!({ policy, key: "key", cost: 1 }, granted!.stamp, 3),
    Error,
    'store.settle: others changed a key of "policy" during each of 3 attempts',
  );
});

Deno.test("a database that tells its time is counted by it, in decisions, lists and resets", async () => {
  const server = new VirtualClock();
  const database = new FakeDatabase();
  const timed: CompareAndSet = {
    read: async (keys) => (await database.read(keys)).map((value) => ({ ...value, now: server.read() })),
    commit: (writes) => database.commit(writes),
    delete: (key) => database.delete(key),
    async *list(policy, key) {
      for await (const value of database.list(policy, key)) yield { ...value, now: server.read() };
    },
  };
  // the process's clock is a year behind
  const store = fromCompareAndSet(timed, { clock: () => server.read() - 365 * 86_400_000 });
  for (const key of ["a", "b"]) await store.decide([{ policy: FIXED, key, cost: 6 }]);
  assertEquals((await store.decide([{ policy: FIXED, key: "a", cost: 1 }]))[0]!.retryAfterMs, FIXED.windowMs);
  server.advance(FIXED.windowMs);
  assertEquals((await store.decide([{ policy: FIXED, key: "a", cost: 1 }]))[0]!.remaining, 5);
  const keys: string[] = [];
  for await (const { key } of store.inspect!(FIXED)) keys.push(key);
  assertEquals(keys, ["a"]);
  assertEquals(await store.reset({ policy: "fixed" }), 1);
});

/** A database that writes all of a key's values as one, and cannot list without a key. */
class KeyedDatabase extends FakeDatabase {
  readonly atomicBatch = "same-key";
  readonly listsByKey = true;
  override async read(keys: readonly StateKey[]): Promise<VersionedValue[]> {
    assertEquals(new Set(keys.map(([, key]) => key)).size, 1);
    return await super.read(keys);
  }
  override async commit(writes: readonly StateWrite[]): Promise<boolean> {
    assertEquals(new Set(writes.map(({ key: [, key] }) => key)).size, 1);
    return await super.commit(writes);
  }
}

Deno.test("a database that writes one key at a time decides limits of a key as one, and keys side by side", async () => {
  const clock = new VirtualClock();
  const database = new KeyedDatabase();
  const store = fromCompareAndSet(database, { clock: clock.read });
  assertEquals(store.capabilities.atomicBatch, "same-key");
  await store.decide([{ policy: FIXED, key: "a", cost: 2 }, { policy: LOG, key: "a", cost: 2 }]);
  assertEquals(database.commits.map((writes) => writes.length), [2]);
  await store.decide([{ policy: FIXED, key: "a", cost: 2 }, { policy: LOG, key: "b", cost: 2 }]);
  assertEquals(database.commits.map((writes) => writes.length), [2, 1, 1]);
  // a refusal for one key refunds the other key
  const both = await store.decide([{ policy: FIXED, key: "a", cost: 3 }, { policy: LOG, key: "b", cost: 3 }]);
  assertEquals(both.map(({ granted, denied, remaining }) => [granted, denied, remaining]), [[0, true, 2], [
    0,
    false,
    3,
  ]]);
  const peeked = await store.decide([{ policy: FIXED, key: "a", cost: 0 }, { policy: LOG, key: "b", cost: 0 }]);
  assertEquals(peeked.map(({ remaining }) => remaining), [2, 3]);
});

Deno.test("a store whose database lists no keys has none to inspect, and resets one key at a time", async () => {
  const store = fromCompareAndSet(new KeyedDatabase(), { clock: new VirtualClock().read });
  await store.decide([{ policy: FIXED, key: "a", cost: 1 }]);
  assertEquals(store.inspect, undefined);
  await assertRejects(
    async () => await store.reset({ policy: "fixed" }),
    TypeError,
    `store.reset: this store can't list the keys of policy "fixed"; name a key`,
  );
  assertEquals(await store.reset({ policy: "fixed", key: "a" }), 1);
});

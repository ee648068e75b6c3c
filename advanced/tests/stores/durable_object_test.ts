import { assert, assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { Limiter } from "../../src/limiter/limiter.ts";
import { DurableObjectStore, type DurableObjectStoreOptions } from "../../src/stores/durable_object_store.ts";
import { type DurableObjectStorageLike, RateLimitObject } from "../../src/stores/rate_limit_object.ts";
import type { Store, Take } from "../../src/policy/store.ts";
import { VirtualClock } from "../../src/testing/virtual_clock.ts";
import { decidesAsMemory, policyNamed } from "../support/random_trace.ts";

/** An in-memory storage, with an alarm that the test triggers. */
class FakeStorage implements DurableObjectStorageLike {
  readonly values = new Map<string, Float64Array>();
  writes = 0;
  alarmAt: number | null = null;
  broken = false;
  async list(): Promise<Map<string, unknown>> {
    await this.#access();
    return new Map(this.values);
  }
  async put(name: string, value: Float64Array): Promise<void> {
    const copy = structuredClone(value);
    await this.#access();
    this.values.set(name, copy);
    this.writes++;
  }
  async delete(name: string): Promise<boolean> {
    await this.#access();
    this.writes++;
    return this.values.delete(name);
  }
  async getAlarm(): Promise<number | null> {
    await this.#access();
    return this.alarmAt;
  }
  async setAlarm(time: number): Promise<void> {
    await this.#access();
    this.alarmAt = time;
  }
  async #access(): Promise<void> {
    await Promise.resolve();
    if (this.broken) throw new Error("storage is broken");
  }
}

/** An in-memory namespace, whose objects can be evicted. */
function setUp() {
  const clock = new VirtualClock();
  const storages = new Map<string, FakeStorage>();
  const objects = new Map<string, RateLimitObject>();
  const storageOf = (name: string) => {
    const storage = storages.get(name) ?? new FakeStorage();
    storages.set(name, storage);
    return storage;
  };
  const objectOf = (name: string) => {
    const object = objects.get(name) ?? new RateLimitObject({ storage: storageOf(name) }, {}, clock.read);
    objects.set(name, object);
    return object;
  };
  const namespace = {
    idFromName: (name: string) => ({ name }),
    get: ({ name }: { name: string }) => ({
      fetch: async (url: string, init: RequestInit) => {
        try {
          return await objectOf(name).fetch(new Request(url, init));
        } catch (error) {
          return new Response(String(error), { status: 500 });
        }
      },
    }),
  };
  /** Triggers an object's alarm when it is due, as the runtime does. */
  const ring = async (name: string) => {
    const storage = storageOf(name);
    if (storage.alarmAt === null || storage.alarmAt > clock.now) return false;
    storage.alarmAt = null;
    await objectOf(name).alarm();
    return true;
  };
  return { clock, storages, storageOf, objectOf, ring, evict: () => objects.clear(), namespace };
}

const FIXED = policyNamed("fixed");
const LOG = policyNamed("log");

Deno.test("decides like the memory store, with every algorithm and consequence, singly and in batches of one key", async () => {
  const { namespace, clock } = setUp();
  assert(await decidesAsMemory(new DurableObjectStore({ namespace }), clock, 6, 200) > 3500);
});

Deno.test("a limit whose log is too long for an object's storage is refused at construction", () => {
  const store = new DurableObjectStore({ namespace: setUp().namespace });
  const says = 'DurableObjectStore: option limit of "sliding-log" must be at most 4000, not 4001';
  assertThrows(() => new Limiter({ store, algorithm: "sliding-log", limit: 4001 }), RangeError, says);
  new Limiter({ store, algorithm: "sliding-log", limit: 4000 });
});

Deno.test("decides like the memory store when objects are evicted and alarms fire", async () => {
  const { namespace, clock, evict, ring, storages } = setUp();
  const store = new DurableObjectStore({ namespace });
  let asked = 0;
  let rung = 0;
  const interrupted: Store = {
    capabilities: store.capabilities,
    async decide(takes, times) {
      for (const name of storages.keys()) if (await ring(name)) rung++;
      if (++asked % 3 === 0) evict();
      return await store.decide(takes, times);
    },
    give: (take, stamp, amount) => store.give(take, stamp, amount),
    settle: (take, stamp, change) => store.settle(take, stamp, change),
    reset: (selector) => store.reset(selector),
  };
  assert(await decidesAsMemory(interrupted, clock, 7, 120) > 2000);
  assert(rung > 100, `${rung}`);
});

Deno.test("a batch of several keys is refused as a whole, and refunds what was granted", async () => {
  const { namespace } = setUp();
  const store = new DurableObjectStore({ namespace });
  const takes: Take[] = [{ policy: FIXED, key: "a", cost: 4 }, { policy: FIXED, key: "b", cost: 1 }];
  await store.decide(takes);
  const verdicts = await store.decide(takes);
  assertEquals(verdicts.map(({ granted, denied }) => [granted, denied]), [[0, true], [0, false]]);
  assertEquals((await store.decide([{ policy: FIXED, key: "b", cost: 0 }]))[0]!.remaining, 5);
});

Deno.test("of two hundred concurrent takes, exactly fifty are admitted", async () => {
  const { namespace } = setUp();
  const store = new DurableObjectStore({ namespace });
  const policy = { ...FIXED, limit: 50 };
  const verdicts = await Promise.all(
    Array.from({ length: 200 }, async () => (await store.decide([{ policy, key: "a", cost: 1 }]))[0]!),
  );
  assertEquals(verdicts.filter(({ granted }) => granted === 1).length, 50);
});

Deno.test("a cost that never fits has an infinite wait", async () => {
  const { namespace } = setUp();
  const [verdict] = await new DurableObjectStore({ namespace }).decide([{ policy: FIXED, key: "a", cost: 7 }]);
  assertEquals(verdict!.retryAfterMs, Infinity);
});

Deno.test("a refusal that writes nothing stores nothing", async () => {
  const { namespace, storageOf } = setUp();
  const store = new DurableObjectStore({ namespace });
  await store.decide([{ policy: FIXED, key: "a", cost: 6 }]);
  assertEquals(storageOf("a").writes, 1);
  await store.decide([{ policy: FIXED, key: "a", cost: 1 }]);
  assertEquals(storageOf("a").writes, 1);
});

Deno.test("the alarm deletes what expired a second ago, and is set again for the rest", async () => {
  const { namespace, storageOf, clock, ring } = setUp();
  const store = new DurableObjectStore({ namespace });
  await store.decide([{ policy: LOG, key: "a", cost: 1 }]);
  const start = clock.now;
  assertEquals(storageOf("a").alarmAt, start + 1800);
  clock.advance(900);
  await store.decide([{ policy: FIXED, key: "a", cost: 1 }]);
  assertEquals(storageOf("a").alarmAt, start + 1800);
  clock.advance(900);
  assert(await ring("a"));
  assertEquals([...storageOf("a").values.keys()], ["fixed-window/2/fixed"]);
  assertEquals(storageOf("a").alarmAt, start + 2900);
  clock.advance(1100);
  assert(await ring("a"));
  assertEquals([storageOf("a").values.size, storageOf("a").alarmAt], [0, null]);
});

Deno.test("an alarm that the runtime lost is set again by the next write", async () => {
  const { namespace, storageOf, clock, evict } = setUp();
  const store = new DurableObjectStore({ namespace });
  await store.decide([{ policy: LOG, key: "a", cost: 1 }]);
  clock.advance(60_000);
  evict();
  await store.decide([{ policy: LOG, key: "a", cost: 1 }]);
  assertEquals(storageOf("a").alarmAt, clock.now + 1800);
});

Deno.test("an object without alarms works too", async () => {
  const storage: DurableObjectStorageLike = {
    list: () => Promise.resolve(new Map()),
    put: () => Promise.resolve(),
    delete: () => Promise.resolve(true),
  };
  const object = new RateLimitObject({ storage });
  const body = JSON.stringify({ verb: "decide", takes: [{ policy: FIXED, key: "a", cost: 1 }], times: 1 });
  const response = await object.fetch(new Request("https://object.test", { method: "POST", body }));
  assertEquals((await response.json())[0].granted, 1);
});

Deno.test("a failed write is an error, and the object recovers", async () => {
  const { namespace, storageOf } = setUp();
  const store = new DurableObjectStore({ namespace });
  const take: Take = { policy: FIXED, key: "a", cost: 1 };
  storageOf("a").broken = true;
  const error = await assertRejects(() => store.decide([take]), Error);
  assertStringIncludes(error.message, "store.decide: the Durable Object replied with 500: Error: storage is broken");
  storageOf("a").broken = false;
  assertEquals((await store.decide([take]))[0]!.granted, 1);
});

Deno.test("a verb that the object does not know is an error", async () => {
  const { objectOf } = setUp();
  const body = JSON.stringify({ verb: "guess" });
  const response = await objectOf("a").fetch(new Request("https://object.test", { method: "POST", body }));
  assertEquals([response.status, await response.text()], [400, "unknown verb"]);
});

Deno.test("reset forgets a key in one policy, and can't forget a whole policy", async () => {
  const { namespace } = setUp();
  const store = new DurableObjectStore({ namespace });
  await store.decide([{ policy: FIXED, key: "a", cost: 1 }, { policy: LOG, key: "a", cost: 1 }]);
  assertEquals(await store.reset({ policy: "fixed", key: "a" }), 1);
  assertEquals(await store.reset({ policy: "fixed", key: "a" }), 0);
  assertEquals((await store.decide([{ policy: LOG, key: "a", cost: 0 }]))[0]!.remaining, 4);
  await assertRejects(() => store.reset({ policy: "fixed" }), TypeError, "name a key");
});

Deno.test("an unbound namespace is a type error that says what to pass", () => {
  const wrong: [unknown, string][] = [
    [
      { namespace: undefined },
      "DurableObjectStore: option namespace must have the methods idFromName and get, not be un",
    ],
    [
      { namespace: "RATE_LIMIT" },
      'not be "RATE_LIMIT"; pass a binding from env, of a namespace whose class is RateLimitObject',
    ],
    [{ namespace: { get() {} } }, "not be an object without idFromName"],
    [undefined, "not be undefined"],
  ];
  for (const [options, part] of wrong) {
    assertThrows(() => new DurableObjectStore(options as DurableObjectStoreOptions), TypeError, part);
  }
});

Deno.test("stores with different prefixes in one namespace count apart", async () => {
  const { namespace, storages } = setUp();
  for (const prefix of ["one:", "two:"]) {
    const [verdict] = await new DurableObjectStore({ namespace, prefix }).decide([{
      policy: FIXED,
      key: "a",
      cost: 6,
    }]);
    assertEquals(verdict!.granted, 6);
  }
  assertEquals([...storages.keys()], ["one:a", "two:a"]);
});

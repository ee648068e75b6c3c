/// <reference lib="deno.unstable" />
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import type { Policy } from "../../src/policy/policy.ts";
import { Limiter } from "../../src/limiter/limiter.ts";
import { DenoKvStore, type DenoKvStoreOptions } from "../../src/stores/deno_kv_store.ts";
import type { Take } from "../../src/policy/store.ts";
import { VirtualClock } from "../../src/testing/virtual_clock.ts";
import { decidesAsMemory, POLICIES } from "../support/random_trace.ts";

/** Runs a function with a store in its own database, then closes it. */
async function withStore(
  path: string,
  options: Omit<DenoKvStoreOptions, "kv">,
  body: (store: DenoKvStore, kv: Deno.Kv) => Promise<void>,
): Promise<void> {
  const kv = await Deno.openKv(path);
  const store = new DenoKvStore({ kv, ...options });
  try {
    await body(store, kv);
  } finally {
    await store.close();
  }
}

const FIXED: Policy = { name: "fixed", algorithm: "fixed-window", limit: 50, windowMs: 60_000 };

Deno.test("decides like the memory store, in an in-memory database", async () => {
  const clock = new VirtualClock();
  await withStore(":memory:", { clock: clock.read }, async (store) => {
    assert(await decidesAsMemory(store, clock, 2, 150) > 2500);
  });
});

Deno.test("decides like the memory store, in a file", async () => {
  const clock = new VirtualClock();
  const folder = await Deno.makeTempDir();
  try {
    await withStore(`${folder}/kv`, { clock: clock.read }, async (store) => {
      assert(await decidesAsMemory(store, clock, 3, 60) > 1000);
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("of two hundred concurrent takes with a limit of fifty, exactly fifty are admitted", async () => {
  await withStore(":memory:", {}, async (store) => {
    const verdicts = await Promise.all(
      Array.from({ length: 200 }, async () => (await store.decide([{ policy: FIXED, key: "a", cost: 1 }]))[0]!),
    );
    assertEquals(verdicts.filter(({ granted }) => granted === 1).length, 50);
    assertEquals(verdicts.filter(({ denied }) => denied).length, 150);
  });
});

Deno.test("two connections to one file admit exactly fifty of two hundred", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await withStore(`${folder}/kv`, { attempts: 1000 }, async (one) => {
      await withStore(`${folder}/kv`, { attempts: 1000 }, async (two) => {
        const verdicts = await Promise.all(Array.from({ length: 200 }, async (_, i) => {
          return (await (i % 2 === 0 ? one : two).decide([{ policy: FIXED, key: "a", cost: 1 }]))[0]!;
        }));
        assertEquals(verdicts.filter(({ granted }) => granted === 1).length, 50);
        assertEquals(verdicts.filter(({ denied }) => denied).length, 150);
      });
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a value that is no open database is a type error that says what to pass", () => {
  const wrong: [unknown, string][] = [
    [{}, "DenoKvStore: option kv must have the methods atomic and getMany, not be undefined"],
    [{ kv: {} }, "not be an object without atomic; pass the database from Deno.openKv()"],
    // await was forgotten
    [{ kv: Promise.resolve() }, "not be a promise: await it; pass the database from Deno.openKv()"],
    [{ kv: Deno.openKv }, "not be a function"],
    [{ kv: { atomic() {} } }, "not be an object without getMany"],
    [undefined, "not be undefined"],
  ];
  for (const [options, part] of wrong) {
    assertThrows(() => new DenoKvStore(options as DenoKvStoreOptions), TypeError, part);
  }
});

Deno.test("every limiter on a store may be closed, and the database is closed with the last of them", async () => {
  const kv = await Deno.openKv(":memory:");
  const store = new DenoKvStore({ kv });
  const limiters = ["a", "b"].map((name) => new Limiter({ name, store }));
  await limiters[0]!.close();
  await limiters[0]!.close();
  assertEquals([(await limiters[1]!.consume("a")).decidedBy, (await kv.get(["a"])).value], ["store", null]);
  await limiters[1]!.close();
  await limiters[1]!.close();
  await assertRejects(() => kv.get(["a"]));
});

Deno.test("a batch of more than ten keys is granted or refused as a whole", async () => {
  const clock = new VirtualClock();
  await withStore(":memory:", { clock: clock.read }, async (store) => {
    const takes = Array.from({ length: 25 }, (_, i): Take => ({ policy: FIXED, key: `key ${i}`, cost: 2 }));
    assert((await store.decide(takes)).every(({ granted, remaining }) => granted === 2 && remaining === 48));
    await store.decide([{ policy: FIXED, key: "key 17", cost: 48 }]);
    const refused = await store.decide(takes);
    assertEquals(refused.flatMap(({ denied }, i) => denied ? [i] : []), [17]);
    assert(refused.every(({ granted, remaining }, i) => granted === 0 && remaining === (i === 17 ? 0 : 48)));
  });
});

Deno.test("entries are stored under prefix, policy, key and shape", async () => {
  await withStore(":memory:", { prefix: ["app", 7] }, async (store, kv) => {
    await store.decide([{ policy: FIXED, key: "a", cost: 1 }]);
    const keys: Deno.KvKey[] = [];
    for await (const { key } of kv.list({ prefix: [] })) keys.push(key);
    assertEquals(keys, [["app", 7, "fixed", "a", "fixed-window/2"]]);
  });
});

Deno.test("every write sets an expiry, no earlier than that of the state", async () => {
  const clock = new VirtualClock();
  await withStore(":memory:", { clock: clock.read }, async (_, kv) => {
    const times: (number | undefined)[] = [];
    const watched = (atomic: Deno.AtomicOperation) => {
      const set = atomic.set.bind(atomic);
      atomic.set = (key, value, options) => (times.push(options?.expireIn), set(key, value, options));
      return atomic;
    };
    const store = new DenoKvStore({
      kv: {
        getMany: (keys) => kv.getMany(keys),
        atomic: () => watched(kv.atomic()),
        list: (selector) => kv.list(selector),
        delete: (key) => kv.delete(key),
        close() {},
      },
      clock: clock.read,
    });
    for (const policy of POLICIES) await store.decide([{ policy, key: "a", cost: 1 }, { policy, key: "b", cost: 9 }]);
    for (const policy of POLICIES) await store.decide([{ policy, key: "a", cost: 1 }]);
    assert(times.length > POLICIES.length);
    assert(times.every((ms) => ms !== undefined && ms > 60_000));
  });
});

Deno.test("keys of the maximum length are counted apart, whatever their characters", async () => {
  await withStore(":memory:", {}, async (store) => {
    for (const begin of ["x", "\u20ac", "\u{1f600}"]) {
      const key = begin.repeat(1024 / begin.length);
      await store.decide([{ policy: FIXED, key, cost: 3 }]);
      assertEquals((await store.decide([{ policy: FIXED, key, cost: 0 }]))[0]!.remaining, 47);
      const other = `${key.slice(0, -2)}yy`;
      assertEquals((await store.decide([{ policy: FIXED, key: other, cost: 0 }]))[0]!.remaining, 50);
      assertEquals(await store.reset({ policy: "fixed", key }), 1);
    }
  });
});

Deno.test("reset and inspect see the keys of one policy", async () => {
  const clock = new VirtualClock();
  await withStore(":memory:", { clock: clock.read }, async (store) => {
    const other = { ...FIXED, name: "other" };
    for (const key of ["a", "b", "c"]) await store.decide([{ policy: FIXED, key, cost: 1 }]);
    await store.decide([{ policy: other, key: "a", cost: 1 }]);
    const keys = async (policy: Policy) => {
      const found: string[] = [];
      for await (const { key } of store.inspect(policy)) found.push(key);
      return found;
    };
    assertEquals(await keys(FIXED), ["a", "b", "c"]);
    assertEquals(await store.reset({ policy: "fixed", key: "b" }), 1);
    assertEquals(await keys(FIXED), ["a", "c"]);
    assertEquals(await store.reset({ policy: "fixed" }), 2);
    assertEquals(await keys(other), ["a"]);
    clock.advance(FIXED.windowMs);
    assertEquals(await keys(other), []);
  });
});

Deno.test("a limit whose log does not fit into a value is refused at construction", async () => {
  await withStore(":memory:", {}, (store) => {
    const says = 'DenoKvStore: option limit of "sliding-log" must be at most 4000, not 4001';
    assertThrows(() => new Limiter({ store, algorithm: "sliding-log", limit: 4001 }), RangeError, says);
    new Limiter({ store, algorithm: "sliding-log", limit: 4000 });
    return Promise.resolve();
  });
});

Deno.test("a state too large for the database is an error, not a grant", async () => {
  const clock = new VirtualClock();
  await withStore(":memory:", { clock: clock.read }, async (store) => {
    const log: Policy = { name: "log", algorithm: "sliding-log", limit: 5000, windowMs: 60_000 };
    let granted = 0;
    await assertRejects(async () => {
      for (; granted < 5000; granted++) {
        clock.advance(1);
        await store.decide([{ policy: log, key: "a", cost: 1 }]);
      }
    });
    assert(granted > 4000 && granted < 4100, `${granted}`);
    assertEquals((await store.decide([{ policy: log, key: "a", cost: 0 }]))[0]!.remaining, 5000 - granted);
  });
});

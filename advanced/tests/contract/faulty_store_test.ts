import { assertEquals, assertRejects } from "@std/assert";
import { MemoryStore } from "../../src/stores/memory_store.ts";
import { FaultyStore, type Policy, type Store, type Take, type Verdict } from "../../testing.ts";

const POLICY: Policy = { name: "p", algorithm: "fixed-window", limit: 5, windowMs: 60_000 };
const TAKE: Take = { policy: POLICY, key: "k", cost: 1 };

/** The used units of the key, read without faults. */
function usedOf(store: Store): number {
  return 5 - (store as MemoryStore).decide([{ ...TAKE, cost: 0 }])[0]!.remaining;
}

Deno.test("a FaultyStore without a fault answers like the store, synchronously", () => {
  const store = new FaultyStore(new MemoryStore());
  const verdicts = store.decide([TAKE]) as readonly Verdict[];
  assertEquals(verdicts[0]!.granted, 1);
  assertEquals(store.give(TAKE, verdicts[0]!.stamp, 1), true);
  assertEquals([store.calls, store.inFlight], [2, 0]);
});

Deno.test("FaultyStore.fail() fails calls before they reach the store, with the given error", async () => {
  const inner = new MemoryStore();
  const store = new FaultyStore(inner).fail();
  await assertRejects(async () => await store.decide([TAKE]), Error, "told to");
  store.fail(new RangeError("mine"));
  await assertRejects(async () => await store.reset({ policy: "p" }), RangeError, "mine");
  assertEquals([usedOf(inner), store.calls, store.inFlight], [0, 2, 0]);
});

Deno.test("FaultyStore.hang() never settles, and heal() lets later calls pass", async () => {
  const inner = new MemoryStore();
  const store = new FaultyStore(inner).hang();
  let settled = false;
  Promise.resolve(store.decide([TAKE])).finally(() => settled = true);
  store.heal();
  assertEquals((await store.decide([TAKE]))[0]!.granted, 1);
  assertEquals([settled, store.inFlight, usedOf(inner)], [false, 1, 1]);
});

Deno.test("FaultyStore.delay() makes calls wait at a gate, and decides afterwards", async () => {
  const inner = new MemoryStore();
  const gate = Promise.withResolvers<void>();
  const store = new FaultyStore(inner).delay(gate.promise);
  const response = store.decide([TAKE]);
  await Promise.resolve();
  assertEquals([store.inFlight, usedOf(inner)], [1, 0]);
  gate.resolve();
  assertEquals((await response)[0]!.granted, 1);
  assertEquals([store.inFlight, usedOf(inner)], [0, 1]);
});

Deno.test("FaultyStore.loseReply() decides, and rejects", async () => {
  const inner = new MemoryStore();
  const store = new FaultyStore(inner).loseReply(new Error("connection reset"));
  await assertRejects(async () => await store.decide([TAKE]), Error, "connection reset");
  assertEquals([usedOf(inner), store.inFlight], [1, 0]);
});

Deno.test("FaultyStore.next() scripts calls one by one, then the standing fault applies", async () => {
  const inner = new MemoryStore();
  const store = new FaultyStore(inner).next("pass", "loseReply", new TypeError("scripted")).fail();
  assertEquals((await store.decide([TAKE]))[0]!.granted, 1);
  await assertRejects(async () => await store.decide([TAKE]), Error, "lost");
  await assertRejects(async () => await store.decide([TAKE]), TypeError, "scripted");
  await assertRejects(async () => await store.decide([TAKE]), Error, "failed");
  store.heal();
  assertEquals((await store.decide([TAKE]))[0]!.remaining, 2);
  assertEquals(store.calls, 5);
});

Deno.test("a FaultyStore has what the store has: inspect, warm and close", async () => {
  assertEquals([new FaultyStore(new MemoryStore()).warm, new FaultyStore(new MemoryStore()).close], [
    undefined,
    undefined,
  ]);
  let closed = 0;
  const inner = Object.assign(new MemoryStore(), { warm: () => {}, close: () => void closed++ });
  const store = new FaultyStore(inner).fail();
  await assertRejects(async () => await store.warm!(), Error, "failed");
  await store.close!();
  assertEquals(closed, 1);
  await assertRejects(
    async () => {
      for await (const _ of store.inspect!(POLICY));
    },
    Error,
    "failed",
  );
  store.heal();
  await store.decide([TAKE]);
  const keys = [];
  for await (const { key } of store.inspect!(POLICY)) keys.push(key);
  assertEquals(keys, ["k"]);
});

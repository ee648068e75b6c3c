import { assert, assertEquals, assertThrows } from "@std/assert";
import { Limiter, type LimiterOptions, MemoryStore, type RefusedKey } from "../../mod.ts";
import { FaultyStore } from "../../src/testing/faulty_store.ts";
import { VirtualClock } from "../../src/testing/virtual_clock.ts";

function made(options: LimiterOptions): { limiter: Limiter; clock: VirtualClock } {
  const clock = new VirtualClock();
  const limiter = new Limiter({ clock: clock.read, timers: clock.timers, ...options });
  return { limiter, clock };
}

async function ask(limiter: Limiter, key: string, times: number): Promise<void> {
  for (let i = 0; i < times; i++) await limiter.consume(key);
}

const brief = (top: readonly RefusedKey[]) => top.map(({ key, refusals }) => [key, refusals]);

Deno.test("top lists the keys with the most refusals, and what they wait for", async () => {
  const { limiter, clock } = made({ name: "api", limit: 2, windowMs: 10_000 });
  assertEquals(limiter.top(), []);
  await ask(limiter, "admitted", 2);
  await ask(limiter, "often", 5);
  clock.advance(1000);
  await ask(limiter, "seldom", 3);
  clock.advance(500);
  const rest = { policy: "api", remaining: 0, limit: 2, blocked: false, shadow: false };
  assertEquals(limiter.top(), [
    { ...rest, key: "often", refusals: 3, sinceMs: 1500, retryAfterMs: 8500 },
    { ...rest, key: "seldom", refusals: 1, sinceMs: 500, retryAfterMs: 9500 },
  ]);
  assertEquals(brief(limiter.top(1)), [["often", 3]]);
});

Deno.test("top counts from its first call on", async () => {
  const { limiter } = made({ limit: 1 });
  await ask(limiter, "a", 10);
  assertEquals(limiter.top(), []);
  await ask(limiter, "a", 2);
  assertEquals(brief(limiter.top()), [["a", 2]]);
  assertEquals([limiter.counters.limited, limiter.listenerCount("limited")], [11, 0]);
});

Deno.test("a key leaves the top when a window has gone by without a refusal, and it may pass", async () => {
  const { limiter, clock } = made({ limit: 1, windowMs: 1000, block: { after: 3, forMs: 5000 } });
  limiter.top();
  await ask(limiter, "blocked", 5);
  await ask(limiter, "refused", 2);
  assertEquals(limiter.top().map(({ key, blocked }) => [key, blocked]), [["blocked", true], ["refused", false]]);
  clock.advance(999);
  assertEquals(limiter.top().length, 2);
  clock.advance(1);
  assertEquals(brief(limiter.top()), [["blocked", 4]]);
  clock.advance(4000);
  assertEquals(limiter.top(), []);
});

Deno.test("setting the clock back neither keeps a key in the top nor prolongs its wait", async () => {
  const clock = new VirtualClock();
  let setBackMs = 0;
  const limiter = new Limiter({ limit: 1, windowMs: 1000, clock: () => clock.now - setBackMs, timers: clock.timers });
  limiter.top();
  await ask(limiter, "a", 2);
  setBackMs = 3_600_000;
  clock.advance(400);
  assertEquals(limiter.top().map(({ sinceMs, retryAfterMs }) => [sinceMs, retryAfterMs]), [[400, 600]]);
  clock.advance(600);
  assertEquals(limiter.top(), []);
});

Deno.test("what never passes is in the top for a window", async () => {
  const { limiter, clock } = made({ limit: 0, windowMs: 1000 });
  limiter.top();
  await ask(limiter, "a", 1);
  await ask(limiter, "b", 1);
  assertEquals(limiter.top().map(({ retryAfterMs }) => retryAfterMs), [Infinity, Infinity]);
  clock.advance(1000);
  assertEquals(limiter.top(), []);
});

Deno.test("the top names the limit that refuses, and those in shadow", async () => {
  const { limiter } = made({
    limits: [{ name: "second", limit: 5 }, { name: "minute", limit: 2 }, { name: "tried", limit: 1, shadow: true }],
  });
  limiter.top();
  for (let i = 0; i < 4; i++) await limiter.consume({ second: "s", minute: "m", tried: "t" });
  assertEquals(limiter.top().map(({ policy, key, refusals, shadow }) => [policy, key, refusals, shadow]), [
    ["tried", "t", 3, true],
    ["minute", "m", 2, false],
  ]);
});

Deno.test("refusals of a store elsewhere, and of whoever decides in its place, are in the top", async () => {
  const clock = new VirtualClock();
  const store = new FaultyStore(new MemoryStore({ clock: clock.read }));
  const limiter = new Limiter({ limit: 1, maxDebt: 5, store, clock: clock.read, timers: clock.timers });
  limiter.top();
  await ask(limiter, "a", 2);
  store.fail();
  await ask(limiter, "a", 2);
  assertEquals(brief(limiter.top()), [["a", 2]]);
});

Deno.test("a key that is reset leaves the top, also by its hash, and all do with all", async () => {
  const { limiter } = made({ limits: [{ name: "one", limit: 1 }, { name: "two", limit: 1 }] });
  limiter.top();
  const long = "long".repeat(100);
  for (const key of ["a", "b", long]) await ask(limiter, key, 2);
  assertEquals(limiter.top().length, 6);
  await limiter.reset("a");
  const hash = limiter.top().find(({ key }) => key !== "b")!.key;
  assert(hash.length < 50);
  await limiter.reset(hash);
  assertEquals(limiter.top().map(({ key }) => key), ["b", "b"]);
  await limiter.reset();
  assertEquals(limiter.top(), []);
});

Deno.test("of a flood of keys the top keeps those with the most refusals, and never counts too many", async () => {
  const { limiter } = made({ limit: 0, windowMs: 3_600_000 });
  limiter.top();
  const truth = new Map<string, number>();
  let all = 0;
  const refuse = async (key: string) => {
    await limiter.consume(key);
    truth.set(key, (truth.get(key) ?? 0) + 1);
    all++;
  };
  for (let i = 0; i < 30_000; i++) {
    await refuse(`flood ${i}`);
    if (i % 10 === 0) await refuse(`often ${i % 50}`);
  }
  const top = limiter.top(1000);
  assertEquals(top.length, 1000);
  assertEquals(top.slice(0, 5).map(({ key }) => key).sort(), [
    "often 0",
    "often 10",
    "often 20",
    "often 30",
    "often 40",
  ]);
  for (const { key, refusals } of top) {
    const counted = truth.get(key)!;
    assert(refusals <= counted && refusals >= counted - all / 1000, `${key}: ${refusals} of ${counted}`);
  }
});

Deno.test("a number of keys that top does not keep is refused", () => {
  const { limiter } = made({ limit: 1 });
  for (const n of [0, -1, 1.5, 1001, NaN, "20" as unknown as number]) {
    assertThrows(() => limiter.top(n), Error, "limiter.top: option n");
  }
});

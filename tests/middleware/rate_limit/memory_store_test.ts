import { assert, assertEquals } from "@std/assert";
import { MemoryStore } from "../../../src/middleware/rate_limit/fixed_window_table.ts";
import { random } from "../../support/random.ts";

/** The simplest fixed window: it begins with a key's first hit. */
class Reference {
  #windows = new Map<string, { count: number; end: number }>();

  constructor(readonly windowMs: number) {}

  hit(key: string, now: number): { count: number; resetAt: number } {
    let window = this.#windows.get(key);
    if (window === undefined || window.end <= now) window = { count: 0, end: now + this.windowMs };
    window.count++;
    this.#windows.set(key, window);
    return { count: window.count, resetAt: window.end };
  }

  delete(key: string): void {
    this.#windows.delete(key);
  }
}

for (const seed of [1, 2, 3, 4, 5]) {
  Deno.test(`random hits, resets and waits count as in the plain model (seed ${seed})`, () => {
    const below = random(seed);
    const store = new MemoryStore(1000, 500);
    const reference = new Reference(1000);
    let now = 0;
    for (let i = 0; i < 20_000; i++) {
      now += below(40) === 0 ? below(3000) : below(4);
      const key = `k${below(300)}`;
      if (below(50) === 0) {
        store.delete(key);
        reference.delete(key);
      }
      const { count, resetAt } = store.hit(key, now);
      assertEquals({ count, resetAt }, reference.hit(key, now), `step ${i}`);
    }
  });
}

for (const seed of [11, 12, 13]) {
  Deno.test(`at the cap no key is counted less than it should be, in any window (seed ${seed})`, () => {
    const below = random(seed);
    const max = 3;
    const store = new MemoryStore(1000, 8);
    const admitted = new Map<string, number[]>();
    let now = 0;
    for (let i = 0; i < 30_000; i++) {
      now += below(20) === 0 ? below(1500) : below(3);
      const key = `k${below(60)}`;
      const { count, resetAt } = store.hit(key, now);
      assert(resetAt > now && resetAt <= now + 1000);
      if (count > max) continue;
      const times = admitted.get(key) ?? [];
      admitted.set(key, times);
      times.push(now);
      // its own window, the rest of a shared one that another key began, and the beginning of the next
      assert(times.filter((time) => time > now - 1000).length <= 3 * max - 2, `step ${i}`);
    }
  });
}

Deno.test("an evicted key is counted with the others of its shared window", () => {
  const store = new MemoryStore(1000, 1);
  store.hit("a", 0);
  // with one place and 1024 shared counters, some of these keys meet the counter of "a"
  for (let i = 0; i < 20_000; i++) store.hit(`other${i}`, 500);
  store.hit("newer", 1000);
  assertEquals(store.size, 1);
  assert(store.hit("a", 1001).count > 1);
});

Deno.test("a million keys never take more than their places, and no key exceeds its limit", () => {
  const below = random(7);
  const store = new MemoryStore(60_000, 1000);
  const admitted = new Map<string, number>();
  for (let i = 0; i < 1_000_000; i++) {
    const key = below(4) === 0 ? `often${below(50)}` : `k${i}`;
    const { count } = store.hit(key, 0);
    if (count <= 5) admitted.set(key, (admitted.get(key) ?? 0) + 1);
  }
  assertEquals(store.size, 1000);
  assertEquals(Math.max(...admitted.values()), 5);
});

Deno.test("a key that moves from a shared counter to its own place keeps its count", () => {
  const store = new MemoryStore(1000, 1);
  store.hit("owner", 0);
  assertEquals(store.hit("late", 500).count, 1);
  assertEquals(store.hit("late", 600).count, 2);
  assertEquals(store.hit("late", 1000), { count: 3, resetAt: 1500 }, "the owner's place is free from 1000 on");
  assertEquals(store.hit("late", 1500), { count: 1, resetAt: 2500 });
});

Deno.test("expired keys make room for new ones", () => {
  const store = new MemoryStore(1000, 100);
  for (let i = 0; i < 100; i++) store.hit(`old${i}`, 0);
  for (let i = 0; i < 100; i++) assertEquals(store.hit(`new${i}`, 1000).count, 1);
  assertEquals(store.size, 100);
  assertEquals(store.liveCount(1999), 100);
  assertEquals(store.liveCount(2000), 0);
});

Deno.test("a window of a hundred days ends after a hundred days", () => {
  const days = 100 * 86_400_000;
  const store = new MemoryStore(days, 10);
  store.hit("a", 0);
  assertEquals(store.hit("a", days - 1), { count: 2, resetAt: days });
  assertEquals(store.hit("a", days), { count: 1, resetAt: 2 * days });
});

Deno.test("a clock that is set back by less than a window frees no count and ends the window", () => {
  const store = new MemoryStore(1000, 10);
  store.hit("a", 5000);
  assertEquals(store.hit("a", 4200).count, 2);
  assertEquals(store.hit("a", 5999).count, 3);
  assertEquals(store.hit("a", 6000).count, 1);
});

Deno.test("a clock that is set back by years frees no count and locks no key for longer than a window", () => {
  const store = new MemoryStore(1000, 1);
  store.hit("a", 1e12);
  store.hit("shared", 1e12);
  assertEquals(store.hit("a", 100), { count: 2, resetAt: 1100 });
  assertEquals(store.hit("shared", 100), { count: 2, resetAt: 1100 });
  assertEquals(store.hit("a", 1100).count, 1);
});

Deno.test("a negative clock works like any other", () => {
  const store = new MemoryStore(1000, 1);
  assertEquals(store.hit("a", -5000), { count: 1, resetAt: -4000 });
  assertEquals(store.hit("b", -5000), { count: 1, resetAt: -4000 });
});

Deno.test("after clear() nothing is remembered, shared counters included", () => {
  const store = new MemoryStore(1000, 1);
  for (const key of ["a", "b", "a", "b"]) store.hit(key, 0);
  store.clear();
  assertEquals(store.size, 0);
  assertEquals(store.hit("b", 0).count, 1);
  assertEquals(store.hit("a", 0).count, 1);
});

Deno.test("it cannot be predicted which long key shares a counter with a victim's", () => {
  const victims = Array.from({ length: 200 }, (_, i) => "v".repeat(1024) + i);
  const counts = (): string => {
    const store = new MemoryStore(1000, 1000);
    for (let i = 0; i < 300; i++) store.hit("k".repeat(1024) + i, 0);
    return victims.map((victim) => store.hit(victim, 0).count).join();
  };
  // collisions in one process tell nothing about the next
  assert(counts() !== counts());
});

Deno.test("a key too long to store is counted, and takes no place", () => {
  const store = new MemoryStore(1000, 10);
  const long = "k".repeat(1025);
  assertEquals([store.hit(long, 0).count, store.hit(long, 1).count, store.hit(long, 1001).count], [1, 2, 1]);
  assertEquals(store.size, 0);
  store.hit(long.slice(1), 1);
  assertEquals(store.size, 1);
});

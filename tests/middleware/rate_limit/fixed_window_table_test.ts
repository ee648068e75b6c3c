import { assert, assertEquals } from "@std/assert";
import { FixedWindowTable } from "../../../src/middleware/rate_limit/fixed_window_table.ts";
import { random } from "../../support/random.ts";

/** The simplest fixed window: it begins with a key's first hit. */
class Reference {
  #windows = new Map<string, { count: number; end: number }>();

  constructor(readonly windowMs: number) {}

  hit(key: string, now: number): { count: number; resetMs: number } {
    let window = this.#windows.get(key);
    if (window === undefined || window.end <= now) window = { count: 0, end: now + this.windowMs };
    window.count++;
    this.#windows.set(key, window);
    return { count: window.count, resetMs: window.end - now };
  }

  delete(key: string): void {
    this.#windows.delete(key);
  }
}

for (const seed of [1, 2, 3, 4, 5]) {
  Deno.test(`random hits, resets and waits count as in the plain model (seed ${seed})`, () => {
    const below = random(seed);
    const table = new FixedWindowTable(1000, 500);
    const reference = new Reference(1000);
    let now = 0;
    for (let i = 0; i < 20_000; i++) {
      now += below(40) === 0 ? below(3000) : below(4);
      const key = `k${below(300)}`;
      if (below(50) === 0) {
        table.delete(key);
        reference.delete(key);
      }
      assertEquals(table.hit(key, now), reference.hit(key, now), `step ${i}`);
    }
  });
}

for (const seed of [11, 12, 13]) {
  Deno.test(`at the cap no key is counted less than it should be, in any window (seed ${seed})`, () => {
    const below = random(seed);
    const max = 3;
    const table = new FixedWindowTable(1000, 8);
    const admitted = new Map<string, number[]>();
    let now = 0;
    for (let i = 0; i < 30_000; i++) {
      now += below(20) === 0 ? below(1500) : below(3);
      const key = `k${below(60)}`;
      const { count, resetMs } = table.hit(key, now);
      assert(resetMs > 0 && resetMs <= 1000);
      if (count > max) continue;
      const times = admitted.get(key) ?? [];
      admitted.set(key, times);
      times.push(now);
      // its own window, the rest of a shared window that another key began, and the start of the next
      assert(times.filter((time) => time > now - 1000).length <= 3 * max - 2, `step ${i}`);
    }
  });
}

Deno.test("an evicted key is counted with the others of its shared window", () => {
  const table = new FixedWindowTable(1000, 1);
  table.hit("a", 0);
  // with one slot and 1024 shared counters, some of these keys share the counter for "a"
  for (let i = 0; i < 20_000; i++) table.hit(`other${i}`, 500);
  table.hit("newer", 1000);
  assertEquals(table.size, 1);
  assert(table.hit("a", 1001).count > 1);
});

Deno.test("a million keys never take more than their places, and no key exceeds its limit", () => {
  const below = random(7);
  const table = new FixedWindowTable(60_000, 1000);
  const admitted = new Map<string, number>();
  for (let i = 0; i < 1_000_000; i++) {
    const key = below(4) === 0 ? `often${below(50)}` : `k${i}`;
    const { count } = table.hit(key, 0);
    if (count <= 5) admitted.set(key, (admitted.get(key) ?? 0) + 1);
  }
  assertEquals(table.size, 1000);
  assertEquals(Math.max(...admitted.values()), 5);
});

Deno.test("a key that moves from a shared counter to its own place keeps its count", () => {
  const table = new FixedWindowTable(1000, 1);
  table.hit("owner", 0);
  assertEquals(table.hit("late", 500).count, 1);
  assertEquals(table.hit("late", 600).count, 2);
  assertEquals(table.hit("late", 1000), { count: 3, resetMs: 500 }, "the owner's place is free from 1000 on");
  assertEquals(table.hit("late", 1500), { count: 1, resetMs: 1000 });
});

Deno.test("expired keys make room for new ones", () => {
  const table = new FixedWindowTable(1000, 100);
  for (let i = 0; i < 100; i++) table.hit(`old${i}`, 0);
  for (let i = 0; i < 100; i++) assertEquals(table.hit(`new${i}`, 1000).count, 1);
  assertEquals(table.size, 100);
  assertEquals(table.liveCount(1999), 100);
  assertEquals(table.liveCount(2000), 0);
});

Deno.test("a window of a hundred days ends after a hundred days", () => {
  const days = 100 * 86_400_000;
  const table = new FixedWindowTable(days, 10);
  table.hit("a", 0);
  assertEquals(table.hit("a", days - 1), { count: 2, resetMs: 1 });
  assertEquals(table.hit("a", days), { count: 1, resetMs: days });
});

Deno.test("a clock that is set back by less than a window frees no count, and the window keeps its remaining time", () => {
  const table = new FixedWindowTable(1000, 10);
  table.hit("a", 5000);
  assertEquals(table.hit("a", 5300), { count: 2, resetMs: 700 });
  assertEquals(table.hit("a", 4500), { count: 3, resetMs: 700 });
  assertEquals(table.hit("a", 5199), { count: 4, resetMs: 1 });
  assertEquals(table.hit("a", 5200), { count: 1, resetMs: 1000 });
});

Deno.test("a clock that is set back by years frees no count and locks no key for longer than a window", () => {
  const table = new FixedWindowTable(1000, 1);
  table.hit("a", 1e12);
  table.hit("shared", 1e12);
  assertEquals(table.hit("a", 100), { count: 2, resetMs: 1000 });
  assertEquals(table.hit("shared", 100), { count: 2, resetMs: 1000 });
  assertEquals(table.hit("a", 1100).count, 1);
});

Deno.test("a negative clock works like any other", () => {
  const table = new FixedWindowTable(1000, 1);
  assertEquals(table.hit("a", -5000), { count: 1, resetMs: 1000 });
  assertEquals(table.hit("b", -5000), { count: 1, resetMs: 1000 });
});

Deno.test("after clear() nothing is remembered, shared counters included", () => {
  const table = new FixedWindowTable(1000, 1);
  for (const key of ["a", "b", "a", "b"]) table.hit(key, 0);
  table.clear();
  assertEquals(table.size, 0);
  assertEquals(table.hit("b", 0).count, 1);
  assertEquals(table.hit("a", 0).count, 1);
});

Deno.test("it cannot be predicted which long key shares a counter with a victim's", () => {
  const victims = Array.from({ length: 200 }, (_, i) => "v".repeat(1024) + i);
  const counts = (): string => {
    const table = new FixedWindowTable(1000, 1000);
    for (let i = 0; i < 300; i++) table.hit("k".repeat(1024) + i, 0);
    return victims.map((victim) => table.hit(victim, 0).count).join();
  };
  // collisions in one process do not predict those in the next
  assert(counts() !== counts());
});

Deno.test("a key too long to store is counted, and takes no place", () => {
  const table = new FixedWindowTable(1000, 10);
  const long = "k".repeat(1025);
  assertEquals([table.hit(long, 0).count, table.hit(long, 1).count, table.hit(long, 1001).count], [1, 2, 1]);
  assertEquals(table.size, 0);
  table.hit(long.slice(1), 1);
  assertEquals(table.size, 1);
});

import { assertEquals, assertMatch } from "@std/assert";
import { type Decision, Limiter, MemoryStore } from "../../mod.ts";
import { FaultyStore } from "../../src/testing/faulty_store.ts";
import { VirtualClock } from "../../src/testing/virtual_clock.ts";
import { limiterWarningsOf } from "../../../tests/support/warnings.ts";

/** What a program does with a decision. */
type Use = (decision: Decision) => unknown;

/** Warnings from a limiter that refuses requests every second. */
async function warnings(use: Use, { isRemote = false, seconds = 5, perSecond = 1 } = {}): Promise<string[]> {
  const clock = new VirtualClock();
  const memory = new MemoryStore({ clock: clock.read });
  const store = isRemote ? new FaultyStore(memory) : memory;
  const limiter = new Limiter({ limit: 0, store, clock: clock.read, timers: clock.timers });
  return await limiterWarningsOf("unreadRefusals", async () => {
    for (let second = 0; second < seconds; second++) {
      for (let i = 0; i < perSecond; i++) use(await limiter.consume("ann"));
      clock.advance(1000);
    }
  });
}

for (const isRemote of [false, true]) {
  const where = isRemote ? "a remote store" : "memory";
  Deno.test(`a program that awaits refusals and reads none is warned once, with ${where}`, async () => {
    const told = await warnings(() => {}, { isRemote, seconds: 20 });
    assertEquals(told.length, 1);
    assertMatch(told[0]!, /^limiter\.consume: .*\bconsume does not reject\b.*\.allowed\b/);
  });

  const uses: Record<string, Use> = {
    "allowed": ({ allowed }) => allowed,
    "retryAfterMs": ({ retryAfterMs }) => retryAfterMs,
    "remaining": ({ remaining }) => remaining,
    "the whole decision as JSON": (decision) => JSON.stringify(decision),
  };
  for (const [name, use] of Object.entries(uses)) {
    Deno.test(`a program that reads ${name} is not warned, with ${where}`, async () => {
      assertEquals(await warnings(use, { isRemote }), []);
    });
  }
}

Deno.test("a program that read one refusal is never warned", async () => {
  let count = 0;
  assertEquals(await warnings((decision) => count++ === 1 && decision.allowed, { seconds: 20 }), []);
});

Deno.test("many refusals at once are no reason for a warning: their code may not have run yet", async () => {
  assertEquals(await warnings(() => {}, { seconds: 1, perSecond: 100 }), []);
});

Deno.test("a watched refusal has the values and the keys of any other", async () => {
  const limiter = new Limiter({ limit: 0, clock: () => 0 });
  const [watched, other] = [await limiter.consume("ann"), await limiter.consume("ann")];
  assertEquals(Object.keys(watched).sort(), Object.keys(other).sort());
  assertEquals({ ...watched, given: null }, { ...other, given: null });
});

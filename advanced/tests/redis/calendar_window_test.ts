import { assertEquals } from "@std/assert";
import { Redis } from "ioredis";
import { type CalendarWindow, MemoryStore, type Policy, type RedisPort, RedisStore } from "../../mod.ts";
import { seededRandom } from "../../src/testing/seeded_random.ts";
import { VirtualClock } from "../../testing.ts";

const URL_OF_TESTS = Deno.env.get("REDIS_URL")!;
const MINUTE = 60_000;

const CASES: readonly (readonly [window: CalendarWindow, windowMs: number, around: string])[] = [
  [{ every: "minute" }, MINUTE, "2026-05-05T12:00:00Z"],
  [{ every: "hour", timeZone: "Australia/Lord_Howe" }, 60 * MINUTE, "2026-04-04T15:00:00Z"],
  [{ every: "day", timeZone: "Europe/Berlin" }, 1440 * MINUTE, "2026-10-24T22:00:00Z"],
  [{ every: "day", timeZone: "America/Santiago" }, 1440 * MINUTE, "2025-09-07T04:00:00Z"],
  [{ every: "month", timeZone: "America/New_York" }, 31 * 1440 * MINUTE, "2026-11-01T04:00:00Z"],
];

/** A client of a server whose clock is ahead of this process's, or behind it. */
function skewed(client: Redis, skewMs: number): RedisPort {
  const shifted = (args: readonly string[]) => [String(Number(args[0]) + skewMs), ...args.slice(1)];
  return {
    evalsha: (sha, keys, args) => client.evalsha(sha, keys.length, ...keys, ...shifted(args)),
    eval: (script, keys, args) => client.eval(script, keys.length, ...keys, ...shifted(args)),
    async *scan() {},
  };
}

for (const skewMs of [-5 * MINUTE, -2 * MINUTE, -1, 1, 2 * MINUTE, 5 * MINUTE]) {
  Deno.test(`the server's clock says which window of the calendar it is, ${skewMs} ms away from this one's`, async () => {
    const client = new Redis(URL_OF_TESTS);
    try {
      for (const [window, windowMs, around] of CASES) {
        const pick = seededRandom(7);
        const here = new VirtualClock(Date.parse(around) - 12 * MINUTE);
        const prefix = `calendar-${crypto.randomUUID()}:`;
        const redis = new RedisStore({ client: skewed(client, skewMs), prefix, clock: here.read });
        const memory = new MemoryStore({ clock: () => here.now + skewMs });
        const policy: Policy = { name: "quota", algorithm: "fixed-window", limit: 5, windowMs, window };
        const beside: Policy = { name: "beside", algorithm: "sliding-window", limit: 50, windowMs: 1000 };
        for (let i = 0; i < 40; i++) {
          const takes = [{ policy, key: "client", cost: 1 + pick(2) }, { policy: beside, key: "client", cost: 1 }];
          const batch = pick(3) === 0 ? takes : takes.slice(0, 1);
          assertEquals(await redis.decide(batch), memory.decide(batch), `${JSON.stringify(window)} at ${here.now}`);
          here.advance(pick(2 * MINUTE));
        }
      }
    } finally {
      client.disconnect();
    }
  });
}

Deno.test("a policy that goes from one window of the calendar to another keeps what is used, in Redis as in memory", async () => {
  const clock = new VirtualClock(Date.parse("2026-10-24T21:00:00Z"));
  const store = new RedisStore({ url: URL_OF_TESTS, prefix: `calendar-${crypto.randomUUID()}:`, clock: clock.read });
  try {
    const memory = new MemoryStore({ clock: clock.read });
    const pick = seededRandom(3);
    for (let i = 0; i < 200; i++) {
      const [window, windowMs] = CASES[pick(CASES.length)]!;
      const policy: Policy = { name: "quota", algorithm: "fixed-window", limit: 5 + pick(20), windowMs, window };
      const takes = [{ policy, key: "client", cost: 1 }];
      assertEquals(await store.decide(takes), memory.decide(takes), `${JSON.stringify(window)} at ${clock.now}`);
      clock.advance(pick(4) === 0 ? pick(windowMs) : pick(MINUTE));
    }
  } finally {
    await store.close();
  }
});

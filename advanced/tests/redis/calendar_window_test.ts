import { assertEquals } from "@std/assert";
import { Redis } from "ioredis";
import { type CalendarWindow, MemoryStore, type Policy, type RedisPort, RedisStore, type Verdict } from "../../mod.ts";
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

/** A client for a server with a clock ahead of this process's, or behind it. */
function skewed(client: Redis, skewMs: number): RedisPort {
  const shifted = (args: readonly string[]) => [String(Number(args[0]) + skewMs), ...args.slice(1)];
  return {
    evalsha: (sha, keys, args) => client.evalsha(sha, keys.length, ...keys, ...shifted(args)),
    eval: (script, keys, args) => client.eval(script, keys.length, ...keys, ...shifted(args)),
    async *scan() {},
  };
}

/**
 * For each case, a store on such a server and an in-memory one with the right clock, shortly before a window ends.
 */
async function besideMemory(
  skewMs: number,
  follow: (window: CalendarWindow, windowMs: number, at: {
    readonly here: VirtualClock;
    readonly redis: RedisStore;
    readonly memory: MemoryStore;
  }) => Promise<void>,
): Promise<void> {
  const client = new Redis(URL_OF_TESTS);
  try {
    for (const [window, windowMs, around] of CASES) {
      const here = new VirtualClock(Date.parse(around) - 12 * MINUTE);
      const prefix = `calendar-${crypto.randomUUID()}:`;
      const redis = new RedisStore({ client: skewed(client, skewMs), prefix, clock: here.read });
      await follow(window, windowMs, { here, redis, memory: new MemoryStore({ clock: () => here.now + skewMs }) });
    }
  } finally {
    client.disconnect();
  }
}

for (const skewMs of [-5 * MINUTE, -2 * MINUTE, -1, 1, 2 * MINUTE, 5 * MINUTE]) {
  Deno.test(`the server's clock says which window of the calendar it is, ${skewMs} ms away from this one's`, async () => {
    await besideMemory(skewMs, async (window, windowMs, { here, redis, memory }) => {
      const pick = seededRandom(7);
      const policy: Policy = { name: "quota", algorithm: "fixed-window", limit: 5, windowMs, window };
      const beside: Policy = { name: "beside", algorithm: "sliding-window", limit: 50, windowMs: 1000 };
      for (let i = 0; i < 40; i++) {
        const takes = [{ policy, key: "client", cost: 1 + pick(2) }, { policy: beside, key: "client", cost: 1 }];
        const batch = pick(3) === 0 ? takes : takes.slice(0, 1);
        assertEquals(await redis.decide(batch), memory.decide(batch), `${JSON.stringify(window)} at ${here.now}`);
        here.advance(pick(2 * MINUTE));
      }
    });
  });
}

for (const skewMs of [-5 * MINUTE, -1, 0, 1, 5 * MINUTE]) {
  Deno.test(`what is owed is paid off by the windows of the server's clock, ${skewMs} ms away from this one's`, async () => {
    await besideMemory(skewMs, async (window, windowMs, { here, redis, memory }) => {
      const pick = seededRandom(8);
      const policy: Policy = {
        ...{ name: "quota", algorithm: "fixed-window", limit: 5, windowMs, window },
        maxDebt: pick(2) === 0 ? 7 : 40,
      };
      const beside: Policy = { name: "beside", algorithm: "fixed-window", limit: 50, windowMs, window };
      const other: Policy = { name: "other", algorithm: "fixed-window", limit: 50, windowMs: 1000, maxDebt: 3 };
      for (let i = 0; i < 60; i++) {
        const takes = [policy, beside, other].map((one) => ({ policy: one, key: "client", cost: 1 + pick(2) }));
        const batch = pick(3) === 0 ? takes : takes.slice(0, 1);
        const verdicts = memory.decide(batch);
        const about = `${JSON.stringify(policy)} at ${new Date(here.now).toISOString()}, step ${i}`;
        assertEquals(await redis.decide(batch), verdicts, about);
        if (verdicts[0]!.granted > 0 && pick(2) === 0) {
          const change = pick(60) - 2;
          const { stamp } = verdicts[0]!;
          assertEquals(
            await redis.settle(takes[0]!, stamp, change),
            memory.settle(takes[0]!, stamp, change),
            about,
          );
        }
        here.advance(pick(3) === 0 ? pick(2 * windowMs) : pick(2 * MINUTE));
      }
    });
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
      const limit = 5 + pick(20);
      for (const more of [{}, { maxDebt: 60 }]) {
        const name = `quota${Object.keys(more).length}`;
        const policy: Policy = { name, algorithm: "fixed-window", limit, windowMs, window, ...more };
        const take = { policy, key: "client", cost: 1 };
        const verdicts = memory.decide([take]);
        assertEquals(await store.decide([take]), verdicts, `${JSON.stringify(window)} at ${clock.now}`);
        const [{ granted, stamp }] = verdicts as [Verdict];
        if (granted === 0 || policy.maxDebt === undefined) continue;
        const change = pick(80);
        assertEquals(await store.settle(take, stamp, change), memory.settle(take, stamp, change));
      }
      clock.advance(pick(4) === 0 ? pick(windowMs) : pick(MINUTE));
    }
  } finally {
    await store.close();
  }
});

Deno.test("only scripts of policies with both options have what both need", async () => {
  const texts: string[] = [];
  const asked: RedisPort = {
    evalsha: () => Promise.reject(new Error("NOSCRIPT")),
    eval(script) {
      texts.push(script);
      return Promise.resolve([]);
    },
    async *scan() {},
  };
  const store = new RedisStore({ client: asked });
  const plain: Policy = { name: "plain", algorithm: "fixed-window", limit: 5, windowMs: 1440 * MINUTE };
  const byCalendar: Policy = { ...plain, name: "calendar", window: { every: "day" } };
  const owing: Policy = { ...plain, name: "owing", maxDebt: 3 };
  const both: Policy = { ...byCalendar, name: "both", maxDebt: 3 };
  const take = (policy: Policy) => ({ policy, key: "client", cost: 1 });
  const knowBoth = async (...calls: (() => Promise<unknown>)[]) => {
    texts.length = 0;
    // no server replies with an empty list, so each call fails after its command
    for (const call of calls) await call().catch((error) => assertEquals(error instanceof TypeError, true));
    assertEquals(texts.length, calls.length);
    return texts.map((text) => text.includes("is_both"));
  };
  assertEquals(
    await knowBoth(
      ...[plain, byCalendar, owing].flatMap((policy) => [
        () => store.decide([take(policy)]),
        () => store.give(take(policy), 1, 1),
      ]),
      () => store.settle(take(owing), 1, 1),
      () => store.decide([take(byCalendar), take(owing)]),
    ),
    Array(8).fill(false),
  );
  assertEquals(
    await knowBoth(
      () => store.decide([take(both)]),
      () => store.give(take(both), 1, 1),
      () => store.settle(take(both), 1, 1),
      () => store.decide([take(plain), take(both)]),
    ),
    Array(4).fill(true),
  );
});

/** Debts in calendar windows are paid off by later windows, however long they are. */
import { assert, assertEquals } from "@std/assert";
import { type CalendarWindow, type Decision, Limiter, MemoryStore } from "../../mod.ts";
import { VirtualClock } from "../../testing.ts";
import { windowAt } from "../../src/policy/calendar_window.ts";
import { seededRandom } from "../../src/testing/seeded_random.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const MEAN_MS = { minute: HOUR / 60, hour: HOUR, day: DAY, week: 7 * DAY, month: 365.2425 * DAY / 12 };

const isLong = Deno.env.has("SLUICE_FUZZ_OPERATIONS");

/** Zones with every kind of clock change: twice a year, by half an hour, across midnight, permanently. */
const ZONES: readonly string[] = isLong ? Intl.supportedValuesOf("timeZone") : [
  ...["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Santiago", "America/Havana"],
  ...["Asia/Beirut", "America/St_Johns", "Pacific/Apia", "Africa/Casablanca", "Asia/Kathmandu", "Asia/Pyongyang"],
  ...["America/Caracas", "Antarctica/Casey", "Asia/Anadyr"],
];

const WINDOWS: readonly (readonly [window: CalendarWindow, from: string, to: string])[] = [
  [{ every: "day" }, "2010-01-01", isLong ? "2018-01-01" : "2013-01-01"],
  [{ every: "week" }, "2008-01-01", "2030-01-01"],
  [{ every: "month" }, "1996-01-01", "2050-01-01"],
  [{ every: "month", startsOn: 31 }, "1996-01-01", "2050-01-01"],
  [{ every: "month", startsOn: 29 }, "2096-01-01", "2110-01-01"],
];

/** Window boundaries, from one time to another. */
function edgesOf(window: CalendarWindow, from: number, to: number): number[] {
  const edges: number[] = [];
  for (let at = from; at < to; at = edges.at(-1)!) {
    const { end, next, afterNext } = windowAt(window, at);
    edges.push(end, next, afterNext);
  }
  return edges;
}

for (const [window, from, to] of WINDOWS) {
  const { every, startsOn = "" } = window;
  Deno.test(`each ${every} ${startsOn} from ${from} to ${to} begins less than half of one from where the mean has it`, () => {
    const mean = MEAN_MS[every];
    for (const timeZone of ZONES) {
      const edges = edgesOf({ ...window, timeZone }, Date.parse(from), Date.parse(to));
      const off = edges.map((edge, n) => edge - edges[0]! - n * mean);
      let [least, rise] = [0, 0];
      for (const one of off) {
        least = Math.min(least, one);
        rise = Math.max(rise, one - least);
      }
      const spread = Math.max(...off) - Math.min(...off);
      assert(spread < mean / 2, `${timeZone}: ${spread / HOUR} hours`);
      // so that no reported wait is too short
      assert(rise <= mean / 8, `${timeZone}: ${rise / HOUR} hours later than by the mean`);
    }
  });
}

/** Windows in many zones, at several times, with their boundaries over years. */
function* calendars(): Generator<{ window: CalendarWindow; edges: readonly number[]; i: number }> {
  for (const timeZone of ZONES.slice(0, 15)) {
    for (const [zoneless, from, to] of WINDOWS.slice(0, 4)) {
      const window = { ...zoneless, timeZone };
      const edges = edgesOf(window, Date.parse(from), Date.parse(to));
      for (let i = 0; i < (isLong ? 25 : 6); i++) yield { window, edges, i };
    }
  }
}

/** A limiter with one unit per window, and a clock that can be moved. */
function oneUnit(window: CalendarWindow, start: number, maxDebt: number) {
  const clock = new VirtualClock(start);
  const store = new MemoryStore({ clock: clock.read });
  const limiter = new Limiter({ name: "quota", limit: 1, window, maxDebt, store, clock: clock.read });
  return {
    clock,
    owe: async (units: number) => assert(await (await limiter.consume("client")).settle(1 + units)),
    ask: async () => await limiter.peek("client") as Decision,
    at: (time: number) => clock.advance(time - clock.now),
  };
}

Deno.test("what is owed is paid off by the window that the calendar says, after years", async () => {
  const pick = seededRandom(11);
  for (const { window, edges, i } of calendars()) {
    const first = pick(edges.length - 2);
    const owed = 1 + pick(Math.min(600, edges.length - first - 2));
    // anywhere in the window, including its first and last ms
    const length = edges[first + 1]! - edges[first]!;
    const { owe, ask, at } = oneUnit(window, edges[first]! + [0, length - 1, pick(length)][i % 3]!, owed);
    await owe(owed);
    at(edges[first + 1 + owed]! - 1);
    assertEquals((await ask()).remaining, 0, `${window.timeZone}, ${window.every}, ${owed} windows too early`);
    at(edges[first + 1 + owed]!);
    assertEquals((await ask()).remaining, 1, `${window.timeZone}, ${window.every}, ${owed} windows late`);
  }
});

Deno.test("hours that a change cuts in two count as the two that they are", async () => {
  const window: CalendarWindow = { every: "hour", timeZone: "Australia/Lord_Howe" };
  for (const change of ["2026-04-04T15:00:00Z", "2026-10-03T15:30:00Z"]) {
    const edges = edgesOf(window, Date.parse(change) - 30 * HOUR, Date.parse(change) + 90 * DAY);
    assert(edges.some((edge, i) => i > 0 && edge - edges[i - 1]! === HOUR / 2));
    for (let first = 0; first < 60; first++) {
      for (const owed of [1, 2, 3, 30, 80, 2000]) {
        const { owe, ask, at } = oneUnit(window, edges[first]!, owed);
        await owe(owed);
        at(edges[first + 1 + owed]! - 1);
        assertEquals((await ask()).remaining, 0);
        at(edges[first + 1 + owed]!);
        assertEquals((await ask()).remaining, 1, `${first} ${owed}`);
      }
    }
  }
});

Deno.test("the ends of the present window and the next are told to the ms, later ones a little late and never early", async () => {
  const pick = seededRandom(12);
  for (const { window, edges } of calendars()) {
    const first = pick(edges.length - 50);
    const owed = pick(40);
    const { clock, owe, ask } = oneUnit(window, edges[first]! + pick(edges[first + 1]! - edges[first]!), owed);
    await owe(owed);
    const { nextMs, resetMs } = (await ask()).verdicts[0]!;
    const late = clock.now + nextMs - edges[first + 1 + owed]!;
    assertEquals(resetMs, nextMs);
    if (owed < 2) assertEquals(late, 0);
    const about = `${window.timeZone}, ${window.every}: ${late / HOUR} hours late`;
    assert(late >= 0 && late <= MEAN_MS[window.every] / 4, about);
  }
});

Deno.test("a month's quota that was exceeded is paid off by the next month, and headers tell it", async () => {
  const clock = new VirtualClock(Date.parse("2026-01-31T12:00:00Z"));
  const store = new MemoryStore({ clock: clock.read });
  const window: CalendarWindow = { every: "month", timeZone: "Europe/Berlin" };
  const tokens = new Limiter({ name: "tokens", limit: 1000, maxDebt: 500, window, store, clock: clock.read });
  const decision = await tokens.consume("ann", { cost: 900 });
  assert(await decision.settle(1400));
  const refused = await tokens.consume("ann");
  // 31 January, 13:00 there
  assertEquals([refused.allowed, refused.retryAfterMs], [false, 11 * HOUR]);
  assertEquals(refused.resetMs, 11 * HOUR + 28 * DAY);
  clock.advance(11 * HOUR);
  assertEquals((await tokens.peek("ann")).remaining, 600);
  clock.advance(28 * DAY - 1);
  assertEquals((await tokens.peek("ann")).remaining, 600);
  clock.advance(1);
  assertEquals((await tokens.peek("ann")).remaining, 1000);
});

Deno.test("a key that owes is not forgotten for others, whatever windows they have", async () => {
  const clock = new VirtualClock(Date.parse("2026-10-20T12:00:00Z"));
  const store = new MemoryStore({ clock: clock.read, maxKeys: 8 });
  const limiter = new Limiter({
    ...{ name: "quota", limit: 10, maxDebt: 100, store, clock: clock.read },
    window: { every: "hour" },
    policies: { daily: { window: { every: "day", timeZone: "Europe/Berlin" } } },
  });
  const decision = await limiter.consume("debtor", { policy: "daily" });
  // used up until midnight on the 26th, which is an hour later than usual
  assert(await decision.settle(60));
  clock.advance(Date.parse("2026-10-25T22:59:59Z") - clock.now);
  for (let i = 0; i < 40; i++) await limiter.consume(`other ${i}`);
  assertEquals((await limiter.peek("debtor", { policy: "daily" })).remaining, 0);
  clock.advance(1000);
  assertEquals((await limiter.peek("debtor", { policy: "daily" })).remaining, 10);
});

Deno.test("what is owed stays owed when the window changes", async () => {
  const clock = new VirtualClock(Date.parse("2026-11-27T10:00:00Z"));
  const store = new MemoryStore({ clock: clock.read });
  const make = (options: { window: CalendarWindow } | { windowMs: number }) =>
    new Limiter({ name: "quota", limit: 10, maxDebt: 100, store, clock: clock.read, ...options });
  const monthly = make({ window: { every: "month" } });
  assert(await (await monthly.consume("client")).settle(35));
  const daily = make({ window: { every: "day" } });
  // a day now pays off 10, and this one begins with 35; the third day's end is estimated as the mean plus an eighth
  assertEquals((await daily.consume("client")).retryAfterMs, 14 * HOUR + 2 * DAY + DAY / 8);
  clock.advance(14 * HOUR + 2 * DAY - 1);
  assertEquals((await daily.peek("client")).remaining, 0);
  clock.advance(1);
  assertEquals((await daily.peek("client")).remaining, 5);
  const hourly = make({ windowMs: HOUR });
  assertEquals((await hourly.consume("client", { cost: 5 })).allowed, true);
});

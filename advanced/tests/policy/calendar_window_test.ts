import { assert, assertEquals, assertThrows } from "@std/assert";
import { type CalendarWindow, fetchLimit, Limiter, MemoryStore } from "../../mod.ts";
import { VirtualClock } from "../../testing.ts";
import { beginningsOf } from "../support/stepped_calendar.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Zones, and days near clock changes or skipped times. */
const CHANGES: readonly (readonly [timeZone: string, day: string])[] = [
  ["Europe/Berlin", "2026-03-29"],
  ["Europe/Berlin", "2026-10-25"],
  ["America/New_York", "2026-03-08"],
  ["America/New_York", "2026-11-01"],
  ["Australia/Lord_Howe", "2026-04-05"], // by half an hour
  ["Australia/Lord_Howe", "2026-10-04"],
  ["America/Santiago", "2025-09-07"], // a day that begins at 01:00
  ["America/Santiago", "2025-04-06"],
  ["Asia/Beirut", "2025-03-30"],
  ["Asia/Beirut", "2025-10-26"],
  ["America/Havana", "2025-03-09"],
  ["America/Havana", "2025-11-02"],
  ["America/St_Johns", "2010-11-07"], // back at 00:01, so that a date has begun, and comes again
  ["Pacific/Apia", "2011-12-30"], // a date that did not exist
  ["Africa/Casablanca", "2025-02-23"],
  ["Asia/Kathmandu", "2026-01-01"], // 5 hours and 45 minutes ahead
  ["UTC", "2026-03-01"],
];

const WINDOWS: readonly CalendarWindow[] = [
  { every: "hour" },
  { every: "day" },
  { every: "week" },
  { every: "week", startsOn: "sunday" },
  { every: "month" },
  { every: "month", startsOn: 31 },
];

/** When a key's quota is full again after one use, as a limiter reports it. */
function newWindows(window: CalendarWindow): (now: number) => Promise<number> {
  let now = 0;
  const clock = () => now;
  const limiters = () => new Limiter({ limit: 1, window, clock });
  return async (time) => {
    now = time;
    const { resetMs, allowed } = await limiters().consume("client");
    assert(allowed);
    return time + resetMs;
  };
}

for (const [timeZone, day] of CHANGES) {
  Deno.test(`windows of ${timeZone} around ${day} begin where its clock, read minute by minute, shows it`, async () => {
    const around = Date.parse(`${day}T00:00:00Z`);
    const [from, to] = [around - 3 * DAY, around + 3 * DAY];
    for (const window of WINDOWS) {
      const zoned = { ...window, timeZone };
      const endAt = newWindows(zoned);
      const beginnings = beginningsOf(zoned, from, to);
      let begun = from;
      for (const beginning of beginnings) {
        for (const time of [begun, Math.floor((begun + beginning) / 2), beginning - 1]) {
          const end = await endAt(time);
          assertEquals(new Date(end).toISOString(), new Date(beginning).toISOString(), JSON.stringify([zoned, time]));
        }
        begun = beginning;
      }
    }
  });
}

Deno.test("months have 28 to 31 days, and begin on the day that startsOn says, or on their last", async () => {
  for (const startsOn of [undefined, 15, 29, 30, 31]) {
    const window: CalendarWindow = { every: "month", timeZone: "Europe/Berlin", startsOn };
    const endAt = newWindows(window);
    // 2024 is a leap year
    let time = Date.parse("2023-11-30T12:00:00Z");
    const ends: string[] = [];
    for (let month = 0; month < 30; month++) {
      time = await endAt(time);
      ends.push(new Date(time + 12 * HOUR).toISOString().slice(0, 10));
    }
    const wanted = Array.from({ length: 40 }, (_, n) => {
      const days = new Date(Date.UTC(2023, 11 + n, 0)).getUTCDate();
      return new Date(Date.UTC(2023, 10 + n, Math.min(days, startsOn ?? 1))).toISOString().slice(0, 10);
    }).filter((date) => date > "2023-11-30").slice(0, 30);
    assertEquals(ends, wanted);
  }
});

Deno.test("a minute and an hour of UTC are those of the clock", async () => {
  const time = Date.parse("2026-05-05T10:59:59.999Z");
  assertEquals(await newWindows({ every: "minute" })(time), time + 1);
  assertEquals(await newWindows({ every: "hour" })(time + 1), time + 1 + HOUR);
});

Deno.test("what is used is free again with the next window, to the ms", async () => {
  const clock = new VirtualClock(Date.parse("2026-10-24T22:00:00Z"));
  const store = new MemoryStore({ clock: clock.read });
  const window = { every: "day", timeZone: "Europe/Berlin" } as const;
  const limiter = new Limiter({ limit: 2, window, store, clock: clock.read });
  // the day on which the clocks go back has 25 hours
  assertEquals((await limiter.consume("client", { cost: 2 })).resetMs, 25 * HOUR);
  clock.advance(25 * HOUR - 1);
  const refused = await limiter.consume("client");
  assertEquals([refused.allowed, refused.retryAfterMs], [false, 1]);
  clock.advance(1);
  assertEquals((await limiter.consume("client")).resetMs, 24 * HOUR);
});

Deno.test("a changed limit or window keeps what is used", async () => {
  const clock = new VirtualClock(Date.parse("2026-11-27T10:00:00Z"));
  const store = new MemoryStore({ clock: clock.read });
  const make = (limit: number, window: CalendarWindow) =>
    new Limiter({ name: "quota", limit, window, store, clock: clock.read });
  await make(10, { every: "day", timeZone: "Europe/Berlin" }).consume("client", { cost: 4 });
  assertEquals((await make(5, { every: "day", timeZone: "Europe/Berlin" }).consume("client")).remaining, 0);
  assertEquals((await make(50, { every: "month" }).consume("client")).remaining, 44);
  const first = make(50, { every: "hour", timeZone: "Asia/Kolkata" });
  const after = await first.consume("client");
  // 15:30 there; a shortened window ends at its own end, not the previous one's
  assertEquals([after.remaining, after.resetMs], [43, 30 * MINUTE]);
});

Deno.test("headers tell how long the present window is, and when to come back", async () => {
  const clock = new VirtualClock(Date.parse("2026-03-29T00:30:00Z"));
  const limit = fetchLimit({
    name: "day",
    limit: 1,
    window: { every: "day", timeZone: "Europe/Berlin" },
    keyGenerator: () => "client",
    standardHeaders: "draft-8",
    store: new MemoryStore({ clock: clock.read }),
    clock: clock.read,
  });
  const ask = async () => (await limit(() => new Response("in"))(new Request("http://localhost/"))).headers;
  const admitted = await ask();
  // 23 hours, of which 90 minutes have passed
  assertEquals(admitted.get("ratelimit-policy"), '"day";q=1;w=82800');
  assertEquals(admitted.get("ratelimit"), `"day";r=0;t=${21.5 * 3600}`);
  const refused = await ask();
  assertEquals(Number(refused.get("retry-after")), 21.5 * 3600);
});

Deno.test("what is no window of the calendar is refused, with what to do instead", () => {
  const make = (window: unknown, more: object = {}) => () => new Limiter({ window: window as CalendarWindow, ...more });
  assertThrows(make("day"), TypeError, "option window must be an object { every, timeZone, startsOn }, such as");
  assertThrows(make(null), TypeError, "option window must be an object");
  assertThrows(make({ every: "year" }), TypeError, "option window.every must be one of minute, hour, day, week, month");
  assertThrows(make({ each: "day" }), TypeError, "each");
  assertThrows(make({ every: "day", timeZone: "Mars/Base" }), RangeError, 'not "Mars/Base"');
  assertThrows(make({ every: "day", timeZone: 1 }), TypeError, "option window.timeZone must be a time zone");
  assertThrows(make({ every: "day", startsOn: 1 }), TypeError, "window.startsOn is for weeks and months");
  assertThrows(make({ every: "week", startsOn: "someday" }), TypeError, "window.startsOn must be one of monday");
  assertThrows(make({ every: "month", startsOn: 0 }), RangeError, "window.startsOn");
  assertThrows(make({ every: "month", startsOn: 32 }), RangeError, "window.startsOn");
  assertThrows(make({ every: "month", startsOn: "monday" }), TypeError, "window.startsOn");
  const day = { every: "day" };
  assertThrows(make(day, { windowMs: 1000 }), TypeError, "options window and windowMs cannot be combined");
  assertThrows(make(day, { align: "clock" }), TypeError, "options window and align cannot be combined");
  assertThrows(make(day, { algorithm: "sliding-window" }), TypeError, 'option window is for algorithm "fixed-window"');
  assertThrows(make(day, { onDenied: "extend" }), TypeError, "which the calendar forbids");
});

Deno.test("a limit without a name has one that tells its window", () => {
  const nameOf = (window: CalendarWindow) => new Limiter({ limit: 5, window }).policies[0]!.name;
  assertEquals(nameOf({ every: "day" }), "5-per-day-in-UTC-fixed-window");
  assertEquals(
    nameOf({ every: "month", startsOn: 15, timeZone: "Europe/Berlin" }),
    "5-per-month-from-15-in-Europe/Berlin-fixed-window",
  );
});

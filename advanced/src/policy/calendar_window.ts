import { checkInteger, checkNames, GenerationalCache, type OptionNames, refuseOption } from "@sluice/shared";

/** Calendar units, with their usual lengths in ms; for a month the longest. */
const USUAL_MS = { minute: 60_000, hour: 3_600_000, day: 86_400_000, week: 604_800_000, month: 2_678_400_000 };

/** A month's mean length in ms: a twelfth of 365.2425 days. */
const MEAN_MONTH_MS = 2_629_746_000;

const WEEKDAYS: readonly Weekday[] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/** The calendar unit that a window lasts. */
export type CalendarUnit = "minute" | "hour" | "day" | "week" | "month";

/** A weekday, for one-week windows. */
export type Weekday = "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday";

/**
 * Calendar windows: the minutes, hours, days, weeks or months in a time zone, the same for all keys.
 *
 * A day, week or month begins at the first moment of its first date: midnight, or later if the clock skips midnight. So
 * a day may last 23 or 25 hours. An hour also ends where the clock changes, so that no hour counts twice as long.
 *
 * @example A month for a customer who is billed from the 15th
 * ```ts
 * import { type CalendarWindow, Limiter } from "@sluice/rate-limit";
 *
 * const window: CalendarWindow = { every: "month", timeZone: "Europe/Berlin", startsOn: 15 };
 * const limiter = new Limiter({ limit: 10_000, window });
 * console.log((await limiter.consume("customer 7")).remaining); // 9999
 * ```
 */
export interface CalendarWindow {
  /** How long a window lasts. */
  readonly every: CalendarUnit;
  /** The IANA time zone name, such as `"Europe/Berlin"`; `"UTC"` by default. */
  readonly timeZone?: string | undefined;
  /**
   * The first day of a window. For a week, a weekday, `"monday"` by default. For a month, a day from 1, the default, to
   * 31, capped at the last day of the month.
   */
  readonly startsOn?: Weekday | number | undefined;
}

/** Window boundaries, in ms since 1970. */
export interface WindowEdges {
  /** The first ms of the window. */
  readonly start: number;
  /** The first ms of the next window. */
  readonly end: number;
  /** The first ms of the window after that. */
  readonly next: number;
  /** The first ms of the window after that one. */
  readonly afterNext: number;
}

const NAMES: OptionNames<CalendarWindow> = { every: true, timeZone: true, startsOn: true };

/** Maximum cached windows and time zones; windows and zones come from a program's policies. */
const MOST_KNOWN = 2000;
const edges = new GenerationalCache<WindowEdges>(MOST_KNOWN);
const zones = new GenerationalCache<OffsetAt>(MOST_KNOWN);

/** A zone's offset from UTC at a time, in ms. */
type OffsetAt = (time: number) => number;

/**
 * Checks a calendar window.
 *
 * @param caller Caller name for error messages
 * @param window The value passed
 * @throws {TypeError} If a field is unknown or has the wrong type
 * @throws {RangeError} If there is no such time zone, or no such day
 */
export function checkCalendarWindow(caller: string, window: CalendarWindow): void {
  if (typeof window !== "object" || window === null) {
    refuseOption(caller, "window", 'an object { every, timeZone, startsOn }, such as { every: "day" }', window);
  }
  checkNames(`${caller}, window`, window, NAMES);
  const { every, timeZone, startsOn } = window;
  if (!Object.hasOwn(USUAL_MS, every)) {
    refuseOption(caller, "window.every", `one of ${Object.keys(USUAL_MS).join(", ")}`, every);
  }
  if (timeZone !== undefined) checkTimeZone(caller, timeZone);
  if (startsOn === undefined) return;
  if (every === "month") return checkInteger(caller, "window.startsOn", startsOn as number, 1, 31);
  if (every !== "week") {
    throw new TypeError(`${caller}: option window.startsOn is for weeks and months, not for "${every}"; leave it out`);
  }
  if (!WEEKDAYS.includes(startsOn as Weekday)) {
    refuseOption(caller, "window.startsOn", `one of ${WEEKDAYS.join(", ")}`, startsOn);
  }
}

function checkTimeZone(caller: string, timeZone: string): void {
  const wanted = 'a time zone of the IANA\'s database, such as "Europe/Berlin"';
  if (typeof timeZone !== "string") refuseOption(caller, "window.timeZone", wanted, timeZone);
  try {
    offsetsOf(timeZone);
  } catch (error) {
    throw new RangeError(`${caller}: option window.timeZone must be ${wanted}, not "${timeZone}"`, { cause: error });
  }
}

/**
 * The usual length of a calendar window; for months, the longest.
 *
 * @param window The window
 * @returns ms
 */
export function usualMs({ every }: CalendarWindow): number {
  return USUAL_MS[every];
}

/**
 * The calendar window at a time, and the ends of those that follow. Cached, so that each window is computed once.
 *
 * @param window The window
 * @param time The time, in ms since 1970
 */
export function windowAt(window: CalendarWindow, time: number): WindowEdges {
  const { every, timeZone = "UTC", startsOn } = window;
  const id = `${every}/${startsOn}/${timeZone}`;
  const known = edges.get(id);
  if (known !== undefined && known.start <= time && time < known.end) return known;
  const offsetAt = offsetsOf(timeZone);
  const isPartOfADay = every === "minute" || every === "hour";
  const found = isPartOfADay ? clockAt(USUAL_MS[every], offsetAt, time) : datesAt(window, offsetAt, time);
  edges.set(id, found);
  return found;
}

/**
 * The mean length of a calendar window.
 *
 * @param window The window
 * @returns ms
 */
export function meanMs({ every }: CalendarWindow): number {
  return every === "month" ? MEAN_MONTH_MS : USUAL_MS[every];
}

/**
 * The number of calendar windows that have begun since one ended, including the current one. It uses the mean length,
 * like the scripts, which do not know time zones. Windows never deviate enough from it to matter.
 *
 * @param window The window
 * @param end When that window ended, in ms since 1970
 * @param now The time, not before `end`
 */
export function windowsSince(window: CalendarWindow, end: number, now: number): number {
  const { start } = windowAt(window, now);
  // if the window was changed and ended between two boundaries, at least the current one follows
  return 1 + Math.max(0, Math.floor((start - end) / meanMs(window) + 0.5));
}

/**
 * The time by which a number of windows after one will have ended. The current and the next window end by the calendar.
 * Later ones use their mean length plus an eighth, so that no month, and no day with a clock change, ends later.
 *
 * @param window The window
 * @param end When that window ends, in ms since 1970
 * @param windows How many follow, at least one
 * @param now The time
 */
export function endAfter(window: CalendarWindow, end: number, windows: number, now: number): number {
  const present = windowAt(window, now);
  const mean = meanMs(window);
  let left = windows;
  for (const edge of [present.end, present.next]) if (end < edge && --left === 0) return edge;
  return Math.max(end, present.next) + left * mean + mean / 8;
}

/** Minutes and hours: from one full unit on the zone's clock to the next, or to a clock change. */
function clockAt(ms: number, offsetAt: OffsetAt, time: number): WindowEdges {
  const { start, end } = fullAt(ms, offsetAt, time);
  const next = fullAt(ms, offsetAt, end).end;
  return { start, end, next, afterNext: fullAt(ms, offsetAt, next).end };
}

function fullAt(ms: number, offsetAt: OffsetAt, time: number): Pick<WindowEdges, "start" | "end"> {
  const offset = offsetAt(time);
  const start = Math.floor((time + offset) / ms) * ms - offset;
  const last = start + ms - 1;
  return {
    start: offsetAt(start) === offset ? start : changeBetween(offsetAt, start, time),
    end: offsetAt(last) === offset ? last + 1 : changeBetween(offsetAt, time, last),
  };
}

/** Days, weeks and months: from the first moment of one date to the first moment of another. */
function datesAt({ every, startsOn }: CalendarWindow, offsetAt: OffsetAt, time: number): WindowEdges {
  const local = time + offsetAt(time);
  const begins = (n: number) => firstMomentOf(dateOf(every, n, startsOn), offsetAt);
  let n = numberOf(every, local, startsOn);
  // if the clock goes back over midnight, a date may come twice, but it has already begun
  while (begins(n) > time) n--;
  while (begins(n + 1) <= time) n++;
  let number = n + 1;
  // a date that a zone skipped to cross the date line has no length
  const after = (edge: number): number => {
    while (begins(number) <= edge) number++;
    return begins(number);
  };
  const end = begins(n + 1);
  const next = after(end);
  return { start: begins(n), end, next, afterNext: after(next) };
}

/** A day's, week's or month's number, approximate near its ends. */
function numberOf(every: CalendarUnit, local: number, startsOn: CalendarWindow["startsOn"]): number {
  const day = Math.floor(local / USUAL_MS.day);
  if (every === "day") return day;
  if (every === "week") return Math.floor((day - firstWeek(startsOn)) / 7);
  const date = new Date(local);
  return (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth();
}

/** The midnight that begins a day, week or month, as if in UTC. */
function dateOf(every: CalendarUnit, n: number, startsOn: CalendarWindow["startsOn"]): number {
  if (every === "day") return n * USUAL_MS.day;
  if (every === "week") return (firstWeek(startsOn) + 7 * n) * USUAL_MS.day;
  const days = new Date(Date.UTC(1970, n + 1, 0)).getUTCDate();
  return Date.UTC(1970, n, Math.min(days, startsOn === undefined ? 1 : Number(startsOn)));
}

/** The day on which the first week began; 5 January 1970 was a Monday. */
function firstWeek(startsOn: CalendarWindow["startsOn"] = "monday"): number {
  return 4 + WEEKDAYS.indexOf(startsOn as Weekday);
}

/** The furthest a clock can be from UTC, in ms, on either side of a change. */
const FURTHEST_MS = 26 * 3_600_000;

/** The first moment at which a zone's clock shows midnight or later. */
function firstMomentOf(midnight: number, offsetAt: OffsetAt): number {
  const before = offsetAt(midnight - FURTHEST_MS);
  const moment = midnight - before;
  if (before === offsetAt(midnight + FURTHEST_MS)) return moment;
  const change = changeBetween(offsetAt, midnight - FURTHEST_MS, midnight + FURTHEST_MS);
  return moment < change ? moment : Math.max(change, midnight - offsetAt(change));
}

/** The first ms after a clock change between two times. */
function changeBetween(offsetAt: OffsetAt, from: number, to: number): number {
  const before = offsetAt(from);
  let [low, high] = [from, to];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(middle) === before) low = middle;
    else high = middle;
  }
  return high;
}

/** @throws {RangeError} If there is no such zone */
function offsetsOf(timeZone: string): OffsetAt {
  let offsetAt = zones.get(timeZone);
  if (offsetAt === undefined) zones.set(timeZone, offsetAt = newOffsets(timeZone));
  return offsetAt;
}

function newOffsets(timeZone: string): OffsetAt {
  const format = new Intl.DateTimeFormat("en-US", {
    ...{ timeZone, calendar: "gregory", numberingSystem: "latn", hourCycle: "h23" },
    ...{ year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", second: "numeric" },
  });
  return (time) => {
    const shown = { year: 0, month: 0, day: 0, hour: 0, minute: 0, second: 0 };
    for (const { type, value } of format.formatToParts(time)) {
      if (type in shown) shown[type as keyof typeof shown] = Number(value);
    }
    const { year, month, day, hour, minute, second } = shown;
    return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(time / 1000) * 1000;
  };
}

import type { CalendarWindow } from "../../mod.ts";

const MINUTE = 60_000;
const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/** The time that a zone's clock shows. */
export function shownIn(
  timeZone: string,
): (time: number) => { date: string; hour: string; minute: string; weekday: number } {
  const format = new Intl.DateTimeFormat("sv-SE", {
    ...{ timeZone, year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit" },
    hourCycle: "h23",
  });
  const weekdays = new Intl.DateTimeFormat("en-US", { timeZone, weekday: "short" });
  return (time) => {
    const [date, clock] = format.format(time).split(" ") as [string, string];
    const [hour, minute] = clock.split(":") as [string, string];
    return { date, hour, minute, weekday: WEEKDAYS.indexOf(weekdays.format(time)) };
  };
}

/**
 * Where calendar windows begin, found by reading a zone's clock minute by minute. A date begins when the clock first
 * shows it or a later one; an hour or minute begins whenever the clock shows a different one or changes.
 *
 * @param window The window
 * @param from The first minute, in ms
 * @param to The last
 */
export function beginningsOf(window: CalendarWindow, from: number, to: number): number[] {
  const { every, timeZone = "UTC", startsOn } = window;
  const look = shownIn(timeZone);
  const beginnings: number[] = [];
  let before = look(from);
  let latest = before.date;
  for (let time = from + MINUTE; time <= to; time += MINUTE) {
    const shown = look(time);
    if (every === "minute") beginnings.push(time);
    else if (every === "hour") {
      const follows = Number(shown.minute) === (Number(before.minute) + 1) % 60 &&
        (shown.minute === "00" ? Number(shown.hour) === (Number(before.hour) + 1) % 24 : shown.hour === before.hour);
      if (!follows || shown.minute === "00") beginnings.push(time);
    } else if (shown.date > latest) {
      if (datesBetween(latest, shown.date).some((date) => begins(date, every, startsOn))) beginnings.push(time);
      latest = shown.date;
    }
    before = shown;
  }
  return beginnings;
}

/** The dates after one, up to another: more than one where a zone skipped a date. */
function datesBetween(after: string, to: string): string[] {
  const dates: string[] = [];
  for (let date = after; date < to;) {
    date = new Date(Date.parse(`${date}T12:00:00Z`) + 24 * 60 * MINUTE).toISOString().slice(0, 10);
    dates.push(date);
  }
  return dates;
}

function begins(date: string, every: CalendarWindow["every"], startsOn: CalendarWindow["startsOn"]): boolean {
  const noon = new Date(`${date}T12:00:00Z`);
  if (every === "day") return true;
  if (every === "week") {
    const name = new Intl.DateTimeFormat("en-US", { weekday: "long", timeZone: "UTC" }).format(noon).toLowerCase();
    return name === (startsOn ?? "monday");
  }
  const wanted = typeof startsOn === "number" ? startsOn : 1;
  const isLast = new Date(noon.getTime() + 24 * 60 * MINUTE).getUTCDate() === 1;
  const day = noon.getUTCDate();
  return day === wanted || isLast && day < wanted;
}

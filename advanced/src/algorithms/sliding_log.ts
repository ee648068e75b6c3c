import { hasDebts, type Policy } from "../policy/policy.ts";
import type { Algorithm, Cells } from "./algorithm.ts";

// entry count, then pairs of time and units, oldest first
const LENGTH = 0;
const ENTRIES = 1;

/** Keeps the time of every grant: exact to the millisecond, in up to 16 bytes per unit. */
export const slidingLog: Algorithm = {
  width: () => 0,
  room: ({ limit, windowMs }, cells, now) => limit - used(cells, now - windowMs),
  take({ windowMs }, cells, now, units, by = now) {
    dropOld(cells, now - windowMs);
    const end = endOf(cells);
    // a clock that was set back must not put the log out of order
    const time = end > ENTRIES ? Math.max(by, cells.array[end - 2]!) : by;
    append(cells, time, units);
    return time;
  },
  wait({ limit, windowMs }, cells, now, units) {
    let missing = used(cells, now - windowMs) + units - limit;
    if (missing <= 0) return 0;
    const { array } = cells;
    for (let i = firstAfter(cells, now - windowMs); i < endOf(cells); i += 2) {
      missing -= array[i + 1]!;
      if (missing <= 0) return array[i]! + windowMs - now;
    }
    return windowMs;
  },
  reset({ windowMs }, cells, now) {
    const end = endOf(cells);
    return end <= ENTRIES ? 0 : Math.max(0, cells.array[end - 2]! + windowMs - now);
  },
  give(policy, cells, now, stamp, units) {
    const { array } = cells;
    for (let i = firstAfter(cells, now - policy.windowMs); i < endOf(cells); i += 2) {
      if (array[i] !== stamp) continue;
      array[i + 1] = array[i + 1]! - units;
      if (array[i + 1]! <= 0) remove(cells, i);
      if (hasDebts(policy)) bringForward(policy, cells, now);
      return true;
    }
    return false;
  },
  // entries in the future: each unit above the limit gets the time at which as many units before it have expired
  owe({ limit, windowMs }, cells, now, units) {
    dropOld(cells, now - windowMs);
    let early = used(cells, now - windowMs) - limit;
    let left = units;
    for (let i = ENTRIES; left > 0; i += 2) {
      const there = cells.array[i + 1]!;
      if (early >= there) {
        early -= there;
        continue;
      }
      const part = Math.min(left, there - early);
      early = 0;
      append(cells, Math.max(cells.array[i]! + windowMs, cells.array[endOf(cells) - 2]!), part);
      left -= part;
    }
  },
  extend({ windowMs }, cells, now) {
    const units = used(cells, now - windowMs);
    cells.array.fill(0);
    if (units > 0) append(cells, now, units);
    return now;
  },
};

function endOf({ array }: Cells): number {
  return ENTRIES + 2 * (array.length === 0 ? 0 : array[LENGTH]!);
}

// an entry counts until a whole window has passed, and no longer at that very moment
function firstAfter(cells: Cells, time: number): number {
  let i = ENTRIES;
  const end = endOf(cells);
  while (i < end && cells.array[i]! <= time) i += 2;
  return i;
}

function used(cells: Cells, since: number): number {
  let sum = 0;
  const end = endOf(cells);
  for (let i = firstAfter(cells, since); i < end; i += 2) sum += cells.array[i + 1]!;
  return sum;
}

function dropOld(cells: Cells, time: number): void {
  const first = firstAfter(cells, time);
  if (first === ENTRIES) return;
  const end = endOf(cells);
  cells.array.copyWithin(ENTRIES, first, end);
  cells.array[LENGTH] = (end - first) / 2;
}

/** Recomputes when owed units count after other units were refunded. */
function bringForward(policy: Policy, cells: Cells, now: number): void {
  let owed = 0;
  while (endOf(cells) > ENTRIES && cells.array[endOf(cells) - 2]! > now) {
    owed += cells.array[endOf(cells) - 1]!;
    cells.array[LENGTH]!--;
  }
  const fits = Math.min(owed, Math.max(0, slidingLog.room(policy, cells, now)));
  if (fits > 0) append(cells, now, fits);
  if (owed > fits) slidingLog.owe!(policy, cells, now, owed - fits);
}

function append(cells: Cells, now: number, units: number): void {
  const end = endOf(cells);
  if (end > ENTRIES && cells.array[end - 2] === now) {
    cells.array[end - 1]! += units;
    return;
  }
  if (end + 2 > cells.array.length) {
    const longer = new Float64Array(Math.max(5, ENTRIES + 2 * (end - ENTRIES) + 2));
    longer.set(cells.array);
    cells.array = longer;
  }
  cells.array[end] = now;
  cells.array[end + 1] = units;
  cells.array[LENGTH]!++;
}

function remove(cells: Cells, i: number): void {
  cells.array.copyWithin(i, i + 2, endOf(cells));
  cells.array[LENGTH]!--;
}

import { hasDebts, paidIn, type Policy } from "../policy/policy.ts";
import type { Algorithm, Cells } from "./algorithm.ts";

// Entry count, then pairs of time and units, oldest first. Owed units are in the future, at the half ms before they
// count: grants have whole times, even if a clock that was set back leaves them in the future too.
const LENGTH = 0;
const ENTRIES = 1;

/** Keeps the time of every grant: exact to the millisecond, in up to 16 bytes per unit. */
export const slidingLog: Algorithm = {
  width: () => 0,
  room: (policy, cells, now) => policy.limit - used(policy, cells, now),
  take(policy, cells, now, units, by = now) {
    dropOld(policy, cells, now);
    // a clock that was set back must not put the log out of order
    const time = Math.max(by, Math.ceil(latest(cells)));
    append(cells, time, units);
    return time;
  },
  wait(policy, cells, now, units) {
    const { array } = cells;
    const { windowMs } = policy;
    let missing = units - slidingLog.room(policy, cells, now);
    if (missing <= 0) return 0;
    for (let i = firstLive(policy, cells, now); i < endOf(cells); i += 2) {
      missing -= array[i + 1]!;
      if (missing <= 0) return Math.ceil(array[i]!) + windowMs - now;
    }
    return windowMs;
  },
  reset: ({ windowMs }, cells, now) => Math.max(0, Math.ceil(latest(cells)) + windowMs - now),
  give(policy, cells, now, stamp, units) {
    const { array } = cells;
    for (let i = firstLive(policy, cells, now); i < endOf(cells); i += 2) {
      if (array[i] !== stamp) continue;
      array[i + 1]! -= units;
      if (array[i + 1]! <= 0) remove(cells, i);
      if (hasDebts(policy)) slidingLog.pay!(policy, cells, now);
      return true;
    }
    return false;
  },
  // each unit above the limit gets the time at which as many units before it have expired
  owe(policy, cells, now, units) {
    dropOld(policy, cells, now);
    let early = used(policy, cells, now) - paidIn(policy);
    let left = units;
    for (let i = ENTRIES; left > 0; i += 2) {
      const there = cells.array[i + 1]!;
      if (early >= there) {
        early -= there;
        continue;
      }
      const part = Math.min(left, there - early);
      early = 0;
      append(cells, Math.max(Math.ceil(cells.array[i]!) + policy.windowMs - 0.5, latest(cells)), part);
      left -= part;
    }
  },
  // what is owed follows the current limit and window
  pay(policy, cells, now) {
    let owed = 0;
    while (latest(cells) > now && latest(cells) % 1 > 0) {
      owed += cells.array[endOf(cells) - 1]!;
      cells.array[LENGTH]!--;
    }
    if (owed === 0) return;
    const fits = Math.min(owed, paidIn(policy) - used(policy, cells, now));
    if (fits > 0) {
      slidingLog.take(policy, cells, now, fits);
      owed -= fits;
    }
    slidingLog.owe!(policy, cells, now, owed);
  },
  extend(policy, cells, now) {
    const units = used(policy, cells, now);
    cells.array.fill(0);
    if (units > 0) append(cells, now, units);
    return now;
  },
};

function endOf({ array }: Cells): number {
  return ENTRIES + 2 * (array.length === 0 ? 0 : array[LENGTH]!);
}

/** The time of the last entry; `-Infinity` if there is none. */
function latest(cells: Cells): number {
  const end = endOf(cells);
  return end > ENTRIES ? cells.array[end - 2]! : -Infinity;
}

// an entry counts until a whole window has passed, and no longer at that very moment
function firstLive({ windowMs }: Policy, cells: Cells, now: number): number {
  let i = ENTRIES;
  const end = endOf(cells);
  while (i < end && cells.array[i]! <= now - windowMs) i += 2;
  return i;
}

function used(policy: Policy, cells: Cells, now: number): number {
  let sum = 0;
  const end = endOf(cells);
  for (let i = firstLive(policy, cells, now); i < end; i += 2) sum += cells.array[i + 1]!;
  return sum;
}

function dropOld(policy: Policy, cells: Cells, now: number): void {
  const first = firstLive(policy, cells, now);
  if (first === ENTRIES) return;
  const end = endOf(cells);
  cells.array.copyWithin(ENTRIES, first, end);
  cells.array[LENGTH] = (end - first) / 2;
}

function append(cells: Cells, time: number, units: number): void {
  const end = endOf(cells);
  if (latest(cells) === time) {
    cells.array[end - 1]! += units;
    return;
  }
  if (end + 2 > cells.array.length) {
    const longer = new Float64Array(Math.max(5, ENTRIES + 2 * (end - ENTRIES) + 2));
    longer.set(cells.array);
    cells.array = longer;
  }
  cells.array[end] = time;
  cells.array[end + 1] = units;
  cells.array[LENGTH]!++;
}

function remove(cells: Cells, i: number): void {
  cells.array.copyWithin(i, i + 2, endOf(cells));
  cells.array[LENGTH]!--;
}

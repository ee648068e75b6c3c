import { bucketsOf, DEFAULT_BUCKETS, hasDebts, LONGEST_DEBT_MS, type Policy } from "../policy/policy.ts";
import type { Algorithm, Cells } from "./algorithm.ts";

// The window that the buckets divide, the number of the latest bucket, the total at that time, and the ring of buckets.
// Units in the total but in no bucket are owed.
const WINDOW = 0;
const LATEST = 1;
const TOTAL = 2;
const RING = 3;

/**
 * The strict sliding window: time is divided into `buckets`, and every bucket that overlaps the window counts in full.
 *
 * No interval of one window length ever holds more than `limit`. Quota returns at most one bucket late.
 */
export const slidingWindow: Algorithm = {
  width: ({ buckets = DEFAULT_BUCKETS }) => RING + buckets + 1,
  room: (policy, cells, now) => policy.limit - used(policy, cells, now),
  take(policy, cells, now, units, by = now) {
    const ring = ringOf(policy, policy.windowMs);
    let latest = advance(policy, cells, now);
    if (by > now) latest = ahead(cells, ring, latest, Math.floor(by / partOf(policy.windowMs, ring)));
    cells.array[cells.at + RING + latest % ring]! += units;
    cells.array[cells.at + TOTAL]! += units;
    return latest;
  },
  wait(policy, cells, now, units) {
    let missing = used(policy, cells, now) + units - policy.limit;
    if (missing <= 0) return 0;
    if (hasDebts(policy) && owed(policy, cells) > 0) return leavesAt(policy, cells, missing) - now;
    const { array, at } = cells;
    const windowMs = array[at + WINDOW]!;
    const ring = ringOf(policy, windowMs);
    const latest = array[at + LATEST]!;
    let bucket = oldest(policy, cells, now);
    for (; bucket < latest; bucket++) {
      missing -= array[at + RING + bucket % ring]!;
      if (missing <= 0) break;
    }
    return (bucket + ring) * partOf(windowMs, ring) - now;
  },
  reset(policy, cells, now) {
    const { array, at } = cells;
    if (array[at + TOTAL] === 0) return 0;
    if (hasDebts(policy) && owed(policy, cells) > 0) return leavesAt(policy, cells, array[at + TOTAL]!) - now;
    const windowMs = array[at + WINDOW]!;
    const ring = ringOf(policy, windowMs);
    const first = oldest(policy, cells, now);
    for (let bucket = array[at + LATEST]!; bucket >= first; bucket--) {
      if (array[at + RING + bucket % ring]! > 0) return (bucket + ring) * partOf(windowMs, ring) - now;
    }
    return 0;
  },
  give(policy, cells, now, stamp, units) {
    const { array, at } = cells;
    const { windowMs } = policy;
    if (array[at + WINDOW] !== windowMs || stamp > array[at + LATEST]! || stamp < oldest(policy, cells, now)) {
      return false;
    }
    const cell = at + RING + stamp % ringOf(policy, windowMs);
    const given = Math.min(units, array[cell]!);
    if (given === 0) return false;
    array[cell]! -= given;
    array[at + TOTAL]! -= given;
    if (hasDebts(policy)) slidingWindow.pay!(policy, cells, now);
    return true;
  },
  owe(_policy, { array, at }, _now, units) {
    array[at + TOTAL]! += units;
  },
  // expiring units pay off debts in the bucket that reuses their cell
  pay(policy, cells, now) {
    const { array, at } = cells;
    let debt = owed(policy, cells);
    if (debt <= 0) return;
    const windowMs = array[at + WINDOW]!;
    const ring = ringOf(policy, windowMs);
    const current = Math.floor(now / partOf(windowMs, ring));
    const counted = array[at + TOTAL]! - debt;
    let latest = array[at + LATEST]!;
    // a full turn pays off all buckets, and leaves them unchanged
    const turns = Math.max(0, Math.min(Math.floor((current - latest) / ring), Math.floor(debt / counted)));
    latest += turns * ring;
    debt -= turns * counted;
    array[at + TOTAL]! -= turns * counted;
    while (latest < current && debt > 0) {
      const cell = at + RING + ++latest % ring;
      const paid = Math.min(debt, array[cell]!);
      array[at + TOTAL]! -= array[cell]!;
      array[cell] = paid;
      debt -= paid;
    }
    array[at + LATEST] = latest;
    // if units fit after a refund or a raised limit
    const room = policy.limit - (array[at + TOTAL]! - debt);
    if (debt > 0 && room > 0) array[at + RING + latest % ring]! += Math.min(debt, room);
  },
  shorten(policy, cells, now) {
    if (cells.array[cells.at + WINDOW]! > policy.windowMs && used(policy, cells, now) > 0) advance(policy, cells, now);
  },
  extend(policy, cells, now) {
    const units = used(policy, cells, now);
    cells.array.fill(0, cells.at, cells.at + slidingWindow.width(policy));
    return slidingWindow.take(policy, cells, now, units);
  },
};

/** Buckets that can overlap a window: one more than it is divided into. */
function ringOf(policy: Policy, windowMs: number): number {
  return (windowMs === policy.windowMs ? bucketsOf(policy) : bucketsOf({ ...policy, windowMs })) + 1;
}

function partOf(windowMs: number, ring: number): number {
  return Math.ceil(windowMs / (ring - 1));
}

// the oldest bucket that still counts; one after the latest if no bucket does
function oldest(policy: Policy, { array, at }: Cells, now: number): number {
  const windowMs = array[at + WINDOW]!;
  if (windowMs === 0) return 1;
  const ring = ringOf(policy, windowMs);
  const latest = array[at + LATEST]!;
  const current = Math.floor(now / partOf(windowMs, ring));
  return Math.max(0, Math.min(Math.max(latest, current) - ring + 1, latest + 1));
}

// the total minus the units that have expired since
function used(policy: Policy, cells: Cells, now: number): number {
  const { array, at } = cells;
  let units = array[at + TOTAL]!;
  if (units === 0) return 0;
  const ring = ringOf(policy, array[at + WINDOW]!);
  const first = oldest(policy, cells, now);
  // a policy without debts may follow one with debts
  if (first > array[at + LATEST]!) return 0;
  // a clock that starts at 0 has no earlier buckets
  for (let bucket = Math.max(0, array[at + LATEST]! - ring + 1); bucket < first; bucket++) {
    units -= array[at + RING + bucket % ring]!;
  }
  return units;
}

/** Moves the ring to the current bucket and returns its number. */
function advance(policy: Policy, cells: Cells, now: number): number {
  const { array, at } = cells;
  const { windowMs } = policy;
  const ring = ringOf(policy, windowMs);
  const current = Math.floor(now / partOf(windowMs, ring));
  const units = used(policy, cells, now);
  if (array[at + WINDOW] !== windowMs) {
    // the window was changed: used units stay used, and count from now
    const debt = hasDebts(policy) ? owed(policy, cells) : 0;
    array.fill(0, at + RING, at + slidingWindow.width(policy));
    array[at + WINDOW] = windowMs;
    array[at + RING + current % ring] = units - debt;
  } else {
    const latest = array[at + LATEST]!;
    if (current <= latest) return latest;
    for (let bucket = Math.max(latest, current - ring) + 1; bucket <= current; bucket++) {
      array[at + RING + bucket % ring] = 0;
    }
  }
  array[at + TOTAL] = units;
  return array[at + LATEST] = current;
}

/** Moves the ring to a future bucket: buckets that fall out still count, in the oldest one left. */
function ahead({ array, at }: Cells, ring: number, latest: number, bucket: number): number {
  if (bucket <= latest) return latest;
  let leaving = 0;
  for (let next = Math.max(latest, bucket - ring) + 1; next <= bucket; next++) {
    leaving += array[at + RING + next % ring]!;
    array[at + RING + next % ring] = 0;
  }
  array[at + RING + (bucket + 1) % ring]! += leaving;
  return array[at + LATEST] = bucket;
}

/** Owed units, not yet in a bucket. */
function owed(policy: Policy, { array, at }: Cells): number {
  let units = array[at + TOTAL]!;
  for (let cell = slidingWindow.width(policy) - 1; cell >= RING; cell--) units -= array[at + cell]!;
  return units;
}

/** When a unit expires, counted from the oldest: owed units follow one window after another. */
function leavesAt(policy: Policy, cells: Cells, unit: number): number {
  const { array, at } = cells;
  const windowMs = array[at + WINDOW]!;
  const ring = ringOf(policy, windowMs);
  const latest = array[at + LATEST]!;
  const counted = Math.max(1, array[at + TOTAL]! - owed(policy, cells));
  let left = (unit - 1) % counted + 1;
  let bucket = Math.max(0, latest - ring + 1);
  while (bucket < latest && (left -= array[at + RING + bucket % ring]!) > 0) bucket++;
  const turns = Math.floor((unit - 1) / counted) + 1;
  return Math.min(LONGEST_DEBT_MS, (bucket + turns * ring) * partOf(windowMs, ring));
}

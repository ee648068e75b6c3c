import { endAfter, windowAt, windowsSince } from "../policy/calendar_window.ts";
import { followsClock, hasDebts, LONGEST_DEBT_MS, paidIn, type Policy } from "../policy/policy.ts";
import type { Verdict } from "../policy/store.ts";
import type { Algorithm, Cells } from "./algorithm.ts";

const USED = 0;
const END = 1;

/**
 * Counts in consecutive windows that start with the key's first request, or follow the clock or calendar.
 *
 * Across a window boundary, up to `2 * limit - 1` units (aligned to clock or calendar: `2 * limit`) fit into one window
 * length.
 */
export const fixedWindow: Algorithm = {
  width: () => 2,
  room: ({ limit }, { array, at }, now) => now < array[at + END]! ? limit - array[at + USED]! : limit,
  take(policy, { array, at }, now, units, by = now) {
    if (now >= array[at + END]!) {
      array[at + USED] = 0;
      array[at + END] = endOf(policy, by);
    }
    array[at + USED]! += units;
    return array[at + END]!;
  },
  holdsUntil(policy, cells, now) {
    if (hasDebts(policy)) fixedWindow.pay!(policy, cells, now);
    const end = cells.array[cells.at + END]!;
    if (now < end) return Math.min(end, now + policy.windowMs) - 1;
    return followsClock(policy) ? endOf(policy, now) - 1 : Infinity;
  },
  decide(policy, { array, at }, now, cost, times) {
    const { limit } = policy;
    let end = array[at + END]!;
    let used = array[at + USED]!;
    if (now >= end) used = end = 0;
    const room = limit - used;
    if (room < 0 && hasDebts(policy)) return verdictInDebt(policy, { array, at }, now, cost);
    let fits = times;
    if (cost > 0 && room < cost * times) fits = room < cost ? 0 : Math.floor(room / cost);
    const granted = fits * cost;
    if (granted > 0) {
      used += granted;
      array[at + USED] = used;
      if (end === 0) array[at + END] = end = endOf(policy, now);
    }
    const remaining = used < limit ? limit - used : 0;
    const wait = end === 0 ? 0 : end - now;
    return {
      granted,
      denied: fits < times,
      limit,
      remaining,
      retryAfterMs: fits === times ? 0 : cost > limit ? Infinity : wait,
      nextMs: remaining < limit ? wait : 0,
      resetMs: wait,
      blocked: false,
      stamp: granted > 0 ? end : 0,
    };
  },
  wait(policy, cells, now, units) {
    if (fixedWindow.room(policy, cells, now) >= units) return 0;
    return cells.array[cells.at + END]! - now + laterMs(policy, cells, now, units);
  },
  reset: (policy, cells, now) =>
    Math.max(0, cells.array[cells.at + END]! - now + laterMs(policy, cells, now, policy.limit)),
  give(_policy, { array, at }, now, stamp, units) {
    const used = array[at + USED]!;
    if (now >= stamp || array[at + END] !== stamp || used === 0) return false;
    array[at + USED] = Math.max(0, used - units);
    // a window without units never began
    if (array[at + USED] === 0) array[at + END] = 0;
    return true;
  },
  // during a debt, windows are consecutive, and each starts with the previous one's excess
  pay(policy, { array, at }, now) {
    const end = array[at + END]!;
    if (end === 0 || now < end) return;
    const { window, windowMs } = policy;
    const windows = window === undefined ? Math.floor((now - end) / windowMs) + 1 : windowsSince(window, end, now);
    const left = array[at + USED]! - windows * paidIn(policy);
    array[at + USED] = Math.max(0, left);
    if (left <= 0) array[at + END] = 0;
    else array[at + END] = window === undefined ? end + windows * windowMs : windowAt(window, now).end;
  },
  shorten(policy, { array, at }, now) {
    if (array[at + END]! - now > policy.windowMs) array[at + END] = endOf(policy, now);
  },
  extend({ windowMs }, { array, at }, now) {
    if (now < array[at + END]!) array[at + END] = now + windowMs;
    return array[at + END]!;
  },
};

function endOf({ windowMs, align, window }: Policy, now: number): number {
  if (window !== undefined) return windowAt(window, now).end;
  return align === "clock" ? now - now % windowMs + windowMs : now + windowMs;
}

/** Time from the end of the window until `units` fit, in ms; for the whole limit, until nothing is used. */
function laterMs(policy: Policy, { array, at }: Cells, now: number, units: number): number {
  if (!hasDebts(policy)) return 0;
  const windows = Math.ceil((array[at + USED]! + units - policy.limit) / paidIn(policy)) - 1;
  if (windows <= 0) return 0;
  const { window, windowMs } = policy;
  const end = array[at + END]!;
  const ms = window === undefined ? windows * windowMs : endAfter(window, end, windows, now) - end;
  return Math.min(LONGEST_DEBT_MS, ms);
}

/** Decides takes for a key in debt: nothing is granted, and every wait is for a later window. */
function verdictInDebt(policy: Policy, cells: Cells, now: number, cost: number): Verdict {
  const { limit } = policy;
  const waitFor = (units: number) => fixedWindow.wait(policy, cells, now, units);
  return {
    granted: 0,
    denied: cost > 0,
    limit,
    remaining: 0,
    retryAfterMs: cost === 0 ? 0 : cost > limit ? Infinity : waitFor(cost),
    nextMs: limit === 0 ? 0 : waitFor(1),
    resetMs: fixedWindow.reset(policy, cells, now),
    blocked: false,
    stamp: 0,
  };
}

import { hasDebts, LONGEST_DEBT_MS, paidIn, type Policy } from "../policy/policy.ts";
import type { Algorithm, Cells } from "./algorithm.ts";

// the window length the counts belong to, the window number, its usage, the usage of the previous window
const WINDOW = 0;
const NUMBER = 1;
const CURRENT = 2;
const PREVIOUS = 3;

/**
 * Two counters: the current window in full, and the share of the previous one that the sliding window still covers.
 *
 * The long-run rate is exact, but an interval of one window length may hold nearly `2 * limit`.
 */
export const slidingApproximate: Algorithm = {
  width: () => 4,
  room(policy, cells, now) {
    const { current, previous, left, windowMs } = at(policy, cells, now);
    return policy.limit - current - Math.ceil(previous * Math.min(left, windowMs) / windowMs);
  },
  take(policy, { array, at: start }, now, units, by = now) {
    const seen = at(policy, { array, at: start }, now);
    const same = array[start + WINDOW] === policy.windowMs;
    array[start + WINDOW] = policy.windowMs;
    const number = Math.floor(now / policy.windowMs);
    array[start + NUMBER] = same ? Math.max(number, array[start + NUMBER]!) : number;
    // a changed window is divided differently: used units stay used
    array[start + CURRENT] = (same ? seen.current : seen.current + seen.previous) + units;
    array[start + PREVIOUS] = same ? seen.previous : 0;
    const windows = Math.floor(by / policy.windowMs) - array[start + NUMBER]!;
    if (windows > 0) {
      // before its time: the previous window keeps the share it has now
      const kept = Math.ceil(array[start + PREVIOUS]! * Math.min(seen.left, policy.windowMs) / policy.windowMs);
      const current = array[start + CURRENT]! - units;
      const later = hasDebts(policy) ? paidAfter(policy, current, windows) : { current: 0, previous: current };
      array[start + NUMBER]! += windows;
      array[start + CURRENT] = later.current + units;
      array[start + PREVIOUS] = later.previous + kept;
    }
    return array[start + NUMBER]!;
  },
  wait(policy, cells, now, units) {
    const { limit } = policy;
    if (slidingApproximate.room(policy, cells, now) >= units) return 0;
    const { current, previous, left, windowMs } = at(policy, cells, now);
    if (current + units <= limit) {
      return Math.ceil(windowMs - (limit - current - units) * windowMs / previous) - (windowMs - left);
    }
    // the window in which they fit: the next one without debt
    const windows = hasDebts(policy) ? Math.ceil((current + units - limit) / limit) : 1;
    const later = hasDebts(policy) ? paidAfter(policy, current, windows) : { current: 0, previous: current };
    const decayed = Math.ceil(windowMs - (limit - later.current - units) * windowMs / later.previous);
    return Math.min(LONGEST_DEBT_MS, left + (windows - 1) * windowMs + Math.max(0, decayed));
  },
  reset(policy, cells, now) {
    const { current, previous, left, windowMs } = at(policy, cells, now);
    if (current === 0) return previous > 0 ? left : 0;
    const windows = hasDebts(policy) ? Math.ceil(current / paidIn(policy)) : 1;
    return Math.min(LONGEST_DEBT_MS, left + windows * windowMs);
  },
  give(policy, { array, at: start }, now, stamp, units) {
    const { windowMs } = policy;
    const current = array[start + CURRENT]!;
    const isCurrent = array[start + NUMBER] === stamp && Math.floor(now / windowMs) === stamp;
    if (array[start + WINDOW] !== windowMs || !isCurrent || current === 0) return false;
    array[start + CURRENT] = Math.max(0, current - units);
    return true;
  },
  shorten(policy, cells, now) {
    if (cells.array[cells.at + WINDOW]! <= policy.windowMs) return;
    const { current, previous } = at(policy, cells, now);
    if (current + previous > 0) slidingApproximate.take(policy, cells, now, 0);
  },
  extend(policy, cells, now) {
    const { current, previous } = at(policy, cells, now);
    cells.array.fill(0, cells.at, cells.at + 4);
    return slidingApproximate.take(policy, cells, now, current + previous);
  },
};

/** The counters as of now: `left` is the time left in the current window, in ms. */
interface Seen {
  readonly current: number;
  readonly previous: number;
  readonly left: number;
  readonly windowMs: number;
}

function at(policy: Policy, { array, at: start }: Cells, now: number): Seen {
  const windowMs = array[start + WINDOW]! || policy.windowMs;
  const number = Math.max(Math.floor(now / windowMs), array[start + NUMBER]!);
  const left = (number + 1) * windowMs - now;
  const behind = number - array[start + NUMBER]!;
  if (behind <= 0) return { current: array[start + CURRENT]!, previous: array[start + PREVIOUS]!, left, windowMs };
  if (hasDebts(policy)) return { ...paidAfter(policy, array[start + CURRENT]!, behind), left, windowMs };
  return { current: 0, previous: behind === 1 ? array[start + CURRENT]! : 0, left, windowMs };
}

/** The counters some windows later: each window's excess over the limit is carried into the next. */
function paidAfter(policy: Policy, current: number, windows: number): Pick<Seen, "current" | "previous"> {
  const paid = paidIn(policy);
  return {
    current: Math.max(0, current - windows * paid),
    previous: Math.max(0, Math.min(paid, current - (windows - 1) * paid)),
  };
}

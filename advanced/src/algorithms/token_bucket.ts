import { capacityOf, type Policy } from "../policy/policy.ts";
import type { Algorithm, Cells } from "./algorithm.ts";

// the window the debt is scaled by, its timestamp, and the debt then, in units times window ms
const WINDOW = 0;
const WRITTEN = 1;
const DEBT = 2;

/**
 * A bucket for `burst` tokens that refills evenly at `limit` per window; equivalent to GCRA, in integers.
 *
 * The debt is stored in units times ms, so that even a token every third of a millisecond is exact. An interval of one
 * window length holds at most `burst + limit`.
 */
export const tokenBucket: Algorithm = {
  width: () => 3,
  room(policy, cells, now) {
    if (policy.limit === 0) return 0;
    return Math.floor((capacityOf(policy) * policy.windowMs - debt(policy, cells, now)) / policy.windowMs);
  },
  take(policy, cells, now, units, by = now) {
    // seen from before `by`, the debt is larger by the refill until then
    const before = debt(policy, cells, by);
    write(policy, cells, by, before + units * policy.windowMs);
    // when all earlier takes are paid off; the bucket then forgets this take
    return policy.limit === 0 ? by : Math.floor(by + before / policy.limit);
  },
  wait(policy, cells, now, units) {
    if (policy.limit === 0) return Infinity;
    const missing = debt(policy, cells, now) + (units - capacityOf(policy)) * policy.windowMs;
    return Math.max(0, Math.ceil(missing / policy.limit));
  },
  reset(policy, cells, now) {
    // a bucket that is temporarily closed must not forget consumed units
    return Math.ceil(debt(policy, cells, now) / Math.max(1, policy.limit));
  },
  give(policy, cells, now, stamp, units) {
    // units that have been refilled since are not refunded again
    const amount = units * policy.windowMs - Math.max(0, now - stamp) * policy.limit;
    const present = debt(policy, cells, now);
    if (amount <= 0 || present === 0) return false;
    write(policy, cells, now, Math.max(0, present - amount));
    return true;
  },
  extend(policy, cells, now) {
    const full = capacityOf(policy) * policy.windowMs;
    write(policy, cells, now, Math.max(full, debt(policy, cells, now)));
    return now;
  },
};

function debt(policy: Policy, { array, at }: Cells, now: number): number {
  const windowMs = array[at + WINDOW]!;
  const written = array[at + DEBT]!;
  if (written === 0) return 0;
  const scaled = windowMs === policy.windowMs ? written : Math.ceil(written / windowMs * policy.windowMs);
  return Math.max(0, scaled - (now - array[at + WRITTEN]!) * policy.limit);
}

function write(policy: Policy, { array, at }: Cells, now: number, amount: number): void {
  array[at + WINDOW] = policy.windowMs;
  array[at + WRITTEN] = now;
  array[at + DEBT] = amount;
}

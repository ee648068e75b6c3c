import type { Policy } from "../../../mod.ts";

/** Granted units, and the real times, in ms since 1970, between which the store decided. */
export interface Grant {
  /** Number of units. */
  readonly units: number;
  /** The decision was made no earlier. */
  readonly sent: number;
  /** It was made no later. */
  readonly replied: number;
}

/** Stores count whole ms, and two clocks on one machine differ by less than this, in ms. */
const TOLERANCE = 2;

/**
 * Finds grants that are excessive by any clock, wherever within its bounds each decision was made.
 *
 * It does not model how a store counts, only what an algorithm guarantees for every interval.
 *
 * @param policy The policy
 * @param grants Every grant to one key
 * @param earlyMs How much later than its decision a grant may take effect, in ms
 * @returns The worst excess, `undefined` if there is none
 */
export function certainExcess(policy: Policy, grants: readonly Grant[], earlyMs: number): string | undefined {
  const { windowMs, limit } = policy;
  const slack = earlyMs + TOLERANCE;
  const sorted = grants.toSorted((a, b) => a.sent - b.sent);
  let worst: { excess: number; text: string } | undefined;
  const note = (units: number, most: number, ms: number) => {
    const excess = units - most;
    if (excess <= (worst?.excess ?? 0)) return;
    worst = { excess, text: `${units} units within ${Math.round(ms)} ms, where at most ${most} are` };
  };
  sorted.forEach(({ sent: start }, i) => {
    // every grant certainly made after this one was requested, in the order of latest times
    let units = 0;
    for (const grant of sorted.slice(i).toSorted((a, b) => a.replied - b.replied)) {
      units += grant.units;
      const ms = grant.replied - start;
      note(units, mostWithin(policy, ms + slack, i === 0), ms);
    }
  });
  if (policy.align !== "clock" && policy.algorithm !== "sliding-approximate") return worst?.text;
  const byWindow = new Map<number, number>();
  for (const { units, sent, replied } of sorted) {
    const window = Math.floor((sent - slack) / windowMs);
    // it may belong to either of two windows
    if (window !== Math.floor((replied + slack) / windowMs)) continue;
    byWindow.set(window, (byWindow.get(window) ?? 0) + units);
  }
  for (const units of byWindow.values()) note(units, limit, windowMs);
  return worst?.text;
}

function mostWithin({ algorithm, limit, windowMs, burst, align }: Policy, ms: number, isFirst: boolean): number {
  if (algorithm === "token-bucket") return Math.floor((burst ?? limit) + limit * ms / windowMs);
  const windows = Math.floor(ms / windowMs) + 1;
  const isStrict = algorithm === "sliding-log" || algorithm === "sliding-window" ||
    // a key's first grant starts its first window
    algorithm === "fixed-window" && align !== "clock" && isFirst;
  return limit * (isStrict ? windows : windows + 1);
}

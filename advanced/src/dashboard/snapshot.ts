import { terminalText } from "../text/escape.ts";
import { type DashboardLimiter, limiterOf } from "./dashboard_options.ts";

/** Keys of each limiter that the page lists. */
const LISTED = 20;

/** The present state of a limiter, as the page gets it. */
function stateOf(name: string, shown: DashboardLimiter): unknown {
  const limiter = limiterOf(shown);
  return {
    name,
    policies: limiter.policies.map(({ name, algorithm, limit, windowMs }) => ({ name, algorithm, limit, windowMs })),
    counters: limiter.counters,
    keys: limiter.size,
    overflows: limiter.overflows,
    breakerIsOpen: limiter.breakerIsOpen,
    top: limiter.top(LISTED).map((refused) => ({
      ...refused,
      // JSON has no Infinity
      retryAfterMs: refused.retryAfterMs === Infinity ? null : refused.retryAfterMs,
      // marks that turn the reading direction around, and others that hide what a key is
      shown: terminalText(refused.key),
    })),
  };
}

/**
 * What the page shows, as JSON. It may stand in a script, too: nothing in it ends one.
 *
 * @param limiters The limiters by name
 * @param instance What tells this process from others
 */
export function snapshotJson(limiters: Readonly<Record<string, DashboardLimiter>>, instance: string): string {
  const state = {
    instance,
    atMs: Date.now(),
    limiters: Object.entries(limiters).map(([name, shown]) => stateOf(name, shown)),
  };
  return JSON.stringify(state).replaceAll("<", "\\u003c");
}

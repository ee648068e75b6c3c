import { terminalText } from "../text/escape.ts";
import { type DashboardLimiter, limiterOf } from "./dashboard_options.ts";

/** Keys listed per limiter. */
const LISTED = 20;

/** A limiter's current state, as sent to the page. */
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
      // escapes characters that reverse the reading direction or hide parts of a key
      shown: terminalText(refused.key),
    })),
  };
}

/**
 * The page data, as JSON. It is safe in a script element, because nothing in it can close one.
 *
 * @param limiters The limiters by name
 * @param instance Identifies this process
 */
export function snapshotJson(limiters: Readonly<Record<string, DashboardLimiter>>, instance: string): string {
  const state = {
    instance,
    // for rates, so it must not be set, as the system clock may be
    atMs: performance.now(),
    limiters: Object.entries(limiters).map(([name, shown]) => stateOf(name, shown)),
  };
  return JSON.stringify(state).replaceAll("<", "\\u003c");
}

import { LONGEST_TIMER_MS } from "@sluice/shared";

/** Timers: the platform's, or a test's. */
export interface Timers {
  /**
   * Runs a function later.
   *
   * @param fn The function
   * @param ms The delay in ms
   * @returns A function that cancels it
   */
  start(fn: () => void, ms: number): () => void;
  /** A time in ms to measure delays with; only differences matter. */
  now(): number;
  /** Whether timers are canceled with the request that started them, as on Workers. */
  readonly endWithRequest?: boolean;
}

/** The platform's timers, for delays of any length. */
export const platformTimers: Timers = {
  now: () => performance.now(),
  get endWithRequest() {
    // not the navigator, which Workers have only from compatibility date 2022-03-21
    return "WebSocketPair" in globalThis;
  },
  start(fn, ms) {
    if (ms > LONGEST_TIMER_MS) {
      let cancel = () => {};
      const id = setTimeout(() => cancel = platformTimers.start(fn, ms - LONGEST_TIMER_MS), LONGEST_TIMER_MS);
      cancel = () => clearTimeout(id);
      return () => cancel();
    }
    const id = setTimeout(fn, ms);
    return () => clearTimeout(id);
  },
};

/**
 * Creates a monotonic clock that may run ahead, but is never late. It is based on elapsed time, which is independent of
 * clock changes, and catches up after the machine was suspended or the process frozen.
 *
 * @param elapsed Elapsed time in ms, which may stand still
 * @param clock The current time in ms
 * @returns The clock; only differences matter
 */
export function unsleepingClock(elapsed: () => number, clock: () => number): () => number {
  let ahead = -Infinity;
  return () => {
    const now = elapsed();
    ahead = Math.max(ahead, clock() - now);
    return now + ahead;
  };
}

import { LONGEST_TIMER_MS } from "@sluice/sluice/limiting";

/** Timers: the platform's, or a test's. */
export interface Timers {
  /**
   * Runs a function later.
   *
   * @param fn The function
   * @param ms How much later, in ms
   * @returns Cancels it
   */
  start(fn: () => void, ms: number): () => void;
  /** A time in ms by which delays are measured; only differences count. */
  now(): number;
  /** Whether a timer ends with the request in which it was started, as those of Workers do. */
  readonly endWithRequest?: boolean;
}

/** The platform's timers; a delay of any length is kept. */
export const platformTimers: Timers = {
  now: () => performance.now(),
  get endWithRequest() {
    return globalThis.navigator?.userAgent === "Cloudflare-Workers";
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
 * Makes a clock by which a time may be over too early, and never too late: it goes by elapsed time, which no setting of
 * the clock changes, and makes up for what that slept through while the machine was suspended or the process frozen.
 *
 * @param elapsed A time in ms that is never set, but may stand still
 * @param clock The present time in ms
 * @returns The clock; only differences count
 */
export function unsleepingClock(elapsed: () => number, clock: () => number): () => number {
  let ahead = -Infinity;
  return () => {
    const now = elapsed();
    ahead = Math.max(ahead, clock() - now);
    return now + ahead;
  };
}

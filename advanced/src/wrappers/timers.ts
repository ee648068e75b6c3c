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

/** Longest delay a platform's timer takes; longer ones would fire at once. */
const LONGEST = 2 ** 31 - 1;

/** The platform's timers; a delay of any length is kept. */
export const platformTimers: Timers = {
  now: () => performance.now(),
  get endWithRequest() {
    return globalThis.navigator?.userAgent === "Cloudflare-Workers";
  },
  start(fn, ms) {
    if (ms > LONGEST) {
      let cancel = () => {};
      const id = setTimeout(() => cancel = platformTimers.start(fn, ms - LONGEST), LONGEST);
      cancel = () => clearTimeout(id);
      return () => cancel();
    }
    const id = setTimeout(fn, ms);
    return () => clearTimeout(id);
  },
};

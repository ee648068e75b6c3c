/**
 * The runtime's own, also under a test's fake timers. Read by a call that is marked as pure: bundlers keep a module
 * that reads a global in any other way, even where nobody uses it.
 */
const queueMicrotask: (task: () => void) => void = /* @__PURE__ */ Reflect.get(globalThis, "queueMicrotask");

/** Reads of the clock in one turn that may be answered from memory. */
const READS_PER_TURN = 64;
/** Fewer reads shared in a turn are not worth noticing its end. */
const WORTH_SHARING = 3;
/** Reads after which it is tried again. */
const READS_ALONE = 256;

/** Where a clock that is not a test's reads the time, in ms. */
export type TimeSource = () => number;

/** The time of the system's clock, which may be set. */
const systemTime: TimeSource = () => Date.now();

/** By how much a clock that was set differs at least from one that was not, in ms. */
const JUMP_MS = 50;

/**
 * Time that goes on evenly, whatever the system's clock is set to, from what that says when it is first read. It stands
 * still while the machine sleeps.
 *
 * The system's clock is the cheaper one to read, so the other is asked only when that one seems to have jumped.
 */
export function elapsedTime(): TimeSource {
  let latest = -Infinity;
  /** By how much the system's clock is ahead, and when the other one began, by the first. */
  let lead = 0;
  let start: number | undefined;
  return () => {
    const time = Date.now();
    if (time < latest || time - latest >= JUMP_MS) {
      const even = performance.now();
      // not before: on Workers there is no time yet when a module is loaded
      start ??= time - even;
      const jump = time - lead - (start + even);
      if (Math.abs(jump) >= JUMP_MS) lead += jump;
    }
    latest = time;
    return time - lead;
  };
}

/**
 * The time a store in this process counts by: whole ms that never go back.
 *
 * Where the clock is set back, time goes on from where it was, so that nobody's quota comes back sooner; where it is
 * set forward, windows end sooner, unless the source is {@linkcode elapsedTime}. Where many decisions fall into one turn
 * of the event loop, the clock is read once for up to 64 of them, for reading it costs more than deciding.
 */
export class StoreClock {
  readonly #read: (() => number) | null;
  readonly #source: TimeSource;
  #latest = 0;
  #offset = 0;
  #reads = 0;
  /** Reads to come that are not prepared to be shared. */
  #alone = 0;
  #noticesEnd = false;
  readonly #endTurn = () => {
    if (this.#reads > READS_PER_TURN - WORTH_SHARING) this.#alone = READS_ALONE;
    this.#reads = 0;
    this.#noticesEnd = false;
  };

  /**
   * Creates an instance.
   *
   * @param read The present time in ms, a test's perhaps, which is read each time
   * @param source Where the time comes from without it: the system's clock by default
   */
  constructor(read?: () => number, source: TimeSource = systemTime) {
    this.#read = read ?? null;
    this.#source = source;
  }

  /** The present time. */
  now(): number {
    if (this.#read !== null) return this.at(this.#read());
    if (this.#reads > 0) {
      this.#reads--;
      return this.#latest;
    }
    if (this.#alone > 0) this.#alone--;
    else {
      this.#reads = READS_PER_TURN;
      if (!this.#noticesEnd) queueMicrotask(this.#endTurn);
      this.#noticesEnd = true;
    }
    return this.at(this.#source());
  }

  /**
   * The store's time when another clock than its own is read.
   *
   * @param time What that clock tells, in ms
   */
  at(time: number): number {
    const now = Math.floor(time) + this.#offset;
    if (now >= this.#latest) return this.#latest = now;
    this.#offset += this.#latest - now;
    return this.#latest;
  }
}

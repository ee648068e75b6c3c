/**
 * The runtime's own function, even under a test's fake timers. Read through a call marked as pure: otherwise bundlers
 * keep a module that reads a global, even if it is unused.
 */
const queueMicrotask: (task: () => void) => void = /* @__PURE__ */ Reflect.get(globalThis, "queueMicrotask");

/** Clock reads per tick that may be served from memory. */
const READS_PER_TURN = 64;
/** With fewer reads per tick, sharing is not worth detecting the end of the tick. */
const WORTH_SHARING = 3;
/** Reads before sharing is tried again. */
const READS_ALONE = 256;

/** Time source, in ms, for a clock that is not a test's. */
export type TimeSource = () => number;

/** The system clock's time; that clock may be set. */
const systemTime: TimeSource = () => Date.now();

/** Minimum difference, in ms, between a clock that was set and one that was not. */
const JUMP_MS = 50;

/**
 * Time that advances steadily even if the system clock is set, starting from that clock's value at the first read. It
 * stops while the machine sleeps.
 *
 * The system clock is cheaper to read, so the steady one is read only if the system clock seems to have jumped.
 */
export function elapsedTime(): TimeSource {
  let latest = -Infinity;
  /** How far the system clock is ahead, and when the steady clock started according to it. */
  let lead = 0;
  let start: number | undefined;
  return () => {
    const time = Date.now();
    if (time < latest || time - latest >= JUMP_MS) {
      const even = performance.now();
      // not earlier: on Workers, the clock has no time yet while a module loads
      start ??= time - even;
      const jump = time - lead - (start + even);
      if (Math.abs(jump) >= JUMP_MS) lead += jump;
    }
    latest = time;
    return time - lead;
  };
}

/**
 * The time for a store in this process: whole ms that never go back.
 *
 * If the clock is set back, time continues from where it was, so no quota returns sooner. If it is set forward, windows
 * end sooner, unless the source is {@linkcode elapsedTime}. Up to 64 decisions in one turn of the event loop share one
 * clock read, because a read costs more than a decision.
 */
export class StoreClock {
  readonly #read: (() => number) | null;
  readonly #source: TimeSource;
  #latest = 0;
  #offset = 0;
  #reads = 0;
  /** Reads left before sharing is prepared again. */
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
   * @param read The current time in ms, such as a test's, read each time
   * @param source Time source if there is no `read`; the system clock by default
   */
  constructor(read?: () => number, source: TimeSource = systemTime) {
    this.#read = read ?? null;
    this.#source = source;
  }

  /** The current time. */
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
   * The store's time when a different clock is read.
   *
   * @param time That clock's time, in ms
   */
  at(time: number): number {
    const now = Math.floor(time) + this.#offset;
    if (now >= this.#latest) return this.#latest = now;
    this.#offset += this.#latest - now;
    return this.#latest;
  }
}

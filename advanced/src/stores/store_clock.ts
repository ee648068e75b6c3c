/** Reads of the clock in one turn that may be answered from memory. */
const READS_PER_TURN = 64;

/**
 * The time a store in this process counts by: whole ms that never go back.
 *
 * Where the clock is set back, time goes on from where it was, so that nobody's quota comes back sooner; where it is
 * set forward, windows end sooner. The system's clock is read once in a turn of the event loop, or every 64 decisions,
 * for reading it costs more than deciding.
 */
export class StoreClock {
  readonly #read: (() => number) | null;
  #latest = 0;
  #offset = 0;
  #reads = 0;
  readonly #endTurn = () => {
    this.#reads = 0;
  };

  /**
   * Makes it.
   *
   * @param read The present time in ms; the system's clock without it
   */
  constructor(read?: () => number) {
    this.#read = read ?? null;
  }

  /** The present time. */
  now(): number {
    if (this.#read !== null) return this.#forward(this.#read());
    if (this.#reads > 0) {
      this.#reads--;
      return this.#latest;
    }
    queueMicrotask(this.#endTurn);
    this.#reads = READS_PER_TURN;
    return this.#forward(Date.now());
  }

  #forward(time: number): number {
    const now = Math.floor(time) + this.#offset;
    if (now >= this.#latest) return this.#latest = now;
    this.#offset += this.#latest - now;
    return this.#latest;
  }
}

/** A clock that stands still until a test moves it. */
export class VirtualClock {
  #now: number;

  /** @param start The first time it tells, in ms since 1970 */
  constructor(start = 1_700_000_000_000) {
    this.#now = start;
  }

  /** The present time; hand this function to whatever takes a clock. */
  readonly read: () => number = () => this.#now;

  /** The present time. */
  get now(): number {
    return this.#now;
  }

  /** Moves the clock; by less than 0 for one that is set back. */
  advance(ms: number): void {
    this.#now += ms;
  }
}

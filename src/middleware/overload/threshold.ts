/** A limit with hysteresis: once a value is above it, it counts as exceeded until a value is below a lower mark. */
export class Threshold {
  /** Whether it counts as exceeded. */
  exceeded = false;
  readonly #above: number;
  readonly #below: number;

  /**
   * @param above A value above this exceeds it
   * @param below A value below this ends that
   */
  constructor(above: number, below: number) {
    this.#above = above;
    this.#below = below;
  }

  /** Notes a value that may still grow, so that it can only exceed the limit. */
  raise(value: number): void {
    if (value > this.#above) this.exceeded = true;
  }

  /** Notes a value. */
  settle(value: number): void {
    if (value < this.#below) this.exceeded = false;
    else this.raise(value);
  }
}

/** A limit with hysteresis: once a value exceeds it, it stays exceeded until a value drops below a lower mark. */
export class Threshold {
  /** Whether it is exceeded. */
  exceeded = false;
  readonly #above: number;
  readonly #below: number;

  /**
   * @param above Values above this exceed the limit
   * @param below Values below this clear it
   */
  constructor(above: number, below: number) {
    this.#above = above;
    this.#below = below;
  }

  /** Records a value that may still grow, and so can only exceed the limit, never clear it. */
  raise(value: number): void {
    if (value > this.#above) this.exceeded = true;
  }

  /** Records a value. */
  settle(value: number): void {
    if (value < this.#below) this.exceeded = false;
    else this.raise(value);
  }
}

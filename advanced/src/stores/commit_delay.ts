/** Maximum allowance, in ms; later commits are decided again. */
const MOST = 1000;
/** How fast the allowance shrinks when commits arrive sooner, as a share of the difference. */
const DECAY = 1 / 16;

/** How long a commit may take to reach a database, in ms: twice the slowest recent one. */
export class CommitDelay {
  #ms: number;

  /**
   * Creates an instance.
   *
   * @param ms The initial allowance
   */
  constructor(ms: number) {
    this.#ms = ms;
  }

  /** The allowance, in whole ms. */
  get ms(): number {
    return Math.ceil(this.#ms);
  }

  /**
   * Records how long after its decision a commit arrived, whether it was in time or not.
   *
   * @param late How long, in ms
   */
  note(late: number): void {
    const wanted = Math.min(MOST, 2 * Math.max(0, late));
    this.#ms = Math.max(wanted, this.#ms - (this.#ms - wanted) * DECAY);
  }
}

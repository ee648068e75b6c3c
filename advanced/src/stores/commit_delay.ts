/** Most that is allowed for, in ms; what comes later is decided again. */
const MOST = 1000;
/** How fast it becomes less when commits come sooner, as a share of the difference. */
const DECAY = 1 / 16;

/** How much time to allow for a commit on its way to a database, in ms: twice what the slowest one took of late. */
export class CommitDelay {
  #ms: number;

  /**
   * Creates an instance.
   *
   * @param ms What is allowed for at first
   */
  constructor(ms: number) {
    this.#ms = ms;
  }

  /** What is allowed for, in whole ms. */
  get ms(): number {
    return Math.ceil(this.#ms);
  }

  /**
   * Notes how much later than it was decided a commit came, whether it was in time or not.
   *
   * @param late How much, in ms
   */
  note(late: number): void {
    const wanted = Math.min(MOST, 2 * Math.max(0, late));
    this.#ms = Math.max(wanted, this.#ms - (this.#ms - wanted) * DECAY);
  }
}

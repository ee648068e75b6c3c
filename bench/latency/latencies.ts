/** Two latencies this far apart are told from each other. */
const STEP = Math.log(1.01);

/** How often each latency was seen, by the number of its step; what a load prints. */
export interface Counts {
  /** Number of requests by the step of their latency. */
  readonly steps: Readonly<Record<string, number>>;
  /** By how much the load itself was late, in 99 of a hundred requests, in ms; part of the latencies. */
  readonly lag: number;
}

/**
 * How long answers took, as counts: those of many short runs can be put together, and a percentile of all of them says
 * more than the middle of theirs. What makes a virtual machine stand still now and then falls on a run or does not.
 */
export class Latencies {
  readonly #steps = new Map<number, number>();

  /** Puts together what several loads have seen. */
  static of(all: readonly Counts[]): Latencies {
    const latencies = new Latencies();
    for (const { steps } of all) {
      for (const [step, count] of Object.entries(steps)) latencies.#count(Number(step), count);
    }
    return latencies;
  }

  /** @param ms How long an answer took */
  add(ms: number): void {
    // a clock of microseconds tells of no less
    this.#count(Math.round(Math.log(Math.max(ms, 0.001)) / STEP), 1);
  }

  #count(step: number, count: number): void {
    this.#steps.set(step, (this.#steps.get(step) ?? 0) + count);
  }

  /** The counts, to be printed. */
  get steps(): Record<string, number> {
    return Object.fromEntries(this.#steps);
  }

  /**
   * How long an answer took at most.
   *
   * @param part In which part of the requests: 0.99 for 99 of a hundred
   * @returns ms
   */
  at(part: number): number {
    const steps = [...this.#steps].sort(([one], [other]) => one - other);
    const wanted = part * steps.reduce((sum, [, count]) => sum + count, 0);
    let seen = 0;
    for (const [step, count] of steps) {
      seen += count;
      if (seen >= wanted) return Math.exp(step * STEP);
    }
    throw new RangeError(`there is no latency in ${part} of ${seen} requests`);
  }
}

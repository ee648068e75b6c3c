/** Resolution: latencies that differ by 1 % are told apart. */
const STEP = Math.log(1.01);

/** How often each latency was seen, by the number of its step; printed by a load. */
export interface Counts {
  /** Number of requests by the step of their latency. */
  readonly steps: Readonly<Record<string, number>>;
  /** By how much the load itself was late, in 99 of a hundred requests, in ms; part of the latencies. */
  readonly lag: number;
}

/**
 * How long answers took, as counts: those of many short runs can be merged, and a percentile of all of them says more
 * than the median of their percentiles, since the occasional pause of a virtual machine hits some runs and not others.
 */
export class Latencies {
  readonly #steps = new Map<number, number>();

  /** Merges the counts of several loads. */
  static of(all: readonly Counts[]): Latencies {
    const latencies = new Latencies();
    for (const { steps } of all) {
      for (const [step, count] of Object.entries(steps)) latencies.#count(Number(step), count);
    }
    return latencies;
  }

  /** @param ms How long an answer took */
  add(ms: number): void {
    // the clock's resolution is a microsecond
    this.#count(Math.round(Math.log(Math.max(ms, 0.001)) / STEP), 1);
  }

  #count(step: number, count: number): void {
    this.#steps.set(step, (this.#steps.get(step) ?? 0) + count);
  }

  /** The counts, for printing. */
  get steps(): Record<string, number> {
    return Object.fromEntries(this.#steps);
  }

  /**
   * A percentile of the latencies.
   *
   * @param part Part of the requests: 0.99 for the 99th percentile
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

/** Resolution: latencies that differ by 1 % are distinguished. */
const STEP = Math.log(1.01);

/** Number of occurrences of each latency, by the index of its step; printed by a load. */
export interface Counts {
  /** Number of requests by latency step. */
  readonly steps: Readonly<Record<string, number>>;
  /** The load's own lag at the 99th percentile, in ms; part of the latencies. */
  readonly lag: number;
}

/**
 * Response times as counts, so that many short runs can be merged. A percentile over all runs is more meaningful
 * than the median of their percentiles, because a virtual machine's occasional pause hits only some runs.
 */
export class Latencies {
  readonly #steps = new Map<number, number>();

  /** Merges counts from several loads. */
  static of(all: readonly Counts[]): Latencies {
    const latencies = new Latencies();
    for (const { steps } of all) {
      for (const [step, count] of Object.entries(steps)) latencies.#count(Number(step), count);
    }
    return latencies;
  }

  /** @param ms Response time */
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
   * Returns a latency percentile.
   *
   * @param part Fraction of requests: 0.99 for the 99th percentile
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

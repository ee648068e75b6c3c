/** How long a queue may stall before the next caller starts a new one, in ms. */
const PATIENCE_MS = 1000;

/** Callers that wait for the same key, in order. */
interface Line {
  /** Settles when the last caller is done. */
  last: Promise<unknown>;
  /** When a caller last had its turn. */
  moved: number;
}

/**
 * A mutex per key: callers take turns, first come, first served. If a call never settles, as on Workers when its client
 * has disconnected, later callers stop waiting for it.
 */
export class KeyedMutex {
  readonly #lines = new Map<string, Line>();
  readonly #clock: () => number;

  /**
   * Creates an instance.
   *
   * @param clock The current time in ms
   */
  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /**
   * Waits until all earlier callers for any of the same keys are done.
   *
   * @param things The keys
   * @param body Runs once its turn has come
   * @returns The body's result
   */
  async take<T>(things: readonly string[], body: () => Promise<T>): Promise<T> {
    const before: Promise<unknown>[] = [];
    // Node 20 has no Promise.withResolvers
    let done: () => void = () => {};
    const promise = new Promise<void>((resolve) => done = resolve);
    const now = this.#clock();
    // joins all queues at once, so that two callers cannot deadlock
    const lines = things.map((thing) => {
      let line = this.#lines.get(thing);
      if (line === undefined || now - line.moved > PATIENCE_MS) {
        this.#lines.set(thing, line = { last: promise, moved: now });
      } else {
        before.push(line.last);
        line.last = promise;
      }
      return line;
    });
    try {
      await Promise.all(before);
      const moved = this.#clock();
      for (const line of lines) line.moved = moved;
      return await body();
    } finally {
      things.forEach((thing, i) => {
        if (lines[i]!.last === promise && this.#lines.get(thing) === lines[i]) this.#lines.delete(thing);
      });
      done();
    }
  }
}

/** How long nothing may move in a line before whoever comes next begins another one, in ms. */
const PATIENCE_MS = 1000;

/** Those who want the same thing, one behind the other. */
interface Line {
  /** Settles when the last of them is done. */
  last: Promise<unknown>;
  /** When one of them had its turn last. */
  moved: number;
}

/**
 * Lets those who want the same things take turns, first come, first served. Where an answer never comes, as on Workers
 * that of a request whose client has left, those who come later do not wait for it.
 */
export class KeyedMutex {
  readonly #lines = new Map<string, Line>();
  readonly #clock: () => number;

  /**
   * Creates an instance.
   *
   * @param clock The present time in ms
   */
  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /**
   * Waits until everybody who came before and wants one of the same things is done.
   *
   * @param things What is wanted
   * @param body What is done with it
   * @returns What the body returns
   */
  async take<T>(things: readonly string[], body: () => Promise<T>): Promise<T> {
    const before: Promise<unknown>[] = [];
    // Node 20 has no Promise.withResolvers
    let done: () => void = () => {};
    const promise = new Promise<void>((resolve) => done = resolve);
    const now = this.#clock();
    // all places are taken at once, so that no two can wait for each other
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

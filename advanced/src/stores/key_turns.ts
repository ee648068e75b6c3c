/** Lets those who want the same things take turns, first come, first served. */
export class KeyTurns {
  readonly #last = new Map<string, Promise<unknown>>();

  /**
   * Waits until everybody who came before and wants one of the same things is done.
   *
   * @param things What is wanted
   * @param body What is done with it
   * @returns What the body returns
   */
  async take<T>(things: readonly string[], body: () => Promise<T>): Promise<T> {
    const before = things.map((thing) => this.#last.get(thing));
    // all places in line are taken at once, so nobody can wait for somebody who waits for him
    // Node 20 has no Promise.withResolvers
    let done: () => void = () => {};
    const promise = new Promise<void>((resolve) => done = resolve);
    for (const thing of things) this.#last.set(thing, promise);
    try {
      await Promise.all(before);
      return await body();
    } finally {
      for (const thing of things) if (this.#last.get(thing) === promise) this.#last.delete(thing);
      done();
    }
  }
}

/** The runtime's own function, even under a test's fake timers. */
const { queueMicrotask } = globalThis;

/**
 * Captures the current asynchronous context, with its `AsyncLocalStorage` values.
 *
 * @returns Runs one function in that context, in its own microtask
 */
export function captureContext(): (run: () => void) => void {
  let take!: (run: () => void) => void;
  // through queueMicrotask, so an error it throws is an uncaught exception instead of a rejected promise
  void new Promise<() => void>((resolve) => take = resolve).then(queueMicrotask);
  return take;
}

/**
 * Runs functions in the asynchronous context in which it was created, any number of times. An async function keeps its
 * context across `await`, on every runtime and without `node:async_hooks`.
 */
export class KeptContext {
  readonly #waiting: (() => void)[] = [];
  #wake = (): void => {};

  constructor() {
    void this.#serve();
  }

  // never ends: it is garbage-collected together with this object
  async #serve(): Promise<never> {
    for (;;) {
      for (let run = this.#waiting.shift(); run !== undefined; run = this.#waiting.shift()) run();
      await new Promise<void>((resolve) => this.#wake = resolve);
    }
  }

  /**
   * Runs a function in its own microtask.
   *
   * @param action The function
   * @returns What it returns; rejects with what it throws
   */
  run<T>(action: () => T | PromiseLike<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting.push(() => {
        try {
          resolve(action());
        } catch (error) {
          reject(error);
        }
      });
      this.#wake();
    });
  }
}

/** The runtime's own, also under a test's fake timers. */
const { queueMicrotask } = globalThis;

/**
 * Keeps the asynchronous context of this moment, with what `AsyncLocalStorage` holds, as a promise does.
 *
 * @returns Runs one function in it, in a turn of its own
 */
export function captureContext(): (run: () => void) => void {
  let take!: (run: () => void) => void;
  // what it throws is not for a promise to tell
  void new Promise<() => void>((resolve) => take = resolve).then(queueMicrotask);
  return take;
}

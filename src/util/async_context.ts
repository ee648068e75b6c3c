/** The runtime's own, even under a test's fake timers. */
const { queueMicrotask } = globalThis;

/**
 * Captures the present asynchronous context, with the values of `AsyncLocalStorage`.
 *
 * @returns Runs one function in that context, in a microtask of its own
 */
export function captureContext(): (run: () => void) => void {
  let take!: (run: () => void) => void;
  // through queueMicrotask, so that what it throws is an uncaught exception and no rejected promise
  void new Promise<() => void>((resolve) => take = resolve).then(queueMicrotask);
  return take;
}

/** Node's own, not a test's fake timers, which do not delay Node's streams either. */
const { setImmediate } = globalThis;

/**
 * Runs a function after the current turn of the event loop.
 *
 * @param run The function
 */
export function nextTurn(run: () => void): void {
  setImmediate(run);
}

/** Node's own, not a test's fake timers: those do not delay Node's streams either. */
const { setImmediate } = globalThis;

/**
 * Runs something after the present turn of the event loop.
 *
 * @param run What to run
 */
export function nextTurn(run: () => void): void {
  setImmediate(run);
}

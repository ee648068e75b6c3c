/** Node's own timer, not a test's fake one, which does not delay Node's streams either. */
const { setImmediate } = globalThis;

/**
 * Runs a function after the current event loop turn.
 *
 * @param run The function
 */
export function nextTurn(run: () => void): void {
  setImmediate(run);
}

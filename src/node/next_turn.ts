/** Node's own, whatever a test with fake timers puts in its place later: Node's streams do not wait for those either. */
const { setImmediate } = globalThis;

/**
 * Runs something when the present turn is over.
 *
 * @param run What runs
 */
export function nextTurn(run: () => void): void {
  setImmediate(run);
}

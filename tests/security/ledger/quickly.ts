import { assert } from "@std/assert";

/** Time limit for an attack on the event loop, in ms. On packages with the flaw, it took many seconds. */
const LIMIT_MS = 2000;

/** Runs an attack, and asserts that it did not block the event loop. */
export async function quickly<T>(attack: () => T | Promise<T>): Promise<T> {
  const begun = performance.now();
  const result = await attack();
  const took = performance.now() - begun;
  assert(took < LIMIT_MS, `it took ${Math.round(took)} ms`);
  return result;
}

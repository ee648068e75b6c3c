import { assert } from "@std/assert";

/** ms within which an attack on the event loop must be over; on the packages that had the flaw it took many seconds. */
const LIMIT_MS = 2000;

/** Runs an attack, and asserts that it did not keep the event loop busy. */
export async function quickly<T>(attack: () => T | Promise<T>): Promise<T> {
  const begun = performance.now();
  const result = await attack();
  const took = performance.now() - begun;
  assert(took < LIMIT_MS, `it took ${Math.round(took)} ms`);
  return result;
}

import { isThenable } from "@sluice/shared";
import type { Awaitable } from "../policy/store.ts";

/**
 * Continues when all values are available: synchronously if none of them is a promise.
 *
 * @param values The values
 * @param goOn Receives them
 * @returns Its result
 */
export function whenAll<T, R>(values: readonly Awaitable<T>[], goOn: (values: readonly T[]) => R): Awaitable<R> {
  return values.some(isThenable) ? Promise.all(values).then(goOn) : goOn(values as readonly T[]);
}

import { isThenable } from "@sluice/shared";
import type { Awaitable } from "../policy/store.ts";

/**
 * Goes on when all of some values are there: at once if none of them is a promise.
 *
 * @param values The values
 * @param goOn What is done with them
 * @returns What that returns
 */
export function whenAll<T, R>(values: readonly Awaitable<T>[], goOn: (values: readonly T[]) => R): Awaitable<R> {
  return values.some(isThenable) ? Promise.all(values).then(goOn) : goOn(values as readonly T[]);
}

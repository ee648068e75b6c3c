import { isThenable } from "@sluice/shared";
import type { Awaitable } from "../policy/store.ts";

/**
 * What a function of the program has returned, to be waited for later: if it fails while another is waited for, or after
 * another has thrown, that must not end the process.
 *
 * @param value The value, or a promise of it
 */
export function awaited<T>(value: Awaitable<T>): Awaitable<T> {
  if (!isThenable(value)) return value;
  // a query that is sent by its then must not be sent twice
  const promise = Promise.resolve(value);
  promise.catch(() => {});
  return promise;
}

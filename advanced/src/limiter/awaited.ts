import { isThenable } from "@sluice/shared";
import type { Awaitable } from "../policy/store.ts";

/**
 * Prepares the result of a user's function to be awaited later. A failure must not crash the process while another
 * result is awaited, or once another function has thrown.
 *
 * @param value The value, or a promise of it
 */
export function awaited<T>(value: Awaitable<T>): Awaitable<T> {
  if (!isThenable(value)) return value;
  // a query that is sent by its `then` must not be sent twice
  const promise = Promise.resolve(value);
  promise.catch(() => {});
  return promise;
}

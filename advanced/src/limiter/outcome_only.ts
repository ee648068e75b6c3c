import type { Store } from "../policy/store.ts";
import type { LimiterOptions } from "./limiter_options.ts";

/**
 * Whether a store can only grant or refuse one unit.
 *
 * @param store The store, or the value passed as one
 */
export function isOutcomeOnly(store: unknown): boolean {
  return (store as Partial<Store> | null | undefined)?.capabilities?.outcomeOnly === true;
}

/**
 * Rejects features that an outcome-only store does not support.
 *
 * @param store The store
 * @param caller Caller name for error messages
 * @param what The feature
 * @throws {TypeError} If it is such a store
 */
export function assertDoesMore(store: unknown, caller: string, what: string): void {
  if (!isOutcomeOnly(store)) return;
  throw new TypeError(
    `${caller}: ${what} is not supported by the store, which only reports whether a request passes; leave it out, ` +
      "or use a store that counts by itself, such as DurableObjectStore",
  );
}

/**
 * Rejects limiter options that an outcome-only store does not support.
 *
 * @param store The store
 * @param options The limiter's options
 * @param caller Caller name for error messages
 * @throws {TypeError} If there is one
 */
export function checkOutcomeOnly(store: Store, options: LimiterOptions, caller: string): void {
  if (!isOutcomeOnly(store)) return;
  const { limits, policies, leases, denyCache } = options;
  if (limits !== undefined && limits.length > 1) {
    assertDoesMore(store, caller, `option limits with ${limits.length} limits, decided as one,`);
  }
  if (policies !== undefined) assertDoesMore(store, caller, "option policies");
  if (leases !== undefined) assertDoesMore(store, caller, "option leases");
  // it only reports the latest time at which a refusal ends
  if (denyCache === true) assertDoesMore(store, caller, "option denyCache");
}

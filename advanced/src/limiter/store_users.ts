import type { Store } from "../policy/store.ts";

/** Number of open limiters on each store. */
const users = new WeakMap<Store, number>();
/** The store of each open limiter. */
const used = new WeakMap<object, Store>();

/**
 * Notes that a limiter uses a store.
 *
 * @param limiter The limiter
 * @param store Its store
 */
export function joinStore(limiter: object, store: Store): void {
  used.set(limiter, store);
  users.set(store, (users.get(store) ?? 0) + 1);
}

/**
 * Tells whether an open limiter uses a store.
 *
 * @param store The store
 */
export function isInUse(store: Store): boolean {
  return (users.get(store) ?? 0) > 0;
}

/**
 * Notes that a limiter no longer uses its store.
 *
 * @param limiter The limiter
 * @returns The store if no other limiter uses it; `null` otherwise, and if the limiter had left before
 */
export function leaveStore(limiter: object): Store | null {
  const store = used.get(limiter);
  if (store === undefined) return null;
  used.delete(limiter);
  const left = users.get(store)! - 1;
  users.set(store, left);
  return left === 0 ? store : null;
}

import type { Store } from "../policy/store.ts";

/** Number of open limiters on each store. */
const users = new WeakMap<Store, number>();
/** Each open limiter's store. */
const used = new WeakMap<object, Store>();

/**
 * Registers a limiter with a store.
 *
 * @param limiter The limiter
 * @param store Its store
 */
export function joinStore(limiter: object, store: Store): void {
  used.set(limiter, store);
  users.set(store, (users.get(store) ?? 0) + 1);
}

/**
 * Whether an open limiter uses a store.
 *
 * @param store The store
 */
export function isInUse(store: Store): boolean {
  return (users.get(store) ?? 0) > 0;
}

/**
 * Unregisters a limiter from its store.
 *
 * @param limiter The limiter
 * @returns The store if no other limiter uses it; otherwise, or if the limiter was already unregistered, `null`
 */
export function leaveStore(limiter: object): Store | null {
  const store = used.get(limiter);
  if (store === undefined) return null;
  used.delete(limiter);
  const left = users.get(store)! - 1;
  users.set(store, left);
  return left === 0 ? store : null;
}

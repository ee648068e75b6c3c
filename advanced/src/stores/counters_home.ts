/** Where a store keeps its counters: stores of one home and prefix keep the same ones. */
export interface CountersHome {
  /** What they are kept by. */
  readonly home: object;
  /** What tells them from others there. */
  readonly prefix: string;
}

const homes = new WeakMap<object, CountersHome>();

/**
 * Notes where a store keeps its counters, if that is somewhere other stores may keep them too.
 *
 * @param store The store
 * @param home Where it keeps them
 */
export function noteHome(store: object, home: CountersHome): void {
  homes.set(store, home);
}

/**
 * Tells where a store keeps its counters.
 *
 * @param store The store
 * @returns What was noted, or else the store itself
 */
export function homeOf(store: object): CountersHome {
  return homes.get(store) ?? { home: store, prefix: "" };
}

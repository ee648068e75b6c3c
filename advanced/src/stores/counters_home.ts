/** Where a store keeps its counters: stores with the same home and prefix share them. */
export interface CountersHome {
  /** Identity of what holds them. */
  readonly home: object;
  /** Distinguishes them from others there. */
  readonly prefix: string;
}

const homes = new WeakMap<object, CountersHome>();

/**
 * Records where a store keeps its counters, if other stores may keep theirs in the same place.
 *
 * @param store The store
 * @param home Where they are
 */
export function noteHome(store: object, home: CountersHome): void {
  homes.set(store, home);
}

/**
 * Returns where a store keeps its counters.
 *
 * @param store The store
 * @returns The recorded place, or else the store itself
 */
export function homeOf(store: object): CountersHome {
  return homes.get(store) ?? { home: store, prefix: "" };
}

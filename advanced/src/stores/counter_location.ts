/** Where a store keeps its counters. Stores with the same home and prefix share them. */
export interface CounterLocation {
  /** Identifies the database or store that holds them. */
  readonly home: object;
  /** Distinguishes them from other counters there. */
  readonly prefix: string;
}

const homes = new WeakMap<object, CounterLocation>();

/**
 * Records where a store keeps its counters, if other stores may use the same location.
 *
 * @param store The store
 * @param home The location
 */
export function noteLocation(store: object, home: CounterLocation): void {
  homes.set(store, home);
}

/**
 * Returns where a store keeps its counters.
 *
 * @param store The store
 * @returns The recorded location, or the store itself
 */
export function locationOf(store: object): CounterLocation {
  return homes.get(store) ?? { home: store, prefix: "" };
}

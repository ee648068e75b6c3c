/** Asynchronous stores, like those behind a network. */
import {
  type Capabilities,
  type CompareAndSet,
  type CounterLike,
  fromCompareAndSet,
  MemoryStore,
  type StateKey,
  type Store,
} from "@sluice/rate-limit";

const later = async <T>(body: () => T): Promise<T> => {
  await new Promise((resolve) => setTimeout(resolve, 2));
  return body();
};

/** A store that counts in memory and replies late. */
export function lateStore(clock: () => number): Store {
  const store = new MemoryStore({ clock });
  const capabilities: Capabilities = { ...store.capabilities, scope: "global" };
  return {
    capabilities,
    decide: (takes, times) => later(() => store.decide(takes, times)),
    give: (take, stamp, amount) => later(() => store.give(take, stamp, amount)),
    reset: (selector) => later(() => store.reset(selector)),
  };
}

/** A store made for express-rate-limit. */
export function lateCounter(clock: () => number): CounterLike {
  const hits = new Map<string, { totalHits: number; resetTime: Date }>();
  let windowMs = 0;
  return {
    init: (options) => windowMs = options.windowMs,
    increment: (key) =>
      later(() => {
        let entry = hits.get(key);
        if (entry === undefined || entry.resetTime.getTime() <= clock()) {
          hits.set(key, entry = { totalHits: 0, resetTime: new Date(clock() + windowMs) });
        }
        entry.totalHits++;
        return entry;
      }),
    decrement: (key) => later(() => void (hits.has(key) && hits.get(key)!.totalHits--)),
    resetKey: (key) => later(() => void hits.delete(key)),
  };
}

/** A database with compare-and-set. */
export function lateDatabase(clock: () => number): Store {
  const values = new Map<string, { value: Uint8Array; version: number }>();
  let version = 0;
  const nameOf = (key: StateKey) => JSON.stringify(key);
  const database: CompareAndSet = {
    read: (keys) => later(() => keys.map((key) => values.get(nameOf(key)) ?? { value: null, version: null })),
    commit: (writes) =>
      later(() => {
        if (writes.some(({ key, expected }) => (values.get(nameOf(key))?.version ?? null) !== expected)) return false;
        for (const { key, value } of writes) {
          if (value === null) values.delete(nameOf(key));
          else values.set(nameOf(key), { value: value.slice(), version: ++version });
        }
        return true;
      }),
    delete: (key) => later(() => void values.delete(nameOf(key))),
    async *list() {},
  };
  return fromCompareAndSet(database, { clock });
}

/** In-memory stores: the floors, Sluice's and the peers', all behind the same function. */
import type { AlgorithmName, Policy } from "../../advanced/src/policy/policy.ts";

/** Makes a decision for the key at an index. */
export type Decide = (place: number) => unknown;

/** Creates an empty store. */
export type MakeDecide = (keys: readonly string[], windowMs: number) => Decide;

/** A limit that is never reached. */
export const LIMIT = 2 ** 31 - 1;
/** A window that does not end during the measurement, in ms. */
export const HOUR = 3_600_000;
const MAX_KEYS = 2 ** 21;

/** Contestants that return a promise. */
export const AWAITED: ReadonlySet<string> = new Set([
  "floor + clock, awaited",
  "Sluice, awaited",
  "express-rate-limit",
  "rate-limiter-flexible",
]);

/** Makes one decision for each of the first keys. */
export async function decideEach(decide: Decide, keys: number, isAwaited: boolean): Promise<void> {
  for (let i = 0; i < keys; i++) {
    const decided = decide(i);
    if (isAwaited) await decided;
  }
}

/** Finds a contestant by name, loading only its own code. */
export async function contestant(name: string): Promise<MakeDecide> {
  if (name.startsWith("floor")) return floor(name);
  if (name.startsWith("Sluice")) return await sluice(name);
  switch (name) {
    case "hitlimit": {
      const { memoryStore } = await import("@joint-ops/hitlimit");
      return (keys, windowMs) => {
        const store = memoryStore();
        return (i) => store.hit(keys[i]!, windowMs, LIMIT);
      };
    }
    case "hono-rate-limiter": {
      const { MemoryStore } = await import("hono-rate-limiter");
      return (keys, windowMs) => {
        const store = new MemoryStore();
        store.init({ windowMs } as never);
        return (i) => store.increment(keys[i]!);
      };
    }
    case "express-rate-limit": {
      const { MemoryStore } = await import("express-rate-limit");
      return (keys, windowMs) => {
        const store = new MemoryStore();
        store.init({ windowMs } as never);
        return (i) => store.increment(keys[i]!);
      };
    }
    case "rate-limiter-flexible": {
      const { RateLimiterMemory } = await import("rate-limiter-flexible");
      return (keys, windowMs) => {
        const limiter = new RateLimiterMemory({ points: LIMIT, duration: windowMs / 1000 });
        return (i) => limiter.consume(keys[i]!);
      };
    }
    default:
      throw new Error(`there is no contestant ${name}`);
  }
}

function floor(name: string): MakeDecide {
  switch (name) {
    case "floor":
      return (keys) => {
        const places = new Map<string, number>();
        const counts = new Float64Array(keys.length);
        return (i) => {
          let place = places.get(keys[i]!);
          if (place === undefined) places.set(keys[i]!, place = places.size);
          return ++counts[place]!;
        };
      };
    case "floor: Map of objects":
      return (keys, windowMs) => {
        const entries = new Map<string, { count: number; end: number }>();
        return (i) => {
          const entry = entries.get(keys[i]!);
          if (entry !== undefined) return ++entry.count;
          entries.set(keys[i]!, { count: 1, end: Date.now() + windowMs });
          return 1;
        };
      };
    default:
      return (keys, windowMs) => {
        const places = new Map<string, number>();
        // count and end next to each other, so that both are in the same cache line
        const cells = new Float64Array(2 * keys.length);
        return (i) => {
          const now = Date.now();
          let at = places.get(keys[i]!);
          if (at === undefined) places.set(keys[i]!, at = 2 * places.size);
          if (now >= cells[at + 1]!) {
            cells[at] = 0;
            cells[at + 1] = now + windowMs;
          }
          return ++cells[at]!;
        };
      };
  }
}

async function sluice(name: string): Promise<MakeDecide> {
  const { Limiter, MemoryStore } = await import("../../advanced/mod.ts");
  if (name === "Sluice Limiter.consume") {
    return (keys, windowMs) => {
      const limiter = new Limiter({ limit: LIMIT, windowMs, maxKeys: MAX_KEYS });
      return (i) => limiter.consume(keys[i]!);
    };
  }
  const ownClock = name === "Sluice, a clock of its own";
  const algorithm = name.startsWith("Sluice:") ? name.slice("Sluice: ".length) as AlgorithmName : "fixed-window";
  return (keys, windowMs) => {
    const store = new MemoryStore({ maxKeys: MAX_KEYS, ...(ownClock ? { clock: () => Date.now() } : {}) });
    // a bucket that refills faster than it drains would be dropped at once
    const numbers = algorithm === "token-bucket" ? { limit: 1, burst: 2 ** 30 } : { limit: LIMIT };
    const policy: Policy = { name: "bench", algorithm, windowMs, ...numbers };
    const take = { policy, key: "", cost: 1 };
    const takes = [take];
    if (algorithm !== "concurrency" && algorithm !== "sliding-log") {
      return (i) => {
        take.key = keys[i]!;
        return store.decide(takes);
      };
    }
    // algorithms that track every unit would grow without bound, so each unit is refunded after the first pass over the
    // keys
    let filled = 0;
    return (i) => {
      take.key = keys[i]!;
      const [verdict] = store.decide(takes);
      return filled++ < keys.length || store.give(take, verdict!.stamp, 1);
    };
  };
}

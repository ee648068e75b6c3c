import type { Awaitable } from "../policy/store.ts";

/** What a counter tells of a key. */
export interface CounterInfo {
  /** Hits in the present window. */
  totalHits: number;
  /** When the window ends. */
  resetTime?: Date | undefined;
}

/** What a counter is told before anything else: of express-rate-limit's options all that there are. */
export interface CounterInit {
  /** Length of the window in ms. */
  windowMs: number;
  /** The limit, or a function that tells it for a request. */
  // deno-lint-ignore no-explicit-any -- functions of requests that only the program knows
  limit?: any;
  /** Further options of the limiter, by express-rate-limit's names. */
  // deno-lint-ignore no-explicit-any -- of any type
  [option: string]: any;
}

/** A store as express-rate-limit has them. */
export interface CounterLike {
  /** Tells it the window and other options; called once, before anything else. */
  init?(options: CounterInit): unknown;
  /** Reads a key. */
  get?(key: string): Awaitable<CounterInfo | undefined>;
  /** Counts a hit. */
  increment(key: string): Awaitable<CounterInfo>;
  /** Takes a hit back. */
  decrement(key: string): Awaitable<void>;
  /** Forgets a key. */
  resetKey(key: string): Awaitable<void>;
  /** Forgets all keys. */
  resetAll?(): Awaitable<void>;
  /** Lets go of timers and connections. */
  shutdown?(): Awaitable<void>;
  /** Prefix of its keys, which the counter adds itself. */
  prefix?: string;
  /** Whether the counts are those of this process only. */
  localKeys?: boolean;
}

/** A store as express-rate-limit had them before version 6, and still takes: what it counts it tells by a callback. */
export interface CallbackCounterLike extends Omit<CounterLike, "increment"> {
  /** Counts a hit. */
  incr(key: string, callback: (error: unknown, totalHits: number, resetTime?: Date) => void): unknown;
}

/** A counter of either kind. */
export type AnyCounter = CounterLike | CallbackCounterLike;

/**
 * Whether a counter tells what it counts by a callback only.
 *
 * @param counter The counter
 */
export function isCallbackCounter(counter: AnyCounter): counter is CallbackCounterLike {
  const { incr, increment } = counter as Partial<CounterLike & CallbackCounterLike>;
  return typeof incr === "function" && typeof increment !== "function";
}

/**
 * Counts a hit.
 *
 * @param counter The counter
 * @param key The key
 * @returns What the counter tells of it
 * @throws {TypeError} If that is no number of hits, or no time
 */
export async function hit(counter: AnyCounter, key: string): Promise<CounterInfo> {
  return infoOf(await told(counter, key));
}

function told(counter: AnyCounter, key: string): Awaitable<CounterInfo> {
  if (!isCallbackCounter(counter)) return counter.increment(key);
  return new Promise((resolve, reject) => {
    counter.incr(key, (error, totalHits, resetTime) => error ? reject(error) : resolve({ totalHits, resetTime }));
  });
}

/**
 * Checks what a counter told: what is no number would pass for a grant. A counter that keeps JSON gives its times back
 * as texts.
 *
 * @param told What it told
 * @throws {TypeError} If that is no number of hits, or no time
 */
export function infoOf(told: CounterInfo): CounterInfo {
  const { totalHits, resetTime = null } = told ?? {};
  const end = resetTime === null ? undefined : new Date(resetTime);
  if (Number.isFinite(totalHits) && !Number.isNaN(end?.getTime())) return { totalHits, resetTime: end };
  throw new TypeError(
    "fromCounter: the counter must tell totalHits as a number and resetTime as a Date, not " +
      `${String(totalHits)} and ${String(resetTime)}`,
  );
}

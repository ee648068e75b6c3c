import type { Awaitable } from "../policy/store.ts";

/** The result from a counter for a key. */
export interface CounterInfo {
  /** Hits in the current window. */
  totalHits: number;
  /** When the window ends. */
  resetTime?: Date | undefined;
}

/** The options passed to a counter's `init`: with express-rate-limit, all of its options. */
export interface CounterInit {
  /** Window length in ms. */
  windowMs: number;
  /** The limit, or a function that returns it for a request. */
  // deno-lint-ignore no-explicit-any -- functions with request types that only the program knows
  limit?: any;
  /** Other limiter options, under express-rate-limit's names. */
  // deno-lint-ignore no-explicit-any -- of any type
  [option: string]: any;
}

/** A store in express-rate-limit's format. */
export interface CounterLike {
  /** Receives the window and other options; called once, before anything else. */
  init?(options: CounterInit): unknown;
  /** Reads a key. */
  get?(key: string): Awaitable<CounterInfo | undefined>;
  /** Counts a hit. */
  increment(key: string): Awaitable<CounterInfo>;
  /** Removes a hit. */
  decrement(key: string): Awaitable<void>;
  /** Forgets a key. */
  resetKey(key: string): Awaitable<void>;
  /** Forgets all keys. */
  resetAll?(): Awaitable<void>;
  /** Releases timers and connections. */
  shutdown?(): Awaitable<void>;
  /** Its key prefix, which the counter adds itself. */
  prefix?: string;
  /** Whether its counts are local to this process. */
  localKeys?: boolean;
}

/**
 * A store in the format before express-rate-limit 6, which is still accepted: it reports counts through a callback.
 */
export interface CallbackCounterLike extends Omit<CounterLike, "increment"> {
  /** Counts a hit. */
  incr(key: string, callback: (error: unknown, totalHits: number, resetTime?: Date) => void): unknown;
}

/** A counter of either kind. */
export type AnyCounter = CounterLike | CallbackCounterLike;

/**
 * Whether a counter only reports its counts through a callback.
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
 * @returns The result from the counter
 * @throws {TypeError} If it is not a number of hits, or has an invalid time
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
 * Checks the result from a counter, because a non-number would pass as a grant. A counter that stores JSON returns
 * times as strings.
 *
 * @param told The result
 * @throws {TypeError} If its hits are not a number, or its time is invalid
 */
export function infoOf(told: CounterInfo): CounterInfo {
  const { totalHits, resetTime = null } = told ?? {};
  const end = resetTime === null ? undefined : new Date(resetTime);
  if (Number.isFinite(totalHits) && !Number.isNaN(end?.getTime())) return { totalHits, resetTime: end };
  throw new TypeError(
    "fromCounter: the counter must return totalHits as a number and resetTime as a Date, not " +
      `${String(totalHits)} and ${String(resetTime)}`,
  );
}

import { checkInteger, checkType, LONGEST_TIMER_MS, refuseOption } from "@sluice/shared";
import { type CalendarWindow, usualMs } from "../policy/calendar_window.ts";
import { checkPolicy } from "../policy/check_policy.ts";
import { type AlgorithmName, type Block, hasDebts, type OnDenied, type Policy } from "../policy/policy.ts";
import type { Store } from "../policy/store.ts";
import { isRedisClient } from "../stores/redis/is_redis_client.ts";
import type { OnStoreFailure } from "../wrappers/failure_policy.ts";
import { LEASABLE, type LeaseOptions } from "../wrappers/leases.ts";
import { platformTimers, type Timers, unsleepingClock } from "../wrappers/timers.ts";

/**
 * One limit.
 *
 * @example Block clients after ten refusals
 * ```ts
 * import { Limiter } from "@sluice/rate-limit";
 *
 * const login = new Limiter({
 *   algorithm: "sliding-window",
 *   limit: 5,
 *   windowMs: 60_000,
 *   block: { after: 10, forMs: 600_000 },
 * });
 * console.log((await login.consume("client")).remaining); // 4
 * ```
 */
export interface LimitOptions {
  /** Name in headers and in the store; derived from the other options by default. */
  name?: string | undefined;
  /** The algorithm, `"fixed-window"` by default. */
  algorithm?: AlgorithmName | undefined;
  /** Window length in ms, 60 000 by default. */
  windowMs?: number | undefined;
  /**
   * `"fixed-window"`: calendar windows instead of `windowMs`, such as `{ every: "month", timeZone: "Europe/Berlin" }`.
   * Not with `align` or `onDenied: "extend"`.
   */
  window?: CalendarWindow | undefined;
  /** Units per window, 100 by default; 0 refuses everything. */
  limit?: number | undefined;
  /** The older name for `limit` in express-rate-limit. Set only one of them. */
  max?: number | undefined;
  /** `"token-bucket"`: units that may be consumed at once, `limit` by default. */
  burst?: number | undefined;
  /** `"sliding-window"`: number of buckets per window, 10 by default. */
  buckets?: number | undefined;
  /** `"fixed-window"`: whether windows begin with a key's first request (default), or are aligned to the clock. */
  align?: "first-hit" | "clock" | undefined;
  /** What a refused request does to the quota: nothing (default), consume it too, or restart the wait. */
  onDenied?: OnDenied | undefined;
  /** Blocks a key after repeated refusals. */
  block?: Block | undefined;
  /**
   * Allows settling decisions with their actual cost: the most units by which usage on a key may exceed the limit.
   * Later windows, including calendar windows, pay the debt off before they grant anything. Not for `"concurrency"`,
   * nor with `onDenied` or `leases`.
   */
  maxDebt?: number | undefined;
  /** Decides, counts and reports, but never refuses. */
  shadow?: boolean | undefined;
}

/**
 * Settings for individual keys: a different limit, window or algorithm. Otherwise, the limit's own settings apply.
 *
 * @example A customer with a higher limit, and another window
 * ```ts
 * import { Limiter, type OwnLimit } from "@sluice/rate-limit";
 *
 * const customer: OwnLimit = { limit: 50_000, window: { every: "month", timeZone: "Europe/Berlin" } };
 * const limiter = new Limiter({ name: "quota", limit: 1000, window: { every: "month" } });
 * console.log((await limiter.consume("customer 7", { policy: customer })).remaining); // 49999
 * ```
 */
export interface OwnLimit
  extends Pick<LimitOptions, "algorithm" | "limit" | "windowMs" | "window" | "burst" | "buckets" | "align"> {}

/**
 * A key's policy: a name in `policies`, or the settings that differ. With several limits, an object by limit name.
 *
 * @example By name
 * ```ts
 * import { Limiter } from "@sluice/rate-limit";
 *
 * const limiter = new Limiter({ name: "quota", limit: 100, policies: { pro: { limit: 10_000 } } });
 * console.log((await limiter.consume("customer 7", { policy: "pro" })).remaining); // 9999
 * ```
 */
export type PolicyChoice = string | OwnLimit | Readonly<Record<string, OwnLimit>>;

/**
 * Options for every limiter, with or without HTTP.
 *
 * @example A store with a 50 ms timeout, and a fallback for failures
 * ```ts
 * import { Limiter } from "@sluice/rate-limit";
 *
 * const limiter = new Limiter({ limit: 100, timeoutMs: 50, onStoreFailure: "local", processes: 4 });
 * console.log((await limiter.consume("client")).allowed); // true
 * ```
 */
export interface StoreOptions {
  /** Where counters are kept; in this process's memory by default. */
  store?: Store | undefined;
  /** Maximum keys in memory, 100 000 by default. */
  maxKeys?: number | undefined;
  /**
   * Timeout for a store decision in ms, 100 by default. Delays in this process, because it is busy, throttled or
   * waiting for a CPU, do not count: a reply that has already arrived is read first.
   */
  timeoutMs?: number | undefined;
  /**
   * What to do when the store fails: decide in this process (`"local"`, default), admit every request, or refuse every
   * request.
   */
  onStoreFailure?: OnStoreFailure | undefined;
  /**
   * Number of processes that share the store, 1 by default. While the store fails, each grants its share of the limit,
   * rounded down. If not set, each grants the whole limit, and the first failure logs a warning.
   */
  processes?: number | undefined;
  /** Merges equal decisions made in one event loop turn; on by default for stores outside the process. */
  coalesce?: boolean | undefined;
  /** Caches refusals until they could end; on by default for stores outside the process. */
  denyCache?: boolean | undefined;
  /**
   * Maximum decisions reserved in advance for one key, with a single `"fixed-window"` or `"sliding-window"` limit; none
   * by default.
   */
  leases?: number | undefined;
  /** Current time in ms; for tests. */
  clock?: (() => number) | undefined;
  /** Timers; for tests. */
  timers?: Timers | undefined;
}

/**
 * A limiter's limits: one or several, and the policies for individual keys.
 *
 * @example Change the limits while the limiter is in use
 * ```ts
 * import { Limiter, type LimitsOptions } from "@sluice/rate-limit";
 *
 * const limiter = new Limiter({ name: "api", limit: 100 });
 * await limiter.consume("client");
 * const wider: LimitsOptions = { name: "api", limit: 500 };
 * limiter.replace(wider);
 * console.log((await limiter.consume("client")).remaining); // 498
 * ```
 */
export interface LimitsOptions extends LimitOptions {
  /** Several limits decided atomically: either all limits grant, or no limit is charged. Replaces the single limit. */
  limits?: readonly LimitOptions[] | undefined;
  /**
   * Policies for individual keys, by name: the settings that differ, or with several limits an object by limit name.
   * Selected with `policy`. They count under the limit's name, so a key keeps its usage when its policy changes.
   */
  policies?: Readonly<Record<string, Exclude<PolicyChoice, string>>> | undefined;
}

/**
 * Options for a {@linkcode Limiter}.
 *
 * @example Limit calls to a third-party API
 * ```ts
 * import { Limiter } from "@sluice/rate-limit";
 *
 * const limiter = new Limiter({ algorithm: "token-bucket", limit: 10, windowMs: 1000, maxWaiting: 100 });
 * const { allowed } = await limiter.consume("api.example");
 * console.log(allowed); // true
 * ```
 */
export interface LimiterOptions extends LimitsOptions, StoreOptions {
  /**
   * Maximum callers waiting in `waitFor`, 1000 by default; unlimited on Workers, where ended requests go undetected.
   */
  maxWaiting?: number | undefined;
}

/** The options, complete and checked. */
export interface CheckedStoreOptions {
  readonly maxKeys: number;
  readonly timeoutMs: number;
  readonly onStoreFailure: OnStoreFailure;
  readonly processes: number;
  readonly leases: LeaseOptions | null;
  readonly clock: () => number;
  /** Monotonic time in ms, including sleep; for refusals, leases and the circuit breaker. */
  readonly elapsed: () => number;
  readonly timers: Timers;
}

function policyOf(options: LimitOptions, caller: string): Policy {
  const { algorithm = "fixed-window", limit = 100, window } = options;
  const { windowMs = window?.every === undefined ? 60_000 : usualMs(window) } = options;
  const { burst, buckets, align, onDenied, block, maxDebt } = options;
  const policy = {
    name: options.name !== undefined
      ? options.name
      : [`${String(limit)}-per-${lengthName(windowMs, window)}-${String(algorithm)}`, ...oddities(options)].join("-"),
    ...{ algorithm, windowMs, limit, burst, buckets, align, onDenied, block, maxDebt },
    // keeps the object's shape without it
    ...(window === undefined ? {} : { window }),
  };
  checkPolicy(policy, caller);
  checkType(caller, "shadow", options.shadow, "boolean");
  return policy;
}

function lengthName(windowMs: number, window: CalendarWindow | undefined): string {
  if (typeof window !== "object" || window === null) return `${String(windowMs)}ms`;
  const { every, timeZone = "UTC", startsOn = "" } = window;
  return `${String(every)}${startsOn && `-from-${String(startsOn)}`}-in-${String(timeZone)}`;
}

// limits that count differently get different names
function oddities({ burst, buckets, align, onDenied, block, maxDebt }: LimitOptions): string[] {
  const blocked = block && `${block.after}x${block.forMs}`;
  return Object.entries({ burst, buckets, align, onDenied, block: blocked, maxDebt })
    .flatMap(([name, value]) => value === undefined ? [] : [`${name}-${String(value)}`]);
}

/**
 * Creates a limiter's policies.
 *
 * @param options Its limits
 * @param caller Caller name for error messages
 * @returns One per limit, complete and checked
 * @throws {TypeError} If an option has the wrong type, or two limits have the same name
 * @throws {RangeError} If a number is out of range
 */
export function policiesOf(options: LimitsOptions, caller: string): Policy[] {
  const policies = (options.limits ?? [options]).map((limit) => policyOf(limit, caller));
  const names = policies.map(({ name }) => name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice === undefined) return policies;
  throw new TypeError(`${caller}: option limits has two limits named "${twice}"; give them different names`);
}

/**
 * The system clock in ms. Looks up `Date.now` on each call, so a test's fake time also applies to existing limiters.
 */
export const systemClock = (): number => Date.now();

/**
 * Checks the store options and fills in the defaults.
 *
 * @param options The user's options
 * @param caller Caller name for error messages
 * @throws {TypeError} If an option has the wrong type
 * @throws {RangeError} If a number is out of range
 */
export function checkStoreOptions(options: StoreOptions, caller: string): CheckedStoreOptions {
  const { maxKeys = 100_000, timeoutMs = 100, onStoreFailure = "local", processes = 1 } = options;
  const { clock = systemClock, timers = platformTimers, leases } = options;
  checkInteger(caller, "maxKeys", maxKeys, 1, 2 ** 24);
  checkInteger(caller, "timeoutMs", timeoutMs, 1, LONGEST_TIMER_MS);
  checkInteger(caller, "processes", processes, 1, 100_000);
  if (leases !== undefined) checkInteger(caller, "leases", leases, 2, 100_000);
  if (!["local", "open", "closed"].includes(onStoreFailure)) {
    refuseOption(caller, "onStoreFailure", '"local", "open" or "closed"', onStoreFailure);
  }
  checkType(caller, "clock", clock, "function");
  if (typeof timers?.start !== "function" || typeof timers.now !== "function") {
    refuseOption(caller, "timers", "an object { start, now }", timers);
  }
  checkType(caller, "coalesce", options.coalesce, "boolean");
  checkType(caller, "denyCache", options.denyCache, "boolean");
  const lease = leases === undefined ? null : { max: leases, processes };
  // if a test passes only a clock, it applies to everything
  const elapsed = options.clock !== undefined && options.timers === undefined
    ? clock
    : unsleepingClock(() => timers.now(), clock);
  return { maxKeys, timeoutMs, onStoreFailure, processes, leases: lease, clock, elapsed, timers };
}

/**
 * Checks that decisions can be reserved in advance, if the options request it.
 *
 * @param leases The option
 * @param policies The policies
 * @param caller Caller name for error messages
 * @throws {TypeError} If there are several limits, or one with a different algorithm
 */
export function checkLeases(leases: LeaseOptions | null, policies: readonly Policy[], caller: string): void {
  if (leases === null) return;
  if (policies.some(hasDebts)) {
    throw new TypeError(
      `${caller}: options leases and maxDebt cannot be combined, since units reserved in advance cannot be settled ` +
        "by their cost; leave out leases",
    );
  }
  if (policies.length === 1 && LEASABLE.includes(policies[0]!.algorithm)) return;
  const given = policies.length > 1 ? `${policies.length} limits` : `"${policies[0]!.algorithm}"`;
  throw new TypeError(
    `${caller}: option leases is for one limit of "fixed-window" or "sliding-window", not for ${given}`,
  );
}

/**
 * Checks that a store supports the policies.
 *
 * @param store The store
 * @param policies The policies
 * @param caller Caller name for error messages
 * @throws {TypeError} If it is not a store, or does not support an algorithm
 * @throws {RangeError} If a limit is too large for the store
 */
export function checkStore(store: Store, policies: readonly Policy[], caller: string): void {
  // a URL may contain a password, and errors are logged
  if (typeof store === "string" || isRedisClient(store)) {
    throw new TypeError(
      `${caller}: option store must be a store; for Redis use new RedisStore({ url }) or new RedisStore({ client })`,
    );
  }
  if (typeof store !== "object" || store === null || typeof store.decide !== "function" || !store.capabilities) {
    refuseOption(
      caller,
      "store",
      "a store with decide and capabilities (see fromCounter for stores of other limiters)",
      store,
    );
  }
  for (const policy of policies) {
    const { algorithm } = policy;
    if (store.capabilities.algorithms.has(algorithm)) {
      store.checkPolicy?.(policy);
      checkSettles(store, policy, caller);
      continue;
    }
    const able = [...store.capabilities.algorithms].join(", ");
    throw new TypeError(`${caller}: option algorithm "${algorithm}" is not supported by the store, only ${able}`);
  }
}

function checkSettles(store: Store, policy: Policy, caller: string): void {
  if (!hasDebts(policy) || typeof store.settle === "function") return;
  throw new TypeError(
    `${caller}: option maxDebt is not supported by the store, which cannot settle; leave it out, or use another store`,
  );
}

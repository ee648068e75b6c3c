import type { OptionNames } from "../util/check_option.ts";
import { describe } from "../util/error_text.ts";
import { LONGEST_TIMER_MS } from "../util/units.ts";
import type { LimitName, ServerCounts, ServerTimeouts } from "../platform/shared/platform.ts";

/** Names of time limits. */
export const TIMEOUTS: OptionNames<ServerTimeouts> = {
  keepAliveTimeout: true,
  headersTimeout: true,
  requestTimeout: true,
  timeout: true,
  sendTimeout: true,
};

/** Names of quantity limits. */
export const COUNTS: OptionNames<ServerCounts> = {
  maxConnections: true,
  maxHeadersCount: true,
  maxRequestsPerSocket: true,
  maxStreams: true,
};

/** Names of all limits. */
// a pure call, so bundlers drop it from programs that do not listen
export const LIMITS: readonly LimitName[] = /* @__PURE__ */ Object.keys({ ...TIMEOUTS, ...COUNTS }) as LimitName[];

/**
 * Checks a limit's value.
 *
 * @param caller Name of the caller, for error messages
 * @param name Its name
 * @param value Its value
 * @returns The value for Node's server: 0 for no limit, because its timers treat `Infinity` as no time at all; but
 * `Infinity` for `maxConnections`, because Node 22 accepts no connections at 0
 * @throws {TypeError} If it is not a number of at least 0
 * @throws {RangeError} If it exceeds the longest timer delay
 */
export function checkedLimit(caller: string, name: LimitName, value: unknown): number {
  const isTime = name in TIMEOUTS;
  if (typeof value !== "number" || !(value >= 0)) {
    const unit = isTime ? " of milliseconds" : "";
    throw new TypeError(`${caller}${name} must be a number${unit} from 0, not ${describe(value)}`);
  }
  if (value === 0 || value === Infinity) return name === "maxConnections" ? Infinity : 0;
  if (!isTime || value <= LONGEST_TIMER_MS) return value;
  throw new RangeError(`${caller}${name} must be at most ${LONGEST_TIMER_MS} ms, or Infinity for none, not ${value}`);
}

/**
 * Removes limits that the runtime does not support from the `app.listen` options, with a warning: the same program must
 * start on every runtime, but a missing limit must not go unnoticed.
 *
 * @param options The options, which are modified
 * @param kept The limits that the runtime supports
 * @param runtime Its name
 */
export function dropUnkept(
  options: Partial<Record<LimitName, number>>,
  kept: readonly LimitName[] | "all",
  runtime: string,
): void {
  if (kept === "all") return;
  const dropped = LIMITS.filter((name) => options[name] !== undefined && !kept.includes(name));
  for (const name of dropped) delete options[name];
  if (dropped.length === 0) return;
  const text = dropped.length === 1 ? `${dropped[0]} has` : `${dropped.join(", ")} have`;
  console.warn(`app.listen: ${text} no effect on ${runtime}; set such limits at the proxy in front (docs/security.md)`);
}

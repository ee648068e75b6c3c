import type { OptionNames } from "../util/check_option.ts";
import { describe } from "../util/error_text.ts";
import { LONGEST_TIMER_MS } from "../util/units.ts";
import type { LimitName, ServerCounts, ServerTimeouts } from "../platform/shared/platform.ts";

/** Names of the time limits. */
export const TIMEOUTS: OptionNames<ServerTimeouts> = {
  keepAliveTimeout: true,
  headersTimeout: true,
  requestTimeout: true,
  timeout: true,
  sendTimeout: true,
};

/** Names of the quantity limits. */
export const COUNTS: OptionNames<ServerCounts> = {
  maxConnections: true,
  maxHeadersCount: true,
  maxRequestsPerSocket: true,
  maxStreams: true,
};

/** Names of all limits. */
// a pure call, so that bundlers leave it out where nobody listens
export const LIMITS: readonly LimitName[] = /* @__PURE__ */ Object.keys({ ...TIMEOUTS, ...COUNTS }) as LimitName[];

/**
 * Checks the value of a limit.
 *
 * @param caller What takes it, for error messages
 * @param name Its name
 * @param value Its value
 * @returns The value as Node's server takes it: 0 for none, because its timers take `Infinity` for no time at all; but
 * Node 22 takes no connection if there may be 0
 * @throws {TypeError} If it is not a number from 0
 * @throws {RangeError} If it is longer than a timer can be
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
 * Removes the limits from the options of `app.listen` that the runtime does not keep, and says so: the same program must
 * start on every runtime, but a limit that is missing must not pass for one that is there.
 *
 * @param options The options, which are changed
 * @param kept The limits that the runtime keeps
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

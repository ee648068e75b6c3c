import { checkInteger, checkNames, checkType, type OptionNames } from "../../util/check_option.ts";
import { LONGEST_TIMER_MS } from "../../util/units.ts";
import type { FrameworkRequest } from "../../request/framework_request.ts";

/** A request's priority under overload: `"critical"` requests are never refused, `"low"` ones at half each limit. */
export type RequestPriority = "critical" | "normal" | "low";

/**
 * Options for `shedLoad`; all are optional.
 *
 * @example Refuse deferrable requests first
 * ```ts
 * import sluice, { shedLoad } from "@sluice/sluice";
 *
 * const app = sluice();
 * app.use(shedLoad({
 *   maxPending: 500,
 *   retryAfterMs: 2000,
 *   priority: (req) => req.path.startsWith("/reports") ? "low" : "normal",
 * }));
 * ```
 */
export interface ShedLoadOptions {
  /**
   * Maximum time in ms that an event loop turn may take before requests are refused: 200 by default, `Infinity` for no
   * limit. Requests are admitted again once a turn takes less than half that time.
   */
  maxEventLoopDelayMs?: number | undefined;
  /**
   * Maximum number of admitted requests with incomplete responses, `Infinity` by default. WebSockets do not count;
   * event streams do.
   */
  maxPending?: number | undefined;
  /**
   * Maximum total size in bytes of the process's JavaScript objects, including garbage; `Infinity` by default. Requests
   * are admitted again below nine tenths of it. It has no effect on runtimes that do not report it, such as
   * Workers.
   */
  maxHeapBytes?: number | undefined;
  /** Returns a request's priority; `"normal"` by default. Called for every request, so it should be cheap. */
  priority?: ((req: FrameworkRequest) => RequestPriority | undefined) | undefined;
  /** How long clients should wait before they retry, in ms; 1000 by default. Sent in whole seconds as `Retry-After`. */
  retryAfterMs?: number | undefined;
  /** Returns the current time in ms; for tests. */
  clock?: (() => number) | undefined;
}

/** The options with defaults filled in. */
export type CheckedShedLoad =
  & { [Name in Exclude<keyof ShedLoadOptions, "priority">]-?: Exclude<ShedLoadOptions[Name], undefined> }
  & Pick<ShedLoadOptions, "priority">;

const NAMES: OptionNames<ShedLoadOptions> = {
  maxEventLoopDelayMs: true,
  maxPending: true,
  maxHeapBytes: true,
  priority: true,
  retryAfterMs: true,
  clock: true,
};

/**
 * Checks the options and fills in the defaults.
 *
 * @param options The user's options
 * @returns The complete options
 * @throws {TypeError} If an option has the wrong type, or is unknown
 * @throws {RangeError} If a number is out of range
 */
export function checkShedLoad(options: ShedLoadOptions): CheckedShedLoad {
  checkNames("shedLoad", options, NAMES);
  const { maxEventLoopDelayMs = 200, maxPending = Infinity, maxHeapBytes = Infinity, retryAfterMs = 1000 } = options;
  const { clock = () => performance.now() } = options;
  for (const [name, value] of Object.entries({ maxEventLoopDelayMs, maxPending, maxHeapBytes })) {
    if (value !== Infinity) checkInteger("shedLoad", name, value, 1, Number.MAX_SAFE_INTEGER);
  }
  checkInteger("shedLoad", "retryAfterMs", retryAfterMs, 1, LONGEST_TIMER_MS);
  checkType("shedLoad", "priority", options.priority, "function");
  checkType("shedLoad", "clock", clock, "function");
  return { ...options, maxEventLoopDelayMs, maxPending, maxHeapBytes, retryAfterMs, clock };
}

import {
  checkInteger,
  checkNames,
  checkType,
  describe,
  isThenable,
  LONGEST_TIMER_MS,
  type OptionNames,
  reasonOf,
} from "@sluice/shared";
import type { CheckReport } from "./health_report.ts";

/**
 * A check. It fails by throwing, by rejecting, with `false`, or with an object whose `ok` is `false`, such as a
 * `Response` with an error status, whose body is discarded.
 *
 * @param signal Aborts on timeout
 */
export type CheckFunction = (signal: AbortSignal) => unknown;

/** A check with its own timeout and cache. */
export interface Check {
  /** Runs the check. */
  run: CheckFunction;
  /** Timeout in ms. */
  timeoutMs?: number;
  /** How long to reuse a result, in ms. */
  cacheMs?: number;
  /** Whether a failure stops requests to the process, true by default; otherwise the report only warns. */
  critical?: boolean;
}

/** Defaults for checks. */
export interface CheckDefaults {
  readonly timeoutMs: number;
  /** `undefined` if not set: a synchronous result is then not reused. */
  readonly cacheMs: number | undefined;
  readonly clock: () => number;
}

const NAMES: OptionNames<Check> = { run: true, timeoutMs: true, cacheMs: true, critical: true };

/**
 * A run that timed out blocks the next run for up to this many times its limit: a run that ignores its signal still
 * uses a connection, and each further run would use one more.
 */
const HANGING_LIMITS = 10;

/** How long to reuse an asynchronous result by default, in ms. */
const CACHE_MS = 1000;

/** A run's result. */
export interface Result {
  readonly report: CheckReport;
  /** The error, if it failed. */
  readonly error?: unknown;
}

/** Returns the failure that a check's result reports, `null` if it passed. */
function failureOf(result: unknown): Omit<Result, "report"> | null {
  if (result === false) return { error: new Error("the check returned false") };
  if (typeof result !== "object" || result === null) return null;
  const { ok, status, body } = result as Partial<Response>;
  // otherwise, each probe would keep a connection
  if (result instanceof Response) body?.cancel().catch(() => {});
  if (ok !== false) return null;
  const shown = status === undefined ? "ok: false" : `status ${status}`;
  return { error: new Error(`the check returned ${shown}`) };
}

/** Runs one check, at most once at a time, and caches its result for a while. */
export class CheckRunner {
  readonly name: string;
  readonly critical: boolean;
  readonly #run: CheckFunction;
  readonly #timeoutMs: number;
  readonly #cacheMs: number | undefined;
  readonly #clock: () => number;
  /** The pending result, or the last one. */
  #result: Promise<Result> | null = null;
  /** Until when to reuse the result; `Infinity` while it is pending. */
  #freshUntil = 0;
  /** Whether the last run returned a value instead of a promise. */
  #isImmediate = false;
  /** When the last run began, if it has not returned yet. */
  #hangsSince: number | null = null;

  /**
   * @param name Its name in the report
   * @param check The check, or its function alone
   * @param defaults Defaults for missing options
   * @throws {TypeError} If it is not a check, or an option is unknown or of the wrong type
   * @throws {RangeError} If a number is out of bounds
   */
  constructor(name: string, check: unknown, defaults: CheckDefaults) {
    const given = (typeof check === "function" ? { run: check } : check) as Check;
    const caller = `health: checks.${name}`;
    if (typeof given !== "object" || given === null) {
      throw new TypeError(
        `${caller} must be a function or { run, timeoutMs, cacheMs, critical }, not ${describe(check)}`,
      );
    }
    checkNames(caller, given, NAMES);
    const { run, timeoutMs = defaults.timeoutMs, cacheMs = defaults.cacheMs, critical = true } = given;
    if (typeof run !== "function") throw new TypeError(`${caller}.run must be a function, not ${describe(run)}`);
    checkInteger(caller, "timeoutMs", timeoutMs, 1, LONGEST_TIMER_MS);
    if (cacheMs !== undefined) checkInteger(caller, "cacheMs", cacheMs, 0, LONGEST_TIMER_MS);
    checkType(caller, "critical", critical, "boolean");
    this.name = name;
    this.critical = critical;
    this.#run = run;
    this.#timeoutMs = timeoutMs;
    this.#cacheMs = cacheMs;
    this.#clock = defaults.clock;
  }

  /** Returns a new result, or the last one for `cacheMs`. Never rejects. */
  result(): Promise<Result> {
    const now = this.#clock();
    const isHanging = this.#hangsSince !== null && now - this.#hangsSince < this.#timeoutMs * HANGING_LIMITS;
    if (this.#result !== null && (now < this.#freshUntil || isHanging)) return this.#result;
    this.#freshUntil = Infinity;
    return this.#result = this.#find(now).then((result) => {
      // a flag such as `() => !isDraining` costs nothing to read, and must apply at once
      this.#freshUntil = this.#clock() + (this.#cacheMs ?? (this.#isImmediate ? 0 : CACHE_MS));
      return result;
    });
  }

  async #find(start: number): Promise<Result> {
    const over = new AbortController();
    const late = new DOMException(
      `no result within ${this.#timeoutMs} ms; the check's AbortSignal was aborted`,
      "TimeoutError",
    );
    let timer: ReturnType<typeof setTimeout> | undefined;
    const expired = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(late);
        over.abort(late);
      }, this.#timeoutMs);
    });
    const failed = await Promise.race([this.#call(start, over.signal), expired]).then(
      failureOf,
      (error) => ({ error }),
    );
    clearTimeout(timer);
    const report: CheckReport = {
      status: failed === null ? "pass" : this.critical ? "fail" : "warn",
      durationMs: Math.round((this.#clock() - start) * 1000) / 1000,
      time: new Date().toISOString(),
    };
    return failed === null ? { report } : { report: { ...report, error: reasonOf(failed.error) }, error: failed.error };
  }

  async #call(start: number, signal: AbortSignal): Promise<unknown> {
    this.#hangsSince = start;
    try {
      const result = this.#run(signal);
      this.#isImmediate = !isThenable(result);
      return await result;
    } finally {
      // a new run may have begun since
      if (this.#hangsSince === start) this.#hangsSince = null;
    }
  }
}

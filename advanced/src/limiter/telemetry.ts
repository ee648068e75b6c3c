import type { Counters } from "../wrappers/counters.ts";
import type { Limiter } from "./limiter.ts";

/** The part of an OpenTelemetry `Meter` that is used: `metrics.getMeter("…")` from `@opentelemetry/api`. */
export interface MeterLike {
  /** Creates a counter that is read when metrics are collected. */
  createObservableCounter(name: string, options?: { description?: string; unit?: string }): ObservableLike;
  /** Creates a gauge that is read when metrics are collected. */
  createObservableGauge(name: string, options?: { description?: string; unit?: string }): ObservableLike;
}

/** The part of an observable instrument that is used. */
export interface ObservableLike {
  /** Adds a callback that reports the value. */
  addCallback(callback: (result: ObservableResultLike) => void): void;
  /** Removes a callback. */
  removeCallback(callback: (result: ObservableResultLike) => void): void;
}

/** Receives a value. */
export interface ObservableResultLike {
  /** Reports the value. */
  observe(value: number, attributes?: Record<string, string>): void;
}

/** Decisions by outcome and by decider: one instrument each, distinguished by an attribute. */
const INSTRUMENTS: readonly {
  name: string;
  description: string;
  attribute: string;
  of: readonly (keyof Counters)[];
}[] = [
  {
    name: "rate_limit.requests",
    description: "Requests by outcome",
    attribute: "outcome",
    of: ["admitted", "limited", "shadowLimited", "skipped"],
  },
  {
    name: "rate_limit.without_store",
    description: "Decisions made without the store",
    attribute: "by",
    of: ["decidedLocally", "failedOpen", "failedClosed"],
  },
  {
    name: "rate_limit.saved_commands",
    description: "Decisions that needed no command of their own",
    attribute: "how",
    of: ["coalesced", "denyCacheHits", "leased"],
  },
  {
    name: "rate_limit.store_failures",
    description: "Decisions that the store made too late or not at all",
    attribute: "kind",
    of: ["storeFailures", "breakerOpened"],
  },
];

/**
 * Reports a limiter's counters to OpenTelemetry. They are read only when metrics are collected.
 *
 * @param limiter The limiter; for middleware, `rateLimit(…).limiter`
 * @param meter The meter
 * @param name Value for the attribute `rate_limit.name`, to distinguish limiters
 * @returns A function that stops reporting
 * @throws {TypeError} If the meter is not an OpenTelemetry meter
 *
 * @example Metrics for middleware
 * ```ts ignore
 * import { metrics } from "@opentelemetry/api";
 *
 * const limit = rateLimit({ limit: 100 });
 * observe(limit.limiter, metrics.getMeter("app"), "api");
 * ```
 */
export function observe(limiter: Limiter, meter: MeterLike, name: string): () => void {
  if (typeof (meter as MeterLike | undefined)?.createObservableCounter !== "function") {
    throw new TypeError(
      `observe expects a meter as its second argument, such as metrics.getMeter("app"), not ${String(meter)}`,
    );
  }
  const base = { "rate_limit.name": name };
  const ends = INSTRUMENTS.map(({ name: instrument, description, attribute, of }) => {
    const counter = meter.createObservableCounter(instrument, { description, unit: "1" });
    return listen(counter, (result) => {
      for (const kind of of) result.observe(limiter.counters[kind], { ...base, [attribute]: kind });
    });
  });
  const keys = meter.createObservableGauge("rate_limit.keys", { description: "Keys in memory", unit: "1" });
  ends.push(listen(keys, (result) => result.observe(limiter.size, base)));
  const overflows = meter.createObservableCounter("rate_limit.overflows", {
    description: "Decisions that shared a counter because the memory for keys was full",
    unit: "1",
  });
  ends.push(listen(overflows, (result) => result.observe(limiter.overflows, base)));
  return () => ends.forEach((end) => end());
}

function listen(instrument: ObservableLike, callback: (result: ObservableResultLike) => void): () => void {
  instrument.addCallback(callback);
  return () => instrument.removeCallback(callback);
}

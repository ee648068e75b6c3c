import type { Attributes, Figure } from "./figures.ts";

/** The part of an `@opentelemetry/api` 1 meter used here. */
interface Meter {
  createHistogram(name: string, options: object): { record(value: number, attributes: Attributes): void };
  createUpDownCounter(name: string, options: object): { add(value: number, attributes: Attributes): void };
  createObservableCounter(name: string, options: object): Observable;
  createObservableGauge(name: string, options: object): Observable;
}

interface Observable {
  addCallback(callback: (result: { observe(value: number, attributes: Attributes): void }) => void): void;
}

/** An application's requests, counted by OpenTelemetry. */
export interface MeasuredRequests {
  /** Records the start of a request with 1, its end with -1. */
  active(change: 1 | -1, attributes: Attributes): void;
  /** Records a request's duration in s. */
  took(seconds: number, attributes: Attributes): void;
}

/**
 * Where every copy of `@opentelemetry/api` 1 in a process finds what the program has registered: its public contract.
 */
const REGISTERED = Symbol.for("opentelemetry.js.api.1");

/** Called with errors that a meter throws. */
export type MeterFailed = (what: string, cause: unknown) => void;

/**
 * Reports to the meter provider registered in this process, by an SDK or by Deno itself. A provider that is incomplete
 * or throws is reported, and fails no request.
 *
 * @param bounds The histogram buckets' upper bounds, in s
 * @param figures Figures to read when metrics are collected
 * @param failed Called with errors
 * @returns Records requests; `null` if no provider is registered
 */
export function registeredMeter(
  bounds: readonly number[],
  figures: readonly Figure[],
  failed: MeterFailed,
): MeasuredRequests | null {
  function guarded<T>(what: string, call: () => T): T | undefined {
    try {
      return call();
    } catch (error) {
      failed(what, error);
      return undefined;
    }
  }
  const meter = guarded("the meter provider", () => {
    const api = (globalThis as { [REGISTERED]?: { metrics?: { getMeter(name: string): Meter } } })[REGISTERED];
    if (api?.metrics === undefined) return null;
    const made = api.metrics.getMeter("@sluice/middleware");
    if (made === undefined || made === null) throw new TypeError("getMeter returned no meter");
    return made;
  });
  if (meter === null) return null;
  // do not look for a meter again: each request would recreate the instruments
  if (meter === undefined) return { active() {}, took() {} };
  for (const { name, kind, description, unit, read } of figures) {
    const options = { description, unit };
    guarded(name, () => {
      const instrument = kind === "counter"
        ? meter.createObservableCounter(name, options)
        : meter.createObservableGauge(name, options);
      instrument.addCallback((result) => {
        for (const { value, attributes } of read()) result.observe(value, attributes);
      });
    });
  }
  const durations = guarded(
    "http.server.request.duration",
    () =>
      meter.createHistogram("http.server.request.duration", {
        description: "How long requests took",
        unit: "s",
        advice: { explicitBucketBoundaries: [...bounds] },
      }),
  );
  const active = guarded("http.server.active_requests", () =>
    meter.createUpDownCounter("http.server.active_requests", {
      description: "Requests in flight",
      unit: "{request}",
    }));
  return {
    active: (change, attributes) => guarded("http.server.active_requests", () => active?.add(change, attributes)),
    took: (seconds, attributes) =>
      guarded("http.server.request.duration", () => durations?.record(seconds, attributes)),
  };
}

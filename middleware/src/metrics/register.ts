import { describe, isThenable, refuseOption } from "@sluice/shared";

/** The program's own metrics: the part of prom-client's `Registry` used here. */
export interface MetricsRegister {
  /** Returns its metrics in the Prometheus text format (0.0.4). */
  metrics(): string | Promise<string>;
  /** The format of its metrics. OpenMetrics is refused, because the page has the other format. */
  readonly contentType?: string;
}

/**
 * Rejects what is no register, or writes OpenMetrics.
 *
 * @param register The option
 */
export function checkRegister(register: unknown): void {
  const { metrics, contentType } = Object(register) as Partial<MetricsRegister>;
  if (typeof metrics !== "function") refuseOption("metrics", "register", "prom-client's register", register);
  if (!String(contentType).startsWith("application/openmetrics-text")) return;
  throw new TypeError(
    "metrics: option register must write the Prometheus text format, not OpenMetrics: " +
      "write register.setContentType(Registry.PROMETHEUS_CONTENT_TYPE)",
  );
}

/**
 * Returns a register's metrics, with a line ending.
 *
 * @param register The register
 */
export function textOf(register: MetricsRegister): string | Promise<string> {
  // it may have been set after the middleware was created
  checkRegister(register);
  const text: unknown = register.metrics();
  return isThenable(text) ? Promise.resolve(text).then(ended) : ended(text);
}

function ended(text: unknown): string {
  if (typeof text !== "string") {
    throw new TypeError(`metrics: register.metrics() must return a string, not ${describe(text)}`);
  }
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

/**
 * The names of a text's metrics.
 *
 * @param text Metrics in the Prometheus text format
 */
export function familiesIn(text: string): ReadonlySet<string> {
  return new Set(Array.from(text.matchAll(/^# TYPE ([^ \n]+)/gm), ([, name]) => name!));
}

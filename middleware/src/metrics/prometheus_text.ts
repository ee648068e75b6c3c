import type { DurationHistogram } from "./duration_histogram.ts";
import type { Attributes, Figure } from "./figures.ts";

/** The page's media type (Prometheus, "Exposition formats", version 0.0.4). */
export const PROMETHEUS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/**
 * Formats metrics as a page for Prometheus. Names are OpenTelemetry's, translated as its specification defines, so that
 * the same dashboards work with both.
 *
 * @param histogram Request durations
 * @param figures All other figures
 * @param others Names to leave out, because the page has them from elsewhere: Prometheus accepts each name once
 */
export function prometheusText(
  histogram: DurationHistogram,
  figures: readonly Figure[],
  others: ReadonlySet<string>,
): string {
  const lines = others.has(DURATION) ? [] : histogramLines(histogram);
  return [...lines, ...figures.flatMap((figure) => figureLines(figure, others)), ""].join("\n");
}

const DURATION = "http_server_request_duration_seconds";

function histogramLines(histogram: DurationHistogram): string[] {
  const name = DURATION;
  const lines = [`# HELP ${name} How long requests took`, `# TYPE ${name} histogram`];
  for (const { method, route, statusClass, status, counts, sum } of histogram.series) {
    const attributes = {
      "http.request.method": method,
      "http.route": route,
      "http.response.status_class": statusClass,
      ...status === undefined ? {} : { "http.response.status_code": status },
    };
    let total = 0;
    counts.forEach((count, at) => {
      total += count;
      lines.push(line(`${name}_bucket`, { ...attributes, le: String(histogram.bounds[at] ?? "+Inf") }, total));
    });
    lines.push(line(`${name}_sum`, attributes, sum), line(`${name}_count`, attributes, total));
  }
  return lines;
}

function figureLines({ name, kind, description, read }: Figure, others: ReadonlySet<string>): string[] {
  const translated = underscored(name) + (kind === "counter" ? "_total" : "");
  if (others.has(translated)) return [];
  const samples = read().map(({ value, attributes }) => line(translated, attributes, value));
  return [`# HELP ${translated} ${description}`, `# TYPE ${translated} ${kind}`, ...samples];
}

function line(name: string, attributes: Attributes, value: number): string {
  const labels = Object.entries(attributes).map(([key, text]) => `${underscored(key)}="${escaped(String(text))}"`);
  return `${name}${labels.length === 0 ? "" : `{${labels.join(",")}}`} ${value}`;
}

function underscored(name: string): string {
  return name.replaceAll(".", "_");
}

function escaped(text: string): string {
  return text.replace(/[\\"]/g, "\\$&").replaceAll("\n", "\\n");
}

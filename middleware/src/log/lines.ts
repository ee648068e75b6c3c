import { withoutControls } from "./control_characters.ts";
import type { LoggedError, LogRecord } from "./log_record.ts";

/**
 * Formats a record as one JSON line.
 *
 * @param record The record
 */
export function jsonLine(record: LogRecord): string {
  return withoutControls(JSON.stringify(record));
}

/** Escape sequences for colours (ECMA-48, 8.3.117). */
const COLOURS = { red: 31, green: 32, yellow: 33, cyan: 36, dim: 2 };

type Colour = keyof typeof COLOURS;

/** Fields that the readable line formats differently, or omits. */
const SHOWN = new Set([
  ...["time", "level", "method", "path", "route", "status", "durationMs", "bytes", "ip", "userAgent", "traceId"],
  ...["slow", "aborted", "sample", "error"],
]);

/**
 * Formats a record for people: a line, followed by an error's stack.
 *
 * @param record The record
 * @param coloured Whether a terminal displays it
 */
export function readableLine(record: LogRecord, coloured: boolean): string {
  const paint = (colour: Colour, text: string): string => coloured ? `\x1b[${COLOURS[colour]}m${text}\x1b[0m` : text;
  const { method, path, status, durationMs, bytes, slow, aborted, message, error } = record;
  const parts = [paint("dim", new Date(record.time).toTimeString().slice(0, 8))];
  if (method !== undefined) parts.push(withoutControls(method), withoutControls(String(path)));
  if (typeof message === "string") parts.push(withoutControls(message));
  if (status !== undefined) parts.push(paint(colourOf(status), String(status)));
  if (durationMs !== undefined) parts.push(paint(slow ? "yellow" : "dim", `${durationMs} ms`));
  if (bytes !== undefined) parts.push(paint("dim", `${bytes} B`));
  if (slow) parts.push(paint("yellow", "slow"));
  if (aborted) parts.push(paint("yellow", "aborted"));
  for (const [name, value] of Object.entries(record)) {
    if (SHOWN.has(name) || value === undefined || (name === "message" && typeof value === "string")) continue;
    const text = typeof value === "string" ? value : JSON.stringify(value);
    parts.push(paint("dim", withoutControls(`${name}=${text}`)));
  }
  if (error === undefined) return parts.join(" ");
  return [parts.join(" "), ...errorLines(error).map((line) => `    ${paint("red", withoutControls(line))}`)].join("\n");
}

// Each line is indented, so that client input in a message cannot pass for a log line.
function errorLines({ name, message, stack, cause }: LoggedError): string[] {
  // not every engine starts the stack with the message
  const text = stack === undefined ? `${name}: ${message}` : stack.includes(message) ? stack : `${message}\n${stack}`;
  const lines = text.split("\n");
  if (cause === undefined) return lines;
  const [first, ...others] = errorLines(cause);
  return [...lines, `caused by ${first}`, ...others];
}

function colourOf(status: number): Colour {
  if (status >= 500) return "red";
  if (status >= 400) return "yellow";
  return status >= 300 ? "cyan" : "green";
}

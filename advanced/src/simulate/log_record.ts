import type { LoggedLine } from "../stores/logged_memory_store.ts";

/** One request in an access log. */
export interface LoggedRequest {
  /** Time in ms since 1970. */
  readonly ms: number;
  /** The client's address, empty if the line has none. */
  readonly address: string;
  /** The uppercase method, empty if the line has none. */
  readonly method: string;
  /** The URL's path, without its query. */
  readonly path: string;
  /** The client's tier, if the log contains it. */
  readonly tier?: string | undefined;
  /** Returns a field by its name: a column, a path into JSON such as `user.id`, or a logged header. */
  field(name: string): string | undefined;
}

/** The content of a log line: a request, or a limiter's action. */
export type LogRecord = LoggedRequest | LoggedLine;

/** Whether a record is from a limiter's log. */
export function isLoggedLine(record: LogRecord): record is LoggedLine {
  return !("path" in record);
}

/**
 * Reads lines in one format. Returns `null` if the line is a heading, and throws `UnreadableLine` if it cannot be read.
 */
export type LineReader = (line: string) => LogRecord | null;

/** A line that cannot be replayed, with the reason. */
export class UnreadableLine extends Error {
  override readonly name = "UnreadableLine";
}

/** The formats' names: `"common"` is also combined, `"decisions"` is a `LoggedMemoryStore` log. */
export type LogFormat = "common" | "json" | "csv" | "w3c" | "envoy" | "haproxy" | "alb" | "decisions";

import type { LoggedLine } from "../stores/logged_memory_store.ts";

/** One request of an access log. */
export interface LoggedRequest {
  /** Time in ms since 1970. */
  readonly ms: number;
  /** Address of the client, empty if the line has none. */
  readonly address: string;
  /** The uppercase method, empty if the line has none. */
  readonly method: string;
  /** Path of the URL, without its query. */
  readonly path: string;
  /** Tier of the client, if the log contains it. */
  readonly tier?: string | undefined;
  /** Returns a field by its name: a column, a path into JSON such as `user.id`, or a logged header. */
  field(name: string): string | undefined;
}

/** The content of a log line: a request, or an action of a limiter. */
export type LogRecord = LoggedRequest | LoggedLine;

/** Whether a record is from a limiter's log. */
export function isLoggedLine(record: LogRecord): record is LoggedLine {
  return !("path" in record);
}

/**
 * Reads lines of one format. Returns `null` for a heading, and throws `UnreadableLine` for a line that it cannot read.
 */
export type LineReader = (line: string) => LogRecord | null;

/** A line that cannot be replayed, with the reason. */
export class UnreadableLine extends Error {
  override readonly name = "UnreadableLine";
}

/** Names of the formats: `"common"` is also combined, `"decisions"` is the log of a `LoggedMemoryStore`. */
export type LogFormat = "common" | "json" | "csv" | "w3c" | "envoy" | "haproxy" | "alb" | "decisions";

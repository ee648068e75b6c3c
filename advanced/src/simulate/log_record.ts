import type { LoggedLine } from "../stores/logged_memory_store.ts";

/** One request of an access log. */
export interface LoggedRequest {
  /** When, in ms since 1970. */
  readonly ms: number;
  /** Address of the client, empty if the line has none. */
  readonly address: string;
  /** The method in capitals, empty if the line has none. */
  readonly method: string;
  /** Path of the URL, without its query. */
  readonly path: string;
  /** Tier of the client, if the log says it. */
  readonly tier?: string | undefined;
  /** A field by its name: a column, a path into JSON such as `user.id`, or a header that the log has. */
  field(name: string): string | undefined;
}

/** What a line of a log says: a request, or what a limiter did. */
export type LogRecord = LoggedRequest | LoggedLine;

/** Whether a record is a limiter's own. */
export function isLoggedLine(record: LogRecord): record is LoggedLine {
  return !("path" in record);
}

/** Reads lines of one format: `null` is a heading, and a line that it cannot read is an `UnreadableLine`. */
export type LineReader = (line: string) => LogRecord | null;

/** A line that says nothing that can be replayed, with the reason. */
export class UnreadableLine extends Error {
  /** Whose it is. */
  override readonly name = "UnreadableLine";
}

/** Names of the formats: `"common"` is also combined, `"decisions"` is the log of a `LoggedMemoryStore`. */
export type LogFormat = "common" | "json" | "csv" | "w3c" | "envoy" | "haproxy" | "alb" | "decisions";

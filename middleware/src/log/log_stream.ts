import { describe } from "@sluice/shared";
import type { LogLevel, LogRecord } from "./log_record.ts";

/** Receives each line. */
export type LogFunction = (line: string, record: LogRecord) => unknown;

/** A Node stream, or anything else with `write` for strings. */
export interface LineWriter {
  /** Writes a line and its line ending. */
  write(line: string): unknown;
}

/**
 * A logger. A logger that can create children, such as pino and bunyan, gets the record and a message, and adds time
 * and level itself. Any other logger, such as the console, gets the line.
 */
export interface Logger {
  /** Logs normal operation. */
  info(...args: never[]): unknown;
  /** Logs a warning; falls back to `info`. */
  warn?(...args: never[]): unknown;
  /** Logs an error; falls back to `info`. */
  error?(...args: never[]): unknown;
  /** Creates a child logger; not called. */
  child?: unknown;
}

/** Where lines go. */
export type LogStream = LogFunction | LineWriter | Logger;

/** Writes a record; the line is formatted only if it is used. */
export type WriteRecord = (record: LogRecord, line: (record: LogRecord) => string) => unknown;

/**
 * Determines how to write to a stream.
 *
 * @param stream The stream
 * @throws {TypeError} If it is not a stream
 */
export function writerOf(stream: unknown): WriteRecord {
  if (typeof stream === "function") return (record, line) => (stream as LogFunction)(line(record), record);
  const { info, write, child } = Object(stream) as Partial<Record<"info" | "write" | "child", unknown>>;
  if (typeof info === "function") return toLogger(stream as LevelledLogger, typeof child === "function");
  if (typeof write === "function") return (record, line) => (stream as LineWriter).write(line(record) + "\n");
  throw new TypeError(
    "log: option stream must be a function, a logger with a method info, or a stream with a method write, not " +
      describe(stream),
  );
}

type LevelledLogger = Partial<Record<LogLevel, (...args: unknown[]) => unknown>>;

function toLogger(logger: LevelledLogger, isStructured: boolean): WriteRecord {
  return (record, line) => {
    const level = typeof logger[record.level] === "function" ? record.level : "info";
    if (!isStructured) return logger[level]!(line(record));
    const { time: _time, level: _level, ...rest } = record;
    if (record.method !== undefined) return logger[level]!(rest, `${record.method} ${record.path} ${record.status}`);
    const { message, ...fields } = rest;
    return logger[level]!(fields, message ?? record.error?.message ?? "");
  };
}

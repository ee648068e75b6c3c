import { describe } from "@sluice/shared";
import type { LogLevel, LogRecord } from "./log_record.ts";

/** Gets each line. */
export type LogFunction = (line: string, record: LogRecord) => unknown;

/** A stream of Node's, or anything that writes text. */
export interface LineWriter {
  /** Writes a line and its end. */
  write(line: string): unknown;
}

/**
 * A logger. One that can make children, as pino and bunyan do, gets the record and a message, and adds time and level by
 * itself; any other, such as the console, gets the line.
 */
export interface Logger {
  /** Writes what is as it should be. */
  info(...args: never[]): unknown;
  /** Writes what should be looked at; `info` does so if it is missing. */
  warn?(...args: never[]): unknown;
  /** Writes what has failed; `info` does so if it is missing. */
  error?(...args: never[]): unknown;
  /** Makes another logger; not called. */
  child?: unknown;
}

/** Where lines go. */
export type LogStream = LogFunction | LineWriter | Logger;

/** Takes a record; the line is made only if it is used. */
export type WriteRecord = (record: LogRecord, line: (record: LogRecord) => string) => unknown;

/**
 * Finds out how a stream is written to.
 *
 * @param stream The stream
 * @throws {TypeError} If it is none
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

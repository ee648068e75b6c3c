import { detachedString } from "@sluice/shared";
import { linesOf, LONGEST_LINE, type OnBytes } from "./log_file.ts";
import { formatOf, readerOf } from "./log_formats.ts";
import {
  isLoggedLine,
  type LineReader,
  type LogFormat,
  type LoggedRequest,
  type LogRecord,
  UnreadableLine,
} from "./log_record.ts";
import { Reorder } from "./reorder.ts";
import type { RequestFields } from "./request_fields.ts";

/** Lines held for sorting. */
const HELD = 4096;
/** Maximum number of broken lines shown, and their maximum length. */
const SHOWN_LINES = 5;
const SHOWN_LENGTH = 120;

/** A line that could not be read. */
export interface BrokenLine {
  readonly file: string;
  /** Line number in the file, from 1. */
  readonly line: number;
  readonly reason: string;
  /** Its beginning, which is untrusted. */
  readonly text: string;
}

/** Summary of reading a log. */
export interface LogSummary {
  /** Files, in the order in which they were read. */
  readonly files: readonly string[];
  /** Formats that were found. */
  readonly formats: readonly LogFormat[];
  /** Lines, without empty lines. */
  readonly lines: number;
  /** Lines that could not be read, and the first few. */
  readonly broken: number;
  readonly firstBroken: readonly BrokenLine[];
  /** Lines that came after a later one, and were moved before it. */
  readonly outOfOrder: number;
  /** Lines that came too late for that, and count at the time of the previous line. */
  readonly late: number;
  /** Fields that every request lacks: address, method or path. */
  readonly lacks: readonly ("address" | "method" | "path")[];
  /** Whether there are several requests, all from one address. */
  readonly isOneClient: boolean;
  /** Whether everything is a limiter's own log, with ms, keys and costs. */
  readonly isExact: boolean;
  /** Files that end prematurely, each with the reason. */
  readonly cutFiles: readonly { readonly file: string; readonly reason: string }[];
}

/** How to read the logs. */
export interface ReadOptions {
  /** Where logs have the time, address, method and path. */
  readonly fields: RequestFields;
  /** The format; detected for each file if omitted. */
  readonly format?: LogFormat | undefined;
  /** Receives the number of bytes read. */
  readonly onBytes: OnBytes;
}

/** Properties shared by all requests in a log. */
class SeenRequests {
  requests = 0;
  isOneClient = false;
  readonly #lacking = new Set(["address", "method", "path"] as const);
  #client = "";

  note(request: LoggedRequest): void {
    const { address } = request;
    if (this.requests++ === 0) this.#client = detachedString(address);
    else if (this.requests === 2) this.isOneClient = address === this.#client && address !== "";
    else if (this.isOneClient) this.isOneClient = address === this.#client;
    for (const name of this.#lacking) if (request[name] !== "") this.#lacking.delete(name);
  }

  get lacks(): readonly ("address" | "method" | "path")[] {
    return this.requests === 0 ? [] : [...this.#lacking];
  }
}

/**
 * Reads logs from start to end and passes their records on in chronological order.
 *
 * @param files The files, `-` for standard input
 * @param options Format, and fields
 * @param each Receives each record
 * @throws If a file cannot be read at all
 */
export async function readLog(
  files: readonly string[],
  { fields, format, onBytes }: ReadOptions,
  each: (record: LogRecord) => void,
): Promise<LogSummary> {
  const formats = new Set<LogFormat>();
  const firstBroken: BrokenLine[] = [];
  const cutFiles: { file: string; reason: string }[] = [];
  let lines = 0;
  let broken = 0;
  const seen = new SeenRequests();
  const reorder = new Reorder<LogRecord>(HELD, each);
  const ordered = await inOrderOfTime(files, fields, format);
  for (const file of ordered) {
    let reader: LineReader | null = null;
    let number = 0;
    const read = (line: string): void => {
      if (reader === null) {
        const found = format ?? formatOf(line, fields);
        if (found === null) throw new UnreadableLine("in no known format");
        formats.add(found);
        reader = readerOf(found, fields);
      }
      if (line.length > LONGEST_LINE) throw new UnreadableLine(`longer than ${LONGEST_LINE} characters`);
      const record = reader(line);
      if (record === null) return;
      if (!isLoggedLine(record)) seen.note(record);
      reorder.push(record);
    };
    try {
      for await (const some of linesOf(file, onBytes)) {
        for (const raw of some) {
          number++;
          const line = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
          if (line === "") continue;
          lines++;
          try {
            read(line);
          } catch (error) {
            if (!(error instanceof UnreadableLine)) throw error;
            broken++;
            if (firstBroken.length >= SHOWN_LINES) continue;
            firstBroken.push({ file, line: number, reason: error.message, text: line.slice(0, SHOWN_LENGTH) });
          }
        }
      }
    } catch (error) {
      // a gzip file still being written may end anywhere; a file with no lines is an error
      if (number === 0) throw error;
      cutFiles.push({ file, reason: (error as Error).message });
    }
  }
  reorder.end();
  return {
    files: ordered,
    formats: [...formats],
    lines,
    broken,
    firstBroken,
    outOfOrder: reorder.outOfOrder,
    late: reorder.late,
    isExact: seen.requests === 0 && formats.has("decisions"),
    lacks: seen.lacks,
    isOneClient: seen.isOneClient,
    cutFiles,
  };
}

// a shell sorts `access.log access.log.1`, with the newest first
async function inOrderOfTime(
  files: readonly string[],
  fields: RequestFields,
  format: LogFormat | undefined,
): Promise<readonly string[]> {
  if (files.length < 2) return files;
  const begun = await Promise.all(files.map(async (file) => ({ file, ms: await firstTime(file, fields, format) })));
  return begun.sort((a, b) => a.ms - b.ms).map(({ file }) => file);
}

async function firstTime(file: string, fields: RequestFields, format: LogFormat | undefined): Promise<number> {
  let reader: LineReader | null = null;
  for await (const lines of linesOf(file, () => {})) {
    for (const line of lines) {
      try {
        const found: LogFormat | null = reader === null ? format ?? formatOf(line, fields) : null;
        if (found !== null) reader = readerOf(found, fields);
        const record: LogRecord | null = reader?.(line) ?? null;
        if (record !== null) return record.ms;
      } catch (error) {
        if (!(error instanceof UnreadableLine)) throw error;
      }
    }
  }
  return Infinity;
}

import { isDecisionLog, readDecision } from "./decision_log.ts";
import { csvReader, jsonReader, separatorOf, textReader, w3cReader } from "./field_log.ts";
import { type LineReader, type LogFormat, UnreadableLine } from "./log_record.ts";
import { type RequestFields, USUAL_FIELDS } from "./request_fields.ts";
import { balancerLog, commonLog, envoyLog, type Grammar, haproxyLog } from "./text_log.ts";

interface Format {
  /** Whether the first line of a log has this format. */
  begins(line: string, fields: RequestFields): boolean;
  reader(fields: RequestFields): LineReader;
}

/** The formats by name; the first that matches a line is used. */
const FORMATS: Readonly<Record<LogFormat, Format>> = {
  decisions: { begins: isDecisionLog, reader: () => readDecision },
  json: { begins: (line) => line.startsWith("{"), reader: jsonReader },
  w3c: { begins: (line) => /^#(?:Version|Software|Fields|Date|Start-Date):/.test(line), reader: w3cReader },
  envoy: ofText("Envoy", envoyLog),
  alb: ofText("load balancer's", balancerLog),
  haproxy: ofText("HAProxy", haproxyLog),
  common: ofText("common", commonLog),
  csv: { begins: isCsvHeader, reader: csvReader },
};

/** The formats' names, in the order in which they are tried. */
export const LOG_FORMATS = Object.keys(FORMATS) as readonly LogFormat[];

/** Returns the format of a line, `null` if it is unknown. */
export function formatOf(line: string, fields: RequestFields): LogFormat | null {
  return LOG_FORMATS.find((name) => FORMATS[name].begins(line, fields)) ?? null;
}

/** Creates a reader for lines in a format. */
export function readerOf(format: LogFormat, fields: RequestFields): LineReader {
  return FORMATS[format].reader(fields);
}

function ofText(name: string, grammar: Grammar): Format {
  return {
    begins(line) {
      try {
        return grammar(line) !== null;
      } catch (error) {
        if (error instanceof UnreadableLine) return false;
        throw error;
      }
    },
    reader: (fields) => textReader(name, grammar, fields),
  };
}

function isCsvHeader(line: string, fields: RequestFields): boolean {
  const columns = line.split(separatorOf(line)).map((name) => name.trim().replace(/^"(.*)"$/, "$1"));
  const times = fields.time === undefined ? USUAL_FIELDS.time : [fields.time];
  return columns.length > 1 && columns.some((name) => times.includes(name));
}

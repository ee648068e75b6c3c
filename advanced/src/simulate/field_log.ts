import { type LineReader, type LoggedRequest, UnreadableLine } from "./log_record.ts";
import { fieldOrHeader, type Lookup, type RequestFields, type RequestReader, requestReader } from "./request_fields.ts";
import { type Fields, type Grammar, w3cFields } from "./text_log.ts";

/**
 * Creates a reader for text lines.
 *
 * @param name The format name
 * @param grammar Splits a line into fields
 * @param fields The user's field names
 */
export function textReader(name: string, grammar: Grammar, fields: RequestFields): LineReader {
  let requestOf: RequestReader | null = null;
  return (line) => {
    const found = grammar(line);
    if (found === null) throw new UnreadableLine(`not in the ${name} log format`);
    requestOf ??= requestReader(fields, Object.keys(found));
    return requestOf(lookupIn(found), fieldIn(grammar, line));
  };
}

function lookupIn(fields: Fields): Lookup {
  return (name) => {
    const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
    return value === "" || value === "-" ? undefined : value;
  };
}

// parsed again because few fields are used: thousands of requests are held for sorting, and a line is smaller than its
// fields
function fieldIn(grammar: Grammar, line: string): LoggedRequest["field"] {
  return (name) => fieldOrHeader(lookupIn(grammar(line)!), name);
}

/**
 * Creates a reader for JSON lines.
 *
 * @param fields The user's field names
 */
export function jsonReader(fields: RequestFields): LineReader {
  const requestOf = requestReader(fields);
  return (line) => {
    let object: unknown;
    try {
      object = JSON.parse(line);
    } catch {
      throw new UnreadableLine("not JSON");
    }
    if (typeof object !== "object" || object === null) throw new UnreadableLine("JSON, but not an object");
    const lookup = (name: string) => textAt(object as Record<string, unknown>, name);
    return requestOf(lookup, (name) => fieldOrHeader(lookup, name));
  };
}

// a name may itself contain dots
function textAt(object: Record<string, unknown>, name: string): string | undefined {
  let value: unknown = Object.hasOwn(object, name) ? object[name] : undefined;
  const dot = value === undefined ? name.indexOf(".") : -1;
  if (dot >= 0) {
    const inner = Object.hasOwn(object, name.slice(0, dot)) ? object[name.slice(0, dot)] : undefined;
    if (typeof inner !== "object" || inner === null) return undefined;
    return textAt(inner as Record<string, unknown>, name.slice(dot + 1));
  }
  // Caddy logs each header as a list
  if (Array.isArray(value)) value = value.join(", ");
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : undefined;
}

/**
 * Creates a reader for CSV whose first line contains the column names.
 *
 * @param fields The user's field names
 * @throws {UnreadableLine} From the reader, for a line with a different number of columns
 */
export function csvReader(fields: RequestFields): LineReader {
  let separator = "";
  let columns: readonly string[] = [];
  let requestOf: RequestReader | null = null;
  return (line) => {
    if (requestOf === null) {
      separator = separatorOf(line);
      columns = splitCsv(line, separator).map((name) => name.trim());
      requestOf = requestReader(fields, columns);
      return null;
    }
    const values = splitCsv(line, separator);
    if (values.length !== columns.length) {
      throw new UnreadableLine(`${values.length} columns instead of ${columns.length}`);
    }
    const lookup = (name: string) => values[columns.indexOf(name)] || undefined;
    return requestOf(lookup, (name) => fieldOrHeader(lookup, name));
  };
}

/**
 * Creates a reader for the W3C extended format, in which lines that begin with `#` name the columns.
 *
 * @param fields The user's field names
 * @throws {UnreadableLine} From the reader, for a line with a different number of columns
 */
export function w3cReader(fields: RequestFields): LineReader {
  let names: readonly string[] = [];
  let requestOf = requestReader(fields, names);
  return (line) => {
    if (line.startsWith("#")) {
      // IIS repeats it after a restart, or when the columns change
      if (line.startsWith("#Fields:")) requestOf = requestReader(fields, names = line.slice(8).trim().split(/\s+/));
      return null;
    }
    const lookup = lookupIn(w3cFields(names, line));
    return requestOf(lookup, (name) => fieldOrHeader(lookup, name));
  };
}

/** The column separator: the most frequent of the common ones. */
export function separatorOf(header: string): string {
  const [best] = [",", ";", "\t"].sort((a, b) => header.split(b).length - header.split(a).length);
  return best!;
}

// RFC 4180, without line breaks in fields: logs are read by line
function splitCsv(line: string, separator: string): string[] {
  if (!line.includes('"')) return line.split(separator);
  const values: string[] = [];
  for (let at = 0; at <= line.length;) {
    if (line[at] !== '"') {
      const end = line.indexOf(separator, at);
      values.push(line.slice(at, end < 0 ? line.length : end));
      at = end < 0 ? line.length + 1 : end + 1;
      continue;
    }
    let value = "";
    let end = line.indexOf('"', at + 1);
    while (end >= 0 && line[end + 1] === '"') {
      value += line.slice(at + 1, end + 1);
      at = end + 1;
      end = line.indexOf('"', at + 1);
    }
    if (end < 0) throw new UnreadableLine("a quotation mark is not closed");
    values.push(value + line.slice(at + 1, end));
    if (end + 1 < line.length && line[end + 1] !== separator) throw new UnreadableLine("text after a quotation mark");
    at = end + 2;
  }
  return values;
}

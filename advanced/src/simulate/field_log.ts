import { type LoggedRequest, UnreadableLine } from "./log_record.ts";
import { pathOf } from "../rules/path_of.ts";
import { FIELD_NAMES } from "../rules/read_rules.ts";
import { type RequestFields, splitRequestLine, timeOf, USUAL_FIELDS } from "./request_fields.ts";

/** Looks up a field by its name. */
type Lookup = (name: string) => string | undefined;

/**
 * Makes a reader of lines of JSON.
 *
 * @param fields Where the user says that things are
 */
export function jsonReader(fields: RequestFields): (line: string) => LoggedRequest {
  return (line) => {
    let object: unknown;
    try {
      object = JSON.parse(line);
    } catch {
      throw new UnreadableLine("not JSON");
    }
    if (typeof object !== "object" || object === null) throw new UnreadableLine("JSON, but no object");
    return requestOf((name) => textAt(object as Record<string, unknown>, name), fields);
  };
}

// a name may contain dots itself
function textAt(object: Record<string, unknown>, name: string): string | undefined {
  let value: unknown = Object.hasOwn(object, name) ? object[name] : undefined;
  if (value === undefined && name.includes(".")) {
    value = object;
    for (const part of name.split(".")) {
      value = typeof value === "object" && value !== null && Object.hasOwn(value, part)
        ? (value as Record<string, unknown>)[part]
        : undefined;
    }
  }
  // Caddy has each header as a list
  if (Array.isArray(value)) value = value[0];
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : undefined;
}

/**
 * Makes a reader of CSV, whose first line has the names of the columns.
 *
 * @param header That line
 * @param fields Where the user says that things are
 * @throws {UnreadableLine} From the reader, for a line of another number of columns
 */
export function csvReader(header: string, fields: RequestFields): (line: string) => LoggedRequest {
  const separator = separatorOf(header);
  const columns = new Map(splitCsv(header, separator).map((name, i) => [name.trim(), i]));
  return (line) => {
    const values = splitCsv(line, separator);
    if (values.length !== columns.size) {
      throw new UnreadableLine(`${values.length} columns instead of ${columns.size}`);
    }
    return requestOf((name) => values[columns.get(name) ?? -1] || undefined, fields);
  };
}

/** The character between the columns: the most frequent one of those in use. */
export function separatorOf(header: string): string {
  const [best] = [",", ";", "\t"].sort((a, b) => header.split(b).length - header.split(a).length);
  return best!;
}

// RFC 4180, without line breaks inside: a log is read by lines
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

function requestOf(lookup: Lookup, fields: RequestFields): LoggedRequest {
  const [time, address, method, path, tier] = FIELD_NAMES.map((name) =>
    found(lookup, fields[name], USUAL_FIELDS[name])
  );
  if (time === undefined) {
    throw new UnreadableLine(fields.time === undefined ? "no time" : `no field ${JSON.stringify(fields.time)}`);
  }
  const line = method === undefined && path === undefined ? lookup("request") : undefined;
  const split = line === undefined ? { method: "", path: "" } : splitRequestLine(line);
  return {
    ms: timeOf(time),
    address: address ?? "",
    method: method?.toUpperCase() ?? split.method,
    path: path === undefined ? split.path : pathOf(path),
    tier,
    field: (name) => lookup(name) ?? headerOf(lookup, name),
  };
}

function found(lookup: Lookup, told: string | undefined, usual: readonly string[]): string | undefined {
  if (told !== undefined) return lookup(told);
  for (const name of usual) {
    const value = lookup(name);
    if (value !== undefined) return value;
  }
  return undefined;
}

// where loggers put headers: pino-http, Caddy with its capitals, nginx's variables
function headerOf(lookup: Lookup, name: string): string | undefined {
  const lower = name.toLowerCase();
  const capitals = lower.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());
  const names = [`headers.${lower}`, `req.headers.${lower}`, `request.headers.${capitals}`];
  return found(lookup, undefined, [...names, `http_${lower.replaceAll("-", "_")}`, lower]);
}

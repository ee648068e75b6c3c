import { asciiLowerCase, trimBlanks } from "../util/ascii.ts";
import { coded } from "../util/coded_error.ts";
import { describe } from "../util/error_text.ts";
import { detachedString } from "../util/detached_string.ts";

const TOKEN = /^[\^_`a-zA-Z\-0-9!#$%&'*+.|~]+$/;

/** Number of cached lowercase names: a program uses few names, and the same ones for every response. */
const MAX_REMEMBERED = 512;
const lowerCase = new Map<string, string>();

/**
 * Validates the name of a header to send, and converts it to lowercase.
 *
 * @param caller Name of the caller for error messages
 * @param name The name
 * @returns The lowercase form; the same string each time, which runtimes look up faster
 * @throws {TypeError} If the name is not a token
 */
export function checkedHeaderKey(caller: string, name: string): string {
  const known = lowerCase.get(name);
  if (known !== undefined) return known;
  assertHeaderName(caller, name);
  if (lowerCase.size >= MAX_REMEMBERED) return asciiLowerCase(name);
  const own = detachedString(name);
  const key = asciiLowerCase(own);
  lowerCase.set(own, key);
  return key;
}

/**
 * Converts a header name to lowercase for a lookup; it need not be valid.
 *
 * @param name The name
 * @throws {TypeError} If the name is not a string
 */
export function headerKey(name: string): string {
  return lowerCase.get(name) ?? lowered(name);
}

function lowered(name: unknown): string {
  if (typeof name === "string") return asciiLowerCase(name);
  throw coded("ERR_INVALID_ARG_TYPE", new TypeError(`a header name must be a string, not ${describe(name)}`));
}

/** Whether a value is a valid header name (RFC 9110 section 5.1). */
export function isHeaderName(name: unknown): name is string {
  return typeof name === "string" && TOKEN.test(name);
}

/**
 * Asserts that a value is a valid header name.
 *
 * @param caller Name of the caller for error messages
 * @param name The name
 * @throws {TypeError} If the name is not a token
 */
function assertHeaderName(caller: string, name: unknown): asserts name is string {
  if (isHeaderName(name)) return;
  const shown = typeof name === "string" ? JSON.stringify(name) : describe(name);
  const error = new TypeError(`${caller}: header name must be a valid HTTP token, not ${shown}`);
  throw coded("ERR_INVALID_HTTP_TOKEN", error);
}

/**
 * Asserts that a value can be sent and cannot end the header and begin another (CR, LF).
 *
 * @param caller Name of the caller for error messages
 * @param name The header's name
 * @param value The value
 * @throws {TypeError} If a character is not allowed
 */
export function assertHeaderValue(caller: string, name: string, value: string): void {
  if (isSendable(value)) return;
  throw coded(
    "ERR_INVALID_CHAR",
    new TypeError(`Invalid character in header content ["${name}"]; ${caller} accepts no CR, LF or wide characters`),
  );
}

/**
 * Asserts that a reason phrase can be sent and cannot end the status line.
 *
 * @param caller Name of the caller for error messages
 * @param reason The reason phrase
 * @throws {TypeError} If a character is not allowed
 */
export function assertReason(caller: string, reason: string): void {
  if (isSendable(reason)) return;
  throw coded(
    "ERR_INVALID_CHAR",
    new TypeError(`Invalid character in statusMessage; ${caller} accepts no CR, LF or wide characters`),
  );
}

// as in Node: tab, visible ASCII, space and the upper half of Latin-1; for most values, which are short, a regular
// expression would be slower
function isSendable(value: string): boolean {
  for (let i = 0; i < value.length; i++) {
    const code = value.charCodeAt(i);
    if (code < 0x20 ? code !== 0x09 : code === 0x7f || code > 0xff) return false;
  }
  return true;
}

/**
 * Adds fields to a `Vary` header (RFC 9110 section 12.5.5), each once.
 *
 * @param current The current value, or `""` if there is none
 * @param field One field, a comma list or several fields
 * @returns The new value; `*` if either contains it
 * @throws {TypeError} If a field is not a header name
 */
export function appendVary(current: string, field: string | readonly string[]): string {
  if (current === "" && typeof field === "string" && lowerCase.has(field)) return field;
  const fields = typeof field === "string" ? splitList(field) : [...field];
  for (const one of fields) checkedHeaderKey("res.vary", one);
  const present = splitList(current);
  if (present.includes("*") || fields.includes("*")) return "*";
  const known = new Set(present.map(asciiLowerCase));
  const added = fields.filter((one) => {
    const isNew = !known.has(asciiLowerCase(one));
    known.add(asciiLowerCase(one));
    return isNew;
  });
  return current === "" ? added.join(", ") : [current, ...added].join(", ");
}

/**
 * Splits a comma-separated list, ignoring commas in quotes.
 *
 * @param header The header value
 * @returns Its trimmed, non-empty members
 */
export function splitList(header: string): string[] {
  const members: string[] = [];
  let start = 0;
  let quoted = false;
  for (let i = 0; i <= header.length; i++) {
    const char = header[i];
    if (quoted && char === "\\") i++;
    else if (char === '"') quoted = !quoted;
    else if (i >= header.length || (char === "," && !quoted)) {
      const member = trimBlanks(header.slice(start, i));
      if (member !== "") members.push(member);
      start = i + 1;
    }
  }
  return members;
}

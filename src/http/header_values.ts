const TOKEN = /^[\^_`a-zA-Z\-0-9!#$%&'*+.|~]+$/;
// what Node refuses: everything but tab, visible ASCII, space and the upper half of Latin-1
const FORBIDDEN = /[^\t\x20-\x7e\x80-\xff]/;

/**
 * Refuses what is no header name (RFC 9110 section 5.1).
 *
 * @param method The caller's name for the error message
 * @param name The name
 * @throws {TypeError} If the name is not a token
 */
export function assertHeaderName(method: string, name: unknown): asserts name is string {
  if (typeof name === "string" && TOKEN.test(name)) return;
  const error = new TypeError(`${method}: header name must be a valid HTTP token, not ${JSON.stringify(name)}`);
  throw Object.assign(error, { code: "ERR_INVALID_HTTP_TOKEN" });
}

/**
 * Refuses a value that could end the header and begin another (CR, LF), or that cannot be sent.
 *
 * @param method The caller's name for the error message
 * @param name The header's name
 * @param value The value
 * @throws {TypeError} If a character is not allowed
 */
export function assertHeaderValue(method: string, name: string, value: string): void {
  if (!FORBIDDEN.test(value)) return;
  throw Object.assign(
    new TypeError(`Invalid character in header content ["${name}"]; ${method} takes no CR, LF or wide characters`),
    { code: "ERR_INVALID_CHAR" },
  );
}

/**
 * Adds fields to a `Vary` header (RFC 9110 section 12.5.5), each once.
 *
 * @param current The present value, `""` for none
 * @param field One field, a comma list or several fields
 * @returns The new value; `*` when that is in it
 * @throws {TypeError} If a field is not a header name
 */
export function appendVary(current: string, field: string | readonly string[]): string {
  const fields = typeof field === "string" ? splitList(field) : [...field];
  for (const one of fields) assertHeaderName("res.vary", one);
  const present = splitList(current);
  if (present.includes("*") || fields.includes("*")) return "*";
  const known = new Set(present.map((one) => one.toLowerCase()));
  const added = fields.filter((one) => {
    const isNew = !known.has(one.toLowerCase());
    known.add(one.toLowerCase());
    return isNew;
  });
  return current === "" ? added.join(", ") : [current, ...added].join(", ");
}

/**
 * Splits a comma list, leaving commas inside quotes alone.
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
      const member = header.slice(start, i).trim();
      if (member !== "") members.push(member);
      start = i + 1;
    }
  }
  return members;
}

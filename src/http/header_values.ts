const TOKEN = /^[\^_`a-zA-Z\-0-9!#$%&'*+.|~]+$/;

/** Names whose lower case is remembered: a program uses few, and those for every answer. */
const MAX_REMEMBERED = 512;
const lowerCase = new Map<string, string>();

/**
 * The lower case of a header name that is to be sent.
 *
 * @param caller Name of the caller for error messages
 * @param name The name
 * @returns The same text for the same name, by which runtimes find it faster
 * @throws {TypeError} If the name is not a token
 */
export function checkedHeaderKey(caller: string, name: string): string {
  const known = lowerCase.get(name);
  if (known !== undefined) return known;
  assertHeaderName(caller, name);
  const key = name.toLowerCase();
  if (lowerCase.size < MAX_REMEMBERED) lowerCase.set(name, key);
  return key;
}

/**
 * The lower case of a header name that is looked for, and need not be one.
 *
 * @param name The name
 */
export function headerKey(name: string): string {
  return lowerCase.get(name) ?? name.toLowerCase();
}

/** Whether something can be the name of a header (RFC 9110 section 5.1). */
export function isHeaderName(name: unknown): name is string {
  return typeof name === "string" && TOKEN.test(name);
}

/**
 * Refuses what is no header name.
 *
 * @param caller Name of the caller for error messages
 * @param name The name
 * @throws {TypeError} If the name is not a token
 */
function assertHeaderName(caller: string, name: unknown): asserts name is string {
  if (isHeaderName(name)) return;
  const error = new TypeError(`${caller}: header name must be a valid HTTP token, not ${JSON.stringify(name)}`);
  throw Object.assign(error, { code: "ERR_INVALID_HTTP_TOKEN" });
}

/**
 * Refuses a value that could end the header and begin another (CR, LF), or that cannot be sent.
 *
 * @param caller Name of the caller for error messages
 * @param name The header's name
 * @param value The value
 * @throws {TypeError} If a character is not allowed
 */
export function assertHeaderValue(caller: string, name: string, value: string): void {
  if (isSendable(value)) return;
  throw Object.assign(
    new TypeError(`Invalid character in header content ["${name}"]; ${caller} takes no CR, LF or wide characters`),
    { code: "ERR_INVALID_CHAR" },
  );
}

// what Node takes: tab, visible ASCII, space and the upper half of Latin-1; most values are so short that calling a
// regular expression would take longer
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
 * @param current The present value, `""` for none
 * @param field One field, a comma list or several fields
 * @returns The new value; `*` when that is in it
 * @throws {TypeError} If a field is not a header name
 */
export function appendVary(current: string, field: string | readonly string[]): string {
  if (current === "" && typeof field === "string" && lowerCase.has(field)) return field;
  const fields = typeof field === "string" ? splitList(field) : [...field];
  for (const one of fields) checkedHeaderKey("res.vary", one);
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

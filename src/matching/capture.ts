/**
 * A parameter that is a whole segment, linked to the next one.
 *
 * @internal
 */
export class Capture {
  /** Its name. */
  readonly name: string;
  /** Characters between the previous parameter, or the beginning of the path, and its value. */
  readonly skip: number;
  /** The next parameter, `null` after the last. */
  readonly next: Capture | null;

  /**
   * Makes a parameter; a pattern does this when it is first matched.
   *
   * @param name Its name
   * @param skip Characters before its value
   * @param next The next one
   */
  constructor(name: string, skip: number, next: Capture | null) {
    // a name sliced from a path is a string of its own; as a property key it is interned, and shared by all routes
    this.name = Object.keys({ [name]: 0 })[0]!;
    this.skip = skip;
    this.next = next;
  }
}

/**
 * Reads the parameters of a path that is known to match, if nothing has to be decoded.
 *
 * @param first The first parameter
 * @param path A path beginning with a slash, not decoded
 * @returns The parameters, `null` if something has to be decoded
 */
export function readCaptures(first: Capture, path: string): Record<string, string> | null {
  if (path.includes("%")) return null;
  const params: Record<string, string> = Object.create(null);
  let at = 0;
  for (let capture: Capture | null = first; capture !== null; capture = capture.next) {
    const start = at + capture.skip;
    at = path.indexOf("/", start);
    if (at === -1) at = path.length;
    params[capture.name] = path.slice(start, at);
  }
  return params;
}

/**
 * Decodes the percent escapes of a path parameter.
 *
 * @param value The text as it is in the path
 * @returns The decoded text
 * @throws {URIError} With status 400 if an escape is broken, as Express's
 */
export function decodeParam(value: string): string {
  if (!value.includes("%")) return value;
  try {
    return decodeURIComponent(value);
  } catch (cause) {
    throw Object.assign(new URIError(`Failed to decode param '${value}'`, { cause }), { status: 400, statusCode: 400 });
  }
}

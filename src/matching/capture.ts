/**
 * A whole-segment parameter, linked to the next one.
 *
 * @internal
 */
export class Capture {
  /** Its name. */
  readonly name: string;
  /** Characters between its value and the previous parameter, or the start of the path. */
  readonly skip: number;
  /** The next parameter, `null` after the last. */
  readonly next: Capture | null;

  /**
   * Creates a parameter; a pattern does this on its first match.
   *
   * @param name Its name
   * @param skip Characters before its value
   * @param next The next one
   */
  constructor(name: string, skip: number, next: Capture | null) {
    // a name sliced from a path is a separate string; as a property key it is interned and shared by all routes
    this.name = Object.keys({ [name]: 0 })[0]!;
    this.skip = skip;
    this.next = next;
  }
}

/**
 * Decodes the percent escapes in a path parameter.
 *
 * @param value The string as it appears in the path
 * @returns The decoded string
 * @throws {URIError} With status 400 if an escape is broken, as in Express
 */
export function decodeParam(value: string): string {
  if (!value.includes("%")) return value;
  try {
    return decodeURIComponent(value);
  } catch (cause) {
    throw Object.assign(new URIError(`Failed to decode param '${value}'`, { cause }), { status: 400, statusCode: 400 });
  }
}

/**
 * Matches a path that may be invalid: from a request with a broken percent escape, which gets a 400, or as registered.
 *
 * @param match Matches it
 * @returns `null` also for an invalid path
 */
export function unlessBroken<Match>(match: () => Match): Match | null {
  try {
    return match();
  } catch {
    return null;
  }
}

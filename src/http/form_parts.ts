import { utf8Bytes } from "../util/encodings.ts";

const AMPERSAND = 0x26;
const DASH = 0x2d;
const CR = 0x0d;
const LF = 0x0a;

/** Maximum size in bytes for a part's headers, including the rest of the delimiter line; the same as for uploads. */
export const MOST_HEAD_BYTES: number = 8 * 1024;

/** Counts for a `multipart/form-data` body. */
export interface PartCount {
  /** Number of parts; counting stops beyond the limit. */
  readonly parts: number;
  /** Whether the last delimiter closes the form. */
  readonly closed: boolean;
  /** Whether a part header exceeds {@linkcode MOST_HEAD_BYTES}. */
  readonly hasLongHead: boolean;
}

/**
 * Counts the parts in a multipart body (RFC 7578), in time proportional to its length for any body and boundary. Each
 * delimiter begins a part, except the last one, which closes the form. Delimiters inside a line and after the end also
 * count, so no runtime can see more parts than were counted. A part header extends from a delimiter to the first empty
 * line, even across other delimiters; data after the form's end is not a header.
 *
 * @param bytes The body
 * @param boundary The boundary
 * @param most Maximum number of parts
 */
export function countParts(bytes: Uint8Array, boundary: string, most: number): PartCount {
  const delimiter = utf8Bytes(`--${boundary}`);
  const borders = bordersOf(delimiter);
  let delimiters = 0;
  let end = 0;
  /** Start of the part header being counted, and of the first one that is too long. */
  let head = -1;
  let longHead = -1;
  for (let at = 0, matched = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    // the line feed after an empty line is preceded by its own line end
    if (at === head + MOST_HEAD_BYTES + 4 && head !== -1) {
      if (longHead === -1) longHead = head;
      head = -1;
    } else if (byte === LF && at >= head + 3 && bytes[at - 1] === CR && bytes[at - 2] === LF && bytes[at - 3] === CR) {
      head = -1;
    }
    while (matched > 0 && byte !== delimiter[matched]) matched = borders[matched - 1]!;
    if (byte === delimiter[matched]) matched++;
    if (matched < delimiter.length) continue;
    matched = 0;
    end = at + 1;
    if (head === -1) head = end;
    if (++delimiters > most + 1) break;
  }
  const closed = delimiters > 0 && bytes[end] === DASH && bytes[end + 1] === DASH;
  const hasLongHead = longHead !== -1 && !(closed && longHead === end);
  return { parts: closed ? delimiters - 1 : delimiters, closed, hasLongHead };
}

// longest border length for each prefix of the pattern, for Knuth-Morris-Pratt search
function bordersOf(pattern: Uint8Array): Uint32Array {
  const borders = new Uint32Array(pattern.length);
  for (let at = 1, border = 0; at < pattern.length; at++) {
    while (border > 0 && pattern[at] !== pattern[border]) border = borders[border - 1]!;
    if (pattern[at] === pattern[border]) border++;
    borders[at] = border;
  }
  return borders;
}

/**
 * Counts the fields in an `application/x-www-form-urlencoded` body.
 *
 * @param bytes The body
 * @param most Where to stop
 */
export function countFields(bytes: Uint8Array, most: number): number {
  if (bytes.length === 0) return 0;
  let fields = 1;
  for (let at = bytes.indexOf(AMPERSAND); at !== -1 && fields <= most; at = bytes.indexOf(AMPERSAND, at + 1)) fields++;
  return fields;
}

import { utf8Bytes } from "../util/encodings.ts";

const AMPERSAND = 0x26;
const DASH = 0x2d;
const CR = 0x0d;
const LF = 0x0a;

/** Most bytes of a part's headers, with the rest of the delimiter's line in front of them; as of uploads. */
export const MOST_HEAD_BYTES: number = 8 * 1024;

/** What was counted in a body of type `multipart/form-data`. */
export interface PartCount {
  /** Number of parts; counting stops above the limit. */
  readonly parts: number;
  /** Whether the last delimiter closes the form. */
  readonly closed: boolean;
  /** Whether the head of a part has more than {@linkcode MOST_HEAD_BYTES}. */
  readonly hasLongHead: boolean;
}

/**
 * Counts the parts of a multipart body (RFC 7578), in time proportional to its length whatever the body and the boundary
 * are. Each delimiter begins a part, except the last one, which closes the form. Those in the middle of a line and behind
 * the end count, too: so no runtime can see more parts than were counted. A head goes from a delimiter to the first empty
 * line, whatever delimiters are in it; what follows the end of the form is none.
 *
 * @param bytes The body
 * @param boundary The boundary
 * @param most Most parts
 */
export function countParts(bytes: Uint8Array, boundary: string, most: number): PartCount {
  const delimiter = utf8Bytes(`--${boundary}`);
  const borders = bordersOf(delimiter);
  let delimiters = 0;
  let end = 0;
  /** Where the head begins that is being counted, and where the first one that is too long does. */
  let head = -1;
  let longHead = -1;
  for (let at = 0, matched = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    // the line feed behind an empty line has its own line end in front of it
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

// for each beginning of the pattern, the length of its longest border: Knuth, Morris and Pratt's search
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
 * Counts the fields of a body of type `application/x-www-form-urlencoded`.
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

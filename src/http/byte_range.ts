/** One range of bytes, both ends included. */
export interface ByteRange {
  /** First byte. */
  start: number;
  /** Last byte. */
  end: number;
}

/** The ranges in a `Range` header, with their unit. */
export type ByteRanges = ByteRange[] & {
  /** The unit, usually `bytes`. */
  type: string;
};

/**
 * Parses a `Range` header (RFC 9110 section 14.2).
 *
 * @param size Size of the resource in bytes
 * @param header The header value
 * @param options `combine` joins ranges that overlap or touch
 * @returns The ranges in the requested order, -1 if none can be satisfied, -2 if the header is malformed
 * @throws {TypeError} If the header is not a string
 */
export function parseByteRange(size: number, header: string, options?: { combine?: boolean }): ByteRanges | -1 | -2 {
  if (typeof header !== "string") throw new TypeError("argument str must be a string");
  const equals = header.indexOf("=");
  if (equals === -1) return -2;
  const ranges: ByteRange[] = [];
  for (const part of header.slice(equals + 1).split(",")) {
    const range = rangeOf(part, size);
    if (range === null) return -2;
    if (range.start <= range.end && range.start >= 0) ranges.push(range);
  }
  if (ranges.length === 0) return -1;
  const result = options?.combine ? combined(ranges) : ranges;
  return Object.assign(result, { type: header.slice(0, equals) });
}

function rangeOf(text: string, size: number): ByteRange | null {
  // Unicode spaces count as well, as in Express's package: the client gets part of a resource it could have whole.
  // Trimmed first, because otherwise two adjacent runs of blanks would backtrack quadratically.
  const match = /^(\d*)\s*-\s*(\d*)$/.exec(text.trim());
  if (match === null || (match[1] === "" && match[2] === "")) return null;
  if (match[1] === "") {
    return { start: Math.max(size - Number(match[2]), 0), end: Number(match[2]) === 0 ? -1 : size - 1 };
  }
  const start = Number(match[1]);
  const end = match[2] === "" ? size - 1 : Math.min(Number(match[2]), size - 1);
  return { start, end: start >= size ? -1 : end };
}

function combined(ranges: readonly ByteRange[]): ByteRange[] {
  const order = ranges.map((range, index) => ({ ...range, index })).sort((a, b) => a.start - b.start);
  const joined: typeof order = [];
  for (const range of order) {
    const last = joined.at(-1);
    if (last === undefined || range.start > last.end + 1) joined.push(range);
    else if (range.end > last.end) {
      last.end = range.end;
      last.index = Math.min(last.index, range.index);
    }
  }
  return joined.sort((a, b) => a.index - b.index).map(({ start, end }) => ({ start, end }));
}

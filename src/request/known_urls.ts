/** A recent URL, and where its path is. */
export class KnownUrl {
  /** The URL. */
  readonly url: string;
  /** Where the path begins. */
  readonly start: number;
  /** Where it ends. */
  readonly end: number;
  /** The path. */
  readonly path: string;

  /**
   * @param url The URL
   * @param start Where its path begins
   * @param end Where its path ends
   */
  constructor(url: string, start: number, end: number) {
    this.url = url;
    this.start = start;
    this.end = end;
    this.path = url.slice(start, end);
  }
}

/** Slots for URLs, a power of two. */
const PLACES = 64;

/** Longer URLs are not kept, since clients choose them. */
const LONGEST = 256;

/** One in so many unknown URLs is kept: frequent ones get in soon, others seldom. */
const ADMITTED = 16;

const known: KnownUrl[] = new Array(PLACES).fill(new KnownUrl("", 0, 0));
let missed = 0;

/**
 * Looks up a URL: comparing it is cheaper than searching for its parts.
 *
 * @param url The URL
 * @returns The entry of its slot, which is about this URL only if its `url` is the same
 */
export function knownUrl(url: string): KnownUrl {
  return known[placeOf(url)]!;
}

/**
 * Notes an unknown URL; one in `ADMITTED` is kept.
 *
 * @param url The URL
 * @param start Where its path begins
 * @param end Where its path ends
 */
export function noteUrl(url: string, start: number, end: number): void {
  missed++;
  if (missed % ADMITTED === 0 && url.length <= LONGEST) known[placeOf(url)] = new KnownUrl(url, start, end);
}

function placeOf(url: string): number {
  return (url.length * 31 + url.charCodeAt(url.length - 1)) & (PLACES - 1);
}

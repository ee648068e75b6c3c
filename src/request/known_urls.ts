/** Where the path is in a URL that came lately. */
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

/** Places for URLs, a power of two. */
const PLACES = 64;

/** Longer ones are not kept, for clients choose them. */
const LONGEST = 256;

/** One in so many unknown URLs is kept: what is asked for often gets in soon, what is asked for once seldom. */
const ADMITTED = 16;

const known: KnownUrl[] = Array.from({ length: PLACES }, () => new KnownUrl("", 0, 0));
let missed = 0;

/**
 * What may be known about a URL: comparing it is cheaper than looking for its parts.
 *
 * @param url The URL
 * @returns Its parts if its own `url` is the same, those of another URL otherwise
 */
export function knownUrl(url: string): KnownUrl {
  return known[placeOf(url)]!;
}

/**
 * Notes a URL that was not known, and keeps it if it is its turn.
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

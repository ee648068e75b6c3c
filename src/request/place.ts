/**
 * Whether a target may be something else than the client's: servers put URLs together from the `Host` header and the
 * target of the request, and not all of them look at either.
 */
export const DOUBT = {
  /** There is no doubt. */
  none: 0,
  /** The path may begin in the header: there is more than one slash, or the host is not the client's. */
  shared: 1,
  /** There is only a path. Then there was no header, as in HTTP/1.0, or the server found it improper. */
  alone: 2,
  /** The host is improper. */
  improper: 3,
} as const;

/** One of {@linkcode DOUBT}. */
export type Doubt = (typeof DOUBT)[keyof typeof DOUBT];

/** Where a target, path and query, is in a string. */
export class Place {
  /** The string. */
  readonly text: string;
  /** Where the path begins. */
  readonly start: number;
  /** Where it ends. */
  readonly end: number;
  /** The path, with a leading slash. */
  readonly path: string;
  /** Whether it may be something else than what the client asked for. */
  readonly doubt: Doubt;

  /**
   * @param text The string
   * @param start Where the path begins
   * @param end Where it ends
   * @param doubt Whether it may be something else than what the client asked for
   */
  constructor(text: string, start: number, end: number, doubt: Doubt = DOUBT.none) {
    this.text = text;
    this.start = start;
    this.end = end;
    this.doubt = doubt;
    this.path = rooted(text.slice(start, end));
  }
}

/**
 * Adds the leading slash that every path has.
 *
 * @param path A path, or what is left of it
 */
export function rooted(path: string): string {
  return path.charCodeAt(0) === 47 ? path : "/" + path;
}

/** Slots for URLs, a power of two. */
const SLOTS = 64;

/** Longer URLs are not kept, since clients choose them. */
const LONGEST = 256;

/** One in so many unknown URLs is kept: frequent ones get in soon, others seldom. */
const ADMITTED = 16;

const known: Place[] = new Array(SLOTS).fill(new Place("", 0, 0, DOUBT.improper));
let missed = 0;

/**
 * Looks up a URL: comparing it is cheaper than searching for its parts.
 *
 * @param url The URL
 * @returns The entry of its slot, which is about this URL only if its `text` is the same
 */
export function knownPlace(url: string): Place {
  return known[slotOf(url)]!;
}

/**
 * Notes the place of the target in an unknown URL; one in `ADMITTED` is kept.
 *
 * @param place The place
 */
export function notePlace(place: Place): void {
  missed++;
  if (missed % ADMITTED === 0 && place.text.length <= LONGEST) known[slotOf(place.text)] = place;
}

function slotOf(url: string): number {
  return (url.length * 31 + url.charCodeAt(url.length - 1)) & (SLOTS - 1);
}

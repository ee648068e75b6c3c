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

  /**
   * @param text The string
   * @param start Where the path begins
   * @param end Where it ends
   */
  constructor(text: string, start: number, end: number) {
    this.text = text;
    this.start = start;
    this.end = end;
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

const known: Place[] = new Array(SLOTS).fill(new Place("", 0, 0));
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

import { ownText } from "./own_text.ts";

/** One in so many misses of a place puts its tag forward, so that texts that take turns meet one that waits. */
const PROPOSED = 8;

/**
 * Tags of texts that were sent more than once. Each text has one place, which it shares with others: comparing a text
 * with the one that is there takes a few nanoseconds, and a look-up in a `Map` more than forty, because every new string
 * has to be hashed. Keeping a text means to copy it. So a text gets in only when its tag comes a second time, and a
 * program whose answers all differ pays for nothing.
 */
export class RecentTags {
  readonly #places: number;
  readonly #admitted: number;
  /** Made with the first entry, since few programs need every such cache, and each would take time at start. */
  #texts: string[] | null = null;
  /** The tags of these texts; `undefined` where there is none yet, so that the empty text is none of them. */
  #tags: (string | undefined)[] = [];
  /** For each place, a tag that came once. */
  #proposed: string[] = [];
  #missed = 0;
  #repeated = 0;

  /**
   * Makes an empty cache.
   *
   * @param places Number of places, a power of two
   * @param admitted One in so many texts that repeat and find their place taken gets it
   */
  constructor(places: number, admitted: number) {
    this.#places = places;
    this.#admitted = admitted;
  }

  /** Reads the tag of a text. */
  get(text: string): string | undefined {
    const texts = this.#texts;
    if (texts === null) return undefined;
    const place = this.#placeOf(text);
    return texts[place] === text ? this.#tags[place] : undefined;
  }

  /**
   * Writes the tag of a text, if the text gets the place.
   *
   * @param text The text, which is not there yet
   * @param tag Its tag
   */
  offer(text: string, tag: string): void {
    const texts = this.#texts ??= this.#made();
    const place = this.#placeOf(text);
    const proposed = this.#proposed[place];
    if (proposed !== tag) {
      if (proposed === "" || ++this.#missed % PROPOSED === 0) this.#proposed[place] = tag;
      return;
    }
    if (this.#tags[place] !== undefined && ++this.#repeated % this.#admitted !== 0) return;
    texts[place] = ownText(text);
    this.#tags[place] = tag;
  }

  #made(): string[] {
    this.#tags = new Array(this.#places).fill(undefined);
    this.#proposed = new Array(this.#places).fill("");
    return new Array(this.#places).fill("");
  }

  // the last character alone would not do: it is the same bracket in most JSON
  #placeOf(text: string): number {
    const { length } = text;
    const end = text.charCodeAt(length - 1) + 7 * text.charCodeAt(length > 2 ? length - 3 : 0);
    return (length * 31 + end) & (this.#places - 1);
  }
}

import { ownText } from "./own_text.ts";

/**
 * What was made of recent texts. Each text has one place, which it shares with others: comparing a text with the one that
 * is there takes V8 a few nanoseconds, and a look-up in a `Map` forty, because every new string has to be hashed.
 */
export class RecentTexts<V> {
  readonly #places: number;
  readonly #admitted: number;
  /** Made with the first entry, since few programs need every such cache, and each would take time at start. */
  #texts: string[] | null = null;
  #values: (V | undefined)[] = [];
  #missed = 0;

  /**
   * Makes an empty cache.
   *
   * @param places Number of places, a power of two
   * @param admitted One in so many texts that find their place taken gets it: frequent ones get in soon, others seldom
   */
  constructor(places: number, admitted: number) {
    this.#places = places;
    this.#admitted = admitted;
  }

  /** Reads an entry. */
  get(text: string): V | undefined {
    const texts = this.#texts;
    if (texts === null) return undefined;
    const place = this.#placeOf(text);
    return texts[place] === text ? this.#values[place] : undefined;
  }

  /**
   * Writes an entry, if its text gets the place.
   *
   * @param text The text
   * @param value What was made of it
   */
  offer(text: string, value: V): void {
    const texts = this.#texts ??= this.#made();
    const place = this.#placeOf(text);
    if (texts[place] !== "" && ++this.#missed % this.#admitted !== 0) return;
    texts[place] = ownText(text);
    this.#values[place] = value;
  }

  #made(): string[] {
    this.#values = new Array(this.#places).fill(undefined);
    return new Array(this.#places).fill("");
  }

  // the last character alone would not do: it is the same bracket in most JSON
  #placeOf(text: string): number {
    const { length } = text;
    const end = text.charCodeAt(length - 1) + 7 * text.charCodeAt(length > 2 ? length - 3 : 0);
    return (length * 31 + end) & (this.#places - 1);
  }
}

import { newSeed, seededHash, seededMix } from "./seeded_hash.ts";
import { sourceOf } from "./key_source.ts";

/** Places of keys that are no addresses. */
const GENERAL = 1024;
/** Fewest and most places of each family of addresses; between them, an eighth of the table's. */
const LEAST = 2048;
const MOST = 8192;
/** Places that the keys of a narrow network, a /48 or /24, are spread over. */
const NARROW = 128;
/** Where a key is counted together with others. */
export interface SharedPlace {
  /** The place. */
  readonly place: number;
  /** Three bits that stand for the wide network the key comes from, or for the key itself if it is no address. */
  readonly wide: number;
  /** Three bits that stand for the narrow network. */
  readonly narrow: number;
}

/**
 * Places that keys share when they get none of their own, chosen by a seeded hash of where they come from.
 *
 * IPv4 addresses, IPv6 addresses and other keys have places apart, and a network reaches only some of them, an eighth if
 * it is wide: attackers meet themselves. The seed keeps an attacker from choosing a key that shares its victim's place.
 *
 * Each place knows the networks its keys are from, as a Bloom filter does: it may take one for another, but forgets none.
 * So a key that gets a place of its own need not take over what others have counted.
 */
export class SharedPlaces {
  readonly #seed = newSeed();
  readonly #family: number;
  readonly #wide: Uint32Array;
  readonly #narrow: Uint32Array;

  /**
   * Prepares the places.
   *
   * @param maxKeys Most keys with a place of their own
   */
  constructor(maxKeys: number) {
    this.#family = Math.min(MOST, Math.max(LEAST, maxKeys >> 3));
    this.#wide = new Uint32Array(this.count);
    this.#narrow = new Uint32Array(this.count);
  }

  /** Number of places. */
  get count(): number {
    return GENERAL + 2 * this.#family;
  }

  /** The place of a key, always the same. */
  of(key: string): SharedPlace {
    const hash = seededHash(key, this.#seed);
    const source = sourceOf(key);
    if (source === null) return { place: hash % GENERAL, wide: bitsOf(hash), narrow: bitsOf(hash) };
    const wide = seededMix(source.wide, this.#seed);
    const narrow = seededMix(wide ^ source.narrow, this.#seed);
    const near = (narrow + hash % NARROW) % (this.#family >> 3);
    // the places that a network reaches lie scattered, so that hardly two networks have all of them in common
    const place = seededMix(wide + near, this.#seed) % this.#family;
    return { place: GENERAL + (source.isV6 ? this.#family : 0) + place, wide: bitsOf(wide), narrow: bitsOf(narrow) };
  }

  /** Whether a key may have been counted in its place, since that was last idle. */
  mayHold({ place, wide, narrow }: SharedPlace): boolean {
    return (this.#wide[place]! & wide) === wide && (this.#narrow[place]! & narrow) === narrow;
  }

  /**
   * Notes that a key is counted in its place.
   *
   * @param shared The place
   * @param isIdle Whether nothing is counted there now
   */
  enter({ place, wide, narrow }: SharedPlace, isIdle: boolean): void {
    this.#wide[place] = isIdle ? wide : this.#wide[place]! | wide;
    this.#narrow[place] = isIdle ? narrow : this.#narrow[place]! | narrow;
  }
}

// of the upper bits, because the lower ones choose places
function bitsOf(hash: number): number {
  return 1 << (hash >>> 27) | 1 << (hash >>> 22 & 31) | 1 << (hash >>> 17 & 31);
}

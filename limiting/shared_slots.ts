import { newSeed, seededHash, seededMix } from "./seeded_hash.ts";
import { sourceOf } from "./key_source.ts";

/** Slots of keys that are no addresses. */
const GENERAL = 1024;
/** Fewest and most slots of each family of addresses; between them, an eighth of the table's. */
const LEAST = 2048;
const MOST = 8192;
/** Slots that the keys of a narrow network, a /48 or /24, are spread over. */
const NARROW = 128;

/** Where a key is counted together with others. */
export interface SharedSlot {
  /** Its number among those that are shared. */
  readonly index: number;
  /** Three bits that stand for the wide network the key comes from, or for the key itself if it is no address. */
  readonly wide: number;
  /** Three bits that stand for the narrow network. */
  readonly narrow: number;
}

/**
 * Slots that keys share when they get none of their own, chosen by a seeded hash of where they come from.
 *
 * IPv4 addresses, IPv6 addresses and other keys have slots apart, and a network reaches only some of them, an eighth if
 * it is wide: attackers meet themselves. The seed keeps an attacker from choosing a key that shares its victim's slot.
 *
 * Each slot knows the networks its keys are from, as a Bloom filter does: it may take one for another, but forgets
 * none. So a key that gets a slot of its own need not take over what others have counted.
 */
export class SharedSlots {
  readonly #seed = newSeed();
  readonly #family: number;
  readonly #wide: Uint32Array;
  readonly #narrow: Uint32Array;

  /**
   * Prepares the slots.
   *
   * @param maxKeys Most keys with a slot of their own
   */
  constructor(maxKeys: number) {
    this.#family = Math.min(MOST, Math.max(LEAST, maxKeys >> 3));
    this.#wide = new Uint32Array(this.count);
    this.#narrow = new Uint32Array(this.count);
  }

  /** Number of slots. */
  get count(): number {
    return GENERAL + 2 * this.#family;
  }

  /** The slot of a key, always the same. */
  of(key: string): SharedSlot {
    const hash = seededHash(key, this.#seed);
    const source = sourceOf(key);
    if (source === null) return { index: hash % GENERAL, wide: bitsOf(hash), narrow: bitsOf(hash) };
    const wide = seededMix(source.wide, this.#seed);
    const narrow = seededMix(wide ^ source.narrow, this.#seed);
    const near = (narrow + hash % NARROW) % (this.#family >> 3);
    // the slots that a network reaches lie scattered, so that hardly two networks have all of them in common
    const index = seededMix(wide + near, this.#seed) % this.#family;
    return { index: GENERAL + (source.isV6 ? this.#family : 0) + index, wide: bitsOf(wide), narrow: bitsOf(narrow) };
  }

  /** Whether a key may have been counted in its slot, since that was last idle. */
  mayHold({ index, wide, narrow }: SharedSlot): boolean {
    return (this.#wide[index]! & wide) === wide && (this.#narrow[index]! & narrow) === narrow;
  }

  /**
   * Notes that a key is counted in its slot.
   *
   * @param shared The slot
   * @param isIdle Whether nothing is counted there now
   */
  enter({ index, wide, narrow }: SharedSlot, isIdle: boolean): void {
    this.#wide[index] = isIdle ? wide : this.#wide[index]! | wide;
    this.#narrow[index] = isIdle ? narrow : this.#narrow[index]! | narrow;
  }
}

// of the upper bits, because the lower ones choose slots
function bitsOf(hash: number): number {
  return 1 << (hash >>> 27) | 1 << (hash >>> 22 & 31) | 1 << (hash >>> 17 & 31);
}

import { newSeed, seededHash, seededMix } from "./seeded_hash.ts";
import { sourceOf } from "./key_source.ts";

/** Slots for keys that are not addresses. */
const GENERAL = 1024;
/** Minimum and maximum slots per address family; between them, an eighth of the table's slots. */
const LEAST = 2048;
const MOST = 8192;
/** Slots across which the keys from a narrow network, a /48 or /24, are spread. */
const NARROW = 128;

/** A slot in which a key is counted together with others. */
export interface SharedSlot {
  /** Its number among the shared slots. */
  readonly index: number;
  /** Three bits for the key's wide network, or for the key itself if it is not an address. */
  readonly wide: number;
  /** Three bits for the narrow network. */
  readonly narrow: number;
}

/**
 * Slots for keys that get none of their own, chosen by a seeded hash of the key's source.
 *
 * IPv4 addresses, IPv6 addresses and other keys have separate slots, and a network reaches only some of them (a wide
 * one an eighth): attackers collide with themselves. The seed keeps attackers from picking a key in a victim's slot.
 *
 * Each slot remembers its keys' networks in a Bloom filter, which may confuse two networks but forgets no network. So a
 * key that gets its own slot need not inherit other keys' counts.
 */
export class SharedSlots {
  readonly #seed = newSeed();
  readonly #family: number;
  readonly #wide: Uint32Array;
  readonly #narrow: Uint32Array;

  /**
   * Prepares the slots.
   *
   * @param maxKeys Maximum number of keys with a slot of their own
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

  /** The slot for a key; always the same. */
  of(key: string): SharedSlot {
    const hash = seededHash(key, this.#seed);
    const source = sourceOf(key);
    if (source === null) return { index: hash % GENERAL, wide: bitsOf(hash), narrow: bitsOf(hash) };
    const wide = seededMix(source.wide, this.#seed);
    const narrow = seededMix(wide ^ source.narrow, this.#seed);
    const near = (narrow + hash % NARROW) % (this.#family >> 3);
    // a network's slots are scattered, so two networks rarely share them all
    const index = seededMix(wide + near, this.#seed) % this.#family;
    return { index: GENERAL + (source.isV6 ? this.#family : 0) + index, wide: bitsOf(wide), narrow: bitsOf(narrow) };
  }

  /** Whether a key may have been counted in its slot since the slot was last idle. */
  mayHold({ index, wide, narrow }: SharedSlot): boolean {
    return (this.#wide[index]! & wide) === wide && (this.#narrow[index]! & narrow) === narrow;
  }

  /**
   * Records that a key is counted in its slot.
   *
   * @param shared The slot
   * @param isIdle Whether nothing is counted there now
   */
  enter({ index, wide, narrow }: SharedSlot, isIdle: boolean): void {
    this.#wide[index] = isIdle ? wide : this.#wide[index]! | wide;
    this.#narrow[index] = isIdle ? narrow : this.#narrow[index]! | narrow;
  }
}

// from the upper bits, because the lower bits select slots
function bitsOf(hash: number): number {
  return 1 << (hash >>> 27) | 1 << (hash >>> 22 & 31) | 1 << (hash >>> 17 & 31);
}

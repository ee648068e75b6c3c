import type { Held } from "../algorithms/decide_batch.ts";
import type { Algorithm, Cells } from "../algorithms/algorithm.ts";
import { BLOCK_WIDTH, blockReset } from "../algorithms/block_state.ts";
import type { Policy } from "../policy/policy.ts";

const NOTHING: Float64Array = new Float64Array(0);

/** A `Held` that is aimed at one place after the other, so that a decision needs no new objects. */
export interface Aim extends Held {
  /** The key's state. */
  readonly cells: Cells;
  /** The state behind `block`, `null` when the policy has none. */
  block: Cells | null;
}

/** States of many keys side by side in typed arrays: places by number, all of the same algorithm and width. */
export class CellColumns {
  readonly #algorithm: Algorithm;
  readonly #width: number;
  #cells: Float64Array = NOTHING;
  #blocks: Float64Array | null = null;
  #places = 0;
  /** Arrays of their own, for algorithms whose state varies in length. */
  readonly #own: Float64Array[] = [];

  /**
   * Makes it.
   *
   * @param algorithm The algorithm
   * @param width Cells of one key, 0 when it varies
   */
  constructor(algorithm: Algorithm, width: number) {
    this.#algorithm = algorithm;
    this.#width = width;
  }

  /** Number of places there is memory for. */
  get places(): number {
    return this.#places;
  }

  /** Makes room for more places. */
  grow(places: number): void {
    this.#places = places;
    this.#cells = longer(this.#cells, places * this.#width);
    if (this.#blocks !== null) this.#blocks = longer(this.#blocks, places * BLOCK_WIDTH);
  }

  /** A new aim, at no place yet. */
  newAim(): Aim {
    return { algorithm: this.#algorithm, cells: { array: NOTHING, at: 0 }, block: null };
  }

  /** Aims at a place. */
  aim(aim: Aim, place: number, policy: Policy): void {
    const { cells } = aim;
    if (this.#width === 0) cells.array = this.#own[place] ?? NOTHING;
    else {
      cells.array = this.#cells;
      cells.at = place * this.#width;
    }
    if (policy.block === undefined) {
      aim.block = null;
      return;
    }
    this.#blocks ??= new Float64Array(this.#places * BLOCK_WIDTH);
    aim.block ??= { array: this.#blocks, at: 0 };
    aim.block.array = this.#blocks;
    aim.block.at = place * BLOCK_WIDTH;
  }

  /** Takes over what was written to a place; needed where a state may have moved to a longer array. */
  keep(aim: Aim, place: number): void {
    if (this.#width === 0 && aim.cells.array.length > 0) this.#own[place] = aim.cells.array;
  }

  /** Makes a place that of a key never seen. */
  clear(place: number): void {
    if (this.#width === 0) delete this.#own[place];
    else this.#cells.fill(0, place * this.#width, (place + 1) * this.#width);
    this.#blocks?.fill(0, place * BLOCK_WIDTH, (place + 1) * BLOCK_WIDTH);
  }

  /** Whether a place's state is that of a key never seen. */
  isIdle(aim: Aim, place: number, policy: Policy, now: number): boolean {
    this.aim(aim, place, policy);
    if (this.#algorithm.reset(policy, aim.cells, now) > 0) return false;
    return this.#blocks === null || blockReset({ array: this.#blocks, at: place * BLOCK_WIDTH }, now) === 0;
  }

  /** Copies a state from elsewhere. */
  copy(place: number, from: CellColumns, other: number): void {
    if (this.#width === 0) {
      const own = from.#own[other];
      if (own !== undefined) this.#own[place] = own.slice();
    } else {
      const begin = other * this.#width;
      this.#cells.set(from.#cells.subarray(begin, begin + this.#width), place * this.#width);
    }
    if (from.#blocks === null) return;
    this.#blocks ??= new Float64Array(this.#places * BLOCK_WIDTH);
    const begin = other * BLOCK_WIDTH;
    this.#blocks.set(from.#blocks.subarray(begin, begin + BLOCK_WIDTH), place * BLOCK_WIDTH);
  }
}

function longer(array: Float64Array, length: number): Float64Array {
  const grown = new Float64Array(length);
  grown.set(array);
  return grown;
}

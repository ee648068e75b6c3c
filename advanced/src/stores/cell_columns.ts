import { ChunkedCells, ChunkedList } from "@sluice/limiting";
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
  /** Whether no policy with a longer window has written to the places. */
  isOfThisWindow: boolean;
}

/** States of many keys side by side in typed arrays: places by number, all of the same algorithm and width. */
export class CellColumns {
  readonly #algorithm: Algorithm;
  readonly #width: number;
  readonly #cells: ChunkedCells;
  #blocks: ChunkedCells | null = null;
  /** Arrays of their own, for algorithms whose state varies in length. */
  readonly #own = new ChunkedList<Float64Array>();

  /**
   * Creates an instance.
   *
   * @param algorithm The algorithm
   * @param width Cells of one key, 0 when it varies
   */
  constructor(algorithm: Algorithm, width: number) {
    this.#algorithm = algorithm;
    this.#width = width;
    this.#cells = new ChunkedCells(width);
  }

  /** A new aim, at no place yet. */
  newAim(): Aim {
    return { algorithm: this.#algorithm, cells: { array: NOTHING, at: 0 }, block: null, isOfThisWindow: false };
  }

  /** Aims at a place. Another place may grow the array it lies in, so a batch touches all its places first. */
  aim(aim: Aim, place: number, policy: Policy): void {
    const { cells } = aim;
    if (this.#width === 0) cells.array = this.#own.get(place) ?? NOTHING;
    else {
      cells.array = this.#cells.chunk(place);
      cells.at = this.#cells.offset(place);
    }
    if (policy.block === undefined) {
      aim.block = null;
      return;
    }
    this.#blocks ??= new ChunkedCells(BLOCK_WIDTH);
    aim.block ??= { array: NOTHING, at: 0 };
    aim.block.array = this.#blocks.chunk(place);
    aim.block.at = this.#blocks.offset(place);
  }

  /** Makes room for a place, before anything is aimed at. */
  touch(place: number, policy: Policy): void {
    if (this.#width > 0) this.#cells.chunk(place);
    if (policy.block === undefined) return;
    this.#blocks ??= new ChunkedCells(BLOCK_WIDTH);
    this.#blocks.chunk(place);
  }

  /** Takes over what was written to a place; needed where a state may have moved to a longer array. */
  keep(aim: Aim, place: number): void {
    if (this.#width === 0 && aim.cells.array.length > 0) this.#own.set(place, aim.cells.array);
  }

  /** Makes a place that of a key never seen. */
  clear(place: number): void {
    if (this.#width === 0) this.#own.set(place, undefined);
    else this.#cells.clear(place);
    this.#blocks?.clear(place);
  }

  /** Whether a place's state is that of a key never seen. */
  isIdle(aim: Aim, place: number, policy: Policy, now: number): boolean {
    this.aim(aim, place, policy);
    if (this.#algorithm.reset(policy, aim.cells, now) > 0) return false;
    if (this.#blocks === null) return true;
    return blockReset({ array: this.#blocks.chunk(place), at: this.#blocks.offset(place) }, now) === 0;
  }

  /** Copies a state from elsewhere. */
  copy(place: number, from: CellColumns, other: number): void {
    if (this.#width === 0) {
      const own = from.#own.get(other);
      if (own !== undefined) this.#own.set(place, own.slice());
    } else this.#cells.copy(place, from.#cells, other);
    if (from.#blocks === null) return;
    this.#blocks ??= new ChunkedCells(BLOCK_WIDTH);
    this.#blocks.copy(place, from.#blocks, other);
  }
}

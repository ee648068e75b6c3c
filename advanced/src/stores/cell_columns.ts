import { ChunkedCells, ChunkedList } from "@sluice/limiting";
import type { TakeState } from "../algorithms/decide_batch.ts";
import type { Algorithm, Cells } from "../algorithms/algorithm.ts";
import { BLOCK_WIDTH, blockReset } from "../algorithms/block_state.ts";
import type { Policy } from "../policy/policy.ts";

const NOTHING: Float64Array = new Float64Array(0);

/** A view of one slot at a time, reused so that a decision allocates no objects. */
export interface SlotCursor extends TakeState {
  /** The key's state. */
  readonly cells: Cells;
  /** The `block` state, `null` if the policy has none. */
  block: Cells | null;
  /** Whether no policy with a longer window has written to the slots. */
  isOfThisWindow: boolean;
}

/** Many keys' states side by side in typed arrays: numbered slots, all with the same algorithm and width. */
export class CellColumns {
  readonly #algorithm: Algorithm;
  readonly #width: number;
  readonly #cells: ChunkedCells;
  #blocks: ChunkedCells | null = null;
  /** Separate arrays, for algorithms whose state varies in length. */
  readonly #own = new ChunkedList<Float64Array>();

  /**
   * Creates an instance.
   *
   * @param algorithm The algorithm
   * @param width Cells per key, 0 if it varies
   */
  constructor(algorithm: Algorithm, width: number) {
    this.#algorithm = algorithm;
    this.#width = width;
    this.#cells = new ChunkedCells(width);
  }

  /** Creates a cursor without a slot. */
  newCursor(): SlotCursor {
    return { algorithm: this.#algorithm, cells: { array: NOTHING, at: 0 }, block: null, isOfThisWindow: false };
  }

  /**
   * Moves a cursor. Allocating a new slot may grow the array under this one, so a batch allocates all its slots first.
   */
  moveTo(cursor: SlotCursor, slot: number, policy: Policy): void {
    const { cells } = cursor;
    if (this.#width === 0) cells.array = this.#own.get(slot) ?? NOTHING;
    else {
      cells.array = this.#cells.chunk(slot);
      cells.at = this.#cells.offset(slot);
    }
    if (policy.block === undefined) {
      cursor.block = null;
      return;
    }
    this.#blocks ??= new ChunkedCells(BLOCK_WIDTH);
    cursor.block ??= { array: NOTHING, at: 0 };
    cursor.block.array = this.#blocks.chunk(slot);
    cursor.block.at = this.#blocks.offset(slot);
  }

  /** Allocates a slot, before any cursor is moved. */
  allocate(slot: number, policy: Policy): void {
    if (this.#width > 0) this.#cells.chunk(slot);
    if (policy.block === undefined) return;
    this.#blocks ??= new ChunkedCells(BLOCK_WIDTH);
    this.#blocks.chunk(slot);
  }

  /** Adopts a slot's new state; needed where a state may have moved to a longer array. */
  commit(cursor: SlotCursor, slot: number): void {
    if (this.#width === 0 && cursor.cells.array.length > 0) this.#own.set(slot, cursor.cells.array);
  }

  /** Resets a slot to a new key's state. */
  clear(slot: number): void {
    if (this.#width === 0) this.#own.set(slot, undefined);
    else this.#cells.clear(slot);
    this.#blocks?.clear(slot);
  }

  /** Whether a slot's state equals that of a new key. */
  isIdle(cursor: SlotCursor, slot: number, policy: Policy, now: number): boolean {
    this.moveTo(cursor, slot, policy);
    if (this.#algorithm.reset(policy, cursor.cells, now) > 0) return false;
    if (this.#blocks === null) return true;
    return blockReset({ array: this.#blocks.chunk(slot), at: this.#blocks.offset(slot) }, now) === 0;
  }

  /** Copies the state at a cursor. */
  copyAt({ algorithm, cells, block }: SlotCursor): TakeState {
    const copyOf = ({ array, at }: Cells, width: number): Cells => ({
      array: width === 0 ? array.slice() : array.slice(at, at + width),
      at: 0,
    });
    return {
      ...{ algorithm, cells: copyOf(cells, this.#width) },
      block: block === null ? null : copyOf(block, BLOCK_WIDTH),
    };
  }

  /** Copies the state from another table. */
  copy(slot: number, from: CellColumns, other: number): void {
    if (this.#width === 0) {
      const own = from.#own.get(other);
      if (own !== undefined) this.#own.set(slot, own.slice());
    } else this.#cells.copy(slot, from.#cells, other);
    if (from.#blocks === null) return;
    this.#blocks ??= new ChunkedCells(BLOCK_WIDTH);
    this.#blocks.copy(slot, from.#blocks, other);
  }
}

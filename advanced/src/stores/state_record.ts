import type { Cells } from "../algorithms/algorithm.ts";
import { ALGORITHMS } from "../algorithms/algorithms.ts";
import { BLOCK_WIDTH, blockReset } from "../algorithms/block_state.ts";
import type { TakeState } from "../algorithms/decide_batch.ts";
import { hasDebts, type Policy } from "../policy/policy.ts";

// a record: its layout number, when it expires, the policy's window, the `block` cells, the algorithm's cells
const LAYOUT = 0;
const EXPIRES = 1;
const WINDOW = 2;
const BLOCK = 3;
const CELLS = BLOCK + BLOCK_WIDTH;
const THIS_LAYOUT = 1;

/** Zeros after a variable-length state: they replace the zeros that were not written, and leave space to grow. */
const SPARE_CELLS = 6;

/** One key's state, decoded from its record for a decision. */
export interface KeyState extends TakeState {
  /** The `block` cells, including those left by an earlier policy. */
  readonly blockCells: Cells;
  /** The cells as they were read, to detect changes. */
  readonly before: Float64Array;
}

/**
 * Names the states that fit a policy. Other algorithms or widths give states that it cannot read.
 *
 * @param policy The policy
 * @returns Algorithm and width, such as `"fixed-window/2"`
 */
export function shapeOf(policy: Policy): string {
  return `${policy.algorithm}/${ALGORITHMS[policy.algorithm].width(policy)}`;
}

/**
 * Decodes a copy of a key's state from its record.
 *
 * An expired record counts as a new key. If the policy's window has since changed, it does not, because its expiry is
 * based on the old window. Then the algorithm decides what still counts.
 *
 * @param policy The policy, with the shape the record was written under
 * @param record The record, `null` if there is none
 * @param now The store's time in ms
 * @returns A separate state
 */
export function decodeState(policy: Policy, record: Float64Array | null, now: number): KeyState {
  const algorithm = ALGORITHMS[policy.algorithm];
  const width = algorithm.width(policy);
  const kept = record === null || isStale(policy, record, now) ? new Float64Array(CELLS) : record;
  const length = kept.length - CELLS;
  const array = new Float64Array(width > 0 ? width : length === 0 ? 0 : length + SPARE_CELLS);
  array.set(kept.subarray(CELLS, CELLS + (width > 0 ? width : length)));
  const blockCells = { array: kept.slice(BLOCK, CELLS), at: 0 };
  const block = policy.block === undefined ? null : blockCells;
  return {
    ...{ algorithm, cells: { array, at: 0 }, block, blockCells, before: joined(blockCells.array, array) },
    // based on the written window rather than on the distance to its end, because the processes' clocks do not agree
    isOfThisWindow: kept[WINDOW]! <= policy.windowMs && !hasDebts(policy),
  };
}

function isStale(policy: Policy, record: Float64Array, now: number): boolean {
  if (record[LAYOUT] !== THIS_LAYOUT) return true;
  return record[EXPIRES]! <= now && record[WINDOW] === policy.windowMs;
}

function joined(block: Float64Array, cells: Float64Array): Float64Array {
  const array = new Float64Array(BLOCK_WIDTH + cells.length);
  array.set(block);
  array.set(cells, BLOCK_WIDTH);
  return array;
}

/**
 * Whether a decision wrote anything.
 *
 * @param state The state it was made on
 * @returns `false` as long as its record still has the same content
 */
export function isChanged({ before, blockCells, cells }: KeyState): boolean {
  if (before.length !== BLOCK_WIDTH + cells.array.length) return true;
  return before.some((value, i) => value !== (i < BLOCK_WIDTH ? blockCells.array[i] : cells.array[i - BLOCK_WIDTH]));
}

/**
 * When a state no longer matters, and equals that of a new key.
 *
 * It is at least 1 ms ahead: a lease number could be reused if its state were forgotten within the same ms.
 *
 * @param policy The policy
 * @param state The state
 * @param now The store's time in ms
 * @returns The store's time then, in ms
 */
function expiryOf(policy: Policy, { algorithm, cells, blockCells }: KeyState, now: number): number {
  return now + Math.max(1, algorithm.reset(policy, cells, now), blockReset(blockCells, now));
}

/**
 * Encodes a state as a record.
 *
 * @param policy The policy it was decided under
 * @param state The state
 * @param now The store's time in ms
 * @returns The record, `null` if it would equal that of a new key
 */
export function encodeState(policy: Policy, state: KeyState, now: number): Float64Array | null {
  const { array } = state.cells;
  let { length } = array;
  if (state.algorithm.width(policy) === 0) { while (length > 0 && array[length - 1] === 0) length--; }
  if (length === 0 || array.every((value) => value === 0)) {
    if (blockReset(state.blockCells, now) === 0) return null;
  }
  const record = new Float64Array(CELLS + length);
  record[LAYOUT] = THIS_LAYOUT;
  record[EXPIRES] = expiryOf(policy, state, now);
  record[WINDOW] = policy.windowMs;
  record.set(state.blockCells.array, BLOCK);
  record.set(array.subarray(0, length), CELLS);
  return record;
}

/**
 * When a record no longer matters.
 *
 * @param record The record
 * @returns The store's time then, in ms; 0 for a record from a different version
 */
export function recordExpiry(record: Float64Array): number {
  return record[LAYOUT] === THIS_LAYOUT ? record[EXPIRES]! : 0;
}

/**
 * Writes a record as bytes.
 *
 * @param record The record
 * @returns 8 bytes per number, in the byte order that all current JavaScript platforms share
 */
export function toBytes(record: Float64Array): Uint8Array {
  return new Uint8Array(record.buffer, record.byteOffset, record.byteLength);
}

/**
 * Reads a record from bytes.
 *
 * @param bytes The result of {@linkcode toBytes}
 * @returns The record; an empty one, as for a new key, if they are something else
 */
export function fromBytes(bytes: Uint8Array): Float64Array {
  if (bytes.byteLength % 8 !== 0 || bytes.byteLength < 8 * CELLS) return new Float64Array(CELLS);
  // a copy, because a Float64Array cannot begin at any byte
  return new Float64Array(bytes.slice().buffer);
}

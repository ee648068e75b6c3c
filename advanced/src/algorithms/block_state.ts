import type { Block } from "../policy/policy.ts";
import type { Cells } from "./algorithm.ts";

// number of refusals, when that count ends, when the block ends
const REFUSALS = 0;
const COUNTED_UNTIL = 1;
const BLOCKED_UNTIL = 2;

/** Number of cells for a policy's `block`. */
export const BLOCK_WIDTH = 3;

/**
 * How long a key remains blocked.
 *
 * @returns ms, 0 if it is not blocked
 */
export function blockedFor({ array, at }: Cells, now: number): number {
  return Math.max(0, array[at + BLOCKED_UNTIL]! - now);
}

/**
 * Counts refusals, and blocks the key after enough of them in one window. Refusals while a key is blocked do not count.
 */
export function countRefusals(
  block: Block,
  windowMs: number,
  { array, at }: Cells,
  now: number,
  refusals: number,
): void {
  if (array[at + BLOCKED_UNTIL]! > now) return;
  if (array[at + COUNTED_UNTIL]! <= now) {
    array[at + REFUSALS] = 0;
    array[at + COUNTED_UNTIL] = now + windowMs;
  }
  array[at + REFUSALS]! += refusals;
  if (array[at + REFUSALS]! < block.after) return;
  array[at + REFUSALS] = array[at + COUNTED_UNTIL] = 0;
  array[at + BLOCKED_UNTIL] = now + block.forMs;
}

/** Bounds a state from a longer window or block to those of the policy. */
export function shortenBlock(block: Block, windowMs: number, { array, at }: Cells, now: number): void {
  array[at + COUNTED_UNTIL] = Math.min(array[at + COUNTED_UNTIL]!, now + windowMs);
  array[at + BLOCKED_UNTIL] = Math.min(array[at + BLOCKED_UNTIL]!, now + block.forMs);
}

/** Time until the state no longer matters, in ms. */
export function blockReset({ array, at }: Cells, now: number): number {
  return Math.max(0, array[at + COUNTED_UNTIL]! - now, array[at + BLOCKED_UNTIL]! - now);
}

/** Refusals left until the key is blocked, at least 1. */
export function refusalsLeft(block: Block, { array, at }: Cells, now: number): number {
  return Math.max(1, block.after - (array[at + COUNTED_UNTIL]! <= now ? 0 : array[at + REFUSALS]!));
}

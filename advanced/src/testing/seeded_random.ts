/** Returns integers from 0 to below its argument. */
export type Random = (below: number) => number;

/**
 * Creates a repeatable source of numbers (mulberry32), so that a failing trace can be reproduced.
 *
 * @param seed Any integer
 * @returns The source; the same seed gives the same numbers
 */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

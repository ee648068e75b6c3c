/**
 * Makes a repeatable source of numbers (mulberry32), so that a failing case can be seen again.
 *
 * @param seed Any number
 * @returns A function that gives an integer from 0 to below its argument
 */
export function random(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

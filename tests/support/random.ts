// defined there because the limiter's test kit publishes it
export { seededRandom as random } from "../../advanced/src/testing/seeded_random.ts";

/** Returns a random integer from 0 up to, but excluding, a count. */
export type Pick = (count: number) => number;

/** Picks an element from a list. */
export function oneOf<T>(pick: Pick, list: readonly T[]): T {
  return list[pick(list.length)]!;
}

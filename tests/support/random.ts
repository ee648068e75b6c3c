// defined there because the limiter's test kit publishes it
export { seededRandom as random } from "../../advanced/src/testing/seeded_random.ts";

/** Returns a random integer from 0 up to a count, which is excluded. */
export type Pick = (count: number) => number;

/** Picks an element of a list. */
export function oneOf<T>(pick: Pick, list: readonly T[]): T {
  return list[pick(list.length)]!;
}

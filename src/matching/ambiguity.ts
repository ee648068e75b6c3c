import { type Ranges, type Shape, shapeOf } from "./regexp_shape.ts";

/** Longer expressions are not examined here: the number of steps grows with the fourth power. */
const MOST_POSITIONS = 48;

/** From so many repetitions on, a bounded one is as slow as one without a bound. */
const MANY = 8;

/**
 * Tells whether an expression may take exponential time, because a part that it repeats can match the same text in
 * several ways: `(\w+)+`, `(?:a|a)*`, `(a|aa)+`. Then each further character of a text that does not match in the end
 * doubles the time.
 *
 * This is exact up to assertions and back references, which are taken to match nothing. Polynomial time, as of
 * `\d*\d*`, is not noticed, nor are expressions of more than 48 characters and classes: `deno task check:routes` examines
 * those, too.
 *
 * @param regexp The expression
 */
export function isExponential(regexp: RegExp): boolean {
  const steps = new Steps();
  steps.add(shapeOf(regexp));
  return steps.ranges.length <= MOST_POSITIONS && steps.ranges.some((_, start) => steps.hasTwoWaysBack(start));
}

/** Where the text of a part may begin and end, as numbers of steps. */
interface Edges {
  readonly first: readonly number[];
  readonly last: readonly number[];
  readonly isOptional: boolean;
}

/** The characters and classes of an expression, and which may follow upon which (Glushkov's automaton). */
class Steps {
  /** What each accepts. */
  readonly ranges: Ranges[] = [];
  /** For each the following ones, repeated if there are several ways to them. */
  readonly #next: number[][] = [];

  add(shape: Shape): Edges {
    // too long: no need to go on
    if (this.ranges.length > MOST_POSITIONS) return NOWHERE;
    if (shape.kind === "one") return this.#one(shape.ranges);
    if (shape.kind === "any") {
      const parts = shape.parts.map((part) => this.add(part));
      return {
        first: parts.flatMap(({ first }) => first),
        last: parts.flatMap(({ last }) => last),
        isOptional: parts.some(({ isOptional }) => isOptional),
      };
    }
    if (shape.kind === "all") return shape.parts.map((part) => () => this.add(part)).reduce(this.#join, NOWHERE);
    const { part, min, max } = shape;
    // a bounded repetition is a sequence of as many
    const isLoop = max >= MANY;
    const copies = Array.from({ length: isLoop ? 1 : max }, (_, index) => () => {
      const edges = this.add(part);
      return index < min ? edges : { ...edges, isOptional: true };
    });
    const edges = copies.reduce(this.#join, NOWHERE);
    if (isLoop) this.#connect(edges.last, edges.first);
    return { ...edges, isOptional: edges.isOptional || min === 0 };
  }

  #one(ranges: Ranges): Edges {
    const step = this.ranges.push(ranges) - 1;
    this.#next.push([]);
    return { first: [step], last: [step], isOptional: false };
  }

  #join = (before: Edges, make: () => Edges): Edges => {
    const after = make();
    this.#connect(before.last, after.first);
    return {
      first: before.isOptional ? [...before.first, ...after.first] : before.first,
      last: after.isOptional ? [...before.last, ...after.last] : after.last,
      isOptional: before.isOptional && after.isOptional,
    };
  };

  #connect(from: readonly number[], to: readonly number[]): void {
    for (const step of from) this.#next[step]!.push(...to);
  }

  /**
   * Whether two different ways lead from a step back to it over the same text: walks two at once, and looks for a pair
   * that has parted and can come back.
   */
  hasTwoWaysBack(start: number): boolean {
    const seen = new Set<number>();
    const left: [one: number, other: number, parted: boolean][] = [[start, start, false]];
    for (let pair = left.pop(); pair !== undefined; pair = left.pop()) {
      const [one, other, parted] = pair;
      const following = this.#next[one]!;
      for (const [i, a] of following.entries()) {
        for (const [j, b] of this.#next[other]!.entries()) {
          if (!overlap(this.ranges[a]!, this.ranges[b]!)) continue;
          // two ways to the same step differ, too
          const differ = parted || a !== b || (one === other && i !== j);
          if (differ && a === start && b === start) return true;
          const key = (a * this.ranges.length + b) * 2 + Number(differ);
          if (seen.has(key)) continue;
          seen.add(key);
          left.push([a, b, differ]);
        }
      }
    }
    return false;
  }
}

const NOWHERE: Edges = { first: [], last: [], isOptional: true };

function overlap(one: Ranges, other: Ranges): boolean {
  return one.some(([from, to]) => other.some(([begin, end]) => from <= end && begin <= to));
}

import { type Ranges, type Shape, shapeOf } from "./regexp_shape.ts";

/** Longer expressions are not examined here, because the work grows with the fourth power. */
const MOST_POSITIONS = 48;

/** With this many repetitions or more, a bounded repetition is as slow as an unbounded one. */
const MANY = 8;

/**
 * Returns whether an expression may take exponential time because a repeated part can match the same string in several
 * ways: `(\w+)+`, `(?:a|a)*`, `(a|aa)+`. Each further character in a string that fails to match then doubles the time.
 *
 * The result is exact except for assertions and back references, which are treated as empty. It misses polynomial time,
 * as in `\d*\d*`, and expressions with more than 48 characters and classes: `deno task check:routes` also examines
 * those.
 *
 * @param regexp The expression
 */
export function isExponential(regexp: RegExp): boolean {
  const steps = new Steps();
  steps.add(shapeOf(regexp));
  return steps.ranges.length <= MOST_POSITIONS && steps.ranges.some((_, start) => steps.hasTwoWaysBack(start));
}

/** The steps at which a part may begin and end. */
interface Edges {
  readonly first: readonly number[];
  readonly last: readonly number[];
  readonly isOptional: boolean;
}

/** An expression's characters and classes, and which may follow which (Glushkov's automaton). */
class Steps {
  /** The characters each step accepts. */
  readonly ranges: Ranges[] = [];
  /** Each step's successors, repeated if several ways lead to them. */
  readonly #next: number[][] = [];

  add(shape: Shape): Edges {
    // too long, so stop
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
    // expands a bounded repetition into that many copies
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
   * Returns whether two different ways lead from a step back to itself over the same string: walks both ways at once,
   * looking for a pair that has diverged and can return.
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
          // two ways to the same step also count as different
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

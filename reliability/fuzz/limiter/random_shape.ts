import type { AlgorithmName } from "../../../advanced/src/policy/policy.ts";
import type { Pick } from "../../../tests/support/random.ts";

/** Options that only some algorithms have. */
export interface Shape {
  readonly burst?: number;
  readonly buckets?: number;
  readonly align?: "clock";
}

/**
 * Returns options of one algorithm, or none.
 *
 * @param pick Picks at random
 * @param algorithm The algorithm
 */
export function randomShape(pick: Pick, algorithm: AlgorithmName): Shape {
  if (pick(2) === 0) return {};
  switch (algorithm) {
    case "token-bucket":
      return { burst: 1 + pick(20) };
    case "sliding-window":
      return { buckets: 1 + pick(12) };
    case "fixed-window":
      return { align: "clock" };
    default:
      return {};
  }
}

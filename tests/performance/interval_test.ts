import { assert, assertEquals } from "@std/assert";
import { counts, interval, intervalText } from "../../bench/support/interval.ts";

function assertNear(actual: number, expected: number): void {
  assert(Math.abs(actual - expected) < 1e-3, `${actual} is not ${expected}`);
}

Deno.test("the interval of ratios is that of their logarithms, by Student's t distribution", () => {
  // the logarithms are 1, 2 and 3: mean 2, standard error 1 / √3; the 97.5th percentile with two degrees of freedom is
  // 4.303
  const { mean, low, high } = interval([Math.E, Math.E ** 2, Math.E ** 3]);
  assertNear(Math.log(mean), 2);
  assertNear(Math.log(low), 2 - 4.303 / Math.sqrt(3));
  assertNear(Math.log(high), 2 + 4.303 / Math.sqrt(3));
});

Deno.test("twice as fast and half as fast cancel each other", () => {
  assertNear(interval([2, 0.5, 2, 0.5]).mean, 1);
});

Deno.test("a change counts when its interval leaves out 1", () => {
  assertEquals(counts(interval([1.05, 1.04, 1.06, 1.05])), true);
  assertEquals(counts(interval([0.95, 0.94, 0.96, 0.95])), true);
  assertEquals(counts(interval([1.05, 0.96, 1.04, 0.95])), false);
});

Deno.test("one round has a mean and no interval, and never counts", () => {
  assertEquals(intervalText(interval([1.25])), "1.25");
  assertEquals(counts(interval([1.25])), false);
});

/** A short soak test, and a server that retains everything, which a soak test must notice. */
import { assert, assertEquals } from "@std/assert";
import { grows, leaks, soak } from "../../reliability/soak/soak.ts";
import { slopeOf } from "../../reliability/support/slope.ts";

Deno.test("a short soak loses no request and leaves no descriptor open", async () => {
  const soaked = await soak("Deno", { forMs: 3000, rate: 40, seed: 1 });
  assertEquals([soaked.lost, soaked.errors, leaks(soaked)], [[], "", false]);
  assert(soaked.sent > 20, `${soaked.sent} requests were sent`);
});

Deno.test("a soak notices a server that keeps every request, and answers some wrongly", async () => {
  const program = "tests/fixtures/reliability/forgets_nothing.ts";
  const soaked = await soak("Deno", { forMs: 3000, rate: 40, seed: 1, program });
  assert(grows(soaked), Deno.inspect(soaked.heap));
  assert(soaked.lost.length > 0 && soaked.lost.every((why) => why.startsWith("read: ")), Deno.inspect(soaked.lost));
});

Deno.test("a slope is that of the line nearest to the points, with its error", () => {
  assertEquals(slopeOf([[0, 1], [1, 3], [2, 5]]), { perUnit: 2, error: 0 });
  const { perUnit, error } = slopeOf([[0, 0], [1, 2], [2, 0], [3, 2]]);
  assertEquals([perUnit.toFixed(3), error.toFixed(3)], ["0.400", "0.566"]);
});

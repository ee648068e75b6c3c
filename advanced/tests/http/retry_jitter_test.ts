import { assertEquals, assertThrows } from "@std/assert";
import { fetchLimit, type FetchLimitOptions } from "../../mod.ts";
import { VirtualClock } from "../../testing.ts";

async function retryAfters(chances: number[], options: FetchLimitOptions): Promise<(string | null)[]> {
  const clock = new VirtualClock();
  const limit = fetchLimit({
    ...{ limit: 1, windowMs: 10_000, keyGenerator: () => "key", clock: clock.read },
    ...{ random: () => chances.shift()!, ...options },
  });
  const serve = limit(() => new Response());
  const count = chances.length;
  const admitted = await serve(new Request("http://localhost/"));
  const told: (string | null)[] = [admitted.headers.get("retry-after")];
  for (let i = 0; i < count; i++) {
    told.push((await serve(new Request("http://localhost/"))).headers.get("retry-after"));
  }
  assertEquals(chances.length, 0);
  return told;
}

Deno.test("retryJitter adds up to so many ms to Retry-After, for refusals only, rounded up", async () => {
  const told = await retryAfters([0, 0.5, 0.9999, 0.0001], { retryJitter: 4000 });
  assertEquals(told, [null, "10", "12", "14", "11"]);
});

Deno.test("a chance out of range adds no more than retryJitter, and never makes a client come early", async () => {
  assertEquals(await retryAfters([7, -3], { retryJitter: 4000 }), [null, "14", "10"]);
});

Deno.test("where waiting does not help, there is no Retry-After with retryJitter either", async () => {
  const limit = fetchLimit({ limit: 0, retryJitter: 4000, keyGenerator: () => "key" });
  const refused = await limit(() => new Response())(new Request("http://localhost/"));
  assertEquals([refused.status, refused.headers.get("retry-after")], [429, null]);
});

Deno.test("without retryJitter chance is not asked", async () => {
  let asked = 0;
  const limit = fetchLimit({ limit: 0, windowMs: 10_000, keyGenerator: () => "key", random: () => asked++ });
  await limit(() => new Response())(new Request("http://localhost/"));
  assertEquals(asked, 0);
});

Deno.test("a retryJitter that is no number of ms up to an hour is refused", () => {
  for (const retryJitter of [-1, 0.5, 3_600_001, NaN]) {
    assertThrows(
      () => fetchLimit({ retryJitter }),
      RangeError,
      "fetchLimit: option retryJitter must be an integer from 0",
    );
  }
  // deno-lint-ignore no-explicit-any -- a wrong option
  assertThrows(() => fetchLimit({ random: 5 as any }), TypeError, "option random must be a function, not 5");
});

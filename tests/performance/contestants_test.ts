/** The benchmark compares only those who do the same work; that they do is checked here, not what it costs. */
import { assertEquals } from "@std/assert";
import { SCENARIOS } from "../../bench/scenarios.ts";
import { fetchHandler } from "../../bench/servers/handlers.ts";
import { bytesOf, checkAnswers } from "../../bench/wire/check.ts";

const ORIGIN = "http://localhost:8000";

for (const name of ["raw", "raw-same", "sluice", "sluice-lean", "hono", "hono-etag", "h3", "elysia"]) {
  Deno.test(`${name} answers every scenario of the benchmark as the others do`, async () => {
    await checkAnswers(name, await fetchHandler(name), SCENARIOS, ORIGIN);
  });
}

Deno.test("the handler written by hand sends the bytes that Sluice sends by default", async () => {
  const byHand = await bytesOf(await fetchHandler("raw-same"), SCENARIOS, ORIGIN);
  assertEquals(byHand.length, 9);
  assertEquals(await bytesOf(await fetchHandler("sluice"), SCENARIOS, ORIGIN), byHand);
});

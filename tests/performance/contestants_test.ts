/** The benchmark compares only those who do the same work; that they do is checked here, not what it costs. */
import { assertEquals } from "@std/assert";
import { SCENARIOS } from "../../bench/scenarios.ts";
import { fetchHandler } from "../../bench/servers/handlers.ts";
import { bytesOf, checkAnswers } from "../../bench/wire/check.ts";

const ORIGIN = "http://localhost:8000";

for (const name of ["raw", "raw-lean", "raw-same", "sluice", "sluice-lean", "hono", "hono-etag", "h3", "elysia"]) {
  Deno.test(`${name} answers every scenario of the benchmark as the others do`, async () => {
    await checkAnswers(name, await fetchHandler(name), SCENARIOS, ORIGIN);
  });
}

for (const [sluice, hand] of [["sluice", "raw-same"], ["sluice-lean", "raw-lean"]] as const) {
  Deno.test(`${hand} sends, written by hand, the bytes that ${sluice} sends`, async () => {
    const byHand = await bytesOf(await fetchHandler(hand), SCENARIOS, ORIGIN);
    assertEquals(byHand.length, 9);
    assertEquals(await bytesOf(await fetchHandler(sluice), SCENARIOS, ORIGIN), byHand);
  });
}

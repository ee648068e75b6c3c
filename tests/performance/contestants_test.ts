/** Checks that all contestants of the benchmark do the same work. */
import { assertEquals } from "@std/assert";
import { SCENARIOS } from "../../bench/scenarios.ts";
import { fetchHandler } from "../../bench/servers/handlers.ts";
import { bytesOf, checkAnswers } from "../../bench/wire/check.ts";

const ORIGIN = "http://localhost:8000";

const NAMES = ["raw", "raw-lean", "raw-same", "least", "sluice", "sluice-lean", "hono", "hono-etag", "h3", "elysia"];

for (const name of NAMES) {
  Deno.test(`${name} answers every scenario of the benchmark like the others`, async () => {
    await checkAnswers(name, await fetchHandler(name), SCENARIOS, ORIGIN);
  });
}

for (const [sluice, hand] of [["sluice", "raw-same"], ["sluice-lean", "raw-lean"], ["sluice-lean", "least"]] as const) {
  Deno.test(`the handwritten ${hand} sends the same bytes as ${sluice}`, async () => {
    const byHand = await bytesOf(await fetchHandler(hand), SCENARIOS, ORIGIN);
    assertEquals(byHand.length, 9);
    assertEquals(await bytesOf(await fetchHandler(sluice), SCENARIOS, ORIGIN), byHand);
  });
}

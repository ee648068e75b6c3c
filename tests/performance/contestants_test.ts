/** Checks that all contestants in the benchmark do the same work. */
import { assertEquals, assertRejects } from "@std/assert";
import { fileURLToPath } from "node:url";
import { serveStatic } from "hono/deno";
import { fetchHandler } from "../../bench/servers/handlers.ts";
import type { ServeStatic } from "../../bench/servers/hono.ts";
import { CLIENTS } from "../../bench/service/clients.ts";
import { textOf } from "../../bench/service/exchange.ts";
import { writeFiles } from "../../bench/service/files.ts";
import { DISTINCT, exchangesOf, type Scenario, SCENARIOS } from "../../bench/service/scenarios.ts";
import { type Ask, checkAnswers, checkSameBytes, inProcess } from "../../bench/wire/check.ts";
import { hasScenario, SAME_BYTES } from "../../bench/wire/comparison.ts";

const NAMES = ["hand", "hand-lean", "hand-same", "sluice", "sluice-lean", "hono", "hono-etag", "h3", "elysia"];
const folder = fileURLToPath(new URL("../../.cache/contestants_test/", import.meta.url));

async function askOf(contestant: string, { application }: Scenario): Promise<Ask> {
  await writeFiles(folder);
  const honoStatic = () => Promise.resolve(serveStatic as ServeStatic);
  return inProcess(await fetchHandler(contestant, { application, folder }, honoStatic));
}

for (const name of NAMES) {
  Deno.test(`${name} answers every scenario of the benchmark like the others`, async () => {
    for (const scenario of SCENARIOS.filter((one) => hasScenario(name, one))) {
      const ask = await askOf(name, scenario);
      for (const client of CLIENTS) await checkAnswers(name, ask, exchangesOf(scenario, client, 100));
    }
  });
}

for (const [sluice, hand] of SAME_BYTES) {
  Deno.test(`the handwritten ${hand} sends the same bytes as ${sluice}`, async () => {
    for (const scenario of SCENARIOS) {
      const asks = [await askOf(sluice, scenario), await askOf(hand, scenario)] as const;
      for (const client of CLIENTS) await checkSameBytes([sluice, hand], asks, exchangesOf(scenario, client, 100));
    }
  });
}

for (const scenario of SCENARIOS) {
  Deno.test(`all ${DISTINCT} requests of "${scenario.title}" differ, whoever sends them`, () => {
    for (const client of CLIENTS) {
      const sent = exchangesOf(scenario, client).map(({ asked }) => `${asked.path} ${asked.body ?? ""}`);
      assertEquals(new Set(sent).size, DISTINCT);
    }
  });
}

Deno.test("the requests are the same in every run", async () => {
  const texts = SCENARIOS.flatMap((scenario) => {
    return CLIENTS.flatMap((client) => exchangesOf(scenario, client, 1000).map(({ asked }) => textOf(asked)));
  });
  // a different digest means different traffic, whose figures cannot be compared with earlier figures
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(texts.join("\n")));
  assertEquals(new Uint8Array(digest).toHex().slice(0, 16), "e2a2cde495952043");
});

Deno.test("a contestant that answers anything else is found out", async () => {
  const [scenario, client] = [SCENARIOS.find(({ name }) => name === "auth")!, CLIENTS[0]!];
  const exchanges = exchangesOf(scenario, client, 100);
  const right: Ask = await askOf("hand", scenario);
  const wrong: Readonly<Record<string, Ask>> = {
    status: async (asked) => ({ ...await right(asked), status: 201 }),
    body: async (asked) => ({ ...await right(asked), body: "{}" }),
    type: async (asked) => ({ ...await right(asked), headers: { "x-user": "user" } }),
    field: async (asked) => ({ ...await right(asked), headers: { "content-type": "application/json" } }),
  };
  await checkAnswers("hand", right, exchanges);
  for (const [what, ask] of Object.entries(wrong)) {
    await assertRejects(() => checkAnswers(what, ask, exchanges), Error, `${what} answers GET /account/orders/`);
    if (what !== "status") continue;
    await assertRejects(() => checkSameBytes(["hand", what], [right, ask], exchanges), Error, "the same bytes");
  }
});

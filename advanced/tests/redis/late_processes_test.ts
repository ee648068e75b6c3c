import { assertEquals } from "@std/assert";
import { startServer } from "../../../tests/support/redis_servers.ts";
import { Takers } from "../support/takers.ts";

const PROCESSES = 4;
const TAKES = 1_000;
const MAX = 400;

/** How long a process stops: far longer than it runs within the time limit for a decision. */
const STILL_MS = 60;

Deno.test("processes that get hardly any time to run admit exactly max while the server answers", async () => {
  await using server = await startServer();
  await using takers = new Takers(PROCESSES);
  const order = {
    url: server.url,
    limit: { name: "late", limit: MAX, windowMs: 2 ** 40 },
    ...{ callers: 25, coalesce: true, timeoutMs: 100 },
  };
  // so that startup does not take all the time
  await takers.take(PROCESSES, { ...order, key: "started" });
  const end = takers.starve(STILL_MS);
  try {
    // the process count is unknown, so any decision that a process makes by itself is one too many
    const sum = await takers.take(TAKES, { ...order, key: "busy", processes: undefined });
    assertEquals(sum, { admitted: MAX, byStore: TAKES });
  } finally {
    await end();
  }
});

Deno.test("processes that get hardly any time to run admit no more than max while the server is silent", async () => {
  await using server = await startServer();
  await using takers = new Takers(PROCESSES);
  const limit = { name: "late", limit: MAX, windowMs: 2 ** 40 };
  const order = { url: server.url, limit, callers: 25, coalesce: true, timeoutMs: 100 };
  await takers.take(PROCESSES, { ...order, key: "started" });
  server.pause();
  const end = takers.starve(STILL_MS);
  try {
    assertEquals(await takers.take(TAKES, { ...order, key: "busy" }), { admitted: MAX, byStore: 0 });
  } finally {
    await end();
    server.resume();
  }
});

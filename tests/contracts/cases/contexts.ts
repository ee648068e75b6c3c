import { assertEquals, assertMatch } from "@std/assert";
import { type Ask, type Chapter, chapter, json, text } from "../case.ts";
import { SocketClient } from "../socket_client.ts";
import { until } from "../../support/until.ts";

/** Concurrent requests with interleaved steps. */
const AT_ONCE = 20;

/** Sends concurrent requests with unique ids, and returns each result by id. */
async function each<T>(flag: string, ask: (id: string, headers: Record<string, string>) => Promise<T>): Promise<T[]> {
  return await Promise.all(
    Array.from({ length: AT_ONCE }, (_, i) => ask(`${flag}-${i}`, { "x-request-id": `${flag}-${i}` })),
  );
}

function idsOf(flag: string): string[] {
  return Array.from({ length: AT_ONCE }, (_, i) => `${flag}-${i}`);
}

function chain(ask: Ask, headers: Record<string, string>): Promise<unknown> {
  const body = JSON.stringify({ step: headers["x-request-id"] });
  return json(ask, "/contexts/chain", {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body,
  });
}

/** `context` from `@sluice/middleware`, and its users. */
export const contexts: Chapter = chapter("The request's context", (it) => {
  it("there is a request only within requests, or the middleware says what is missing", async ({ ask, lacks }) => {
    const { refusal, isNone } = await json(ask, "/contexts/support") as { refusal: string | null; isNone: boolean };
    assertEquals(isNone, true);
    if (lacks("context") === undefined) assertEquals(refusal, null);
    else assertMatch(refusal!, /^context: this runtime has no AsyncLocalStorage; in a Worker, add nodejs_compat/);
  });

  it("each of many requests at once sees itself: behind a parser, promises, timers and streams", async (visit) => {
    const came = await each(visit.flag, (_id, headers) => chain(visit.ask, headers));
    const wanted = idsOf(visit.flag).map((id) => ({
      seen: [id, id, id, id, id],
      path: "/contexts/chain",
      isTraced: true,
    }));
    assertEquals(came, wanted);
  }, "context");

  it("lines of the program's own have the id of their request", async ({ ask, flag }) => {
    await each(flag, (_id, headers) => chain(ask, headers));
    for (const id of idsOf(flag)) {
      await until(async () => (await json(ask, `/contexts/lines/${id}`) as unknown[]).length === 3, "three lines");
      const lines = await json(ask, `/contexts/lines/${id}`) as Record<string, unknown>[];
      const own = lines.filter(({ path }) => path === undefined);
      assertEquals(own.map(({ level, message, step }) => [level, message, step]), [
        ["info", "chained", id],
        ["error", undefined, undefined],
      ]);
      assertEquals(new Set(lines.map(({ traceId }) => traceId)).size, 1);
    }
  }, "context");

  it("generators, error handlers and mounted applications see it", async ({ ask, flag }) => {
    const came = await each(flag, (_id, headers) =>
      Promise.all([
        text(ask, "/contexts/generated", { headers }),
        json(ask, "/contexts/fails", { headers }),
        json(ask, "/contexts/inner", { headers }),
      ]));
    assertEquals(came, idsOf(flag).map((id) => [`${id} ${id} ${id} `, [id], [id]]));
  }, "context");

  it("listeners for the end of the response see it", async ({ ask, flag }) => {
    await each(flag, (_id, headers) => json(ask, "/contexts/ended", { headers }));
    for (const id of idsOf(flag)) {
      await until(async () => await json(ask, `/contexts/ended/${id}`) === id, "the listener saw its request");
    }
  }, "context");

  it(
    "the handlers of a WebSocket see the request that opened it",
    async ({ origin, flag }) => {
      const ids = idsOf(flag).slice(0, 4);
      const clients = ids.map((id) =>
        new SocketClient(origin, "/contexts/socket", { headers: { "x-request-id": id } })
      );
      try {
        for (let i = 0; i < 2; i++) {
          await Promise.all(clients.map((client) => client.send("who")));
          assertEquals(await Promise.all(clients.map((client) => client.next())), ids);
        }
      } finally {
        await Promise.all(clients.map((client) => client[Symbol.asyncDispose]()));
      }
    },
    "context",
    "socketContext",
    "websocket",
  );
});

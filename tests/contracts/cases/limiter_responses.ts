import { assertEquals, assertMatch } from "@std/assert";
import { type Chapter, chapter, json, seen, text } from "../case.ts";
import { RawSocket } from "../raw_socket.ts";
import { admitted, statuses } from "./limiter.ts";

const as = (client: string, more: Record<string, string> = {}) => ({ headers: { "x-client": client, ...more } });

export const decisions: Chapter = chapter("@sluice/rate-limit: telling and refusing", (it) => {
  it("X-RateLimit-Reset is the seconds to the reset, or its time", async ({ ask, flag }) => {
    const names = ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"];
    const [, , ...shown] = await seen(ask, "/advanced/fixed-window", as(flag), ...names);
    assertEquals(shown, ["20", "19", "60"]);
    const now = Number(await json(ask, "/clock/0", { method: "POST" }));
    const [, , reset] = await seen(ask, "/advanced/epoch", as(flag), "x-ratelimit-reset");
    assertEquals(Number(reset), Math.ceil(now / 1000) + 60);
  });

  it("draft-6 tells the tightest limit in separate headers", async ({ ask, flag }) => {
    const names = [
      "ratelimit-policy",
      "ratelimit-limit",
      "ratelimit-remaining",
      "ratelimit-reset",
      "x-ratelimit-limit",
    ];
    const [, , ...shown] = await seen(ask, "/advanced/draft-6", as(flag), ...names);
    assertEquals(shown, ["10;w=60, 3;w=5", "3", "2", "5", null]);
  });

  it("draft-7 tells the tightest limit in one header", async ({ ask, flag }) => {
    const [, , ...shown] = await seen(ask, "/advanced/draft-7", as(flag), "ratelimit-policy", "ratelimit");
    assertEquals(shown, ["10;w=60, 3;w=5", "limit=3, remaining=2, reset=5"]);
  });

  it("draft-8 reports every limit", async ({ ask, flag }) => {
    const [, , ...shown] = await seen(ask, "/advanced/draft-8", as(flag), "ratelimit-policy", "ratelimit");
    assertEquals(shown, ['"a";q=10;w=60, "b";q=3;w=5', '"a";r=9;t=60, "b";r=2;t=5']);
  });

  it("with headers off, none are sent", async ({ ask, flag }) => {
    const [, , ...shown] = await seen(ask, "/advanced/silent", as(flag), "x-ratelimit-limit", "ratelimit-policy");
    assertEquals(shown, [null, null]);
  });

  it("handlers read the decision from req.rateLimit", async ({ ask, flag }) => {
    await text(ask, "/advanced/fixed-window", as(flag));
    assertEquals(await json(ask, "/advanced/fixed-window", as(flag)), { limit: 20, used: 2, remaining: 18 });
  });

  it("a refusal is 429, says when to retry, and is not to be cached", async ({ ask, flag }) => {
    await statuses(ask, "/advanced/controlled", flag, 2);
    const names = ["retry-after", "cache-control", "content-type"];
    const [code, body, ...shown] = await seen(ask, "/advanced/controlled", as(flag), ...names);
    assertEquals([code, ...shown], [429, "60", "no-store", "application/json; charset=utf-8"]);
    assertEquals(JSON.parse(String(body)), { error: "Too many requests, please try again later." });
  });

  it("a refusal has the configured message and status", async ({ ask, flag }) => {
    assertEquals(await seen(ask, "/advanced/text", as(flag)), [503, "not now"]);
    assertEquals(await seen(ask, "/advanced/made", as(flag)), [429, '{"path":"/advanced/made"}']);
    const [code, problem, type] = await seen(ask, "/advanced/problem", as(flag), "content-type");
    assertEquals(code, 429);
    assertMatch(String(type), /^application\/problem\+json/);
    assertEquals(JSON.parse(String(problem))["violated-policies"], ["quota"]);
  });

  it("a handler may answer in the limiter's place, or pass on an error", async ({ ask, flag }) => {
    assertEquals(await seen(ask, "/advanced/handler", as(flag)), [418, "instead of 429"]);
    assertEquals((await seen(ask, "/advanced/passed-on", as(flag)))[0], 420);
  });

  it("a dry run refuses no request", async ({ ask, flag }) => {
    const [code, , remaining] = await seen(ask, "/advanced/dry", as(flag), "x-ratelimit-remaining");
    assertEquals([code, remaining], [200, "0"]);
  });

  it("a key can be inspected, and one or all can be reset", async ({ ask, flag }) => {
    assertEquals(await statuses(ask, "/advanced/controlled", flag, 3), [200, 200, 429]);
    assertEquals(await json(ask, `/advanced/controlled/${flag}`), { remaining: 0 });
    assertEquals(await json(ask, `/advanced/controlled/${flag}`, { method: "DELETE" }), 1);
    assertEquals(await json(ask, `/advanced/controlled/${flag}`), { remaining: 2 });
    assertEquals(await statuses(ask, "/advanced/controlled", flag, 3), [200, 200, 429]);
    assertEquals(await json(ask, "/advanced/controlled", { method: "DELETE" }), true);
    assertEquals(await statuses(ask, "/advanced/controlled", flag, 1), [200]);
  });

  for (const [kind, name] of [["store", "later"], ["store made for express-rate-limit", "counter"]]) {
    it(`a ${kind} that takes its time admits exactly as many as allowed`, async ({ ask, flag }) => {
      assertEquals(await admitted(ask, `/advanced/store-${name}`, flag, 60), 20);
      assertEquals(await admitted(ask, `/advanced/store-${name}`, flag, 20), 0);
    });
  }

  it("a database that can only compare and set admits exactly as many as allowed", async ({ ask, flag }) => {
    assertEquals(await admitted(ask, "/advanced/store-database", flag, 50), 20);
  });

  it("while the store fails, the process decides, or all pass, or none, as configured", async ({ ask, flag }) => {
    assertEquals(await statuses(ask, "/advanced/store-fails", flag, 2), [200, 429]);
    assertEquals(await statuses(ask, "/advanced/store-fails-open", flag, 3), [200, 200, 200]);
    assertEquals(await statuses(ask, "/advanced/store-fails-closed", flag, 2), [429, 429]);
  });

  it("a store that never responds delays no request", async ({ ask, flag }) => {
    assertEquals(await statuses(ask, "/advanced/store-hangs", flag, 3), [200, 429, 429]);
  });

  it("fetchLimit wraps any handler", async ({ ask, flag }) => {
    const shown = await seen(ask, "/advanced/fetch", as(flag), "ratelimit");
    assertEquals(shown, [200, "plain GET", '"fetch";r=1;t=60']);
    await text(ask, "/advanced/fetch", as(flag));
    const [code, body, wait] = await seen(ask, "/advanced/fetch", as(flag), "retry-after");
    assertEquals([code, wait], [429, "60"]);
    assertEquals(JSON.parse(String(body)), { error: "Too many requests, please try again later." });
  });

  it("a WebSocket is refused with 429 before the upgrade", async ({ origin, flag }) => {
    using accepted = await RawSocket.open(origin, "/advanced/socket", { "x-client": flag });
    assertEquals([accepted.status, accepted.header("x-ratelimit-remaining")], [101, ["0"]]);
    using refused = await RawSocket.open(origin, "/advanced/socket", { "x-client": flag });
    assertEquals([refused.status, refused.header("retry-after")], [429, ["60"]]);
  }, "websocket");
});

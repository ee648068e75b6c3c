import { assertEquals, assertMatch } from "@std/assert";
import { type Chapter, chapter, json } from "../case.ts";
import { until } from "../../support/until.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c";

/** `timeout`, `requestId`, `log` and `health` from `@sluice/middleware`. */
export const operations: Chapter = chapter("Time limits, request ids, logs and probes", (it) => {
  it("a response that does not begin in time is 503, and the signal of the request aborts", async ({ ask, flag }) => {
    const response = await ask(`/operations/late?flag=${flag}`);
    assertEquals([response.status, response.headers.get("retry-after")], [503, "1"]);
    await response.body?.cancel();
    await until(async () => await json(ask, `/operations/aborted/${flag}`) === true, "the signal was aborted");
  });

  it("a request keeps its id and its trace, or gets new ones", async ({ ask }) => {
    const headers = { "x-request-id": "theirs-1", "traceparent": `00-${TRACE}-b7ad6b7169203331-01` };
    const named = await ask("/operations/named", { headers });
    assertEquals([named.headers.get("x-request-id"), await named.json()], ["theirs-1", {
      id: "theirs-1",
      traceId: TRACE,
    }]);
    const other = await ask("/operations/named");
    const { id, traceId } = await other.json();
    assertEquals(other.headers.get("x-request-id"), id);
    assertMatch(id, /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    assertMatch(traceId, /^[0-9a-f]{32}$/);
  });

  it("bindings reach a program through fetch and inject", async ({ ask }) => {
    assertEquals(await json(ask, "/operations/bindings/fetch"), ["Hello", "function", null]);
    // which has a client
    assertEquals(await json(ask, "/operations/bindings/inject"), ["Hello", "function", "127.0.0.1"]);
    assertEquals(await json(ask, "/operations/bindings/alone"), ["Hello", "undefined", null]);
  });

  it("a request has one line in the log", async ({ ask, flag }) => {
    const id = `log-${flag}`;
    const headers = { "x-request-id": id, "user-agent": "contract" };
    await (await ask("/operations/nowhere?token=t&a=1", { headers })).body?.cancel();
    await until(async () => {
      const records = await json(ask, `/operations/lines/${id}`) as Record<string, unknown>[];
      const seen = records.map((
        { level, method, path, status, userAgent },
      ) => [level, method, path, status, userAgent]);
      assertEquals(seen, [["warn", "GET", "/operations/nowhere?token=[redacted]&a=1", 404, "contract"]]);
      return true;
    }, "the line was written");
  });

  it("probes report liveness and readiness", async ({ ask }) => {
    const status = async (path: string) => {
      const response = await ask(`/operations${path}`);
      const report = await response.json();
      return [response.status, report.status, response.headers.get("cache-control")];
    };
    assertEquals(await status("/probes/live"), [200, "pass", "no-store"]);
    assertEquals(await status("/probes/ready"), [200, "pass", "no-store"]);
    assertEquals(await status("/failing/ready"), [503, "fail", "no-store"]);
    assertEquals(await status("/failing/live"), [200, "pass", "no-store"]);
  });
});

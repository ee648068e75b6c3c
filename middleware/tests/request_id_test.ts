import sluice, { type FrameworkApp, type Request as Incoming } from "@sluice/sluice";
import { requestId, type RequestIdExtras, type RequestIdOptions, traceHeaders } from "@sluice/middleware/request-id";
import { assertEquals, assertMatch, assertNotEquals, assertThrows } from "@std/assert";
import { warningsOf } from "../../tests/support/warnings.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const TRACE = "0af7651916cd43dd8448eb211c80319c";
const SPAN = "b7ad6b7169203331";

/** An application whose response contains what the middleware attached, and the headers for other requests. */
function naming(options?: RequestIdOptions): FrameworkApp {
  const app = sluice().set("env", "test").use(requestId(options));
  return app.get("/", (req, res) => {
    const { id, traceId, trace } = req as Incoming & RequestIdExtras;
    res.json({ id, traceId, trace, headers: traceHeaders(req) });
  });
}

type Named = RequestIdExtras & { headers: Record<string, string> };

async function named(
  app: FrameworkApp,
  headers: Record<string, string> = {},
): Promise<Named & { sent: string | null }> {
  const response = await app.inject("/", { headers });
  return { sent: response.headers.get("x-request-id"), ...await response.json() as Named };
}

/** The result for a `traceparent`: its trace, or a new one. */
async function continued(traceparent: string, tracestate?: string): Promise<Named> {
  return await named(naming({ trust: true }), { traceparent, ...tracestate === undefined ? {} : { tracestate } });
}

Deno.test("each request gets an id of its own, which its response tells", async () => {
  const app = naming();
  const [one, other] = [await named(app), await named(app)];
  assertMatch(one.id, UUID);
  assertEquals([one.sent, other.sent], [one.id, other.id]);
  assertNotEquals(one.id, other.id);
});

Deno.test("the id of a stranger is not taken over, but that of a trusted proxy is", async () => {
  const headers = { "x-request-id": "from-outside", "traceparent": `00-${TRACE}-${SPAN}-01` };
  const ask = async (app: FrameworkApp, address: string): Promise<[string, boolean]> => {
    const info = { remoteAddr: { hostname: address, port: 1, transport: "tcp" } };
    const { id, traceId } = await (await app.fetch(new Request("http://localhost/", { headers }), info)).json();
    return [id, traceId === TRACE];
  };
  const stranger = await ask(naming(), "10.0.0.1");
  assertMatch(stranger[0], UUID);
  assertEquals(stranger[1], false);
  const behind = naming().set("trust proxy", "10.0.0.1");
  assertEquals(await ask(behind, "10.0.0.1"), ["from-outside", true]);
  assertMatch((await ask(behind, "10.0.0.2"))[0], UUID);
});

Deno.test("whose ids are taken over can be chosen", async () => {
  const headers = { "x-request-id": "theirs" };
  assertEquals((await named(naming({ trust: true }), headers)).id, "theirs");
  assertMatch((await named(naming({ trust: false }).set("trust proxy", true), headers)).id, UUID);
  const byKey = naming({ trust: (req) => req.get("x-key") === "secret" });
  assertMatch((await named(byKey, headers)).id, UUID);
  assertEquals((await named(byKey, { ...headers, "x-key": "secret" })).id, "theirs");
});

Deno.test("an id that is too long, or has characters that a log would have to escape, is replaced", async () => {
  const app = naming({ trust: true });
  for (const id of ["a", "01ARZ3NDEKTSV4RRFFQ69G5FAV", "Root=1-67891233-abc", "a.b:c/d+e=@~_-", "x".repeat(128)]) {
    assertEquals((await named(app, { "x-request-id": id })).id, id);
  }
  for (const id of ["", "x".repeat(129), "a b", "a,b", 'a"b', "a;b", "<script>", "\u00e4", "${jndi:ldap}", "a\tb"]) {
    assertMatch((await named(app, { "x-request-id": id })).id, UUID);
  }
});

Deno.test("ids can have a header and a maker of their own", async () => {
  let count = 0;
  const app = naming({ headerName: "X-Correlation-Id", trust: true, generator: () => `n-${++count}` });
  const first = await app.inject("/");
  assertEquals([first.headers.get("x-correlation-id"), (await first.json()).id], ["n-1", "n-1"]);
  const second = await app.inject("/", { headers: { "x-correlation-id": "theirs" } });
  assertEquals([second.headers.get("x-correlation-id"), second.headers.get("x-request-id")], ["theirs", null]);
});

Deno.test("a maker of ids that are not well formed is an error", async () => {
  for (const id of ["two\nlines", "", 7]) {
    const app = sluice().set("env", "test").use(requestId({ generator: () => id as string }));
    const told: string[] = [];
    app.on("error", (error) => told.push(error.message));
    assertEquals((await app.inject("/")).status, 500);
    assertMatch(told.join(), /^requestId: generator must return 1 to 128 letters/);
  }
});

Deno.test("a valid traceparent is continued: the same trace, and a new span for what is asked of others", async () => {
  const { traceId, trace, headers } = await continued(`00-${TRACE}-${SPAN}-01`, "congo=t61rcWkgMzE, rojo=00f067");
  assertEquals([traceId, trace.parentId, trace.sampled], [TRACE, SPAN, true]);
  assertNotEquals(trace.spanId, SPAN);
  assertEquals(headers, { traceparent: `00-${TRACE}-${trace.spanId}-01`, tracestate: "congo=t61rcWkgMzE,rojo=00f067" });
});

Deno.test("without one a trace begins, which the services behind this one are asked to record", async () => {
  const { traceId, trace, headers } = await named(naming());
  assertMatch(traceId, /^[0-9a-f]{32}$/);
  assertMatch(trace.spanId, /^[0-9a-f]{16}$/);
  assertEquals(headers, { traceparent: `00-${traceId}-${trace.spanId}-01` });
  assertEquals((await continued(`00-${TRACE}-${SPAN}-00`)).headers["traceparent"]?.slice(-2), "00");
});

Deno.test("what W3C Trace Context calls invalid begins a new trace", async () => {
  const invalid = [
    "",
    `00-${TRACE}-${SPAN}`,
    `00-${TRACE}-${SPAN}-1`,
    `00-${TRACE}-${SPAN}-01-more`,
    `00-${TRACE}-${SPAN}-01-`,
    `00-${TRACE}-${SPAN}-01.more`,
    `ff-${TRACE}-${SPAN}-01`,
    `0-${TRACE}-${SPAN}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${TRACE}-${SPAN.toUpperCase()}-01`,
    `00-${TRACE}-${SPAN}-0G`,
    `00-${"0".repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${"0".repeat(16)}-01`,
    `00-${TRACE}0-${SPAN}-01`,
    `00_${TRACE}_${SPAN}_01`,
    `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`,
    `01-${TRACE}-${SPAN}-01.what`,
  ];
  for (const traceparent of invalid) {
    const { traceId, trace, headers } = await continued(traceparent, "a=b");
    assertNotEquals(traceId, TRACE, traceparent);
    assertEquals([trace.parentId, headers["tracestate"]], [undefined, undefined]);
  }
});

Deno.test("later versions are read as far as version 00 goes, and unknown flags are not passed on", async () => {
  for (const traceparent of [`01-${TRACE}-${SPAN}-09`, `cc-${TRACE}-${SPAN}-01-what-the-future-brings`]) {
    const { traceId, trace, headers } = await continued(traceparent);
    assertEquals([traceId, headers["traceparent"]], [TRACE, `00-${TRACE}-${trace.spanId}-01`]);
  }
  assertEquals((await continued(`00-${TRACE}-${SPAN}-fe`)).trace.sampled, false);
});

Deno.test("a tracestate that is not valid is dropped, and the trace goes on", async () => {
  const kept = ["a=1", "tenant@vendor=x", "a=1,,b=2", "a=1;", `a=${"x".repeat(256)}`, "0a/b*c-d_e=v"];
  const dropped = ["", "A=1", "a", "a=b=c", `a=${"x".repeat(257)}`, `a=${"x".repeat(600)}`, "=1"];
  dropped.push(Array.from({ length: 33 }, (_, i) => `k${i}=1`).join(","), "a=\u00e4");
  const state = async (given: string) => (await continued(`00-${TRACE}-${SPAN}-00`, given)).trace.state;
  for (const given of kept) assertEquals(await state(given), given.replace(",,", ","), given);
  for (const given of dropped) assertEquals(await state(given), undefined, given);
});

Deno.test("the trace's id can serve as the request's", async () => {
  const own = await named(naming({ useTraceId: true }));
  assertEquals([own.id, own.sent], [own.traceId, own.traceId]);
  const app = naming({ useTraceId: true, trust: true });
  assertEquals((await named(app, { traceparent: `00-${TRACE}-${SPAN}-01` })).id, TRACE);
  assertEquals((await named(app, { traceparent: `00-${TRACE}-${SPAN}-01`, "x-request-id": "theirs" })).id, "theirs");
});

Deno.test("traceHeaders needs requestId in front", () => {
  assertThrows(
    () => traceHeaders({} as Incoming),
    TypeError,
    "traceHeaders: the request has no trace; mount requestId()",
  );
});

Deno.test("options of requestId are checked", () => {
  const failing: [unknown, string][] = [
    [{ headerName: "X Id" }, 'requestId: option headerName must be the name of a header, not "X Id"'],
    [{ trust: "all" }, "requestId: option trust must be true, false"],
    [{ generator: "uuid" }, "requestId: option generator must be a function"],
    [{ useTraceId: 1 }, "requestId: option useTraceId must be true or false"],
    [{ length: 1 }, "requestId: there is no option length"],
  ];
  for (const [options, message] of failing) {
    assertThrows(() => requestId(options as RequestIdOptions), TypeError, message);
  }
});

Deno.test("in development, a warning names the first peer whose id is replaced, and what to do", async () => {
  const warned = async (options: RequestIdOptions, env: string, trusted: unknown, ...ids: string[]) =>
    await warningsOf(async () => {
      const app = naming({ headerName: "X-Correlation-Id", ...options }).set("env", env).set("trust proxy", trusted);
      for (const id of ids) {
        const headers = { "x-correlation-id": id };
        const { status } = await app.inject("/", { headers, remoteAddress: "198.51.100.7" });
        assertEquals(status, 200);
      }
      assertEquals((await app.inject("/")).status, 200);
    });
  for (const env of ["test", "production"]) assertEquals(await warned({}, env, false, "id-1"), []);
  assertEquals(await warned({}, "development", false), [], "no id");
  assertEquals(await warned({}, "development", false, "not well formed"), []);
  assertEquals(await warned({}, "development", "198.51.100.0/24", "id-1"), [], "a trusted proxy");
  for (const trust of [true, false, () => false]) {
    assertEquals(await warned({ trust }, "development", false, "id-1"), []);
  }
  assertEquals(await warned({}, "development", "loopback", "not well formed", "id-1", "id-2"), [
    'requestId: X-Correlation-Id from 198.51.100.7 is replaced, because the setting "trust proxy" does not trust that ' +
    'peer; if it is your proxy, write app.set("trust proxy", "198.51.100.7"), or accept every client\'s id with ' +
    "requestId({ trust: true })",
  ]);
});

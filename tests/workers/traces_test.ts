/** Spans in workerd, where only Sluice makes them for requests. */
import { assertEquals, assertMatch } from "@std/assert";
import { withWorker, WORKERD } from "../support/workerd.ts";

const PROGRAM = "tests/workers/programs/traced.ts";
const TRACE = "0af7651916cd43dd8448eb211c80319c";
const CALLER = "b7ad6b7169203331";

/** The SDK is CommonJS, which requires Node's modules; Wrangler's bundles have the same. */
const MAIN = `
  globalThis.require = (name) => process.getBuiltinModule(name);
  export default (await import("./program.js")).default;
`;

Deno.test("requests of a Worker have spans, in which those of handlers are", WORKERD, async () => {
  await withWorker(PROGRAM, { flags: ["nodejs_compat"], main: MAIN }, async ({ text }) => {
    const headers = { traceparent: `00-${TRACE}-${CALLER}-01` };
    const sent = JSON.parse(await text("/users/7", { headers }));
    await text("/fails");
    const { spans, exported } = JSON.parse(await text("/spans"));
    const [query, users, fails] = spans;
    assertEquals(
      spans.map((
        { name, status, isError }: { name: string; status?: number; isError: boolean },
      ) => [name, status, isError]),
      [["SELECT users", undefined, false], ["GET /users/:id", 200, false], ["GET /fails", 500, true]],
    );
    assertEquals([users.traceId, users.parentSpanId], [TRACE, CALLER]);
    assertEquals([query.traceId, query.parentSpanId], [TRACE, users.spanId]);
    assertEquals(sent, { traceparent: `00-${TRACE}-${users.spanId}-01` });
    // the handler and request spans, and then a third span
    assertEquals(exported, [2, 3]);
    assertMatch(fails.traceId, /^[0-9a-f]{32}$/);
  });
});

import { assertEquals } from "@std/assert";
import { run } from "../../scripts/process.ts";
import { bundled } from "../contracts/bundled.ts";

const runtimes = Deno.env.get("SLUICE_RUNTIMES");

Deno.test("on Bun, an application listens, closes as it should, listens again, and says what an upgrade needs", {
  ignore: runtimes === undefined,
}, async () => {
  const program = await bundled("tests/fixtures/bun_lifecycle.ts");
  const { output } = await run(`${runtimes}node_modules/.bin/bun`, [program], { limitMs: 20_000, quiet: true });
  assertEquals(JSON.parse(output), {
    serves: "served",
    inFlight: "answered",
    closed: "refused",
    server: null,
    again: "served",
    taken: "EADDRINUSE",
    socket: 1001,
    deadline: 503,
    late: 503,
    noServer: [501, "WebSockets on Bun need its server as the second argument: app.fetch(request, server)"],
    noHandlers: [501, "WebSockets on Bun need Bun.serve({ fetch: app.fetch, websocket: app.websocket })"],
  });
});

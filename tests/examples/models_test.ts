/** Lifetime of MCP sessions on an injected clock; `models/` runs the programs on every runtime. */
import type { FrameworkApp } from "@sluice/sluice";
import { assertEquals } from "@std/assert";
import { makeApp } from "../../examples/recipes/mcp.ts";

const ACCEPTS = { "accept": "application/json, text/event-stream", "content-type": "application/json" };
const PARAMS = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1" } };

async function begun(app: FrameworkApp): Promise<string> {
  const body = { jsonrpc: "2.0", id: 1, method: "initialize", params: PARAMS };
  const response = await app.inject("/mcp", { method: "POST", headers: ACCEPTS, body });
  await response.text();
  return response.headers.get("mcp-session-id")!;
}

async function ping(app: FrameworkApp, id: string): Promise<number> {
  const body = { jsonrpc: "2.0", id: 2, method: "ping" };
  const response = await app.inject("/mcp", { method: "POST", headers: { ...ACCEPTS, "mcp-session-id": id }, body });
  await response.text();
  return response.status;
}

async function stream(app: FrameworkApp, id: string): Promise<Response> {
  return await app.inject("/mcp", { headers: { "accept": "text/event-stream", "mcp-session-id": id } });
}

Deno.test("an MCP session that nobody uses ends, and one with an open stream does not", async () => {
  let now = 0;
  const app = makeApp({ idleMs: 1000, clock: () => now }).set("env", "test");
  const [idle, used, open] = [await begun(app), await begun(app), await begun(app)];
  const response = await stream(app, open);
  now = 900;
  assertEquals(await ping(app, used), 200);
  now = 1500;
  assertEquals([await ping(app, idle), await ping(app, used), await ping(app, open)], [404, 200, 200]);
  now = 9000;
  assertEquals([await ping(app, used), await ping(app, open)], [404, 200]);
  // once its stream has ended, a session is like any other
  await response.body!.cancel();
  await Promise.resolve();
  now = 10_100;
  assertEquals(await ping(app, open), 404);
});

Deno.test("beyond the most MCP sessions, the one that was used longest ago ends, with its stream", async () => {
  const app = makeApp({ maxSessions: 2 }).set("env", "test");
  const [one, two] = [await begun(app), await begun(app)];
  const response = await stream(app, two);
  assertEquals(await ping(app, one), 200);
  const three = await begun(app);
  assertEquals([await ping(app, one), await ping(app, two), await ping(app, three)], [200, 404, 200]);
  assertEquals(await response.text(), "");
});

Deno.test("an MCP server that closes ends the streams of its sessions", async () => {
  const app = makeApp({ keepAliveMs: 0 }).set("env", "test");
  const server = app.listen({ port: 0, hostname: "127.0.0.1" });
  const id = await begun(app);
  const response = await fetch(`http://127.0.0.1:${server.port}/mcp`, {
    headers: { "accept": "text/event-stream", "mcp-session-id": id },
  });
  assertEquals(response.status, 200);
  await Promise.all([app.close({ timeoutMs: 60_000 }), response.text()]);
});

Deno.test("pages that are named may call the MCP server, and others may not", async () => {
  const app = makeApp({ origins: ["https://app.test"] }).set("env", "test");
  const status = async (origin: string) =>
    (await app.inject("/mcp", { method: "POST", headers: { ...ACCEPTS, origin }, body: {} })).status;
  assertEquals([await status("https://app.test"), await status("https://evil.test")], [400, 403]);
});

/**
 * The documented programs for language models, on Deno, Node, Bun and workerd: an MCP server with the MCP SDK's own
 * client, and models with streamed responses.
 */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { bundled } from "../../contracts/bundled.ts";
import { startServing } from "../../contracts/serving.ts";
import { packageFlags, skipNode } from "../../support/node_program.ts";
import { PATIENCE_MS } from "../../support/patience.ts";
import { until } from "../../support/until.ts";
import { withWorker } from "../../support/workerd.ts";
import { makeProvider, type Provider } from "./provider.ts";

const FOLDER = "tests/examples/models/";
const RUNTIMES = Deno.env.get("SLUICE_RUNTIMES");
type Body = (origin: string) => Promise<void>;

async function served(command: string, args: readonly string[], provider: string, body: Body): Promise<void> {
  const { origin, stop } = await startServing(command, args, { PROVIDER: provider });
  try {
    await body(origin);
  } finally {
    await stop();
  }
}

/** Starts the program on each runtime. */
const STARTS: Readonly<Record<string, (provider: string, body: Body) => Promise<void>>> = {
  async Deno(provider, body) {
    const args = ["run", "-A", ...await packageFlags("models_on_runtimes"), `${FOLDER}listen.ts`];
    await served(Deno.execPath(), args, provider, body);
  },
  Node: async (provider, body) => await served("node", [await bundled(`${FOLDER}node.ts`, "deno")], provider, body),
  async Bun(provider, body) {
    await served(`${RUNTIMES}node_modules/.bin/bun`, [await bundled(`${FOLDER}listen.ts`, "deno")], provider, body);
  },
  async workerd(provider, body) {
    await withWorker(
      `${FOLDER}worker.ts`,
      {
        flags: ["nodejs_compat", "enable_request_signal"],
        bindings: { PROVIDER: provider },
        objects: { SESSIONS: "McpSession" },
      },
      ({ origin }) => body(origin),
    );
  },
};

const MCP = "/mcp-server/mcp";
const ACCEPTS = { "accept": "application/json, text/event-stream", "content-type": "application/json" };

/** A connected client from the MCP SDK. */
async function connected(origin: string): Promise<{ client: Client; transport: StreamableHTTPClientTransport }> {
  const client = new Client({ name: "test", version: "1.0.0" });
  const transport = new StreamableHTTPClientTransport(new URL(MCP, origin));
  await client.connect(transport);
  return { client, transport };
}

function post(origin: string, message: object, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(origin + MCP, {
    method: "POST",
    headers: { ...ACCEPTS, ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", ...message }),
  });
}

/** Begins a session and returns the headers for its requests. */
async function begun(origin: string): Promise<Record<string, string>> {
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1" } };
  const response = await post(origin, { id: 1, method: "initialize", params });
  await response.text();
  assertEquals(response.status, 200);
  return { "mcp-session-id": response.headers.get("mcp-session-id")!, "mcp-protocol-version": "2025-06-18" };
}

async function statusOf(coming: Promise<Response>): Promise<number> {
  const response = await coming;
  await response.body?.cancel();
  return response.status;
}

async function mcp(t: Deno.TestContext, origin: string, runtime: string): Promise<void> {
  await t.step("MCP: a client of the SDK lists and calls tools, and ends its session", async () => {
    const { client, transport } = await connected(origin);
    const { tools } = await client.listTools();
    assertEquals(tools.map(({ name }: { name: string }) => name), ["forecast"]);
    const { content } = await client.callTool({ name: "forecast", arguments: { city: "Rome" } });
    assertEquals(content, [{ type: "text", text: "Sunny in Rome" }]);
    const wrong = await client.callTool({ name: "forecast", arguments: { city: 7 } });
    assertEquals(wrong.isError, true);
    const session = { "mcp-session-id": transport.sessionId! };
    await transport.terminateSession();
    await client.close();
    assertEquals(await statusOf(post(origin, { id: 2, method: "ping" }, session)), 404);
  });

  await t.step("MCP: sessions know nothing of one another", async () => {
    const [one, two] = [await connected(origin), await connected(origin)];
    assert(one.transport.sessionId !== two.transport.sessionId);
    await one.transport.terminateSession();
    await two.client.ping();
    await Promise.all([one.client.close(), two.transport.terminateSession()]);
    await two.client.close();
  });

  await t.step("MCP: a client that disconnects frees its stream", async () => {
    const session = await begun(origin);
    const { hostname, port, host } = new URL(origin);
    const lines = Object.entries({ ...session, accept: "text/event-stream", host }).map((pair) => pair.join(": "));
    const head = `GET ${MCP} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`;
    const statusNow = () => statusOf(fetch(origin + MCP, { headers: { ...session, accept: "text/event-stream" } }));
    const connection = await Deno.connect({ hostname, port: Number(port) });
    await connection.write(new TextEncoder().encode(head));
    const start = new Uint8Array("HTTP/1.1 200".length);
    await connection.read(start);
    assertEquals(new TextDecoder().decode(start), "HTTP/1.1 200");
    // one stream at a time
    assertEquals(await statusNow(), 409);
    // with the head unread, to make this a reset
    connection.close();
    await until(async () => await statusNow() === 200, "the stream is free");
    await statusOf(fetch(origin + MCP, { method: "DELETE", headers: session }));
  });

  await t.step("MCP: pages of other sites, and sessions that do not exist, are refused", async () => {
    const session = await begun(origin);
    const ping = { id: 2, method: "ping" };
    for (const header of ["https://evil.test", "null", origin]) {
      assertEquals(await statusOf(post(origin, ping, { ...session, origin: header })), 403, header);
    }
    for (const id of ["x", "0".repeat(64), crypto.randomUUID(), session["mcp-session-id"] + "0"]) {
      assertEquals(await statusOf(post(origin, ping, { "mcp-session-id": id })), 404, id);
    }
  });

  await t.step("MCP: each session has its limit", async () => {
    const [one, two] = [await begun(origin), await begun(origin)];
    const ping = (session: Record<string, string>) => statusOf(post(origin, { id: 2, method: "ping" }, session));
    const statuses = new Set<number>();
    for (let i = 0; i < 110; i++) statuses.add(await ping(one));
    assertEquals([...statuses], [200, 429]);
    assertEquals(await ping(two), 200);
  });

  if (runtime === "workerd") return;
  await t.step("MCP: a client gets no more by beginning sessions", async () => {
    const statuses = new Set<number>();
    for (let i = 0; i < 11; i++) statuses.add(await statusOf(post(origin, { id: 1, method: "initialize" })));
    assertEquals(statuses.has(429), true);
  });
}

function ask(origin: string, path: string, prompt: string, headers: Record<string, string> = {}): Promise<Response> {
  const body = JSON.stringify({ prompt });
  // the proxy in front of workerd compresses differently, and buffers small chunks
  const types = { "content-type": "application/json", "accept-encoding": "identity" };
  const signal = AbortSignal.timeout(PATIENCE_MS);
  return fetch(origin + path, { method: "POST", headers: { ...types, ...headers }, body, signal });
}

/** Reads until a string has arrived, and disconnects. */
async function leave(response: Response, text: string): Promise<void> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let came = "";
  while (!came.includes(text)) {
    const { done, value } = await reader.read();
    if (done) throw new Error(`the response ended with ${came}`);
    came += value;
  }
  await reader.cancel();
}

async function streams(t: Deno.TestContext, origin: string, provider: Provider): Promise<void> {
  await t.step("AI SDK: the text comes as it is made", async () => {
    const response = await ask(origin, "/ai/complete", "hi");
    assertEquals(response.headers.get("content-type"), "text/plain; charset=utf-8");
    assertEquals(await response.text(), "Hello");
  });

  await t.step("AI SDK: messages are streamed for useChat", async () => {
    const messages = [{ id: "1", role: "user", parts: [{ type: "text", text: "hi" }] }];
    const response = await fetch(`${origin}/ai/chat`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ messages }),
    });
    assertEquals(response.headers.get("x-vercel-ai-ui-message-stream"), "v1");
    const events = (await response.text()).split("\n\n").filter((one) => one.startsWith("data: {"));
    const deltas = events.map((one) => JSON.parse(one.slice("data: ".length))).filter(({ type }) =>
      type === "text-delta"
    );
    assertEquals(deltas.map(({ delta }) => delta).join(""), "Hello");
  });

  await t.step("AI SDK: a client that disconnects aborts the model", async () => {
    const before = await (await fetch(`${origin}/aborted`)).json();
    await leave(await ask(origin, "/ai/complete", "endless"), "……");
    await until(async () => await (await fetch(`${origin}/aborted`)).json() > before, "the model is aborted");
  });

  await t.step("AI SDK: a model that fails cuts the response", async () => {
    await assertRejects(async () => await (await ask(origin, "/ai/complete", "fail")).text());
  });

  await t.step("AI SDK: what a model has cost is counted, by user", async () => {
    const status = async (user: string) => {
      const response = await ask(origin, "/limited/complete", "hi", { "x-user": user });
      await response.text();
      return response.status;
    };
    assertEquals([await status("ann"), await status("ann"), await status("ann"), await status("ben")], [
      200,
      200,
      429,
      200,
    ]);
  });

  await t.step("without an SDK: the text comes as it is made, wherever the network cuts", async () => {
    const response = await ask(origin, "/fetch/complete", "hi");
    assertEquals([response.status, await response.text()], [200, "Hello, wörld"]);
    assertEquals(provider.last!.authorization, "Bearer k");
    assertEquals(provider.last!.body["messages"], [{ role: "user", content: "hi" }]);
  });

  await t.step("without an SDK: a provider that fails is 502, and nothing of what it said", async () => {
    for (const [path, prompt] of [["/fetch/complete", "fail"], ["/unreachable/complete", "hi"]] as const) {
      const response = await ask(origin, path, prompt);
      const text = await response.text();
      assertEquals([response.status, text.includes("the key")], [502, false], path);
    }
  });

  await t.step("without an SDK: a response that breaks off there breaks off here", async () => {
    await assertRejects(async () => await (await ask(origin, "/fetch/complete", "cut")).text());
  });

  await t.step("without an SDK: a client that disconnects ends the provider's request", async () => {
    const before = provider.left;
    await leave(await ask(origin, "/fetch/complete", "endless"), "……");
    await until(() => provider.left > before, "the provider's request has ended");
  });
}

for (const [name, start] of Object.entries(STARTS)) {
  const ignore = (name !== "Deno" && skipNode) || (["Bun", "workerd"].includes(name) && RUNTIMES === undefined);
  const options = { ignore, sanitizeOps: false, sanitizeResources: false };
  Deno.test({ name: `the programs for models on ${name}`, ...options }, async (t) => {
    const provider = makeProvider();
    const server = provider.app.listen({ port: 0, hostname: "127.0.0.1" });
    try {
      await start(`http://127.0.0.1:${server.port}/`, async (origin) => {
        await mcp(t, origin, name);
        await streams(t, origin, provider);
      });
    } finally {
      await provider.app.close({ timeoutMs: 0 });
    }
  });
}

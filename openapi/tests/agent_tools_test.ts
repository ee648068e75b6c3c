/** Agent tools generated from documents: exactly what their schemas allow reaches the routes. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { upload } from "@sluice/middleware/upload";
import { type AgentTool, agentTools, openapi, operation, validate } from "@sluice/openapi";
import sluice, { type FrameworkApp } from "@sluice/sluice";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { generateText, isStepCount, jsonSchema, tool } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { z } from "zod";
import { random } from "../../tests/support/random.ts";
import { generatedRoutes } from "./support/generated_routes.ts";
import { SchemaValues } from "./support/schema_values.ts";

const INFO = { title: "Notes", version: "1.0.0" };

function toolsOf(app: FrameworkApp): Map<string, AgentTool> {
  return new Map(agentTools(app, openapi(app, INFO)).map((one) => [one.name, one]));
}

function notes(): FrameworkApp {
  const app = sluice().set("env", "test");
  const Tag = z.object({ name: z.string().max(20) }).meta({ id: "Tag" });
  const Note = z.object({ text: z.string().min(1), tags: z.array(Tag).max(5).default([]), main: Tag.optional() });
  app.get(
    "/notes/:id",
    operation({ operationId: "readNote", summary: "A note", description: "By its number." }),
    validate({
      params: z.object({ id: z.coerce.number<string>() }),
      query: z.object({ id: z.string().optional(), tag: z.union([z.string(), z.array(z.string())]).optional() }),
      headers: z.object({ "x-user": z.string() }),
    }),
    (req, res) => res.json([req.params.id, req.query.id, req.query.tag, req.get("x-user")]),
  );
  app.put(
    "/notes/:id",
    operation({ operationId: "writeNote" }),
    sluice.json(),
    validate({ body: Note }),
    (req, res) => res.status(201).json({ id: req.params.id, ...req.body }),
  );
  app.post("/files", operation({ operationId: "sendFile" }), upload(), (_req, res) => res.send("sent"));
  app.delete("/notes", operation({ hide: true }), (_req, res) => res.send("gone"));
  app.get("/plain", (_req, res) => res.type("text").send("text"));
  return app;
}

Deno.test("a tool is an operation that takes JSON or nothing, with what that says of itself", () => {
  const tools = toolsOf(notes());
  assertEquals([...tools.keys()], ["readNote", "writeNote", "getPlain"]);
  const { description, method, path } = tools.get("readNote")!;
  assertEquals([description, method, path], ["A note\n\nBy its number.", "GET", "/notes/{id}"]);
  assertEquals(tools.get("getPlain")!.description, "GET /plain");
});

Deno.test("names are such as providers take, each once", () => {
  const app = sluice();
  for (const path of ["/a.b", "/a_b", `/${"long/".repeat(30)}`, `/${"long/".repeat(30)}x`]) {
    app.get(path, operation({ operationId: `get ${path.slice(1)}` }), (_req, res) => res.end());
  }
  const names = agentTools(app, openapi(app, INFO)).map(({ name }) => name);
  assertEquals(new Set(names).size, 4);
  for (const name of names) assert(/^[\w-]{1,64}$/.test(name), name);
});

Deno.test("the input has parameters of path and query, and the body; its schema stands for itself", () => {
  const tools = toolsOf(notes());
  const { inputSchema } = tools.get("readNote")!;
  const properties = inputSchema["properties"] as Record<string, unknown>;
  assertEquals([Object.keys(properties), inputSchema["required"]], [["id", "query_id", "tag"], ["id"]]);
  const ajv = new Ajv2020({ strict: false });
  const accepts = ajv.compile(tools.get("writeNote")!.inputSchema);
  assertEquals(accepts({ id: "1", body: { text: "a", tags: [{ name: "x" }], main: { name: "y" } } }), true);
  for (const body of [{ text: "" }, { text: "a", tags: [{}] }, { text: "a", main: { name: 1 } }]) {
    assertEquals(accepts({ id: "1", body }), false, JSON.stringify(body));
  }
});

Deno.test("a call is a request with what the model chose, and the headers that the program chose", async () => {
  const tools = toolsOf(notes());
  const headers = { "x-user": "ann" };
  const input = { id: "7", query_id: "a&b", tag: ["x", "y"], "x-user": "eve", method: "DELETE" };
  assertEquals(await tools.get("readNote")!.call(input, { headers }), {
    status: 200,
    body: [7, "a&b", ["x", "y"], "ann"],
  });
  assertEquals(await tools.get("writeNote")!.call({ id: "a/b?c#d%2F", body: { text: "x" } }), {
    status: 201,
    body: { id: "a/b?c#d%2F", text: "x", tags: [] },
  });
  assertEquals(await tools.get("getPlain")!.call({}), { status: 200, body: "text" });
});

Deno.test("a call comes from the address that the program chose", async () => {
  const app = sluice().set("env", "test");
  app.get("/ip", (req, res) => res.json({ ip: req.ip }));
  const { call } = toolsOf(app).get("getIp")!;
  assertEquals(await call({}, { remoteAddress: "192.0.2.1" }), { status: 200, body: { ip: "192.0.2.1" } });
  assertEquals(await call({ remoteAddress: "192.0.2.1" }), { status: 200, body: { ip: "127.0.0.1" } });
});

Deno.test("lists, objects and wildcards are written as the document says, and arrive", async () => {
  const app = sluice().set("env", "test");
  const range = z.object({ a: z.number(), b: z.array(z.string()).optional() });
  const pair = z.object({ x: z.number(), y: z.string() });
  const spread = z.object({ s: z.string(), t: z.number() });
  app.get(
    "/:ids/:label/:pair/*rest",
    validate({
      params: z.object({ ids: z.array(z.number()), label: z.array(z.number()), pair, rest: z.array(z.string()) }),
      query: z.object({ range, pair, spread, pipes: z.array(z.string()), list: z.array(z.date()) }),
      serialization: {
        params: { label: { style: "label" } },
        query: {
          pair: { style: "form", explode: false },
          spread: { style: "form", explode: true },
          pipes: { style: "pipeDelimited", explode: false },
        },
      },
    }),
    (req, res) => res.json([req.params, req.query]),
  );
  const [{ call, inputSchema }] = agentTools(app, openapi(app, INFO)) as [AgentTool];
  const input = {
    ...{ ids: [1, 2], label: [3, 4], pair: { x: 5, y: "a,b/c" }, rest: "d/e f" },
    query_pair: { x: 6, y: "g&h" },
    range: { a: 7, b: ["i", "j"] },
    spread: { s: "k", t: 8 },
    pipes: ["l", "m"],
    list: ["2030-01-02T00:00:00.000Z"],
  };
  assert(new Ajv2020({ strict: false, validateFormats: false }).compile(inputSchema)(input));
  const { query_pair, range: _, ...others } = input;
  const { ids, label, pair: own, rest: __, ...query } = others;
  assertEquals(await call(input), {
    status: 200,
    body: [{ ids, label, pair: own, rest: ["d", "e f"] }, { ...query, range: input.range, pair: query_pair }],
  });
  for (const rest of ["../admin", "a/../../b", "a//b", "/a"]) {
    await assertRejects(() => Promise.resolve().then(() => call({ ...input, rest })), TypeError);
  }
});

Deno.test("what the application refuses is a result", async () => {
  const { status, body } = await toolsOf(notes()).get("writeNote")!.call({ id: "1", body: { text: "" } });
  assertEquals([status, (body as { errors: { pointer: string }[] }).errors[0]!.pointer], [400, "/text"]);
});

Deno.test("no value of the path leads to another route", async () => {
  const app = sluice().set("env", "test").set("strict routing", true);
  let others = 0;
  app.get("/users/:id/notes/:note", (req, res) => res.json(req.params));
  app.use((_req, res) => void res.send(String(++others)));
  const { call } = toolsOf(app).get("getUsersByIdNotesByNote")!;
  for (const value of ["..", ".", "", undefined, null]) {
    const error = await assertRejects(() => Promise.resolve().then(() => call({ id: value, note: "1" })), TypeError);
    assert(error.message.startsWith("id is part of the path"), error.message);
  }
  for (const value of ["../..", "%2e%2e", "..;", "a/../..", "\\..\\", "?x", "#", "{note}", "$&", 7]) {
    const { status, body } = await call({ id: value, note: "1" });
    assertEquals([status, body], [200, { id: String(value), note: "1" }]);
  }
  assertEquals(others, 0);
});

Deno.test("whatever the schema of an input allows is taken by the routes, in 60 generated sets", async () => {
  let calls = 0;
  for (let seed = 1; seed <= 60; seed++) {
    const pick = random(seed);
    const app = generatedRoutes(pick);
    const document = openapi(app, INFO);
    const values = new SchemaValues(document, pick);
    const ajv = new Ajv2020({ strict: false });
    for (const { call, inputSchema, operation: { parameters = [], requestBody } } of agentTools(app, document)) {
      const accepts = ajv.compile(inputSchema);
      for (let i = 0; i < 3; i++) {
        const input: Record<string, unknown> = {};
        const headers = new Headers();
        for (const { in: part, name, schema } of parameters) {
          const value = values.allowed(schema);
          if (part === "header") headers.set(name, String(value));
          else input[name] = part === "path" && value === "" ? "x" : value;
        }
        const body = requestBody?.content["application/json"]?.schema;
        if (body !== undefined) input["body"] = values.allowed(body);
        assert(accepts(input), `${JSON.stringify(input)} is none of ${JSON.stringify(inputSchema)}`);
        assertEquals(await call(input, { headers }), { status: 200, body: "taken" }, JSON.stringify(input));
        calls++;
      }
    }
  }
  assert(calls > 300, String(calls));
});

Deno.test("the AI SDK calls them", async () => {
  const tools = Object.fromEntries(
    agentTools(notes(), openapi(notes(), INFO)).map(({ name, description, inputSchema, call }) => [
      name,
      tool({
        description,
        inputSchema: jsonSchema<Record<string, unknown>>(inputSchema),
        execute: (input, { abortSignal }) => call(input, abortSignal === undefined ? {} : { signal: abortSignal }),
      }),
    ]),
  );
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: 1, text: 1, reasoning: undefined },
  };
  const seen: unknown[] = [];
  const model = new MockLanguageModelV4({
    doGenerate: ({ prompt }) => {
      const last = prompt.at(-1)!;
      seen.push(last.role === "tool" ? last.content[0] : last.role);
      const input = JSON.stringify({ id: "1", body: { text: "Buy milk" } });
      return Promise.resolve(
        last.role === "user"
          ? {
            content: [{ type: "tool-call" as const, toolCallId: "1", toolName: "writeNote", input }],
            finishReason: { unified: "tool-calls" as const, raw: undefined },
            usage,
            warnings: [],
          }
          : {
            content: [{ type: "text" as const, text: "Done" }],
            finishReason: { unified: "stop" as const, raw: undefined },
            usage,
            warnings: [],
          },
      );
    },
  });
  const { text } = await generateText({ model, tools, prompt: "Remember the milk", stopWhen: isStepCount(3) });
  assertEquals(text, "Done");
  const { output } = seen[1] as { output: { value: unknown } };
  assertEquals(output.value, { status: 201, body: { id: "1", text: "Buy milk", tags: [] } });
});

Deno.test("an MCP server offers them", async () => {
  const tools = toolsOf(notes());
  const server = new Server({ name: "notes", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [...tools.values()].map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
  }));
  server.setRequestHandler(
    CallToolRequestSchema,
    async ({ params }: { params: { name: string; arguments?: Record<string, unknown> } }) => {
      const { status, body } = await tools.get(params.name)!.call(params.arguments ?? {});
      return { isError: status >= 400, content: [{ type: "text", text: JSON.stringify(body) }] };
    },
  );
  const client = new Client({ name: "test", version: "1.0.0" });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await server.connect(far);
  await client.connect(near);
  const listed = await client.listTools();
  assertEquals(listed.tools.map(({ name }: { name: string }) => name), [...tools.keys()]);
  const ask = (body: unknown) => client.callTool({ name: "writeNote", arguments: { id: "1", body } });
  assertEquals(JSON.parse((await ask({ text: "a" })).content[0].text), { id: "1", text: "a", tags: [] });
  assertEquals((await ask({ text: "" })).isError, true);
  await client.close();
});

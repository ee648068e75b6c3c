import { assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import sluice from "../../mod.ts";
import { quietApp } from "../support/app.ts";

// deno-lint-ignore no-explicit-any -- what plain JavaScript may give
type Given = any;

Deno.test("an object or a list as the body is sent as JSON, unless the content type says otherwise", async () => {
  const app = quietApp().use(sluice.json({ type: "*/*" })).post("/", (req, res) => {
    res.json([req.get("content-type"), req.body]);
  });
  const sent = async (init: Given) => await (await app.inject("/", { method: "POST", ...init })).json();
  assertEquals(await sent({ body: { a: 1 } }), ["application/json", { a: 1 }]);
  assertEquals(await sent({ body: [1, 2] }), ["application/json", [1, 2]]);
  const headers = { "content-type": "application/vnd.api+json" };
  assertEquals(await sent({ body: { a: 1 }, headers }), ["application/vnd.api+json", { a: 1 }]);
  assertEquals(await sent({ body: "[7]", headers }), ["application/vnd.api+json", [7]]);
});

Deno.test("the forms of other injectors are refused with what to write", async () => {
  const app = quietApp() as Given;
  await assertRejects(
    () => app.inject({ method: "POST", path: "/users" }),
    TypeError,
    'app.inject expects a path such as "/users/7", a URL, a Request or { url, method }, not an object',
  );
  for (const name of ["json", "payload", "query", "cookies", "ip"]) {
    await assertRejects(() => app.inject("/", { [name]: {} }), TypeError, `app.inject: there is no option ${name}; `);
  }
});

Deno.test("what a runtime tells of a request is no environment", async () => {
  const app = quietApp().get("/", (req, res) => res.json(req.env["GREETING"] ?? null));
  const asked = async (info: unknown, ctx?: unknown) =>
    await (await app.fetch(new Request("http://localhost/"), info, ctx)).json();
  assertEquals(await asked({ GREETING: "Hello" }), "Hello");
  assertEquals(await asked(Object.assign(Object.create(null), { GREETING: "Hello" })), "Hello");
  for (const told of ["remoteAddr", "requestIP", "waitUntil", "ip"]) {
    assertEquals(await asked({ GREETING: "Hello", [told]: {} }), null, told);
  }
  assertEquals(await asked({ GREETING: "Hello", ip: "192.0.2.1" }, {}), "Hello");
});

Deno.test("a status that JSON cannot show is refused as any other", async () => {
  const app = quietApp().get("/", (_req, res) => void res.status(200n as Given));
  app.use((error: Given, _req: Given, res: Given, _next: Given) => res.send(error.message));
  assertEquals(await (await app.inject("/")).text(), "Invalid status code: 200n. res.status expects an integer.");
});

Deno.test("a WebSocket says where its parameters and its listeners are written", async () => {
  const { WebSocketConnection } = await import("../../src/websocket/ws_connection.ts");
  const ws = Object.create(WebSocketConnection.prototype);
  assertThrows(() => ws.params, TypeError, "there is no ws.params; use ws.data.params");
  for (const name of ["on", "addEventListener"]) {
    assertThrows(
      () => ws[name]("message", () => {}),
      TypeError,
      `there is no ws.${name}; write app.ws(path, { open(ws) {}, message(ws, data) {}, close(ws) {} })`,
    );
  }
  assertThrows(() => ws.onmessage = () => {}, TypeError, "there is no ws.onmessage; write app.ws(path, { open(ws) {}");
});

Deno.test("a schema where a handler belongs is refused with what to write", () => {
  const app = quietApp() as Given;
  // one of arktype is a function: as a handler, it would neither respond nor continue
  const schema = Object.assign(() => {}, { "~standard": { version: 1 } });
  for (const given of [schema, { ...schema }]) {
    assertThrows(() => app.post("/", given, () => {}), TypeError, "app.post: write validate({ body: schema })");
    assertThrows(() => app.use("/", given), TypeError, "app.use: write validate({ body: schema })");
  }
});

Deno.test("signed cookies without a secret name the package that has it", async () => {
  const app = quietApp().get("/", (_req, res) => void res.cookie("a", "b", { signed: true }));
  app.use((error: Given, _req: Given, res: Given, _next: Given) => res.send(error.message));
  const message = await (await app.inject("/")).text();
  assertMatch(message, /secret\S+ required for signed cookies/);
  assertMatch(message, /^npm's cookieParser/);
});

Deno.test("members of light-my-request's response say what to write, and are in no list of members", async () => {
  const response = await quietApp().get("/", (_req, res) => void res.send("hello")).inject("/") as Given;
  const advice = {
    statusCode: "use status",
    payload: "use await text()",
    rawPayload: "use await arrayBuffer()",
    cookies: "use headers.getSetCookie()",
  };
  for (const [name, message] of Object.entries(advice)) {
    assertThrows(
      () => response[name],
      TypeError,
      `there is no response.${name}; app.inject gives a fetch Response: ${message}`,
    );
  }
  assertEquals(Object.keys(response), []);
  assertEquals([response.status, await response.clone().text(), await response.text()], [200, "hello", "hello"]);
});

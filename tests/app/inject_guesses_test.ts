import { assertEquals, assertRejects } from "@std/assert";
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
  for (const name of ["json", "payload", "query"]) {
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

Deno.test("a WebSocket's parameters are asked for where they are", async () => {
  const { WebSocketConnection } = await import("../../src/websocket/ws_connection.ts");
  const get = Object.getOwnPropertyDescriptor(WebSocketConnection.prototype, "params")!.get!;
  await assertRejects(async () => await get.call({}), TypeError, "path parameters are in ws.data.params");
});

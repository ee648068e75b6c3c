import { assertEquals, assertRejects } from "@std/assert";
import { json, Router } from "../../mod.ts";
import { quietApp } from "../support/app.ts";

Deno.test("app.inject asks for a path, as a test of a program does", async () => {
  const app = quietApp();
  app.get("/users/:id", (req, res) => void res.json({ id: req.params.id, query: req.query, host: req.get("host") }));
  const response = await app.inject("/users/7?fields=name");
  assertEquals(response.status, 200);
  assertEquals(await response.json(), { id: "7", query: { fields: "name" }, host: "localhost" });
});

Deno.test("app.inject takes method, headers and body as fetch does", async () => {
  const app = quietApp();
  app.post("/users", json(), (req, res) => void res.status(201).location("/users/8").json(req.body));
  const init = { method: "POST", headers: { "content-type": "application/json" }, body: '{"name":"Ada"}' };
  const response = await app.inject("/users", init);
  assertEquals([response.status, response.headers.get("location")], [201, "/users/8"]);
  assertEquals(await response.json(), { name: "Ada" });
});

Deno.test("app.inject takes URLs and requests, and what is given beside a request replaces its own", async () => {
  const app = quietApp();
  app.all("/where", (req, res) => void res.send(`${req.method} ${req.protocol}://${req.get("host")}${req.url}`));
  const texts = [
    await app.inject("https://example.com/where?a=1"),
    await app.inject(new URL("https://example.com/where")),
    await app.inject(new Request("https://example.com/where")),
    await app.inject(new Request("https://example.com/where"), { method: "DELETE" }),
  ].map((response) => response.text());
  assertEquals(await Promise.all(texts), [
    "GET https://example.com/where?a=1",
    "GET https://example.com/where",
    "GET https://example.com/where",
    "DELETE https://example.com/where",
  ]);
});

Deno.test("two slashes at the beginning are a path, and not a host", async () => {
  const app = quietApp();
  app.use((req, res) => void res.send(`${req.get("host")} ${req.url}`));
  assertEquals(await (await app.inject("//admin/x")).text(), "localhost //admin/x");
});

Deno.test("errors of handlers and paths without a handler are responses, as over a network", async () => {
  const app = quietApp();
  app.get("/fails", () => {
    throw new Error("fails");
  });
  app.use("/mounted", Router().get("/here", (_req, res) => void res.send("here")));
  assertEquals((await app.inject("/fails")).status, 500);
  assertEquals((await app.inject("/mounted/there")).status, 404);
  assertEquals((await app.inject("/mounted/here")).status, 200);
});

Deno.test("a request may be one object with its url, as in Fastify", async () => {
  const app = quietApp().use(json());
  app.post("/users", (req, res) => void res.json([req.body, req.query["a"], req.env]));
  const response = await app.inject({ method: "POST", url: "/users?a=1", body: { name: "Ada" }, env: { KEY: "k" } });
  assertEquals(await response.json(), [{ name: "Ada" }, "1", { KEY: "k" }]);
  assertEquals((await app.inject({ url: new URL("http://localhost/none") })).status, 404);
  // options of the second argument count as well
  assertEquals((await app.inject({ url: "/users" }, { method: "POST", body: {} })).status, 200);
  await assertRejects(() => app.inject({ method: "POST" } as never), TypeError, "app.inject expects a path such as");
  await assertRejects(() => app.inject({ url: "/", payload: {} } as never), TypeError, "use body");
});

Deno.test("what is neither a path nor a URL is refused, and so is a request that cannot be", async () => {
  const app = quietApp();
  await assertRejects(() => app.inject("users"), TypeError, 'app.inject expects a path such as "/users/7"');
  await assertRejects(() => app.inject("/", { body: "a GET has none" }), TypeError);
});

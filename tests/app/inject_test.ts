import { assertEquals, assertRejects } from "@std/assert";
import { json, rateLimit, Router } from "../../mod.ts";
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

Deno.test("an injected request comes from 127.0.0.1, or from the address that the test gives", async () => {
  const app = quietApp();
  app.get("/", (req, res) => void res.json([req.ip, req.ips, req.socket.remoteAddress, req.env["KEY"] ?? null]));
  const seen = async (...args: Parameters<typeof app.inject>) => await (await app.inject(...args)).json();
  assertEquals(await seen("/"), ["127.0.0.1", [], "127.0.0.1", null]);
  assertEquals(await seen(new Request("http://localhost/")), ["127.0.0.1", [], "127.0.0.1", null]);
  assertEquals(await seen("/", { remoteAddress: "192.0.2.1" }), ["192.0.2.1", [], "192.0.2.1", null]);
  const env = { KEY: "k" };
  assertEquals(await seen({ url: "/", remoteAddress: "192.0.2.1", env }), ["192.0.2.1", [], "192.0.2.1", "k"]);
  // spelled as a server would report it
  for (const [remoteAddress, address] of [["2001:DB8:0::1", "2001:db8::1"], ["::ffff:192.0.2.1", "192.0.2.1"]]) {
    assertEquals((await seen("/", { remoteAddress }))[0], address);
  }
});

Deno.test("an address that the platform reports takes precedence", async () => {
  const app = quietApp().get("/", (req, res) => void res.send(req.ip));
  const env = { remoteAddr: { hostname: "192.0.2.7", port: 1 } };
  assertEquals(await (await app.inject("/", { env })).text(), "192.0.2.7");
  assertEquals(await (await app.inject("/", { env, remoteAddress: "192.0.2.1" })).text(), "192.0.2.7");
  // a request that fetch gets has no address of its own
  assertEquals(await (await app.fetch(new Request("http://localhost/"))).text(), "");
});

Deno.test("trust proxy and limiters apply to the address of an injected request", async () => {
  const app = quietApp().set("trust proxy", "192.0.2.0/24").use(rateLimit({ windowMs: 60_000, limit: 1 }));
  app.get("/", (req, res) => void res.send(req.ip));
  const headers = { "x-forwarded-for": "203.0.113.9" };
  const asked = async (remoteAddress?: string) => {
    const response = await app.inject("/", { headers, remoteAddress });
    return response.status === 200 ? await response.text() : response.status;
  };
  assertEquals(await asked("192.0.2.1"), "203.0.113.9");
  assertEquals(await asked("192.0.2.2"), 429);
  assertEquals(await asked("198.51.100.1"), "198.51.100.1");
  assertEquals([await asked(), await asked()], ["127.0.0.1", 429]);
});

Deno.test("a remote address that is no IP address is refused", async () => {
  const app = quietApp().get("/", (_req, res) => void res.send("ok"));
  for (
    const [given, shown] of [["localhost", '"localhost"'], ["", '""'], ["192.0.2", '"192.0.2"'], [7, "7"]] as const
  ) {
    await assertRejects(
      () => app.inject("/", { remoteAddress: given as string }),
      TypeError,
      `app.inject: remoteAddress must be an IP address, not ${shown}`,
    );
  }
});

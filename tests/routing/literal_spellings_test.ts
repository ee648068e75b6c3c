import { assertEquals } from "@std/assert";
import express4 from "@sluice/express/4";
import express from "express";
import sluice, { type FrameworkApp, type Handler } from "@sluice/sluice";
import { type Any, askBoth } from "../support/sluice_and_express.ts";
import { quietApp } from "../support/app.ts";

/** Requests a raw path; the Request constructor would encode it. */
async function ask(app: FrameworkApp, path: string): Promise<string> {
  const request = new Request("http://localhost/");
  Object.defineProperty(request, "url", { value: `http://localhost${path}` });
  return await (await app.handle(request)).text();
}

function listening(...paths: readonly string[]): FrameworkApp {
  const app = quietApp();
  for (const path of paths) app.get(path, (req, res) => res.json([path, req.params]));
  app.use((_req, res) => res.send("none"));
  return app;
}

const SEEN: Handler = (req, res) => res.json([req.baseUrl, req.url, req.path, req.app.mountpath]);

Deno.test("a route outside of ASCII matches what browsers send, in either case of the digits", async () => {
  const app = listening("/café/:id/ñ", "/日本");
  const params = '["/café/:id/ñ",{"id":"é"}]';
  assertEquals(await ask(app, "/caf%C3%A9/%C3%A9/%C3%B1"), params);
  assertEquals(await ask(app, "/caf%c3%a9/%c3%a9/%c3%b1/"), params);
  assertEquals(await ask(app, "/caf%c3%A9/é/ñ"), params);
  assertEquals(await ask(app, "/CAF%C3%89/%C3%A9/%C3%91"), params);
  assertEquals(await ask(app, "/%E6%97%A5%e6%9c%ac"), '["/日本",{}]');
  for (const path of ["/cafe/1/n", "/caf%C3/1/%C3%B1", "/caf%C3%A8/1/%C3%B1", "/c%61f%C3%A9/1/%C3%B1", "/%E6%97%A5"]) {
    assertEquals(await ask(app, path), "none", path);
  }
});

Deno.test("case counts outside of ASCII where it counts elsewhere, and for digits of escapes it never does", async () => {
  const app = quietApp().enable("case sensitive routing");
  app.use("/é", SEEN);
  app.use((_req, res) => res.send("none"));
  assertEquals(await ask(app, "/%c3%a9/x"), '["/%c3%a9","/x","/x","/"]');
  assertEquals(await ask(app, "/%C3%89/x"), "none");
});

Deno.test("a path that the program has encoded is the same path", async () => {
  const app = listening("/caf%C3%A9", "/a%2Fb", "/my docs");
  assertEquals(await ask(app, "/caf%c3%a9"), '["/caf%C3%A9",{}]');
  assertEquals(await ask(app, "/café"), '["/caf%C3%A9",{}]');
  assertEquals(await ask(app, "/a%2fb"), '["/a%2Fb",{}]');
  assertEquals(await ask(app, "/a/b"), "none");
  assertEquals(await ask(app, "/my%20docs"), '["/my docs",{}]');
});

Deno.test("routers, applications, groups, lists and paths of Express 4 match outside of ASCII, too", async () => {
  const app = express4().set("env", "test");
  const router = express4.Router().get("/:id(\\d+)", (req, res) => res.json([req.baseUrl, req.params, req.routePath]));
  app.use("/ä", router);
  const inner = quietApp();
  inner.get("/", SEEN);
  app.use("/ö/:x", inner);
  app.group("/ü", (group: Any) => group.get("/x", SEEN));
  app.get(["/other", "/ß"], (_req, res) => res.send("list"));
  app.get("/é+/:id(\\d+)", (req, res) => res.json(req.params));
  app.get("/:a-é:b", (req, res) => res.json(req.params));
  app.use((_req, res) => res.send("none"));
  assertEquals(await ask(app, "/%C3%A4/7"), '["/%C3%A4",{"id":"7"},"/ä/:id(\\\\d+)"]');
  assertEquals(await ask(app, "/%C3%B6/1"), '["/%C3%B6/1","/","/","/ö/:x"]');
  assertEquals((await ask(app, "/%C3%BC/x")).includes("/x"), true);
  assertEquals(await ask(app, "/%C3%9F"), "list");
  assertEquals(await ask(app, "/%C3%A9%c3%a9%C3%89/7"), '{"id":"7"}');
  assertEquals(await ask(app, "/1-2-%C3%A93"), '{"a":"1-2","b":"3"}');
});

Deno.test("a mount matches characters that only some clients encode in either form, and a route as in Express", async () => {
  const app = express4().set("env", "test");
  app.use("/@me", SEEN);
  app.use("/~a+b\\(1\\)".replace("+", "\\+"), SEEN);
  app.use("/q&a/:id(\\d+)", SEEN);
  app.get("/@route", SEEN);
  app.use((_req, res) => res.send("none"));
  for (const path of ["/@me", "/%40me"]) assertEquals(await ask(app, `${path}/x`), `["${path}","/x","/x","/"]`);
  for (const path of ["/~a+b(1)", "/%7Ea%2Bb%281%29", "/%7ea+b%281)"]) {
    assertEquals(await ask(app, path), `["${path}","/","/","/"]`);
  }
  for (const path of ["/q&a/1", "/q%26a/1"]) assertEquals(await ask(app, path), `["${path}","/","/","/"]`);
  assertEquals(await ask(app, "/%40route"), "none");
  for (const path of ["/@%6de", "/%40m%65", "/%71&a/1"]) assertEquals(await ask(app, path), "none");
});

Deno.test("letters and digits that are encoded match no route and no mount, as in Express", async () => {
  const build = (app: Any, lib: Any): void => {
    app.use("/admin", (_req: Any, res: Any) => res.send("mount"));
    const router: Any = (lib === express ? express : sluice).Router();
    app.use("/r", router.get("/x/:id", (req: Any, res: Any) => res.json([req.baseUrl, req.params])));
    app.get("/@me", (_req: Any, res: Any) => res.send("route"));
    app.get("/a-b_c.d", (_req: Any, res: Any) => res.send("punctuation"));
    app.use((_req: Any, res: Any) => res.send("none"));
  };
  const paths = [
    "/%61dmin",
    "/admi%6E",
    "/r/%78/1",
    "/r/x/%61",
    "/%40me",
    "/@me",
    "/a%2db_c.d",
    "/a-b%5Fc%2Ed",
    "/r%2Fx/1",
  ];
  const [ours, theirs] = await askBoth(build, paths.map((path) => ({ path })));
  assertEquals(ours.map(({ body }) => body), theirs.map(({ body }) => body));
});

Deno.test("what req.baseUrl and mountpath show of an encoded mount is what Express shows", async () => {
  const [ours, theirs] = await askBoth((app: Any, lib: Any) => {
    const inner = lib();
    inner.use((req: Any, res: Any) => res.json([req.baseUrl, req.url, req.originalUrl, req.app.mountpath]));
    app.use("/caf%C3%A9", inner);
  }, [{ path: "/caf%C3%A9/x?y=1" }, { path: "/caf%c3%a9" }]);
  assertEquals(ours.map(({ body }) => body), theirs.map(({ body }) => body));
});

Deno.test("literals with several spellings take linear time", () => {
  const layer = quietApp().get("/:a-é:b", () => {}).router.stack[0]! as Any;
  const path = `/${"x-%C3%A9".repeat(20_000)}/y`;
  const start = performance.now();
  layer.match(path);
  assertEquals(performance.now() - start < 1000, true);
});

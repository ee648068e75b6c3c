import { assertEquals, assertThrows } from "@std/assert";
import sluice, { type FrameworkRequest } from "@sluice/sluice";
import { ask, askText, quietApp } from "../support/app.ts";

Deno.test("the defaults are Express's, except for x-powered-by", async () => {
  const app = sluice();
  assertEquals([app.get("etag"), app.get("query parser"), app.get("subdomain offset"), app.get("trust proxy")], [
    "weak",
    "simple",
    2,
    false,
  ]);
  assertEquals([app.get("views"), app.get("jsonp callback name")], [`${Deno.cwd()}/views`, "callback"]);
  assertEquals([app.get("json charset"), app.enabled("json charset")], [true, true]);
  assertEquals((await ask(quietApp(), "/")).headers.get("x-powered-by"), null);
  assertEquals((await ask(quietApp().enable("x-powered-by"), "/")).headers.get("x-powered-by"), "Sluice");
});

Deno.test("settings can be stored, switched, tested and listed", () => {
  const app = quietApp().set("title", "x").enable("on").disable("off");
  assertEquals([app.get("title"), app.enabled("on"), app.disabled("on"), app.enabled("off"), app.disabled("none")], [
    "x",
    true,
    false,
    false,
    true,
  ]);
  assertEquals([app.getSettings()["title"], app.getSettings().env], ["x", "test"]);
  app.set("hasOwnProperty", 1);
  assertEquals(app.get("hasOwnProperty"), 1);
});

Deno.test("invalid settings are refused", () => {
  assertThrows(() => quietApp().set("etag", 42), TypeError, "unknown value for etag function: 42");
  assertThrows(() => quietApp().set("query parser", "odd"), TypeError, "unknown value for query parser function: odd");
  const refuses = (value: unknown, message: string) =>
    assertThrows(() => quietApp().set("trust proxy", value), TypeError, message);
  refuses("300.1.1.1", 'invalid IP address: 300.1.1.1; "trust proxy" accepts addresses, subnets');
  refuses("10.0.0.0/99", 'invalid range on address: 10.0.0.0/99; "trust proxy" accepts addresses, subnets');
  refuses("1", 'invalid IP address: 1; "trust proxy" accepts addresses, subnets');
  refuses("true", "and true or a number of proxies (not as strings)");
  refuses({}, '"trust proxy" must be true, a number of proxies, subnets or a function, not an object');
  refuses([7], '"trust proxy" must be true, a number of proxies, subnets or a function, not 7');
  assertThrows(() => quietApp().set("etag", Symbol("odd")), TypeError, "etag function: Symbol(odd); use");
  assertThrows(() => quietApp().set("query parser", Symbol("odd")), TypeError, "parser function: Symbol(odd); use");
});

Deno.test("a refused setting keeps its value", () => {
  const app = quietApp().set("etag", "strong").set("query parser", "extended").set("trust proxy", 1);
  const before = app.getSettings();
  for (const name of ["etag", "query parser", "trust proxy"]) assertThrows(() => app.set(name, "10.0.0.0/odd"));
  assertEquals(app.getSettings(), before);
  const [parent, child] = [quietApp().enable("trust proxy"), quietApp()];
  assertThrows(() => child.set("trust proxy", "odd"));
  parent.use(child);
  assertEquals(child.get("trust proxy"), true);
});

Deno.test("a mounted application inherits settings it did not set, and emits mount", () => {
  const parent = quietApp().set("title", "parent").set("trust proxy", true).set("json charset", false);
  const child = sluice();
  let heard: unknown;
  child.on("mount", (on) => heard = on);
  parent.use("/blog", child);
  assertEquals(heard === parent, true);
  assertEquals([child.get("title"), child.get("trust proxy"), child.mountpath, child.path()], [
    "parent",
    true,
    "/blog",
    "/blog",
  ]);
  const grandchild = sluice().enable("json charset");
  child.use(["/a", "/b"], grandchild);
  assertEquals([child.get("json charset"), grandchild.get("json charset")], [false, true]);
  assertEquals([grandchild.mountpath, grandchild.parent === child], [["/a", "/b"], true]);
});

Deno.test("custom request methods of an application are visible to it and to applications mounted on it", async () => {
  const parent = quietApp();
  const child = sluice();
  // deno-lint-ignore no-explicit-any -- what plain JavaScript users write
  parent.request["shout"] = function (this: any) {
    return this.method.toLowerCase();
  };
  child.request["own"] = () => "own";
  // deno-lint-ignore no-explicit-any -- what plain JavaScript users write
  child.get("/", (req: FrameworkRequest & any, res) => res.json([req.shout(), req.own()]));
  // deno-lint-ignore no-explicit-any -- what plain JavaScript users write
  parent.get("/", (req: FrameworkRequest & any, res) => res.json([req.shout(), typeof req.own]));
  parent.use("/child", child);
  assertEquals([await askText(parent, "/child"), await askText(parent, "/")], ['["get","own"]', '["get","undefined"]']);
});

Deno.test("the application's context is set on every request", async () => {
  const app = quietApp();
  app.setAppContext({ setApp: (_req, res) => void (res.locals["tenant"] = "a") });
  app.get("/", (_req, res) => res.send(res.locals["tenant"]));
  assertEquals([await askText(app, "/"), typeof app._appContext], ["a", "object"]);
  for (const [given, shown] of [[{}, "an object"], [() => {}, "a function"], [undefined, "undefined"]]) {
    const message = `app.setAppContext expects null or { setApp(req, res) {} }, not ${shown}`;
    assertThrows(() => app.setAppContext(given as never), TypeError, message);
  }
});

Deno.test("an application called as a function is a middleware", async () => {
  const inner = quietApp();
  inner.get("/x", (_req, res) => res.send("inner"));
  const outer = quietApp();
  outer.use((req, res, next) => inner(req, res, next));
  outer.use((_req, res) => res.send("outer"));
  assertEquals([await askText(outer, "/x"), await askText(outer, "/y")], ["inner", "outer"]);
});

Deno.test("programs can store values on an application under names that Express leaves free", async () => {
  const app = quietApp();
  const kept: Record<string, unknown> = {
    db: 1,
    routes: { lookup: 2 },
    middlewares: [],
    children: 3,
    server: "mine",
    websocket: 4,
    connections: { primary: 5 },
  };
  Object.assign(app, kept);
  app.get("/", (req, res) => res.json(Object.keys(kept).map((name) => Reflect.get(req.app, name) === kept[name])));
  assertEquals(await askText(app, "/"), "[true,true,true,true,true,true,true]");
  assertEquals(app.getRoutes().map(({ path }) => path), ["/"]);
  assertEquals(quietApp().routes, []);
  await app.close();
});

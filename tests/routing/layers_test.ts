import { assert, assertEquals } from "@std/assert";
import express4 from "@sluice/express/4";
import express from "express";
import sluice, { type FrameworkApp, Layer, Router } from "@sluice/sluice";
import { ask, askText, quietApp } from "../support/app.ts";

// deno-lint-ignore no-explicit-any -- these tests read what programs read, whatever its type
type Any = any;

/** An application's layers, as programs for Express 4 or 5 find them. */
function stackOf(app: FrameworkApp): Any[] {
  return (app as Any)._router.stack;
}

Deno.test("layers of Express 4 show their path as an expression, with its keys and marks", () => {
  const app = express4();
  app.use(() => {}).use("/static", () => {}).use("/t/:tenant", Router());
  app.get("/a/:x(\\d+)", () => {}).get("/o/:o?", () => {}).get(["/one", "/two/:t"], () => {}).get("*", () => {});
  app.get("/file/:name*", () => {}).get(/^\/re(\d+)-(?<n>x)$/, () => {}).get("/new/*rest", () => {});
  const shown = stackOf(app).map(({ regexp, keys }) => [
    String(regexp),
    keys.map(({ name, optional }: Any) => optional ? [name, "optional"] : name),
    regexp.fast_slash ?? false,
    regexp.fast_star ?? false,
  ]);
  assertEquals(shown, [
    [String.raw`/^\/?(?=\/|$)/i`, [], true, false],
    [String.raw`/^\/static\/?(?=\/|$)/i`, [], false, false],
    [String.raw`/^\/t\/(?:([^\/]+?))\/?(?=\/|$)/i`, ["tenant"], false, false],
    [String.raw`/^\/a\/(?:(\d+))\/?$/i`, ["x"], false, false],
    [String.raw`/^\/o(?:\/([^\/]+?))?\/?$/i`, [["o", "optional"]], false, false],
    [String.raw`/^\/one\/?$|^\/two\/(?:([^\/]+?))\/?$/i`, ["t"], false, false],
    [String.raw`/^(.*)\/?$/i`, [0], false, true],
    [String.raw`/^\/file\/(?:([^\/]+?)((?:[\/].+?)?))\/?$/i`, ["name", 0], false, false],
    [String.raw`/^\/re(\d+)-(?<n>x)$/`, [0, "n"], false, false],
    [String.raw`/^\/new\/(.+)\/?$/i`, ["rest"], false, false],
  ]);
});

Deno.test("layers show paths of words and parameters in the form of Express 4, and others as they are matched", () => {
  const app = quietApp();
  app.use(() => {}).use("/static", () => {}).use("/t/:tenant", Router());
  app.get("/a.b/:x", () => {}).get(["/one", "/two/:t"], () => {}).get("/new/*rest", () => {});
  const strict = quietApp().enable("strict routing").enable("case sensitive routing").get("/s", () => {});
  const shown = [...stackOf(app), ...stackOf(strict)].map(({ regexp, keys }) => [
    String(regexp),
    keys.map(({ name }: Any) => name),
  ]);
  assertEquals(shown, [
    [String.raw`/^\/?(?=\/|$)/i`, []],
    [String.raw`/^\/static\/?(?=\/|$)/i`, []],
    [String.raw`/^\/t\/(?:([^\/]+?))\/?(?=\/|$)/i`, ["tenant"]],
    [String.raw`/^\/a\.b\/(?:([^\/]+?))\/?$/i`, ["x"]],
    [String.raw`/^\/one\/?$|^\/two\/(?:([^\/]+?))\/?$/i`, ["t"]],
    [String(stackOf(app).at(-1).patterns[0].regex), ["rest"]],
    [String.raw`/^\/s$/`, []],
  ]);
});

Deno.test("an expression is made once, and only for who looks at it", () => {
  const [layer] = stackOf(quietApp().get("/a/:b", () => {}));
  assertEquals(Object.keys(layer).includes("regexp"), false);
  assert(layer.regexp === layer.regexp && layer.keys === layer.keys);
});

Deno.test("applications, routers and layers have the names that they have in Express", () => {
  const named = (lib: Any): unknown => {
    const app = lib();
    app.use(function own() {}).use(() => {}).use(lib.Router()).use("/in", lib()).get("/", () => {});
    app.get("/x", function last() {});
    const { stack } = app.router;
    return [
      app.name,
      stack.map(({ name }: Any) => name),
      stack.at(-1).route.stack[0].name,
      Object.keys(app.router)
        .includes("stack"),
    ];
  };
  assertEquals(named(sluice), named(express));
});

Deno.test("app._router is there from the first use on, and can be replaced by nothing to begin anew", async () => {
  const app: Any = quietApp();
  assertEquals(app._router, undefined);
  app.lazyrouter();
  assert(app._router === app.router);
  app.get("/", (_req: Any, res: Any) => res.send("old"));
  assertEquals(await askText(app, "/"), "old");
  app._router = undefined;
  assertEquals((await ask(app, "/")).status, 404);
  app.get("/", (_req: Any, res: Any) => res.send("new"));
  assertEquals(await askText(app, "/"), "new");
});

Deno.test("routes are removed by filtering and by splicing, in the router and in a route", async () => {
  const app = quietApp();
  app.get("/", function first(_req, res) {
    res.send("first");
  }, function second(_req, res) {
    res.send("second");
  });
  app.get("/gone", (_req, res) => res.send("gone"));
  app.get("/kept", (_req, res) => res.send("kept"));
  assertEquals([await askText(app, "/"), await askText(app, "/gone")], ["first", "gone"]);
  // as in programs that copied this from the web
  const { stack } = app.router as Any;
  const remove = (layer: Any, index: number, layers: Any[]): void => {
    if (layer.handle.name === "first") layers.splice(index, 1);
    layer.route?.stack.forEach(remove);
  };
  stack.forEach(remove);
  assertEquals(await askText(app, "/"), "second");
  (app as Any)._router.stack = stackOf(app).filter(({ route }) => route?.path !== "/gone");
  assertEquals([(await ask(app, "/gone")).status, await askText(app, "/kept")], [404, "kept"]);
});

Deno.test("a layer matches for a program, which then finds its parameters", () => {
  const [layer] = stackOf(quietApp().get("/a/:b", () => {}));
  assertEquals([Boolean(layer.match("/a/x%20y")), layer.params], [true, { b: "x y" }]);
  assertEquals([Boolean(layer.match("/c")), layer.params], [false, undefined]);
});

Deno.test("layers can be called as in Express 4 and 5, and pass on what fails", async () => {
  const failing = new Error("fails");
  const app = quietApp();
  app.use((_req, res) => res.send("called")).use(() => {
    throw failing;
  }).use(() => Promise.reject(failing)).use((error: Any, _req: Any, res: Any, _next: Any) => res.send(error));
  const [plain, throwing, rejecting, handling] = stackOf(app);
  const res = { send: (value: unknown) => sent.push(value) };
  let sent: unknown[] = [];
  const next = (error?: unknown) => sent.push(error);
  for (const names of [["handle_request", "handle_error"], ["handleRequest", "handleError"]] as const) {
    const [request, error] = names;
    sent = [];
    for (const layer of [plain, throwing, handling]) layer[request]({}, res, next);
    assertEquals(sent, ["called", failing, undefined]);
    sent = [];
    for (const layer of [plain, handling]) layer[error]("e", {}, res, next);
    assertEquals(sent, ["e", "e"]);
    assertEquals(
      await new Promise((resolve) => rejecting[request]({}, res, resolve)),
      failing,
    );
  }
});

Deno.test("what a program puts in place of Layer.prototype.handle_request is called for all layers", async () => {
  const prototype = Layer.prototype as Any;
  const original = prototype.handle_request;
  const app = quietApp();
  app.use(function guard(_req, _res, next) {
    next();
  });
  const router = Router();
  router.get("/", function inner() {
    return { returned: true };
  });
  app.use("/r", router);
  assertEquals(prototype.handleRequest, original);
  const called: string[] = [];
  prototype.handle_request = function (this: Any, req: Any, res: Any, next: Any) {
    called.push(this.handle.name);
    const result = this.handle(req, res, next);
    if (result !== undefined) res.json(result);
  };
  try {
    assertEquals(await askText(app, "/r"), '{"returned":true}');
    assertEquals(called, ["guard", "router", "handle", "inner"]);
  } finally {
    prototype.handle_request = original;
  }
  app.get("/after", (_req, res) => res.send("direct"));
  called.length = 0;
  assertEquals([await askText(app, "/after"), called], ["direct", []]);
});

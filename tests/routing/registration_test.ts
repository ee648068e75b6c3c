import { METHODS } from "node:http";
import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import express from "express";
import sluice, { FrameworkApp, Router } from "@sluice/sluice";
import { ask, askText, quietApp } from "../support/app.ts";

// deno-lint-ignore no-explicit-any -- these tests pass what the types forbid
type Any = any;

const BAD_PATHS: readonly (readonly [path: Any, says: string])[] = [
  [42, "42"],
  [null, "null"],
  [{}, "an object"],
  ["/a(bc", "RegExp"],
  ["/[ab", "RegExp"],
  ["/a?b=1", 'write "/a"'],
  ["/:", "name the parameter"],
  ["/{a", "brace"],
  ["/:a:b", "text between"],
  ["/:a*/:b*", 'write "/:a{/*rest}/:b{/*rest1}"'],
  ["/x:a+", 'write "/x*a"'],
  ["/(a+)+", "RegExp"],
  ["/:id((a+)+)", "RegExp"],
  ["/:id(\\d+)", "@sluice/express@4"],
  ["/:id?", 'write "{/:id}"'],
  ["*", 'write "{*rest}"'],
  ["/files/:path(*)", 'write "/files/*path"'],
];

for (const [path, says] of BAD_PATHS) {
  Deno.test(`a path like ${JSON.stringify(path)} is refused, with a hint what to write instead`, () => {
    const error = assertThrows(() => quietApp().get(path, () => {}), TypeError, "app.get");
    assertStringIncludes(error.message, says);
  });
}

Deno.test("applications, routers and routes have a function for each of Node's methods, which registers for that one", () => {
  const handler = () => {};
  assert(METHODS.length > 30);
  for (const method of METHODS) {
    const name = method.toLowerCase();
    const [app, router]: Any[] = [quietApp(), Router()];
    assertEquals([app[name]("/a", handler) === app, router[name]("/a", handler) === router], [true, true], name);
    // for a route, all arguments are handlers
    assertEquals(app.route("/b")[name](handler, [handler]).stack.length, 2, name);
    const registered = [...app.routes, ...router.routes].map((route) => [route.method, route.path]);
    assertEquals(registered, [[method, "/a"], [method, "/b"], [method, "/a"]], name);
  }
});

Deno.test("a value that is no handler is refused, naming the method and the value", () => {
  assertThrows(
    () => quietApp().get("/", "text" as Any),
    TypeError,
    'app.get: argument handler must be a function, not "text"',
  );
  assertThrows(() => quietApp().post("/", null as Any), TypeError, "app.post");
  assertThrows(() => quietApp().use("/x" as Any), TypeError, "app.use");
  assertThrows(
    () => quietApp().use("/x", {} as Any),
    TypeError,
    "app.use: argument handler must be a function, not an object",
  );
  for (const [given, what] of [[undefined, "undefined"], [[null], "null"], [{ default: () => {} }, "an object"]]) {
    const refused = `app.use requires a middleware function, not ${what}`;
    assertThrows(() => quietApp().use(given as Any), TypeError, refused);
  }
  assertThrows(() => Router().delete("/"), TypeError, "Router.delete requires a handler");
  assertThrows(() => quietApp().route("/").get(), TypeError, "requires a handler");
  const first = 'app.post expects a path before its handlers, as in app.post("/path", handler), not a function';
  assertThrows(() => quietApp().post((() => {}) as Any), TypeError, first);
});

Deno.test("a value that is no path is refused, naming the method that got it", () => {
  const handler = () => new Response();
  const refuses = (register: (app: FrameworkApp) => unknown, method: string) =>
    assertThrows(
      () => register(quietApp()),
      TypeError,
      `${method} expects a path as a string, a RegExp or an array of them, not 5`,
    );
  refuses((app) => app.use(5 as never, handler), "app.use");
  refuses((app) => app.mount(5 as never, handler), "app.mount");
  refuses((app) => app.group(5 as never, () => {}), "app.group");
  refuses((app) => app.route(5 as never), "app.route");
});

Deno.test("ws without handlers is refused", () => {
  assertThrows(() => quietApp().ws("/", undefined as Any), TypeError, "app.ws needs the connection's handlers");
  assertThrows(() => quietApp().ws("/", {}), TypeError, "at least one");
  assertThrows(() => quietApp().ws("/", { message: 1 as Any }), TypeError, '"message" must be a function');
  assertThrows(() => quietApp().ws("/", "x" as Any, { open() {} }), TypeError, "app.ws: middleware must be a function");
});

Deno.test("parameter handlers need a name and a function", () => {
  assertThrows(() => quietApp().param("" as Any, () => {}), TypeError, "name is required");
  assertThrows(() => quietApp().param(1 as Any, () => {}), TypeError, "must be a string");
  assertThrows(() => quietApp().param("id", "x" as Any), TypeError, "must be a function");
});

Deno.test("a group needs a callback, and takes options as an object", async () => {
  assertThrows(() => quietApp().group("/x", {}), TypeError, "app.group requires a callback");
  const router = Router() as never;
  assertThrows(
    () => quietApp().group("/x", router),
    TypeError,
    "a callback that fills the router, not a router; mount it with use",
  );
  const fill = () => {};
  const message = 'app.group expects its options as an object, not "strict"';
  assertThrows(() => quietApp().group("/x", "strict" as never, fill), TypeError, message);
  for (const none of [null, undefined]) {
    const app = quietApp().group("/x", none as never, (group) => group.get("/y", (_req, res) => res.send("y")));
    assertEquals(await askText(app, "/x/y"), "y");
  }
});

Deno.test("a group refuses unknown options, since a misspelt middleware would guard nothing", () => {
  const guards = { middlewares: [() => {}] } as never;
  const message = "app.group: there is no option middlewares; did you mean middleware?";
  assertThrows(() => quietApp().group("/x", guards, () => {}), TypeError, message);
});

Deno.test("Router is made with and without new, and is a router either way", () => {
  const made = [Router(), new Router({ mergeParams: true })];
  for (const router of made) assertEquals([typeof router, router instanceof Router], ["function", true]);
  assertEquals(made[1]!.mergeParams, true);
});

Deno.test("an app is callable, an instance of its class, and carries what express carries", () => {
  const app = sluice();
  assertEquals([typeof app, app instanceof FrameworkApp], ["function", true]);
  for (const name of ["Router", "Route", "json", "urlencoded", "text", "raw", "static"] as const) {
    assertEquals(typeof sluice[name], "function", name);
  }
  assertEquals(sluice.Router.Route, sluice.Route);
});

Deno.test("groups nest, see the parameters of their prefix and run their middleware first", async () => {
  const app = quietApp();
  app.group("/team/:team", { middleware: (_req, res, next) => (res.set("x-group", "1"), next()) }, (team) => {
    team.group("/member/:member", (member) => {
      member.get("/", (req, res) => res.json(req.params));
    });
  });
  const response = await ask(app, "/team/a/member/b");
  assertEquals(await response.json(), { team: "a", member: "b" });
  assertEquals(response.headers.get("x-group"), "1");
});

Deno.test("the arrays on an app are views of its layers, in order, at all times", () => {
  const app = quietApp();
  const first = () => {};
  const second = () => {};
  const failing = (_e: unknown, _q: unknown, _s: unknown, _n: unknown) => {};
  const router = Router();
  assertEquals([app.routes.length, app.middlewares.length, app.children.length], [0, 0, 0]);
  app.use(first).use("/p", second).use("/r", router).use(failing as Any);
  app.get("/a/:id", first).all("/b", second).ws("/live/:room", { open() {} });
  assertEquals(app.middlewares, [first]);
  assertEquals(app.prefixMiddlewares, [{ prefix: "/p", handlers: [second] }]);
  assertEquals(app.children.map(({ prefix }) => prefix), ["/r"]);
  assertEquals(app.children[0]!.router === router, true);
  assertEquals(app.errorHandlers, [failing as Any]);
  assertEquals(app.getRoutes().map(({ method, path, keys }) => [method, path, keys]), [["GET", "/a/:id", ["id"]], [
    "ALL",
    "/b",
    [],
  ]]);
  assertEquals(app.routes[0]!.regex.test("/a/7"), true);
  assertEquals(app.getWsRoutes().map(({ path, keys }) => [path, keys]), [["/live/:room", ["room"]]]);
});

Deno.test("middleware of one call makes one entry for its prefix, and that of another call the next entry", () => {
  const [first, second, third] = [() => {}, () => {}, () => {}];
  const inner = Router();
  const failing = (_e: unknown, _q: unknown, _s: unknown, _n: unknown) => {};
  for (const one of [quietApp(), Router()] as Any[]) {
    one.use("/p", first, [second, third]).use("/p", first);
    one.use(["/q", /^\/r/], first, inner, second, failing, third);
    assertEquals(one.prefixMiddlewares, [
      { prefix: "/p", handlers: [first, second, third] },
      { prefix: "/p", handlers: [first] },
      { prefix: "/q,/^\\/r/", handlers: [first] },
      { prefix: "/q,/^\\/r/", handlers: [second] },
      { prefix: "/q,/^\\/r/", handlers: [third] },
    ]);
  }
});

Deno.test("an application emits mount before later arguments of the same call are registered", async () => {
  const outer = quietApp();
  const inner = quietApp();
  inner.on("mount", (parent) => parent.use((_req: Any, res: Any) => res.send("by the mount")));
  outer.use("/", inner, (_req: Any, res: Any) => res.send("behind"));
  assertEquals(await askText(outer, "/"), "by the mount");
});

Deno.test("every route is listed with its full path, twice if it is registered twice", () => {
  const app = quietApp();
  const inner = Router();
  inner.get("/leaf", () => {}).ws("/feed", { open() {} });
  app.get("/x", () => {}).get("/x", () => {}).use("/in/:id", inner);
  app.group("/g", (group) => void group.post("/", () => {}));
  assertEquals(app.getRegisteredRoutes("/v1"), [
    { fullPath: "/v1/x", method: "GET", path: "/x" },
    { fullPath: "/v1/x", method: "GET", path: "/x" },
    { fullPath: "/v1/in/:id/leaf", method: "GET", path: "/leaf" },
    { fullPath: "/v1/in/:id/feed", method: "WS", path: "/feed" },
    { fullPath: "/v1/g", method: "POST", path: "/" },
  ]);
});

Deno.test("a router lists its own routes and the routers on it as Express's does", () => {
  const listed = (lib: Any): unknown => {
    const inner = lib.Router();
    inner.get("/leaf", () => {});
    const router = lib.Router();
    router.use(() => {}).use((_error: Any, _req: Any, _res: Any, _next: Any) => {});
    router.get("/a", () => {}, () => {}).get(["/b", ["/c", /^\/d/]], () => {}).all("/e", () => {});
    router.route("/f").all(() => {}).get(() => {}).post(() => {}).get(() => {});
    router.route("/g").get(() => {}).head(() => {}).all(() => {});
    router.route("/none");
    router.use("/mw", () => {}).use(inner).use(["/i", "/j"], () => {}, inner).use("/app", lib());
    return router.listRoutes().map(({ router: mounted, ...rest }: Any) => ({
      ...rest,
      router: mounted === inner ? mounted.listRoutes() : mounted,
    }));
  };
  const ours = listed(sluice);
  assertEquals(ours, listed(express));
  assertEquals((ours as Any[]).map(({ path, methods }) => [String(path), methods?.join(" ")]), [
    ["/a", "GET HEAD"],
    ["/b", "GET HEAD"],
    ["/c", "GET HEAD"],
    ["/^\\/d/", "GET HEAD"],
    ["/e", "*"],
    ["/f", "* GET POST HEAD"],
    ["/g", "GET HEAD *"],
    ["/none", ""],
    ["/", undefined],
    ["/i", undefined],
    ["/j", undefined],
  ]);
});

Deno.test("a router's list omits sockets and shows groups as routers", () => {
  const app = quietApp();
  app.ws("/live", { open() {} });
  app.group("/g", (group) => void group.get("/x", () => {}));
  app.use("/npm", express.Router() as Any);
  const [group, npm, ...rest] = app.router.listRoutes();
  assertEquals([group?.path, (group?.router as Any).listRoutes()[0].path], ["/g", "/x"]);
  assertEquals([npm?.path, typeof npm?.router, rest], ["/npm", "function", []]);
});

Deno.test("printRoutes prints a line for each route", () => {
  const lines: unknown[] = [];
  const log = console.log;
  console.log = (line) => lines.push(line);
  try {
    quietApp().get("/a", () => {}).ws("/b", { open() {} }).printRoutes("/p");
  } finally {
    console.log = log;
  }
  // on a terminal, methods are colored
  const plain = lines.map((line) => String(line).replace("\x1b[36m", "").replace("\x1b[39m", ""));
  assertEquals(plain, ["GET /p/a", "WS /p/b"]);
});

Deno.test("a router colours its methods when asked to", () => {
  const lines: unknown[] = [];
  const log = console.log;
  console.log = (line) => lines.push(line);
  try {
    Router().get("/a", () => {}).printRoutes("", { color: true });
  } finally {
    console.log = log;
  }
  assertEquals(lines, ["\x1b[36mGET\x1b[39m /a"]);
});

Deno.test("routes registered after the first request are found", async () => {
  const app = quietApp();
  assertEquals((await ask(app, "/late")).status, 404);
  app.get("/late", (_req, res) => res.send("here"));
  assertEquals(await askText(app, "/late"), "here");
});

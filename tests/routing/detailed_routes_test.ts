import sluice, { type Handler, rateLimit, Router, shedLoad } from "@sluice/sluice";
import { rateLimit as exactLimit } from "@sluice/rate-limit";
import { assertEquals } from "@std/assert";
import { quietApp } from "../support/app.ts";

const pass: Handler = (_req, _res, next) => next();

function named(name: string): Handler {
  return Object.defineProperty((...args: Parameters<Handler>) => pass(...args), "name", { value: name }) as Handler;
}

function show(): void {}

Deno.test("with details, routes have the middleware that runs before them, in its order", () => {
  const users = Router().use(named("own")).get("/:id", named("load"), show);
  const app = quietApp().use(named("first")).use("/api", named("api")).use("/other", named("other"));
  app.use("/api/:version", named("versioned")).use("/api/:version/users", users);
  app.use(named("late"));
  app.post("/api/jobs", show);
  const listed = app.getRegisteredRoutes("/p", { details: true });
  assertEquals(listed.map(({ method, fullPath, path, handler }) => [method, fullPath, path, handler]), [
    ["GET", "/p/api/:version/users/:id", "/:id", "show"],
    ["POST", "/p/api/jobs", "/api/jobs", "show"],
  ]);
  assertEquals(listed.map(({ middleware }) => middleware.map(({ name, path }) => `${name} ${path}`)), [
    [
      "first /p",
      "api /p/api",
      "versioned /p/api/:version",
      "own /p/api/:version/users",
      "load /p/api/:version/users/:id",
    ],
    ["first /p", "api /p/api", "versioned /p/api/:version", "late /p"],
  ]);
});

Deno.test("error handlers, and middleware for one of a parameter's values, are not listed", () => {
  const app = quietApp().use("/users/7", pass).use((_error: Error, _req: unknown, _res: unknown, _next: unknown) => {});
  app.get("/users/:id", show);
  assertEquals(app.getRegisteredRoutes("", { details: true })[0]!.middleware, []);
});

Deno.test("what runs only for some requests of a route is not listed before it, and what always runs is", () => {
  const app = quietApp().use("/users/me", named("for one")).use("/us", named("for a part"));
  app.use("/report", named("always")).use("/report/csv", named("for one kind"));
  app.use("/files", named("for a text")).use(named("for all"));
  app.get("/report{/:kind}", show).get("/report{/:type}", show).get(/^\/files\/(\d+)$/, show);
  app.get("/users/:id", show);
  const listed = app.getRegisteredRoutes("", { details: true });
  assertEquals(listed.map(({ fullPath, middleware }) => [fullPath, middleware.map(({ name }) => name)]), [
    ["/report{/:kind}", ["always", "for all"]],
    // an earlier route for the same path
    ["/report{/:type}", ["always", "for all", "show"]],
    ["/^\\/files\\/(\\d+)$/", ["for all"]],
    ["/users/:id", ["for all"]],
  ]);
});

Deno.test("a request of a route passes what is listed before it, in other routers too", async () => {
  const passed: string[] = [];
  const noted = (name: string): Handler => {
    const handler: Handler = (_req, _res, next) => {
      passed.push(name);
      next();
    };
    return Object.defineProperty(handler, "name", { value: name });
  };
  const [between, inner] = [Router(), Router()];
  const app = quietApp().use("/a", noted("first"), noted("second")).get("/a/:id", noted("get")).post("/a/:id", pass);
  between.use(noted("in another router")).all("/a/*rest", noted("all"));
  app.use(between).use("/b", pass).use(/^\/a/i, noted("expression"));
  inner.use(noted("around")).get("/:id", noted("own"), (_req, res) => void res.send("done"));
  app.use("/A", inner);
  const route = app.getRegisteredRoutes("", { details: true }).find(({ fullPath }) => fullPath === "/A/:id");
  assertEquals(await (await app.inject("/A/7")).text(), "done");
  assertEquals(route?.middleware.map(({ name }) => name), passed);
  assertEquals(passed.length, 8);
});

Deno.test("a WebSocket route comes after all() of its path, and not after get()", () => {
  const app = quietApp().all("/live", named("all")).get("/live", pass);
  app.ws("/live", named("guard"), { open() {} });
  const socket = app.getRegisteredRoutes("", { details: true }).find(({ method }) => method === "WS");
  assertEquals(socket?.middleware.map(({ name }) => name), ["all", "guard"]);
});

Deno.test("details come in the order of the list without them, and a router mounted below itself is listed once", () => {
  const tree = Router();
  tree.route(["/a", "/b"]).get(show).post(show);
  tree.use(named("own")).use("/node", tree).get("/leaf", show);
  const plain = ({ fullPath, method, path }: { fullPath: string; method: string; path: string }) => {
    return { fullPath, method, path };
  };
  assertEquals(tree.getRegisteredRoutes("", { details: true }).map(plain), tree.getRegisteredRoutes());
  assertEquals(tree.getRegisteredRoutes("", { details: true }).at(-1)?.middleware.map(({ name }) => name), ["own"]);
});

Deno.test("sluice's own middleware says what it limits", () => {
  const app = quietApp().use(sluice.json({ limit: 100 }), rateLimit({ windowMs: 1000, limit: 5 }));
  app.use(exactLimit({ windowMs: 2000, limit: 7, algorithm: "sliding-window", name: "exact" }));
  app.use(shedLoad({ maxPending: 9 }));
  app.ws("/live", { open() {}, message() {}, maxMessageBytes: 1000 });
  const [route] = app.getRegisteredRoutes("", { details: true });
  assertEquals(route!.middleware.map(({ name, limits }) => [name, limits]), [
    ["jsonParser", { limit: "100 B" }],
    ["rateLimit", { limit: 5, window: "1000 ms" }],
    ["rateLimit", { exact: "7 in 2000 ms (sliding-window)" }],
    ["shedLoad", { maxEventLoopDelayMs: 200, maxPending: 9 }],
  ]);
  assertEquals([route!.handler, route!.limits], ["open, message", { maxMessageBytes: 1000 }]);
});

Deno.test("any middleware can say what it checks and limits", () => {
  const validate = Object.assign(named("validate"), {
    [Symbol.for("sluice.details")]: {
      name: "noteSchema",
      validates: { body: { type: "object" }, query: {} },
      limits: { depth: 3 },
    },
  });
  const lines = printed(() => quietApp().post("/notes", validate, show).printRoutes("", { details: true }));
  assertEquals(lines, ["POST /notes (show)", "    noteSchema  limits depth 3  validates body, query"]);
});

Deno.test("what a route validates, responds with and is called is shown, of the last handler too; a regular expression is told", () => {
  const says = (name: string, details: object) =>
    Object.assign(named(name), { [Symbol.for("sluice.details")]: details });
  const schema = { vendor: "any" };
  const operation = { summary: "One note", tags: ["notes"] };
  const app = quietApp();
  app.get(
    /^\/x/,
    says("described", { operation }),
    says("show", { validates: { query: schema }, responds: { 200: schema } }),
  );
  app.get("/y/", show);
  const [byRegExp, plain] = app.getRegisteredRoutes("", { details: true });
  assertEquals(byRegExp!.middleware, [{ name: "described", path: "/^\\/x/", operation }]);
  assertEquals([byRegExp!.details, byRegExp!.byRegExp], [
    { validates: { query: schema }, responds: { 200: schema } },
    true,
  ]);
  assertEquals(["details" in plain!, "byRegExp" in plain!], [false, false]);
  assertEquals(printed(() => app.printRoutes("", { details: true })), [
    "GET /^\\/x/ (show)",
    '    described  "One note"',
    "    itself  validates query  responds 200",
    "GET /y/ (show)",
  ]);
  assertEquals(printed(() => app.printRoutes()), ["GET /^\\/x/", "GET /y/"]);
});

Deno.test("without details, routes are printed and listed as before", () => {
  const app = quietApp().use(pass).get("/a", show);
  assertEquals(printed(() => app.printRoutes("/p")), ["GET /p/a"]);
  assertEquals(app.getRegisteredRoutes("/p"), [{ fullPath: "/p/a", method: "GET", path: "/a" }]);
});

function printed(print: () => void): string[] {
  const { log } = console;
  const lines: string[] = [];
  console.log = (text: string) => void lines.push(...text.split("\n"));
  try {
    print();
  } finally {
    console.log = log;
  }
  return lines;
}

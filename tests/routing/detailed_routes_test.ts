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

Deno.test("sluice's own middleware says what it limits", () => {
  const app = quietApp().use(sluice.json({ limit: 100 }), rateLimit({ windowMs: 1000, max: 5 }));
  app.use(exactLimit({ windowMs: 2000, max: 7, algorithm: "sliding-window", name: "exact" }));
  app.use(shedLoad({ maxPending: 9 }));
  app.ws("/live", { open() {}, message() {}, maxMessageBytes: 1000 });
  const [route] = app.getRegisteredRoutes("", { details: true });
  assertEquals(route!.middleware.map(({ name, limits }) => [name, limits]), [
    ["jsonParser", { limit: "100 B" }],
    ["limiter", { max: 5, window: "1000 ms" }],
    ["limit", { exact: "7 in 2000 ms (sliding-window)" }],
    ["shed", { maxEventLoopDelayMs: 200, maxPending: 9 }],
  ]);
  assertEquals([route!.handler, route!.limits], ["open, message", { maxMessageBytes: 1000 }]);
});

Deno.test("any middleware can say what it checks and limits", () => {
  const validate = Object.assign(named("validate"), {
    [Symbol.for("sluice.details")]: { validates: { body: { type: "object" }, query: {} }, limits: { depth: 3 } },
  });
  const lines = printed(() => quietApp().post("/notes", validate, show).printRoutes("", { details: true }));
  assertEquals(lines, ["POST /notes (show)", "    validate  limits depth 3  validates body, query"]);
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

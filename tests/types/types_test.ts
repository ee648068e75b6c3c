/** Type guarantees, checked by the compiler: this file does not compile if a guarantee is broken. */
import { assertEquals } from "@std/assert";
import sluice, {
  type ErrorHandler,
  type FrameworkRequest,
  type FrameworkResponse,
  type Handler,
  type Next,
  Router,
} from "@sluice/sluice";
import type { ParamsOfPath } from "@sluice/sluice/types";
import { type Equal, expectType } from "./support/expect_type.ts";

Deno.test("literal paths type their parameters", () => {
  expectType<Equal<ParamsOfPath<"/users/:id">, { id: string }>>();
  expectType<Equal<ParamsOfPath<"/a/:b/c/:d">, { b: string; d: string }>>();
  expectType<Equal<ParamsOfPath<"/u{/:id}">, { id?: string }>>();
  expectType<Equal<ParamsOfPath<"/u/:id?">, { id?: string }>>();
  expectType<Equal<ParamsOfPath<"/n/:id(\\d+)">, { id: string }>>();
  expectType<Equal<ParamsOfPath<"/files/*path">, { path: string[] }>>();
  expectType<Equal<ParamsOfPath<"/:from-:to">, { from: string; to: string }>>();
  expectType<Equal<keyof ParamsOfPath<"/plain">, never>>();
  expectType<Equal<ParamsOfPath<"/at/:lat,:lng">, { lat: string; lng: string }>>();
  expectType<Equal<ParamsOfPath<"/:user@:host;:port">, { user: string; host: string; port: string }>>();
  expectType<Equal<ParamsOfPath<"/q/:a=:b&*rest,:c">, { a: string; b: string; rest: string[]; c: string }>>();
  expectType<Equal<ParamsOfPath<'/:"first name"/:last%20'>, { "first name": string; last: string }>>();
  expectType<Equal<ParamsOfPath<"/:größe/:_a$1">, { größe: string; _a$1: string }>>();

  const app = sluice();
  app.get("/users/:id/files/*path", (req, res) => {
    expectType<Equal<typeof req.params.id, string>>();
    expectType<Equal<typeof req.params.path, string[]>>();
    // @ts-expect-error -- there is no such parameter
    res.send(req.params.name);
  });
  Router().post("/x/:y", (req) => expectType<Equal<typeof req.params, { y: string }>>());
  assertEquals(app.routes.length, 1);
});

Deno.test("bodies are typed by a parameter of the request", () => {
  interface Order {
    item: string;
  }
  const app = sluice();
  app.post("/orders", (req: FrameworkRequest<Record<string, string>, Order>, res) => {
    expectType<Equal<typeof req.body, Order>>();
    res.json(req.body.item);
  });
  assertEquals(app.routes.length, 1);
});

Deno.test("locals are typed by a parameter of the application", () => {
  const app = sluice<{ user: { name: string } }>();
  app.get("/", (_req, res) => {
    expectType<Equal<typeof res.locals.user.name, string>>();
    res.send(res.locals.user.name);
  });
  assertEquals(app.routes.length, 1);
});

Deno.test("error handlers, reusable handlers and extended requests are accepted as handlers", () => {
  const failing: ErrorHandler = (error, _req, res, _next) => res.status(500).send(String(error));
  const guard: Handler = (req, _res, next) => next(req.get("x") ? undefined : new Error("no"));
  const app = sluice();
  app.use(guard);
  app.get("/", guard, (req: FrameworkRequest & { tenant: string }, res) => res.send(req.tenant));
  app.use("/x", guard, failing);
  app.use((error: Error, _req: FrameworkRequest, res: FrameworkResponse, _next: Next) =>
    res.status(500).send(error.message)
  );
  assertEquals(app.errorHandlers.length, 2);
});

Deno.test("settings, verbs and use are told apart by their arguments", () => {
  const app = sluice();
  const chained = app.set("a", 1).get("/", () => {}).put("/", () => {}).all("/", () => {});
  expectType<Equal<typeof chained, typeof app>>();
  // @ts-expect-error -- a number is not a handler
  const refused = () => app.post("/", 5);
  assertEquals(typeof refused, "function");
});

Deno.test("a route knows the parameters of its path, whatever the method", () => {
  const app = sluice<{ user: { name: string } }>();
  const route = app.route("/books/:id")
    .all((req, res, next) => {
      expectType<Equal<typeof req.params, { id: string }>>();
      expectType<Equal<typeof res.locals.user.name, string>>();
      next();
    })
    .get((req, res) => res.send(req.params.id.trim()))
    .put([(_req: FrameworkRequest, _res: FrameworkResponse, next: Next) => next()])
    // @ts-expect-error -- there is no such parameter
    .patch((req, res) => res.send(req.params.name));
  Router().route("/shelves/*path").get((req) => expectType<Equal<typeof req.params.path, string[]>>());
  assertEquals(Object.keys(route.methods), ["_all", "get", "put", "patch"]);
});

Deno.test("a handler for any path fits every path, and does not change the types of those beside it", () => {
  const guard: Handler = (_req, _res, next) => next();
  const profile = (req: FrameworkRequest & { user: { id: number } }, res: FrameworkResponse) => res.json(req.user.id);
  const app = sluice();
  app.get("/files/*path", guard, (req, res) => res.send(req.params.path.join("/")));
  app.post("/files/*path", (req, _res, next) => next(req.params.path.length), guard);
  app.use("/files/*path", guard, (req) => expectType<Equal<typeof req.params, { path: string[] }>>());
  app.all("/u{/:id}", guard, (req) => expectType<Equal<typeof req.params, { id?: string }>>());
  app.route("/files/*path").all(guard, (req) => expectType<Equal<typeof req.params.path, string[]>>());
  app.get("/users/:id/me", profile, (req) => expectType<Equal<typeof req.params, { id: string }>>());
  app.route("/users/:id/me").put(profile);
  const failing: ErrorHandler = (error, _req, res, _next) => res.status(500).send(String(error));
  app.put("/files/*path", [guard], failing).use("/files/*path", failing);
  assertEquals(app.routes.length, 7);
});

Deno.test("a handler for other parameters than the path's is refused", () => {
  const other = (_req: FrameworkRequest<{ name: string }>, _res: FrameworkResponse) => {};
  const number = (_req: FrameworkRequest<{ id: number }>, _res: FrameworkResponse) => {};
  const guard: Handler = (_req, _res, next) => next();
  const app = sluice();
  // @ts-expect-error -- the path has no name
  app.get("/users/:id", other);
  // @ts-expect-error -- the path has no name, even next to a handler for any path
  app.post("/users/:id", guard, other);
  // @ts-expect-error -- the path has no name
  app.use("/users/:id", other);
  // @ts-expect-error -- the path has no name
  app.route("/users/:id").all(other);
  // @ts-expect-error -- parameters are strings
  app.put("/users/:id", number);
  assertEquals(app.routes.length, 4);
});

Deno.test("handlers of a group see the parameters of its prefix", () => {
  const guard: Handler = (_req, _res, next) => next();
  const app = sluice();
  app.group("/t/:tenant", (group) => {
    group.use((req, _res, next) => next(req.params.tenant.trim()));
    group.get("/:id", (req) => {
      expectType<Equal<typeof req.params.tenant, string>>();
      expectType<Equal<typeof req.params.id, string>>();
      // @ts-expect-error -- neither path has such a parameter
      return req.params.name;
    });
    group.route("/files/*path").get((req, res) => res.send(req.params.tenant + req.params.path.join("/")));
    group.group("/rooms/:room", { strict: true, middleware: guard }, (rooms) => {
      rooms.post("/:id", guard, (req, res) => res.send(req.params.tenant + req.params.room + req.params.id));
    });
  });
  app.group("/t/:tenant", { mergeParams: false }, (group) => {
    // @ts-expect-error -- the group does not merge the outer parameters
    group.get("/:id", (req, res) => res.send(req.params.tenant));
  });
  app.group("/t/:tenant", (group: Router) => group.get("/", guard));
  assertEquals(app.children.length, 3);
});

Deno.test("a setting whose name is nearly another one's does not compile, and a program's own does", () => {
  const app = sluice().set("env", "test");
  // @ts-expect-error -- it is "trust proxy"
  app.set("trust proxies", 1);
  // @ts-expect-error -- it is "trust proxy"
  app.set("trustProxy", 1);
  // @ts-expect-error -- it is "view engine"
  app.set("View Engine", "ejs");
  // @ts-expect-error -- it is "query parser"
  app.set("querry parser", "simple");
  // @ts-expect-error -- it is "x-powered-by"
  app.disable("x-powerd-by");
  // @ts-expect-error -- it is "json spaces"
  app.enable("json space");
  const names: string[] = ["title", "port"];
  for (const name of names) app.set(name, 1);
  // settings in programs for Express
  app.set("title", "x").set("port", 3000).set("db", {}).set("view options", {}).set("trust proxy fn", () => false);
  app.set("secret", "x").set("appName", "x").set("superSecret", "x").set("json", true).set("layout", "main");
  app.set("settingOfTypesTest", 1).enable("feature");
  assertEquals(app.get("settingOfTypesTest"), 1);
});

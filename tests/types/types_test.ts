/** What the types promise, checked by the compiler: the file does not compile when a promise is broken. */
import { assertEquals } from "@std/assert";
import sluice, {
  type ErrorHandler,
  type FrameworkRequest,
  type FrameworkResponse,
  type Handler,
  type Next,
  type PathParams,
  Router,
} from "@sluice/sluice";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;

function expectType<_T extends true>(): void {}

Deno.test("literal paths type their parameters", () => {
  expectType<Equal<PathParams<"/users/:id">, { id: string }>>();
  expectType<Equal<PathParams<"/a/:b/c/:d">, { b: string; d: string }>>();
  expectType<Equal<PathParams<"/u{/:id}">, { id?: string }>>();
  expectType<Equal<PathParams<"/u/:id?">, { id?: string }>>();
  expectType<Equal<PathParams<"/n/:id(\\d+)">, { id: string }>>();
  expectType<Equal<PathParams<"/files/*path">, { path: string[] }>>();
  expectType<Equal<PathParams<"/:from-:to">, { from: string; to: string }>>();
  expectType<Equal<keyof PathParams<"/plain">, never>>();
  expectType<Equal<PathParams<"/at/:lat,:lng">, { lat: string; lng: string }>>();
  expectType<Equal<PathParams<"/:user@:host;:port">, { user: string; host: string; port: string }>>();
  expectType<Equal<PathParams<"/q/:a=:b&*rest,:c">, { a: string; b: string; rest: string[]; c: string }>>();
  expectType<Equal<PathParams<'/:"first name"/:last%20'>, { "first name": string; last: string }>>();
  expectType<Equal<PathParams<"/:größe/:_a$1">, { größe: string; _a$1: string }>>();

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

Deno.test("error handlers, reusable handlers and requests with more on them fit where handlers go", () => {
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
  // @ts-expect-error -- a handler is no number
  const refused = () => app.post("/", 5);
  assertEquals(typeof refused, "function");
});

/** Programs written with Express's names for its types, checked by the compiler. */
import { assertEquals } from "@std/assert";
import express, {
  type Application,
  application,
  type DownloadOptions,
  type ErrorRequestHandler,
  type Express,
  FrameworkRequest,
  type NextFunction,
  type ParamsDictionary,
  type ParamsFlatDictionary,
  type PathParams,
  type Query,
  type Request,
  request,
  type RequestHandler,
  type RequestHandlerParams,
  type RequestRanges,
  type Response,
  response,
  type RouteParameters,
  Router,
  type Send,
  static as serveStatic,
  type Untyped,
} from "@sluice/sluice";
import { type Equal, expectType } from "./support/expect_type.ts";

declare module "@sluice/sluice" {
  interface RequestExtras {
    /** Set by the middleware below. */
    tenantOfTypesTest: string;
    // properties of every request, of any type unless they are declared
    env: Bindings;
    executionCtx: { readonly props: { readonly plan?: string }; passThroughOnException(): void };
  }
  // as programs declare it for the module "express"
  interface Request {
    noteOfTypesTest?: string;
  }
  interface Response {
    notedOfTypesTest?(): void;
  }
}

interface Bindings {
  NOTES: { get(key: string): Promise<string | null> };
  // those of other tests
  [name: string]: Untyped;
}

interface Order {
  item: string;
}

Deno.test("declared types of the environment and the platform's context are those of every request", () => {
  const app = express();
  app.get("/", (req) => {
    expectType<Equal<typeof req.executionCtx.props.plan, string | undefined>>();
    expectType<Equal<typeof req.env.NOTES, { get(key: string): Promise<string | null> }>>();
  });
  assertEquals(app.routes.length, 1);
});

Deno.test("a program ported from Express keeps its type names", async () => {
  const guard: RequestHandler = (req, _res, next) => next(req.get("x-refused") && new Error("refused"));
  const failing: ErrorRequestHandler = (error, _req, res, _next) => res.status(500).send(error.message);
  const show = (req: Request, res: Response, next: NextFunction) => req.params.id ? res.send(req.params.id) : next();
  const create = (req: Request<{ id: string }, unknown, Order>, res: Response) => {
    expectType<Equal<typeof req.body, Order>>();
    res.json({ item: req.body.item, id: req.params.id });
  };
  const app: Express = express();
  const mount = (parent: Application) => parent.use("/orders", guard, Router().get("/:id", show), failing);
  app.use(express.json());
  app.post("/orders/:id", create);
  mount(app);

  assertEquals(await (await app.handle(new globalThis.Request("http://x/orders/7"))).text(), "7");
  const refused = await app.handle(new globalThis.Request("http://x/orders/7", { headers: { "x-refused": "1" } }));
  assertEquals([refused.status, await refused.text()], [500, "refused"]);
});

Deno.test("the names have Express's type parameters, in its order", () => {
  const same = (req: Request, own: FrameworkRequest): [FrameworkRequest, Request] => [req, own];
  expectType<Equal<Request<{ id: string }, string, Order>["params"], { id: string }>>();
  expectType<Equal<Request<{ id: string }, string, Order, { page: string }>["body"], Order>>();
  expectType<Equal<Response<string, { user: string }>["locals"], { user: string }>>();
  expectType<Equal<Parameters<RequestHandler<{ id: string }>>[0]["params"]["id"], string>>();
  assertEquals([typeof FrameworkRequest, typeof same], ["function", "function"]);
});

Deno.test("the names of Express's other types, and of the types they are built on, exist too", () => {
  interface Envelope extends Response {
    json: Send<{ data: string }, this>;
  }
  const app = express();
  const guard: RequestHandler = (_req, _res, next) => next();
  const failing: ErrorRequestHandler = (error, _req, _res, next) => next(error);
  const listed: RequestHandlerParams[] = [guard, [failing, guard]];
  const create = (req: Request<ParamsDictionary, unknown, Order, Query>, res: Envelope) => {
    const failed: express.Errback = (error) => res.json({ data: error?.message ?? "done" });
    if (req.query["page"] === req.body.item) failed(new Error(req.params.id));
    else failed();
  };
  expectType<Equal<RouteParameters<"/orders/:id">, { id: string }>>();
  const verb: express.IRouterMatcher<Express> = app.post;
  const use: express.IRouterHandler<unknown> = app.route("/").all;
  app.use(...listed).post("/:id", create);
  const paths: PathParams = ["/files/:id", /^\/f\d+$/];
  const options: DownloadOptions = { root: "public" };
  app.get(paths, (req, res) => {
    const params: ParamsFlatDictionary = req.params;
    const ranges: RequestRanges | -1 | -2 | undefined = req.range(10);
    if (Array.isArray(ranges)) res.download(params["id"]!, "a.txt", options);
  });
  assertEquals([typeof verb, typeof use], ["function", "function"]);
});

Deno.test("a property declared once is on every request", async () => {
  const app = express();
  app.use((req, _res, next) => {
    req.tenantOfTypesTest = req.hostname ?? "";
    next();
  });
  app.get("/:id", (req, res) => {
    expectType<Equal<typeof req.tenantOfTypesTest, string>>();
    res.send(req.tenantOfTypesTest + req.params.id);
  });
  assertEquals(await (await app.handle(new globalThis.Request("http://acme.test/7"))).text(), "acme.test7");
});

Deno.test("members of express may be imported by name", async () => {
  assertEquals([application, request, response], [express.application, express.request, express.response]);
  assertEquals(serveStatic, express.static);
  // JavaScript programs do this to tell the editor the types of a handler's arguments
  const shown = (req = request, res = response) => res.json(req.query);
  const app = express();
  app.get("/", shown);
  assertEquals(await (await app.handle(new globalThis.Request("http://x/?a=1"))).json(), { a: "1" });
});

Deno.test("what a program adds to Express's types is on the types it names", async () => {
  const noted = (req: Request, res: express.Response, next: NextFunction) => {
    req.noteOfTypesTest = "noted";
    res.notedOfTypesTest = () => res.send(req.noteOfTypesTest);
    next();
  };
  const app = express();
  app.get("/:id", noted, (_req: Request<{ id: string }>, res: Response) => res.notedOfTypesTest?.());
  assertEquals(await (await app.handle(new globalThis.Request("http://x/7"))).text(), "noted");
});

Deno.test("a response typed with its body and statuses accepts no others", async () => {
  interface Found {
    id: string;
  }
  const show = (
    req: Request<{ id: string }>,
    res: Response<Found | { error: string }, Record<string, string>, 200 | 404>,
  ) => {
    // @ts-expect-error -- the id is a string
    const wrong = () => res.json({ id: 7 });
    // @ts-expect-error -- there is no such status here
    const moved = () => res.status(301);
    if (typeof wrong === typeof moved) res.status(200).json({ id: req.params.id });
  };
  const helped = (res: Response<Found>, id: string): Response<Found> => res.send({ id });
  const app = express();
  app.get("/a/:id", show).get("/b/:id", (req, res) => helped(res, req.params.id));
  assertEquals(await (await app.handle(new globalThis.Request("http://x/a/7"))).json(), { id: "7" });
  assertEquals(await (await app.handle(new globalThis.Request("http://x/b/8"))).json(), { id: "8" });
});

/** Programs that use Express's names for its types, checked by the compiler. */
import { assertEquals } from "@std/assert";
import express, {
  type Application,
  application,
  type ErrorRequestHandler,
  type Express,
  FrameworkRequest,
  type NextFunction,
  type Request,
  request,
  type RequestHandler,
  type Response,
  response,
  Router,
  type Send,
  static as serveStatic,
} from "@sluice/sluice";
import type {
  Any,
  DownloadOptions,
  ParamsDictionary,
  ParamsFlatDictionary,
  PathParams,
  Query,
  RequestHandlerParams,
  RequestRanges,
  RouteParameters,
} from "@sluice/sluice/types";
import { type Equal, expectType } from "./support/expect_type.ts";

declare module "@sluice/sluice" {
  interface RequestExtras {
    /** Set by the middleware below. */
    tenantOfTypesTest: string;
    // properties of every request, of type any unless declared
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
  // bindings from other tests
  [name: string]: Any;
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
  // JavaScript programs do this to give the editor the types of a handler's arguments
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

Deno.test("all five type arguments of a verb are the types of the request and the response", async () => {
  interface Told {
    total: number;
  }
  interface Page {
    page?: string;
  }
  const app = express();
  app.use(express.json());
  app.post<{ id: string }, Told, Order, Page, { user: string }>("/a/:id", (req, res) => {
    expectType<Equal<typeof req.params, { id: string }>>();
    expectType<Equal<typeof req.body, Order>>();
    expectType<Equal<typeof req.query, Page>>();
    expectType<Equal<typeof res.locals.user, string>>();
    // @ts-expect-error -- no such local
    const missing = () => res.locals.name;
    // @ts-expect-error -- the total is a number
    const wrong = () => res.json({ total: "7" });
    // @ts-expect-error -- and there is one
    const sent = () => res.status(200).send({});
    res.json({ total: [missing, wrong, sent].length });
  });
  app.route("/b").put<never, Told>((_req, res) => {
    // @ts-expect-error -- the total is a number
    const wrong = () => res.send({ total: "7" });
    res.send({ total: typeof wrong === "function" ? 1 : 0 });
  });
  Router().get<never, Told>("/", (_req, res) => {
    // @ts-expect-error -- the total is a number
    res.send("none");
  });
  const post = { method: "POST", body: "{}", headers: { "content-type": "application/json" } };
  assertEquals(await (await app.handle(new globalThis.Request("http://x/a/7", post))).json(), { total: 3 });
  assertEquals(await (await app.handle(new globalThis.Request("http://x/b", { method: "PUT" }))).json(), { total: 1 });
});

Deno.test("a handler typed with the body of its response cannot answer with another", () => {
  const show: RequestHandler<{ id: string }, Order> = (req, res) => res.json({ item: req.params.id });
  const failing: ErrorRequestHandler<{ id: string }, { error: string }> = (error, _req, res, _next) => {
    // @ts-expect-error -- the error is a string
    const wrong = () => res.json({ error: 5 });
    res.status(500).json({ error: typeof wrong === "function" ? String(error) : "" });
  };
  const app = express();
  app.get("/:id", show, failing);
  assertEquals(app.routes.length, 1);
});

Deno.test("values of the query are text, lists or objects, and have to be looked at", async () => {
  const app = express();
  app.set("query parser", "extended");
  app.get("/", (req, res) => {
    expectType<Equal<typeof req.query, Query>>();
    const { sort } = req.query;
    // @ts-expect-error -- it may be a list
    const wrong = () => sort.trim();
    res.json([typeof wrong, typeof sort === "string" ? sort : Array.isArray(sort) ? sort.length : typeof sort]);
  });
  const sortOf = async (query: string) =>
    (await (await app.handle(new globalThis.Request(`http://x/?${query}`))).json())[1];
  assertEquals(await Promise.all(["sort=a", "sort=a&sort=b", "sort[by]=a"].map(sortOf)), ["a", 2, "object"]);
});

Deno.test("Set-Cookie is a list of a request, too", async () => {
  const app = express();
  app.get("/", (req, res) => {
    expectType<Equal<ReturnType<typeof req.get>, string | undefined>>();
    const cookies: string[] | undefined = req.get("set-cookie");
    res.json([cookies, req.header("set-cookie"), req.headers["set-cookie"], req.get("x-none")]);
  });
  const headers = new Headers([["set-cookie", "a=1"], ["set-cookie", "b=2"]]);
  const response = await app.handle(new globalThis.Request("http://x/", { headers }));
  assertEquals(await response.json(), [["a=1", "b=2"], ["a=1", "b=2"], ["a=1", "b=2"], null]);
});

Deno.test("an application's own locals have the type that Application names", () => {
  const shown = (app: Application<{ title: string }>) => {
    expectType<Equal<typeof app.locals.title, string>>();
    // @ts-expect-error -- no such local
    app.locals.name;
    app.get("/", (_req, res) => res.locals["any"]);
    app.on("mount", (parent) => expectType<Equal<typeof parent, Application>>());
  };
  assertEquals(shown.length, 1);
});

Deno.test("a WebSocket's data has the parameters of its path", () => {
  const app = express();
  app.ws("/rooms/:room/*rest", {
    open(ws) {
      expectType<Equal<typeof ws.data.params, { room: string; rest: string[] }>>();
      // @ts-expect-error -- there is no such parameter
      ws.subscribe(ws.data.params.name);
    },
    message: (ws, data) => ws.publish(ws.data.params.room, data),
    protocols: (offered, req) => offered.find((name) => name === req.params.room),
  });
  app.group("/t/:tenant", (group) => {
    group.ws("/:id", (req, _res, next) => next(req.params.tenant), {
      close: (ws) => ws.unsubscribe(ws.data.params.tenant + ws.data.params.id),
    });
  });
  assertEquals(app.wsRoutes.length, 1);
});

Deno.test("what other code asks of a request cannot be assigned, as in Express's types", () => {
  const refused = (req: Request) => {
    // @ts-expect-error -- read-only
    req.host = "example.com";
    // @ts-expect-error -- read-only
    req.protocol = "https";
    // @ts-expect-error -- read-only
    req.ip = "127.0.0.1";
  };
  assertEquals(refused.length, 1);
});

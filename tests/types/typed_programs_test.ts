/** Programs typed for Express, checked by the compiler with only their import changed. */
import { assertEquals } from "@std/assert";
import { createReadStream } from "node:fs";
import type { IncomingHttpHeaders } from "node:http";
import express, { type IRoute, type IRouter, type Request, type RequestParamHandler, Router } from "@sluice/sluice";
import type { RateLimitQuota } from "@sluice/sluice/types";
import { rateLimit, type RateLimitInfo } from "@sluice/rate-limit";
import { type Equal, expectType } from "./support/expect_type.ts";

declare global {
  // packages and programs declare their additions to Express's requests here
  namespace Express {
    interface Request {
      rolesOfTypesTest: string[];
      signedCookies?: { theme: string };
    }
    interface Response {
      doneOfTypesTest(): void;
    }
  }
}

declare module "@sluice/sluice" {
  interface RequestExtras extends Express.Request {
    userOfTypesTest?: { name: string };
  }
  interface ResponseExtras extends Express.Response {}
}

const guard: express.RequestHandler = (_req, _res, next) => next();

Deno.test("types are members of express too", () => {
  class Server {
    readonly app: express.Application = express();
    readonly router: express.Router = express.Router({ strict: true } satisfies express.RouterOptions);
    show(req: express.Request<{ id: string }>, res: express.Response, next: express.NextFunction): void {
      if (req.params.id) res.json(req.params);
      else next();
    }
  }
  const failing: express.ErrorRequestHandler = (_error, _req, res, _next) => res.sendStatus(500);
  const byId: express.RequestParamHandler & RequestParamHandler = (_req, _res, next, _id, _name) => next();
  const cookie: express.CookieOptions = { httpOnly: true };
  const fill = (router: IRouter, _route: IRoute): express.IRouter => router.get("/", guard);
  const { app, router, show } = new Server();
  app.param("id", byId).get("/:id", guard, show, (_req, res: express.Response) => res.cookie("a", "b", cookie));
  app.use(fill(router, app.route("/x/:id")), failing);
  expectType<Equal<express.Express, typeof app>>();
  expectType<Equal<express.Request, Request>>();
  assertEquals(app.routes.length, 1);
});

Deno.test("a verb, a route and a mount take Express's type arguments", () => {
  const app = express();
  const router = Router();
  app.get<{ id: string }>("/:id", (req) => expectType<Equal<typeof req.params, { id: string }>>());
  app.post<unknown, unknown, { name: string }>("/", (req) => expectType<Equal<typeof req.body.name, string>>());
  router.put<never, string, never, { page: string }>("/", (req, res) => res.send(req.query.page.trim()));
  router.use<{ id: string }>("/:id", (req) => expectType<Equal<typeof req.params.id, string>>());
  app.use<{ id: string }>((req, _res, next) => next(req.params.id.trim()));
  router.use<unknown, unknown, { name: string }>((req, _res, next) => next(req.body.name.trim()));
  router.use<unknown, unknown, unknown, unknown, { user: string }>((_req, res, next) => {
    expectType<Equal<typeof res.locals, { user: string }>>();
    next();
  });
  app.route("/:id").all<{ id: "a" | "b" }>((req) => expectType<Equal<typeof req.params.id, "a" | "b">>());
  // @ts-expect-error -- the type arguments name other parameters
  app.get<{ id: string }>("/:name", (req) => req.params.name);
  assertEquals(app.routes.length, 4);
});

Deno.test("a handler typed with a body or query types those after it", () => {
  interface Order {
    readonly items: string[];
  }
  const checked = <Body>(_example: Body): express.RequestHandler<Record<string, string>, unknown, Body> => guard;
  const app = express();
  app.post("/orders/:id", checked<Order>({ items: [] }), (req, res) => {
    expectType<Equal<typeof req.params, { id: string }>>();
    res.json(req.body.items.map((item) => item.trim()));
  });
  app.get("/orders", (req: Request<unknown, unknown, unknown, { ids: string }>, res) => {
    res.json(req.query.ids.split(",").map((id) => id.trim()));
  });
  assertEquals(app.routes.length, 2);
});

Deno.test("a wrapper that is generic over a handler's arguments preserves the types of the path's parameters", () => {
  type Any = ReturnType<typeof JSON.parse>;
  const caught = <P = Record<string, string>, ResBody = Any, ReqBody = Any, Query = Any>(
    handler: (...args: Parameters<express.RequestHandler<P, ResBody, ReqBody, Query>>) => Promise<void>,
  ): express.RequestHandler<P, ResBody, ReqBody, Query> =>
  (req, res, next) => void handler(req, res, next).catch(next);
  const timed = <P, ResBody, ReqBody, Query>(handler: express.RequestHandler<P, ResBody, ReqBody, Query>) => handler;
  const awaited =
    <P>(handler: (req: Request<P>, res: express.Response) => Promise<void>) =>
    (req: Request<P>, res: express.Response, next: express.NextFunction): void => void handler(req, res).catch(next);
  const app = express();
  app.get("/a/:id", caught(async (req, res) => void res.json([await req.body.x, req.query.x, req.params.id.trim()])));
  app.get("/b/:id", timed((req, res) => res.json([req.body.x, req.query["x"], req.params.id.trim()])));
  app.get("/c/:id", awaited(async (req, res) => void res.json([await req.body.x, req.params.id.trim()])));
  app.get("/d/:id", timed((req) => expectType<Equal<typeof req.params, { id: string }>>()), caught(async () => {}));
  app.use("/e/:id", timed((req, res) => res.json([req.params.id, req.body.x, req.query["x"]])));
  Router().get("/f/:id", timed((req, res) => res.send(req.params.id.trim())));
  // @ts-expect-error -- the path has another parameter
  app.get("/g/:id", timed((req, res) => res.send(req.params.name)));
  assertEquals(app.routes.length, 5);
});

Deno.test("properties declared for Express's requests are on Sluice's, with their types", async () => {
  const app = express();
  app.use((req, res, next) => {
    req.rolesOfTypesTest = ["member"];
    res.doneOfTypesTest = () => res.send(req.rolesOfTypesTest.map((role) => role.length));
    next();
  });
  app.get("/", (req: Request, res: express.Response) => {
    expectType<Equal<typeof req.signedCookies, { theme: string } | undefined>>();
    expectType<Equal<typeof req.userOfTypesTest, { name: string } | undefined>>();
    res.doneOfTypesTest();
  });
  assertEquals(await (await app.handle(new globalThis.Request("http://x/"))).json(), [6]);
});

Deno.test("methods take and return what they do in Express's types", () => {
  const app = express();
  const handlers = [guard, guard];
  app.get("/", ...handlers);
  app.use(express.json({ verify: (_req, _res, bytes: Uint8Array<ArrayBuffer>) => void bytes.buffer }));
  app.use(express.json({ verify: (_req, _res, bytes) => void bytes.toString("utf8").trim() }));
  app.get("/a", (req, res) => {
    expectType<Equal<ReturnType<typeof req.acceptsLanguages>, string | false>>();
    const all: string[] = req.acceptsCharsets();
    const best: string | false = req.accepts("json", "html") || req.acceptsEncodings(["gzip"]);
    const names: string[] = [req.hostname, req.host, req.route.path, res.get("Content-Type") ?? ""];
    res.render("view", (error: Error, html: string) => res.json([all, best, names, error, html.trim()]));
    res.cookie("a", "b", { domain: req.get("x-domain"), maxAge: undefined });
    res.append("x-forwarded", req.headers["x-forwarded"]);
    createReadStream("a.txt").pipe(res);
    res.send(req.signedCookies?.theme.trim());
    res.sendFile("a.txt", { root: "public", headers: { "x-timestamp": Date.now(), "x-sent": true } });
    res.sendFile("a.txt", (error?: Error) => error && console.log(error.message));
    res.download("a.txt", (error: Error) => console.log(error));
    res.download("a.txt", "b.txt", (error) => res.headersSent || res.status(error?.status ?? 200).end(error?.code));
  });
  const listen = () => app.listen(3000, (error) => console.log(error?.message)).close();
  assertEquals([app.routes.length, typeof listen], [2, "function"]);
});

Deno.test("an answer may be of an unknown type, and a replaced res.send or res.json can read it", async () => {
  const app = express();
  const answered: string[] = [];
  app.use((_req, res, next) => {
    const { send, json } = res;
    res.send = function (body) {
      answered.push(body.trim());
      return send.call(this, body);
    };
    res.json = function (value: { error: string }): express.Response {
      return json.call(this, { ...value, seen: true });
    };
    next();
  });
  const response = <Value>(res: express.Response, value: Value) => res.send(value);
  app.get("/", (_req, res) => {
    try {
      throw " caught ";
    } catch (error) {
      response(res.status(500), error);
    }
  });
  app.get("/json", (_req, res) => res.json({ error: "none" }));
  const caught = await app.handle(new globalThis.Request("http://x/"));
  assertEquals([caught.status, await caught.text()], [500, " caught "]);
  const json = await app.handle(new globalThis.Request("http://x/json"));
  assertEquals([await json.json(), answered[0]], [{ error: "none", seen: true }, "caught"]);
});

Deno.test("views accept values of a custom type", async () => {
  interface Page {
    title: string;
  }
  const page: Page = { title: "Home" };
  const app = express();
  app.set(
    "view",
    class {
      readonly path = "home";
      render(values: Page, done: (error: null, html: string) => void): void {
        done(null, values.title);
      }
    },
  );
  app.get("/", (_req, res) => res.render("home", page));
  const rendered = new Promise<string>((resolve) => app.render("home", page, (_error, html) => resolve(html)));
  assertEquals(await (await app.handle(new globalThis.Request("http://x/"))).text(), "Home");
  assertEquals(await rendered, "Home");
});

Deno.test("handlers can use what the program keeps on req.app, and emit its events", async () => {
  const app = express();
  const heard: string[] = [];
  app.locals = { ...app.locals, users: { find: (id: string) => Promise.resolve(`user ${id}`) } };
  app.on("found", (name: string) => heard.push(name));
  app.get("/:id", async (req, res) => {
    const name: string = await req.app.locals["users"].find(req.params.id);
    req.app.emit("found", name);
    res.app.enable("seen");
    res.send(name);
  });
  assertEquals(await (await app.handle(new globalThis.Request("http://x/7"))).text(), "user 7");
  assertEquals([heard, app.enabled("seen")], [["user 7"], true]);
});

Deno.test("headers may come from another response, and be of any type", async () => {
  interface Upstream {
    "x-upstream": string;
  }
  const upstream: IncomingHttpHeaders = { "content-type": "text/css", "set-cookie": ["a=1", "b=2"] };
  const own: Upstream = { "x-upstream": "1" };
  const app = express();
  app.get("/set", (_req, res) => res.set(upstream).header(own).send("a{}"));
  app.get("/head", (_req, res) => res.writeHead(203, upstream).end("a{}"));
  const set = await app.handle(new globalThis.Request("http://x/set"));
  assertEquals(await set.text(), "a{}");
  assertEquals(set.headers.getSetCookie(), ["a=1", "b=2"]);
  assertEquals([set.headers.get("content-type"), set.headers.get("x-upstream")], ["text/css; charset=utf-8", "1"]);
  const head = await app.handle(new globalThis.Request("http://x/head"));
  assertEquals([head.status, await head.text(), head.headers.get("content-type")], [203, "a{}", "text/css"]);
});

Deno.test("cookies may be passed to code that declares their names", async () => {
  interface Cookies {
    token: string;
  }
  const tokenOf = (cookies: Cookies) => cookies.token;
  const app = express();
  app.get("/", (req, res) => res.send(tokenOf(req.cookies)));
  const headers = { cookie: "token=abc" };
  assertEquals(await (await app.handle(new globalThis.Request("http://x/", { headers }))).text(), "abc");
});

Deno.test("a handler whose parameters are an interface fits a path of unknown type", () => {
  interface ById {
    id: string;
  }
  const show: express.RequestHandler<ById> = (req, res) => res.send(req.params.id);
  const edit = (req: Request<ById>, res: express.Response) => res.send(req.params.id);
  const path: string = "/:id";
  const app = express();
  app.get(path, show, edit).get(["/a/:id", "/b/:id"], edit).get(/x/, show).use(show).use(path, edit);
  app.route(path).get(show, edit);
  Router().get(path, show, edit).use(show, edit).use(path, show).route(path).put([edit]);
  // @ts-expect-error -- the path has another parameter
  app.get("/:name", show);
  assertEquals(app.routes.length, 6);
});

Deno.test("common headers are declared, for compilers that allow only declared names after a dot", () => {
  type Known<T> = keyof { [Key in keyof T as string extends Key ? never : Key]: T[Key] };
  expectType<Equal<"host" | "authorization" extends Known<Request["headers"]> ? true : false, true>>();
  const readByNode = (headers: IncomingHttpHeaders) => headers.authorization?.split(" ")[1];
  const app = express();
  app.get("/", (req, res) => res.send(readByNode(req.headers) ?? req.headers.host?.trim() ?? req.headers["x-other"]));
  assertEquals(app.routes.length, 1);
});

Deno.test("code that has only the request can answer through req.res", async () => {
  class Sessions {
    begin(req: Request): void {
      req.res!.locals["user"] = "ann";
      req.res?.cookie("token", "abc", { httpOnly: true }).status(201).json({ user: req.res.locals["user"] });
    }
  }
  const app = express();
  app.post("/", (req) => new Sessions().begin(req));
  app.get("/", (req) => req.res.redirect("/login"));
  const begun = await app.handle(new globalThis.Request("http://x/", { method: "POST" }));
  assertEquals([begun.status, await begun.json()], [201, { user: "ann" }]);
  assertEquals(begun.headers.getSetCookie(), ["token=abc; Path=/; HttpOnly"]);
  assertEquals((await app.handle(new globalThis.Request("http://x/"))).headers.get("location"), "/login");
});

Deno.test("a router's handler may declare parameters of outer paths, since a router may merge them", async () => {
  type OfPost = { post: string };
  const load: express.RequestHandler<OfPost> = (req, res, next) => {
    res.locals["post"] = req.params.post;
    next();
  };
  const show = (req: Request<OfPost & { comment: string }>, res: express.Response) => {
    res.json([res.locals["post"], req.params.post, req.params.comment]);
  };
  const comments = Router({ mergeParams: true });
  comments.get("/:comment", load, show).use("/:comment/x", load).put("/:comment", [load], show);
  comments.route("/:comment").patch(load, show);
  comments.get("/:comment/y", load, (req) => expectType<Equal<typeof req.params, { comment: string }>>());
  const app = express();
  app.use("/posts/:post/comments", comments);
  // @ts-expect-error -- an application has no outer paths
  app.get("/:comment", load);
  app.group("/teams/:team", (group) => {
    // @ts-expect-error -- a group's outer parameters are known
    group.get("/:comment", load);
  });
  const response = await app.handle(new globalThis.Request("http://x/posts/1/comments/2"));
  assertEquals(await response.json(), ["1", "1", "2"]);
});

Deno.test("a request may have the quota that a limiter has set, with express-rate-limit's names", async () => {
  const app = express().use(rateLimit({ limit: 5, windowMs: 60_000 }));
  app.get("/", (req, res) => {
    expectType<Equal<typeof req.rateLimit, RateLimitQuota | undefined>>();
    // @ts-expect-error -- there may be no limiter in front
    req.rateLimit.limit;
    // @ts-expect-error -- there is no such property
    req.rateLimit?.points;
    const { limit, used, remaining, resetTime, key } = req.rateLimit!;
    res.json([limit, used, remaining, resetTime instanceof Date, key]);
  });
  assertEquals(await (await app.inject("/")).json(), [5, 1, 4, true, "127.0.0.1"]);
  const info = {} as RateLimitInfo;
  info satisfies RateLimitQuota;
});

Deno.test("a response may have compression's flush, which is missing without it", () => {
  const app = express();
  app.get("/", (_req, res) => {
    expectType<Equal<typeof res.flush, (() => void) | undefined>>();
    // @ts-expect-error -- no middleware may compress
    res.flush();
    res.write("first");
    res.flush?.();
    res.end("last");
  });
  assertEquals(app.routes.length, 1);
});

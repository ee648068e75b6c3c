/** Middleware's additions to requests, and their types in later handlers. */
import type { IncomingMessage, ServerResponse } from "node:http";
import sluice, { type Middleware, rateLimit, Router } from "@sluice/sluice";
import { assertEquals } from "@std/assert";
import { type Equal, expectType } from "./support/expect_type.ts";

interface User {
  readonly name: string;
}

const signedIn: Middleware<{ user: User }> = (req, _res, next) => {
  req.user = { name: "Ada" };
  next();
};

const counted: Middleware<{ body: { n: number }; query: { page: number } }> = (req, _res, next) => {
  req.body = { n: 1 };
  req.query = { page: 2 };
  next();
};

const numbered: Middleware<{ params: { id: number } }> = (req, _res, next) => {
  req.params = { id: Number(req.params.id) };
  next();
};

async function responseOf(app: sluice.Application, path: string, method = "POST"): Promise<string> {
  return await (await app.inject(path, { method })).text();
}

Deno.test("handlers behind a middleware have what it makes of requests in their types", async () => {
  const app = sluice();
  app.post("/a/:id", signedIn, (req, res) => {
    expectType<Equal<typeof req.user, User>>();
    expectType<Equal<typeof req.params, { id: string }>>();
    // @ts-expect-error -- there is no such property
    req.nobody;
    res.json([req.user.name, req.params.id]);
  });
  app.post("/b/:id", sluice.json(), signedIn, counted, numbered, (req, res) => {
    expectType<Equal<typeof req.user, User>>();
    expectType<Equal<typeof req.body, { n: number }>>();
    expectType<Equal<typeof req.query, { page: number }>>();
    expectType<Equal<typeof req.params, { id: number }>>();
    res.json([req.user, req.body, req.query, req.params]);
  });
  assertEquals(await responseOf(app, "/a/7"), '["Ada","7"]');
  assertEquals(await responseOf(app, "/b/7"), '[{"name":"Ada"},{"n":1},{"page":2},{"id":7}]');
});

Deno.test("as many as a route may need stand in front of one that says something", () => {
  const app = sluice();
  const other: sluice.RequestHandler = (_req, _res, next) => next();
  app.get("/:id", other, other, other, other, other, numbered, (req) => {
    expectType<Equal<typeof req.params, { id: number }>>();
  });
  app.route("/:id").put(other, signedIn, other, other, other, other, numbered, other, (req) => {
    expectType<Equal<typeof req.params, { id: number }>>();
    expectType<Equal<typeof req.user, User>>();
  });
  assertEquals(app.routes.length, 2);
});

Deno.test("so have several handlers, and those in lists", () => {
  const app = sluice();
  app.get("/", signedIn, (req, _res, next) => {
    expectType<Equal<typeof req.user, User>>();
    next();
  }, (req, res) => {
    expectType<Equal<typeof req.user, User>>();
    res.end();
  });
  app.put("/", signedIn, [(req: sluice.Request & { user: User }, res: sluice.Response) => res.send(req.user)]);
  assertEquals(app.routes.length, 2);
});

Deno.test("so have handlers of routes, routers and groups", () => {
  const app = sluice<{ tenant: string }>();
  app.route("/r/:id").get(signedIn, (req, res) => {
    expectType<Equal<typeof req.user, User>>();
    expectType<Equal<typeof req.params, { id: string }>>();
    expectType<Equal<typeof res.locals.tenant, string>>();
    res.end();
  }).all(counted, (req) => expectType<Equal<typeof req.body, { n: number }>>());
  const router = Router();
  router.get("/:id", signedIn, counted, (req) => {
    expectType<Equal<typeof req.body, { n: number }>>();
    expectType<Equal<typeof req.params, { id: string }>>();
  });
  router.all("/", signedIn, (req) => expectType<Equal<typeof req.user, User>>());
  app.group("/t/:tenant", (group) => {
    group.delete("/:id", signedIn, (req) => {
      expectType<Equal<typeof req.user, User>>();
      expectType<Equal<typeof req.params.tenant, string>>();
      expectType<Equal<typeof req.params.id, string>>();
    });
    group.route("/x/:y").patch(numbered, (req) => expectType<Equal<typeof req.params, { id: number }>>());
  });
  assertEquals(app.children.length, 1);
});

Deno.test("so have those that an application or a router uses, with and without a path", () => {
  const app = sluice();
  app.use(signedIn, (req, _res, next) => {
    expectType<Equal<typeof req.user, User>>();
    next();
  });
  app.use("/t/:tenant", signedIn, counted, (req, _res, next) => {
    expectType<Equal<typeof req.user, User>>();
    expectType<Equal<typeof req.body, { n: number }>>();
    expectType<Equal<typeof req.params, { tenant: string }>>();
    next();
  });
  Router().use(signedIn, (req, _res, next) => {
    expectType<Equal<typeof req.user, User>>();
    next();
  }).use("/t/:tenant", signedIn, (req) => {
    expectType<Equal<typeof req.user, User>>();
    expectType<Equal<typeof req.params, { tenant: string }>>();
  });
  assertEquals(app.routes.length, 0);
});

Deno.test("it stands beside middleware of every other kind", () => {
  const app = sluice();
  const wrapped = (handler: sluice.RequestHandler): sluice.RequestHandler => handler;
  const ofExpress = (_req: IncomingMessage, _res: ServerResponse, next: (error?: unknown) => void) => next();
  const failed: sluice.ErrorRequestHandler = (error, _req, res, _next) => res.json(error);
  // deno-lint-ignore no-explicit-any -- as packages without types are
  const untyped: any = () => {};
  app.post(
    "/:id",
    rateLimit({
      keyGenerator: (req) => {
        expectType<Equal<typeof req.ip, string | undefined>>();
        return req.ip ?? "";
      },
    }),
    wrapped((req, _res, next) => {
      expectType<Equal<typeof req, sluice.Request>>();
      next();
    }),
    signedIn,
    ofExpress,
    (req, res) => {
      expectType<Equal<typeof req.user, User>>();
      res.json(req.params.id.trim());
    },
    failed,
  );
  app.post("/:id", signedIn, untyped, (req) => {
    expectType<Equal<typeof req.params, { id: string }>>();
    expectType<Equal<typeof req.user, User>>();
  });
  app.post("/:id", signedIn, (req, res) => {
    expectType<Equal<typeof req.user, User>>();
    res.end();
  }, failed);
  const list: sluice.RequestHandler[] = [signedIn];
  app.post("/lists", list, [signedIn, [counted]], (_req: sluice.Request, res: sluice.Response) => res.end());
  assertEquals(app.routes.length, 4);
});

Deno.test("it can be called by hand", () => {
  const app = sluice();
  app.get("/", (req, res, next) => req.secure ? signedIn(req, res, next) : next(), (_req, res) => res.end());
  app.use((req, res, next) => req.secure ? next() : signedIn(req, res, next));
  assertEquals(app.routes.length, 1);
});

Deno.test("a function that makes such a middleware has its type arguments inferred", () => {
  const app = sluice();
  const loaded = <Thing>(_load: (id: string) => Thing): Middleware<{ thing: Thing }> => (_req, _res, next) => next();
  app.get("/:id", loaded((id) => ({ id, size: 1 })), (req) => {
    expectType<Equal<typeof req.thing, { id: string; size: number }>>();
    expectType<Equal<typeof req.params, { id: string }>>();
  });
  assertEquals(app.routes.length, 1);
});

Deno.test("handlers before an error handler in the same call have their types", () => {
  const app = sluice();
  const failed: sluice.ErrorRequestHandler = (error, _req, res, _next) => res.json(error);
  app.get("/:id", (req, res) => {
    expectType<Equal<typeof req.params, { id: string }>>();
    res.end();
  }, failed);
  app.route("/:id").post((req, _res, next) => next(req.params.id), (req, res) => {
    expectType<Equal<typeof req.params, { id: string }>>();
    res.end();
  }, failed);
  assertEquals(app.routes.length, 2);
});

Deno.test("what says nothing changes no types", () => {
  const app = sluice();
  // deno-lint-ignore no-explicit-any -- as packages without types are
  const untyped: any = () => {};
  app.get("/:id", untyped, (req, res) => {
    expectType<Equal<typeof req, sluice.Request<{ id: string }>>>();
    expectType<Equal<typeof req.params, { id: string }>>();
    res.end();
  });
  app.get("/:id", sluice.json(), (req) => expectType<Equal<typeof req, sluice.Request<{ id: string }>>>());
  const failed: sluice.ErrorRequestHandler = (error, _req, res, _next) => res.json(error);
  app.post("/:id", signedIn, (req, res) => res.json(req.user), failed);
  assertEquals(app.routes.length, 3);
});

Deno.test("an eighth in front of a handler says what it makes, too", () => {
  const app = sluice();
  const other: sluice.RequestHandler = (_req, _res, next) => next();
  app.get("/:id", other, other, other, other, other, other, other, numbered, (req) => {
    expectType<Equal<typeof req.params, { id: number }>>();
  });
  app.use(other, other, other, other, other, other, other, signedIn, other, (req) => {
    expectType<Equal<typeof req.user, User>>();
  });
  assertEquals(app.routes.length, 1);
});

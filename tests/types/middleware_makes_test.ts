/** What middleware makes of requests, and that handlers behind it have it in their types. */
import sluice, { makes, type Middleware, Router } from "@sluice/sluice";
import { assertEquals } from "@std/assert";
import { type Equal, expectType } from "./support/expect_type.ts";

interface User {
  readonly name: string;
}

const signedIn = makes<{ user: User }>((req, _res, next) => {
  expectType<Equal<typeof req.user, User | undefined>>();
  req.user = { name: "Ada" };
  next();
});

const counted: Middleware<{ body: { n: number }; query: { page: number } }> = makes((req, _res, next) => {
  req.body = { n: 1 };
  req.query = { page: 2 };
  next();
});

const numbered = makes<{ params: { id: number } }>((req, _res, next) => {
  req.params = { id: Number(req.params.id) };
  next();
});

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
  assertEquals(app.routes.length, 2);
});

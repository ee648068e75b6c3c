/** What is inferred from schemas: the file does not compile if it is not. */
import { validate, type ValidateOptions } from "@sluice/openapi";
import { rateLimit } from "@sluice/rate-limit";
import sluice from "@sluice/sluice";
import { assertEquals } from "@std/assert";
import { type } from "arktype";
import * as v from "valibot";
import { z } from "zod";
import { type Equal, expectType } from "../../tests/types/support/expect_type.ts";

const note = z.object({ text: z.string(), at: z.coerce.date(), n: z.number().default(1) });
interface Note {
  text: string;
  at: Date;
  n: number;
}

Deno.test("a handler that is given to validate has the outputs of its schemas in its types", () => {
  const app = sluice();
  app.post(
    "/:id",
    sluice.json(),
    validate({ body: note, params: z.object({ id: z.coerce.number() }) }, (req) => {
      expectType<Equal<typeof req.body, Note>>();
      expectType<Equal<typeof req.params, { id: number }>>();
      // @ts-expect-error -- the schema has no such property
      req.body.nothing;
    }),
  );
  app.get(
    "/:id",
    validate({ query: v.object({ a: v.optional(v.string(), "x") }) }, (req, res) => {
      expectType<Equal<typeof req.query, { a: string }>>();
      res.status(200);
    }),
  );
  app.put(
    "/",
    validate({ body: type({ a: "number", "b?": "string" }) }, async (req) => {
      expectType<Equal<typeof req.body.a, number>>();
      await Promise.resolve();
    }),
  );
  app.post(
    "/h",
    validate({ headers: z.object({ a: z.string() }), cookies: z.object({ b: z.string() }) }, (req) => {
      expectType<Equal<typeof req.valid, { headers: { a: string }; cookies: { b: string } }>>();
      expectType<Equal<typeof req.headers, sluice.Request["headers"]>>();
    }),
  );
  assertEquals(app.routes.length, 4);
});

Deno.test("handlers behind validate in the same call have them too", () => {
  const app = sluice<{ tenant: string }>();
  app.post("/:id", sluice.json(), validate({ body: note, params: z.object({ id: z.coerce.number() }) }), (req, res) => {
    expectType<Equal<typeof req.body, Note>>();
    expectType<Equal<typeof req.params, { id: number }>>();
    expectType<Equal<typeof req.query, sluice.Request["query"]>>();
    expectType<Equal<typeof res.locals.tenant, string>>();
    // @ts-expect-error -- the schema has no such property
    req.body.nothing;
  });
  app.get("/:id", validate({ query: v.object({ a: v.optional(v.string(), "x") }) }), (req, res, next) => {
    expectType<Equal<typeof req.query, { a: string }>>();
    expectType<Equal<typeof req.params, { id: string }>>();
    next(res.statusCode);
  }, (req) => expectType<Equal<typeof req.query, { a: string }>>());
  app.put("/", validate({ body: type({ a: "number", "b?": "string" }) }), async (req) => {
    expectType<Equal<typeof req.body.a, number>>();
    await Promise.resolve();
  });
  app.post("/h", validate({ headers: z.object({ a: z.string() }), cookies: z.object({ b: z.string() }) }), (req) => {
    expectType<Equal<typeof req.valid, { headers: { a: string }; cookies: { b: string } }>>();
    expectType<Equal<typeof req.headers, sluice.Request["headers"]>>();
  });
  app.use("/u/:id", sluice.json(), validate({ body: note }), (req, _res, next) => {
    expectType<Equal<typeof req.body, Note>>();
    expectType<Equal<typeof req.params, { id: string }>>();
    next();
  });
  const some: ValidateOptions = {};
  app.post("/some", validate(some), (req) => expectType<Equal<typeof req.body, sluice.Request["body"]>>());
  assertEquals(app.routes.length, 5);
});

Deno.test("so have those of routes, routers with prefix parameters, and groups", () => {
  const app = sluice();
  const byId = validate({ params: z.object({ id: z.coerce.number() }) });
  app.route("/notes/:id").get(byId, (req) => expectType<Equal<typeof req.params, { id: number }>>())
    .all(byId, validate({ query: z.object({ q: z.string() }) }), (req, res) => {
      expectType<Equal<typeof req.params, { id: number }>>();
      expectType<Equal<typeof req.query, { q: string }>>();
      res.end();
    });
  const router = sluice.Router({ mergeParams: true });
  router.delete("/:id", byId, (req) => expectType<Equal<typeof req.params, { id: number }>>());
  router.use(validate({ query: z.object({ q: z.string() }) }), (req, _res, next) => {
    expectType<Equal<typeof req.query, { q: string }>>();
    next();
  });
  app.group("/t/:tenant", (group) => {
    group.get("/:id", validate({ query: z.object({ q: z.string() }) }), (req) => {
      expectType<Equal<typeof req.query, { q: string }>>();
      expectType<Equal<typeof req.params.tenant, string>>();
      expectType<Equal<typeof req.params.id, string>>();
    });
    group.route("/:id/x").put(
      validate({ params: z.object({ id: z.coerce.number(), tenant: z.string() }) }),
      (req) => expectType<Equal<typeof req.params, { id: number; tenant: string }>>(),
    );
  });
  assertEquals(app.routes.length, 2);
});

Deno.test("options of a limiter in front of validate get the request of the path", () => {
  const app = sluice();
  app.post(
    "/:id",
    rateLimit({
      keyGenerator: (req) => {
        expectType<Equal<typeof req.params.id, string>>();
        return req.params.id;
      },
    }),
    sluice.json(),
    validate({ body: note }),
    (req) => expectType<Equal<typeof req.body, Note>>(),
  );
  assertEquals(app.routes.length, 1);
});

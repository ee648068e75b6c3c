/** What is inferred from schemas: the file does not compile if it is not. */
import { validate } from "@sluice/openapi";
import sluice, { makes, Router } from "@sluice/sluice";
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

Deno.test("handlers behind validate have the outputs of its schemas in their types", () => {
  const app = sluice();
  app.post("/:id", sluice.json(), validate({ body: note, params: z.object({ id: z.coerce.number() }) }), (req) => {
    expectType<Equal<typeof req.body, Note>>();
    expectType<Equal<typeof req.params, { id: number }>>();
    expectType<Equal<typeof req.query, sluice.Request["query"]>>();
  });
  app.get("/:id", validate({ query: v.object({ a: v.optional(v.string(), "x") }) }), (req, res) => {
    expectType<Equal<typeof req.query, { a: string }>>();
    expectType<Equal<typeof req.params, { id: string }>>();
    res.status(200);
  });
  app.put("/", validate({ body: type({ a: "number", "b?": "string" }) }), async (req) => {
    expectType<Equal<typeof req.body.a, number>>();
    await Promise.resolve();
  });
  app.post("/h", validate({ headers: z.object({ a: z.string() }), cookies: z.object({ b: z.string() }) }), (req) => {
    expectType<Equal<typeof req.valid, { headers: { a: string }; cookies: { b: string } }>>();
    expectType<Equal<typeof req.headers, sluice.Request["headers"]>>();
  });
  assertEquals(app.routes.length, 4);
});

Deno.test("so have those of routes, routers, groups, and one that is given", () => {
  const app = sluice();
  app.route("/:id").post(validate({ body: note }), (req) => {
    expectType<Equal<typeof req.body, Note>>();
    expectType<Equal<typeof req.params, { id: string }>>();
  });
  Router({ mergeParams: true }).patch("/:id", validate({ body: note }), (req) => {
    expectType<Equal<typeof req.body, Note>>();
  });
  app.group("/:tenant", (group) => {
    group.post("/:id", validate({ body: note }), (req) => {
      expectType<Equal<typeof req.body, Note>>();
      expectType<Equal<typeof req.params.tenant, string>>();
    });
  });
  app.post(
    "/given",
    validate({ body: note }, (req) => {
      expectType<Equal<typeof req.body, Note>>();
    }),
  );
  assertEquals(app.routes.length, 2);
});

Deno.test("several middlewares add up", () => {
  const app = sluice();
  const signedIn = makes<{ user: { name: string } }>((req, _res, next) => {
    req.user = { name: "Ada" };
    next();
  });
  const query = validate({ query: z.object({ page: z.coerce.number() }) });
  app.post("/", signedIn, sluice.json(), query, validate({ body: note }), (req) => {
    expectType<Equal<typeof req.user, { name: string }>>();
    expectType<Equal<typeof req.query, { page: number }>>();
    expectType<Equal<typeof req.body, Note>>();
    // @ts-expect-error -- the schema has no such property
    req.body.nothing;
  });
  assertEquals(app.routes.length, 1);
});

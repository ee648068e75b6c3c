/** What is inferred from schemas: the file does not compile if it is not. */
import { validate } from "@sluice/openapi";
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

/** Types inferred from schemas: this file does not compile if the inference is wrong. */
import { upload, type UploadedFile } from "@sluice/middleware/upload";
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

Deno.test("in a generic function, the output of a schema of zod is the type that zod names", async () => {
  const app = sluice();
  function create<S extends z.ZodType>(path: string, schema: S): void {
    app.post(path, sluice.json(), validate({ body: schema }), (req, res) => {
      const body: z.output<S> = req.body;
      res.json(body);
    });
  }
  create("/notes", note);
  assertEquals(await (await app.inject("/notes", { method: "POST", body: { text: "a", at: 0 } })).json(), {
    text: "a",
    at: "1970-01-01T00:00:00.000Z",
    n: 1,
  });
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

Deno.test("res.json takes what the schema of its status takes, and nothing else", () => {
  const app = sluice<{ tenant: string }>();
  const User = z.object({ id: z.number(), at: z.date() });
  const Problem = z.object({ title: z.string() });
  const response = { 200: User, 404: Problem } as const;
  const user = { id: 1, at: new Date() };
  app.get("/:id", sluice.json(), validate({ response, params: z.object({ id: z.coerce.number() }) }), (req, res) => {
    expectType<Equal<typeof req.params, { id: number }>>();
    expectType<Equal<typeof res.locals.tenant, string>>();
    res.json(user);
    res.status(404).json({ title: "None" });
    res.set("x-a", "b").status(404).set("x-c", "d").json({ title: "None" });
    res.status(req.params.id > 1 ? 200 : 404).json({ title: "None" });
    // a status without a schema accepts any value
    res.status(500).json({ whatever: 1 });
    res.status(204).end();
    // @ts-expect-error -- wrong type
    res.json({ id: "1", at: new Date() });
    // @ts-expect-error -- the 404 body
    res.json({ title: "None" });
    // @ts-expect-error -- the 200 body
    res.status(404).json(user);
    // @ts-expect-error -- there is no such field
    res.status(404).json({ title: "None", stack: "" });
    // @ts-expect-error -- nor here
    res.set("x-a", "b").json({ ...user, passwordHash: "" });
    // @ts-expect-error -- it is also sent as JSON
    res.send({ id: "1" });
  });
  app.post(
    "/within",
    validate({ body: note, response: { 201: v.object({ n: v.number() }) } }, (req, res) => {
      res.status(201).json({ n: req.body.n });
      // @ts-expect-error -- wrong type
      res.status(201).json({ n: req.body.text });
    }),
  );
  app.route("/r").put(validate({ response: { 200: type({ n: "number" }) } }), (_req, res) => {
    // @ts-expect-error -- wrong type
    res.json({ n: "1" });
  });
  app.group("/g", (group) => {
    group.get("/", validate({ response: { 200: Problem } }), (_req, res) => {
      // @ts-expect-error -- wrong type
      res.json({ titel: "None" });
    });
  });
  // two middleware, and one without a declaration
  app.get("/two", validate({ response: { 200: User } }), validate({ response: { 404: Problem } }), (_req, res) => {
    res.json(user);
    // @ts-expect-error -- the 200 body
    res.status(404).json(user);
  });
  const reusable = (_req: sluice.Request, res: sluice.Response) => void res.json("anything");
  app.get("/reusable", validate({ response: { 200: User } }), reusable);
  app.get("/untyped", validate({ query: z.object({}) }), (_req, res) => void res.json("anything"));
  const some: ValidateOptions = {};
  app.get("/some", validate(some), (_req, res) => void res.status(404).json("anything"));
  assertEquals(app.routes.length, 7);
});

Deno.test("files of upload have their types beside the body of validate", () => {
  const app = sluice();
  const fields = { avatar: { maxCount: 1, required: true }, more: {} } as const;
  app.post("/", upload({ fields }), validate({ body: z.object({ caption: z.string() }) }), (req) => {
    expectType<Equal<typeof req.file, UploadedFile>>();
    expectType<Equal<typeof req.files.avatar, UploadedFile[]>>();
    expectType<Equal<typeof req.files.more, UploadedFile[] | undefined>>();
    expectType<Equal<typeof req.body, { caption: string }>>();
    // @ts-expect-error -- there is no such field
    req.files.other;
  });
  app.post("/any", upload(), (req) => {
    expectType<Equal<typeof req.files, UploadedFile[]>>();
    expectType<Equal<typeof req.file, UploadedFile | undefined>>();
  });
  app.post("/stored", upload({ storage: () => Promise.resolve(7) }), (req) => {
    expectType<Equal<(typeof req.files)[number]["value"], number | undefined>>();
  });
  app.post("/single", upload().single("avatar"), (req) => {
    expectType<Equal<typeof req.file, UploadedFile | undefined>>();
  });
  assertEquals(app.routes.length, 4);
});

Deno.test("a schema that is generic leaves the response as it is", () => {
  const app = sluice();
  function crud<S extends z.ZodObject>(path: string, schema: S): void {
    app.post(path, validate({ body: schema }), (req, res) => {
      res.json(req.body);
    });
  }
  crud("/notes", note);
  assertEquals(app.routes.length, 1);
});

import { upload } from "@sluice/middleware/upload";
import { validate } from "@sluice/openapi";
import sluice, { type Application, type ErrorHandler, type HttpError } from "@sluice/sluice";
import type { StandardSchemaV1 } from "@standard-schema/spec";
import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import { type } from "arktype";
import * as v from "valibot";
import { z } from "zod";
import { FORMS, NOTES, posted } from "../../tests/contracts/cases/validated_corpus.ts";
import { LIBRARIES } from "../../tests/contracts/program_validated.ts";

function appOf(env = "test"): Application {
  return sluice().set("env", env);
}

async function seen(app: Application, path: string, init?: RequestInit): Promise<[number, unknown]> {
  const response = await app.inject(path, init);
  const text = await response.text();
  return [response.status, /json/.test(response.headers.get("content-type") ?? "") ? JSON.parse(text) : text];
}

/** A schema from a check function. */
function schemaOf<T>(check: (value: unknown) => ReturnType<StandardSchemaV1.Props<unknown, T>["validate"]>) {
  return { "~standard": { version: 1, vendor: "test", validate: check } } as StandardSchemaV1<unknown, T>;
}

Deno.test("parts of a request are what their schemas make of them", async () => {
  const app = appOf();
  const schemas = {
    params: z.object({ id: z.coerce.number() }),
    query: z.object({ page: z.coerce.number().default(1) }),
    headers: z.object({ "x-tenant": z.string() }),
    cookies: z.object({ theme: z.enum(["dark", "light"]) }),
    body: z.object({ at: z.coerce.date() }),
  };
  const checked = validate(schemas, (req, res) => {
    const { params, query, valid, body } = req;
    res.json([params, query, valid, body.at.getTime(), req.get("x-other")]);
  });
  app.post("/:id", sluice.json(), checked);
  const headers = { "x-tenant": "t", "x-other": "o", cookie: "theme=dark" };
  assertEquals(await seen(app, "/7", posted({ at: "1970-01-01T00:00:01Z", extra: 1 }, headers)), [200, [
    { id: 7 },
    { page: 1 },
    { headers: { "x-tenant": "t" }, cookies: { theme: "dark" } },
    1000,
    "o",
  ]]);
});

Deno.test("all that is wrong is reported, as a problem with JSON pointers", async () => {
  const app = appOf();
  const body = z.object({ "a/b": z.array(z.object({ "~n": z.number({ message: "not a number" }) })) });
  const query = z.object({ page: z.coerce.number({ message: "no page" }) });
  app.post("/", sluice.json(), validate({ body, query }), (_req, res) => res.end());
  app.put("/", sluice.json(), validate({ query, status: 422 }), (_req, res) => res.end());
  const invalid = await app.inject("/?page=x", posted({ "a/b": [{ "~n": 1 }, { "~n": "2" }] }));
  assertEquals(invalid.headers.get("content-type"), "application/problem+json");
  assertEquals(await invalid.json(), {
    type: "about:blank",
    title: "Bad Request",
    status: 400,
    detail: "The request is not valid",
    errors: [
      { in: "query", pointer: "/page", message: "no page" },
      { in: "body", pointer: "/a~1b/1/~0n", message: "not a number" },
    ],
  });
  const [status, problem] = await seen(app, "/?page=x", { method: "PUT" });
  assertEquals([status, (problem as { title: string }).title], [422, "Unprocessable Content"]);
});

Deno.test("segments of a path may be objects with a key", async () => {
  const issues = [{ message: "no", path: [{ key: "a" }, 0, { key: Symbol("s") }] }, { message: "nor this" }];
  const app = appOf().get("/", validate({ query: schemaOf(() => ({ issues })) }));
  const [, { errors }] = await seen(app, "/") as [number, { errors: { pointer: string }[] }];
  assertEquals(errors.map(({ pointer }) => pointer), ["/a/0/Symbol(s)", ""]);
});

Deno.test("clients that prefer HTML get the page, and error handlers the error", async () => {
  const app = appOf();
  app.get("/", validate({ query: z.object({ n: z.string() }) }));
  const page = await app.inject("/", { headers: { accept: "text/html,*/*;q=0.8" } });
  assertEquals([page.status, page.headers.get("content-type")], [400, "text/html; charset=utf-8"]);
  assertMatch(await page.text(), /query\/n/);
  app.use((error: HttpError & { errors: unknown[] }, _req: unknown, res: sluice.Response, _next: unknown) => {
    res.status(error.status).json([error.type, error.errors.length]);
  });
  assertEquals(await seen(app, "/"), [400, ["request.invalid", 1]]);
});

Deno.test("onInvalid responds otherwise", async () => {
  const app = appOf();
  const query = z.object({ n: z.string() });
  app.get("/", validate({ query, onInvalid: (_req, res, _next, issues) => res.status(418).json(issues.length) }));
  assertEquals(await seen(app, "/"), [418, 1]);
});

Deno.test("several functions may check one part, and a handler gets what each of them makes of it", async () => {
  const app = sluice().set("env", "test");
  app.use(
    "/notes",
    validate({ query: z.object({ page: z.coerce.number() }), headers: z.object({ "x-a": z.string() }) }),
  );
  app.get(
    "/notes",
    validate({ query: z.object({ q: z.string() }), headers: z.object({ "x-b": z.string() }) }),
    validate({ query: z.object({ tags: z.array(z.string()), page: z.number().max(9) }) }),
    (req, res) => res.json([req.query, req.valid.headers]),
  );
  app.post(
    "/notes",
    sluice.json(),
    validate({ body: z.object({ at: z.date() }) }),
    validate({ body: z.object({ text: z.string() }) }),
    ({ body }, res) => res.json([body.at.getTime(), body.text, Object.keys(body)]),
  );
  const headers = { "x-a": "1", "x-b": "2" };
  const response = await app.inject("/notes?page=3&q=x&tags=y&other=z", { headers });
  assertEquals(await response.json(), [{ page: 3, q: "x", tags: ["y"] }, headers]);
  assertEquals((await app.inject("/notes?page=10&q=x&tags=y", { headers })).status, 400);
  const init = { method: "POST", headers: { ...headers, "content-type": "application/json" } };
  const body = JSON.stringify({ at: "1970-01-01T00:00:00.007Z", text: "a", other: 1 });
  assertEquals(await (await app.inject("/notes?page=1", { ...init, body })).json(), [7, "a", ["at", "text"]]);
});

Deno.test("a handler may be given, and is called for valid requests only", async () => {
  const app = appOf();
  let calls = 0;
  app.get(
    "/:id",
    validate({ params: z.object({ id: z.coerce.number() }) }, (req, res) => {
      calls++;
      res.json(req.params.id + 1);
    }),
  );
  assertEquals([await seen(app, "/1"), (await seen(app, "/x"))[0], calls], [[200, 2], 400, 1]);
});

Deno.test("a schema that answers at once makes no promise", () => {
  const app = appOf();
  app.get("/", validate({ query: z.object({}) }), (_req, res) => res.end("ok"));
  assertEquals(app.fetch(new Request("http://x/")) instanceof Promise, false);
});

Deno.test("asynchronous schemas are awaited, and what fails in them goes to the error handler", async () => {
  const app = appOf();
  const later = schemaOf((value) => Promise.resolve({ value: { late: value !== undefined } }));
  const rejecting = schemaOf(() => Promise.reject(new Error("rejected")));
  const throwing = schemaOf(() => {
    throw new Error("thrown");
  });
  app.get("/later", validate({ query: later, headers: z.object({}) }), (req, res) => res.json(req.query.late));
  app.get("/rejecting", validate({ query: rejecting }));
  app.get("/throwing", validate({ query: throwing }));
  app.get("/both", validate({ query: rejecting, headers: throwing }));
  app.get("/after", validate({ query: later, headers: throwing }));
  const failed: sluice.ErrorRequestHandler = (error, _req, res, _next) => res.status(503).json(error.message);
  app.use(failed);
  const messages = ["/later", "/rejecting", "/throwing", "/both", "/after"].map((path) => seen(app, path));
  assertEquals(await Promise.all(messages), [
    [200, true],
    [503, "rejected"],
    [503, "thrown"],
    [503, "rejected"],
    [503, "thrown"],
  ]);
});

Deno.test("no schema lets a request pass by failing in a way of its own", async () => {
  const app = appOf();
  const none = undefined as never;
  const failing = {
    "/rejects-with-nothing": schemaOf(() => Promise.reject()),
    "/rejects-with-route": schemaOf(() => Promise.reject("route")),
    "/throws-nothing": schemaOf(() => {
      throw undefined;
    }),
    "/has-no-result": schemaOf(() => none),
    "/promises-no-result": schemaOf(() => Promise.resolve(none)),
    "/finds-nothing-wrong": schemaOf(() => ({ issues: [] })),
    "/promises-nothing-wrong": schemaOf(() => Promise.resolve({ issues: [] })),
  };
  const statuses: Record<string, number> = {};
  for (const [path, query] of Object.entries(failing)) {
    app.get(path, validate({ query }), (_req, res) => res.json("passed"));
    app.get(path, (_req, res) => res.json("passed to another route"));
  }
  const rejecting = () => Promise.reject(new Error("onInvalid"));
  app.get("/invalid", validate({ query: z.object({ q: z.string() }), onInvalid: rejecting }));
  const failed: sluice.ErrorRequestHandler = (error, _req, res, _next) => res.status(error?.status ?? 503).end();
  app.use(failed);
  for (const path of [...Object.keys(failing), "/invalid"]) statuses[path] = (await seen(app, path))[0];
  assertEquals(statuses, {
    "/rejects-with-nothing": 503,
    "/rejects-with-route": 503,
    "/throws-nothing": 503,
    "/has-no-result": 503,
    "/promises-no-result": 503,
    "/finds-nothing-wrong": 400,
    "/promises-nothing-wrong": 400,
    "/invalid": 503,
  });
});

Deno.test("what cannot work is refused when it is registered, with the route", () => {
  const app = appOf();
  const message = (register: () => unknown) => assertThrows(register, TypeError).message;
  const body = z.object({});
  const id = (name: string) => validate({ params: z.object({ [name]: z.string() }) });
  assertMatch(message(() => app.get("/a", validate({ body }))), /^app\.get\("\/a"\): .* body.* GET has none/);
  assertMatch(message(() => app.route("/a").head(validate({ body }))), /head.*body/);
  assertMatch(message(() => app.post("/a/:id", id("name"))), /^app\.post\("\/a\/:id"\): .*"name"/);
  assertMatch(message(() => sluice.Router().get("/:a", id("b"))), /^Router\.get\("\/:a"\)/);
  const valibot = validate({ params: v.object({ name: v.string() }) });
  assertMatch(message(() => app.post("/v/:id", valibot)), /"name"/);
  const arktype = validate({ params: type({ name: "string" }) });
  assertMatch(message(() => app.post("/k/:id", arktype)), /"name"/);
  app.post("/b/:id", id("id"));
  // a group's handlers also get its prefix's parameters
  app.group("/:tenant", (group) => group.get("/x", id("tenant")));
  // @ts-expect-error -- not a schema
  assertMatch(message(() => validate({ body: { type: "object" } })), /body must be a schema of Standard Schema 1/);
  // @ts-expect-error -- not a schema
  assertMatch(message(() => validate({ response: { 200: 5 } })), /response\.200 must be a schema/);
  assertMatch(message(() => validate({ boddy: body } as object)), /boddy/);
  // @ts-expect-error -- a different status
  assertMatch(assertThrows(() => validate({ status: 500 }), RangeError).message, /400 or 422, not 500/);
});

Deno.test("responses are checked in development, or where it is asked for", async () => {
  const response = { 200: z.object({ id: z.number() }) };
  const statuses: unknown[] = [];
  for (const env of ["development", "production"]) {
    for (const checkResponses of [undefined, true, false]) {
      const app = appOf(env);
      app.get("/r/:x", validate({ response, ...checkResponses === undefined ? {} : { checkResponses } }), (_q, res) => {
        res.json({ id: "secret" as never });
      });
      const failed: sluice.ErrorRequestHandler = (error, _req, res, _next) => res.status(500).json(error.message);
      app.use(failed);
      statuses.push((await seen(app, "/r/1"))[0]);
      if (statuses.length === 1) assertMatch(String((await seen(app, "/r/1"))[1]), /^GET \/r\/:x: .* 200 .*\/id: /);
    }
  }
  assertEquals(statuses, [500, 500, 200, 200, 500, 200]);
});

Deno.test("serialize sends what the schema has, and nothing that was spread into the value", async () => {
  const app = appOf("production");
  const response = { 200: z.object({ name: z.string() }) };
  const user = { name: "Ada", password: "secret" };
  app.get("/", validate({ response, serialize: true }), (_req, res) => res.json({ ...user }));
  app.get("/bad", validate({ response, serialize: true }), (_req, res) => res.json({ password: "secret" } as never));
  app.get("/other", validate({ response, serialize: true }), (_req, res) => res.status(404).json("none"));
  assertEquals(await seen(app, "/"), [200, { name: "Ada" }]);
  assertEquals((await seen(app, "/bad"))[0], 500);
  assertEquals(await seen(app, "/other"), [404, "none"]);
});

for (const [name, { note, form }] of Object.entries(LIBRARIES)) {
  Deno.test(`schemas of ${name} judge as those of other libraries, and nothing is a 500`, async () => {
    const app = appOf();
    app.post("/", sluice.json(), note, (_req, res) => res.json("ok"));
    for (const { name: what, query = "", init, status } of NOTES) {
      // as servers do, unlike a constructed request
      const length = String(new Blob([(init.body ?? "") as string]).size);
      const headers = { ...init.headers, "content-length": length };
      const response = await app.inject(`/${query}`, { ...init, headers });
      await response.text();
      assertEquals([what, response.status], [what, status]);
    }
    const untyped = { method: "POST", headers: { "content-length": "2" }, body: new Uint8Array([123, 125]) };
    assertEquals((await seen(app, "/?page=1", untyped))[0], 415);
    assertEquals(({} as Record<string, unknown>)["name"], undefined);
    assertEquals(({} as Record<string, unknown>)["admin"], undefined);
  });

  Deno.test(`forms without a list of their files are judged alike with schemas of ${name}`, async () => {
    const app = appOf();
    app.post("/", upload(), form, (req, res) => res.json(req.file?.size ?? 0));
    for (const { name: what, init, status } of FORMS) {
      const isOfFiles = what.includes("two files") || what.includes("file of another type");
      // a file instead of a string leaves the string missing
      const expected = isOfFiles ? 200 : what.startsWith("a file where text") ? 422 : status;
      const response = await app.inject("/", init);
      await response.text();
      assertEquals([what, response.status], [what, expected]);
    }
  });
}

Deno.test("a body of another type is refused where a body may be missing, too", async () => {
  const app = appOf();
  const body = z.object({ n: z.number() }).optional();
  app.post("/", sluice.json(), validate({ body }), (req, res) => res.json(req.body ?? "none"));
  const onInvalid = (_req: sluice.Request, res: sluice.Response, _next: unknown, issues: readonly unknown[]) => {
    res.status(418).json(issues);
  };
  app.post("/own", sluice.json(), validate({ body, onInvalid: onInvalid as never }), (_req, res) => res.json("passed"));
  assertEquals(await seen(app, "/", { method: "POST" }), [200, "none"]);
  assertEquals(await seen(app, "/", posted({ n: 1 })), [200, { n: 1 }]);
  assertEquals((await seen(app, "/", posted("n=1", { "content-type": "text/plain" })))[0], 415);
  const message = 'No body parser of this route reads "text/plain"';
  assertEquals(await seen(app, "/own", posted("n=1", { "content-type": "text/plain" })), [
    418,
    [{ in: "body", pointer: "", message }],
  ]);
});

Deno.test("a request that a program makes is told to be unread only if nothing has read it", async () => {
  const app = appOf();
  app.post("/", sluice.json(), validate({ body: z.object({}) }), (_req, res) => res.json("ok"));
  const statuses = ["application/json", "text/plain"].map(async (type) => {
    return (await seen(app, "/", posted("", { "content-type": type })))[0];
  });
  assertEquals(await Promise.all(statuses), [400, 415]);
});

Deno.test("a file that the program itself puts where text is wanted is refused", async () => {
  const app = appOf();
  app.use((req, _res, next) => void req.formData().then((form) => (req.body = Object.fromEntries(form), next()), next));
  app.post("/", validate({ body: z.object({ name: z.string() }) }), (req, res) => res.json(req.body));
  const form = (value: string | File) => {
    const body = new FormData();
    body.append("name", value as string);
    return { method: "POST", body };
  };
  assertEquals(await seen(app, "/", form("a")), [200, { name: "a" }]);
  assertEquals((await seen(app, "/", form(new File(["a"], "a.txt"))))[0], 400);
});

Deno.test("a problem names at most a hundred mistakes", async () => {
  const app = appOf();
  app.post("/", sluice.json(), validate({ body: z.array(z.number()) }));
  const [status, problem] = await seen(app, "/", posted(Array(5000).fill("x")));
  assertEquals([status, (problem as { errors: unknown[] }).errors.length], [400, 100]);
});

Deno.test("an error names the field and what is expected, and nothing of the value", async () => {
  const schemas = {
    zod: z.object({ pin: z.number().max(10), role: z.enum(["admin", "user"]) }),
    valibot: v.object({ pin: v.pipe(v.number(), v.maxValue(10)), role: v.picklist(["admin", "user"]) }),
    arktype: type({ pin: "number < 10", role: "'admin' | 'user'" }),
  };
  const app = appOf();
  for (const [name, body] of Object.entries(schemas)) app.post(`/${name}`, sluice.json(), validate({ body }));
  const errorsOf = async (path: string, body: unknown) => {
    const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
    const { errors } = await (await app.inject(path, init)).json();
    return errors.map(({ pointer, message }: { pointer: string; message: string }) => `${pointer} ${message}`);
  };
  for (
    const body of [{ pin: 99, role: "administrator" }, { pin: 123, role: "x" }, { pin: 1234, role: 'a "b" (was)' }]
  ) {
    assertEquals(await errorsOf("/zod", body), [
      "/pin Too big: expected number to be <=10",
      '/role Invalid option: expected one of "admin"|"user"',
    ]);
    assertEquals(await errorsOf("/valibot", body), [
      "/pin Invalid value: Expected <=10",
      '/role Invalid type: Expected ("admin" | "user")',
    ]);
    assertEquals(await errorsOf("/arktype", body), [
      "/pin pin must be less than 10",
      '/role role must be "admin" or "user"',
    ]);
  }
  // a type name is not a value
  assertEquals(await errorsOf("/zod", { pin: "undefined" }), [
    "/pin Invalid input: expected number, received string",
    '/role Invalid option: expected one of "admin"|"user"',
  ]);
  assertEquals(await errorsOf("/arktype", { pin: "x" }), [
    "/pin pin must be a number (was a string)",
    '/role role must be "admin" or "user" (was missing)',
  ]);
});

/** Calls that other frameworks have, and what the error says. */
const GUESSES: readonly (readonly [what: string, args: readonly unknown[], advice: string])[] = [
  ["a schema of zod", [z.object({ text: z.string() })], "such as validate({ body: schema })"],
  ["a schema of valibot", [v.object({ text: v.string() })], "such as validate({ body: schema })"],
  ["a schema of arktype", [type({ text: "string" })], "such as validate({ body: schema })"],
  ["a schema older than Standard Schema", [{ parse() {} }], "such as validate({ body: schema })"],
  ["a JSON Schema", [{ type: "object", properties: {} }], "such as validate({ body: schema })"],
  ["a list of checks", [[z.string()]], "such as validate({ body: schema })"],
  ["a part before its schema", ["json", z.string()], "such as validate({ body: schema })"],
  ["nothing", [], "such as validate({ body: schema })"],
];

for (const [what, args, advice] of GUESSES) {
  Deno.test(`validate says what to write instead of ${what}`, () => {
    const { message } = assertThrows(() => (validate as (...args: unknown[]) => unknown)(...args), TypeError);
    assertEquals(message.endsWith(advice), true, message);
  });
}

Deno.test("the compiler refuses a schema where the parts belong", () => {
  // @ts-expect-error: it needs the part's name
  assertThrows(() => validate(z.object({ text: z.string() })), TypeError);
  // @ts-expect-error: it needs the part's name
  assertThrows(() => validate(v.object({ text: v.string() })), TypeError);
});

Deno.test("an error handler finds the issues under the schema libraries' name too, and the JSON has them once", async () => {
  const app = appOf().post("/", sluice.json(), validate({ body: z.object({ text: z.string() }) }));
  app.use(
    ((error, _req, res, _next) => {
      res.json([error.issues === error.errors, error.issues.length, Object.keys(error).includes("issues")]);
    }) as ErrorHandler,
  );
  assertEquals(await seen(app, "/", posted({ text: 1 })), [200, [true, 1, false]]);
});

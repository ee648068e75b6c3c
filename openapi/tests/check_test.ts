/**
 * Findings from `checkApplication`: in applications that deviate from their documents in one way, and in complete ones.
 */
import { DatabaseSync } from "node:sqlite";
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { operation, validate } from "@sluice/openapi";
import { checkApplication, type CheckOptions, type CheckReport, type Finding, reportText } from "@sluice/openapi/check";
import sluice, { type FrameworkApp, type Handler, rateLimit } from "@sluice/sluice";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { z } from "zod";
import { createApp } from "../../examples/tutorial/step-7/app.ts";
import { ordersApi } from "./support/orders_api.ts";

/** An application whose errors are not logged. */
function quiet(): FrameworkApp {
  return sluice().set("env", "test");
}

async function found(app: FrameworkApp, options: CheckOptions = {}): Promise<CheckReport> {
  return await checkApplication(app, options);
}

/** A finding in one line. */
function line({ kind, operation, reason }: Finding): string {
  return `${operation} ${kind}: ${reason}`;
}

/** Middleware that declares what `validate` would check, and checks nothing. */
function claims(schemas: Parameters<typeof validate>[0]): Handler {
  const claiming: Handler = (_req, _res, next) => next();
  const { response, ...validates } = schemas;
  return Object.assign(claiming, {
    [Symbol.for("sluice.details")]: { validates, ...response && { responds: response } },
  });
}

Deno.test("an application that keeps to its document has no findings", async () => {
  const app = quiet();
  const Note = z.object({ id: z.int(), text: z.string() });
  const body = z.strictObject({ text: z.string().min(1).max(20), tags: z.array(z.enum(["a", "b"])).max(2).optional() });
  app.use(sluice.json());
  app.get(
    "/notes/:id",
    validate({ params: z.object({ id: z.coerce.number().int().min(1) }), response: { 200: Note } }),
    (
      req,
      res,
    ) => res.json({ id: req.params.id, text: "a" }),
  );
  app.post("/notes", validate({ body, response: { 201: Note } }), (req, res) => {
    res.status(201).json({ id: 1, text: req.body.text });
  });
  const report = await found(app);
  assertEquals(report.findings.map(line), [], reportText(report));
  assertEquals([report.operations, report.unchecked], [2, []]);
  assert(report.requests > 80, `only ${report.requests} requests`);
  assertMatch(reportText(report), /^2 operations, \d+ requests, seed 1: nothing was found$/);
});

Deno.test("what the document allows and the server refuses is found, with the smallest request that shows it", async () => {
  const app = quiet();
  const body = z.object({ text: z.string(), count: z.int().min(0).max(1000) });
  app.post("/notes", sluice.json(), validate({ body, response: { 200: z.boolean() } }), (req, res) => {
    if (req.body.count > 7) return res.status(422).json({ title: "too many" } as never);
    res.json(true);
  });
  const { findings } = await found(app);
  assertEquals(findings.map(line), ["POST /notes refuses: the document allows it: too many"]);
  assertEquals([findings[0]!.response, JSON.parse(findings[0]!.request.body!)], [
    { status: 422, body: '{"title":"too many"}' },
    { text: "", count: 8 },
  ]);
});

Deno.test("what the document forbids and the server accepts is found, part by part", async () => {
  const app = quiet();
  const query = z.object({ page: z.coerce.number().int().min(1), sort: z.enum(["name", "age"]).optional() });
  const body = z.object({ text: z.string().max(5), inner: z.object({ n: z.int() }) });
  app.post(
    "/notes",
    sluice.json(),
    claims({ query, body, response: { 200: z.boolean() } }),
    (_req, res) => res.json(true),
  );
  const { findings } = await found(app);
  const where = findings.map(({ kind, reason }) => `${kind} ${reason.replace(/^the document forbids .* as /, "")}`);
  assertEquals(where.sort(), [
    "accepts body",
    "accepts body /inner",
    "accepts body /inner/n",
    "accepts body /text",
    "accepts query page",
    "accepts query sort",
  ]);
  assertEquals(findings.every(({ response }) => response.status === 200), true);
});

Deno.test("responses that the document does not have are found: statuses, media types, bodies, and failures", async () => {
  const app = quiet();
  const response = { 200: z.object({ n: z.int() }) };
  app.get("/status", claims({ response }), (_req, res) => res.status(202).json({ n: 1 }));
  app.get("/type", claims({ response }), (_req, res) => res.send("<p>"));
  app.get("/body", claims({ response }), (_req, res) => res.json({ n: 1.5 }));
  app.get("/text", claims({ response }), (_req, res) => res.type("json").send("{"));
  app.get("/fails", claims({ response }), () => {
    throw new Error("on purpose");
  });
  app.get("/fine", claims({ response }), (_req, res) => res.json({ n: 1 }));
  const { findings } = await found(app);
  const shown = findings.map(({ operation, kind, reason }) => `${operation} ${kind}: ${reason}`);
  assertEquals(shown.map((one) => one.replace(/(not as in the document: \S+): .*$/, "$1")), [
    "GET /status responds: the document has no response 202",
    "GET /type responds: 200 is text/html, but in the document it is application/json",
    "GET /body responds: the body of 200 is not as in the document: /n",
    "GET /text responds: 200 claims to be JSON, but is not",
    "GET /fails responds: the document has no response 500",
  ]);
});

Deno.test("the same seed makes the same requests, for one operation alone as well", async () => {
  const seen: string[] = [];
  const app = quiet();
  const body = z.object({ a: z.string(), b: z.number(), c: z.array(z.boolean()) });
  app.use(sluice.json());
  for (const path of ["/one", "/two"]) {
    app.post(path, validate({ body, response: { 200: z.boolean() } }), (req, res) => {
      seen.push(`${req.path} ${JSON.stringify(req.body)}`);
      res.json(true);
    });
  }
  const requests = async (options: CheckOptions): Promise<string[]> => {
    await checkApplication(app, options);
    return seen.splice(0);
  };
  const first = await requests({ seed: 42 });
  assertEquals(await requests({ seed: 42 }), first);
  assertEquals(await requests({ seed: 42, only: ["POST /two"] }), first.filter((one) => one.startsWith("/two")));
  assert((await requests({ seed: 43 })).join() !== first.join());
});

Deno.test("an operation that nobody may use is said to be unchecked, and headers sign in", async () => {
  const app = quiet();
  app.get("/secret", (req, res) => {
    if (req.get("authorization") !== "Bearer x") return res.sendStatus(401);
    res.json(1);
  });
  const { unchecked } = await found(app);
  assertEquals(unchecked, ["GET /secret: all valid requests got 401; option headers can carry credentials"]);
  assertEquals((await found(app, { headers: { authorization: "Bearer x" } })).unchecked, []);
});

Deno.test("examples of parameters name what is there", async () => {
  const app = quiet();
  const examples = operation({ examples: { params: { id: "7" } } });
  app.get("/notes/:id", examples, validate({ response: { 200: z.int() } }), (req, res) => {
    if (req.params.id !== "7") return res.sendStatus(404);
    res.json("seven" as never);
  });
  app.get("/others/:id", (_req, res) => res.sendStatus(404));
  const { findings, unchecked } = await found(app);
  assertEquals(findings.map(({ reason }) => reason.split(":")[0]), [
    "the body of 200 is not as in the document",
    "the document has no response 404",
  ]);
  assertEquals(unchecked, [
    "GET /others/{id}: all valid requests got 404; an example of its parameters can name something that exists",
  ]);
});

Deno.test("what cannot be checked is said: no such operation, no value, nothing in the document", async () => {
  const app = quiet();
  app.get(/^\/x/, (_req, res) => res.json(1));
  app.get("/y", validate({ query: z.object({ a: z.string().regex(/^(?=a)b$/) }) }), (_req, res) => res.json(1));
  const { unchecked } = await found(app, { only: ["GET /y", "GET /z"] });
  assertEquals(unchecked.map((one) => one.replace(/ \^\(\?=a\).*/, "")), [
    "GET /y: no string is known to match the pattern",
    "GET /^\\/x/: its path is a regular expression",
    "GET /z: the document has no such operation",
  ]);
});

Deno.test("only what can be written in its place is sent there: no empty segments, nulls or objects", async () => {
  const app = quiet();
  const end: Handler = (_req, res) => void res.json(1);
  const ranges = z.object({ min: z.number().optional(), max: z.number().optional() });
  app.get("/:slug/:n", validate({ params: z.object({ slug: z.string().min(1), n: z.number().nullable() }) }), end);
  app.get("/search", validate({ query: z.object({ n: z.literal([1, null]), ranges }) }), end);
  app.post("/form", sluice.urlencoded(), validate({ body: z.object({ n: z.number().nullable(), ranges }) }), end);
  const report = await found(app);
  assertEquals(report.findings.map(line), [], reportText(report));
  assertEquals([report.operations, report.unchecked], [3, []]);
});

Deno.test("bodies have a media type of the range that the document has", async () => {
  const app = quiet();
  const end: Handler = (_req, res) => void res.json(1);
  app.post("/text", sluice.text({ type: "text/*" }), validate({ body: z.string().min(1) }), end);
  app.post("/image", sluice.raw({ type: "image/*" }), validate({ body: z.instanceof(Uint8Array) }), end);
  assertEquals((await found(app)).findings.map(line), []);
});

Deno.test("strings of the greatest length are short enough for every library", async () => {
  const app = quiet();
  const query = toStandardJsonSchema(v.object({ q: v.pipe(v.string(), v.minLength(1), v.maxLength(3)) }));
  app.get("/", validate({ query }), (_req, res) => res.json(1));
  assertEquals((await found(app, { runs: 300 })).findings.map(line), []);
});

Deno.test("schemas that few values satisfy are checked, or said to be unchecked, and do not keep the check from ending", async () => {
  const app = quiet();
  const schemas = {
    time: z.int().min(1_500_000_000_000).max(1_900_000_000_000),
    ratio: z.number().min(0.25).max(0.5),
    uuid: z.uuidv7(),
    token: z.jwt(),
    record: z.record(z.enum(["a", "b"]), z.number()),
    names: z.record(z.string().regex(/^x-[a-z]{2}$/), z.number()),
  };
  for (const [name, value] of Object.entries(schemas)) {
    app.get(`/${name}`, validate({ query: z.object({ value }) }), (_req, res) => res.json(1));
  }
  const body = z.object({ long: z.string().regex(/^\w+$/).min(200) });
  app.post("/long", sluice.json(), validate({ body }), (_req, res) => res.json(1));
  app.get("/json", validate({ query: z.object({ value: z.json().optional() }) }), (_req, res) => res.json(1));
  const report = await found(app, { runs: 5 });
  // a query cannot have everything that JSON can
  const findings = report.findings.filter(({ operation }) => operation !== "GET /json");
  assertEquals(findings.map(line), [], reportText(report));
  assertEquals(report.unchecked, [
    "POST /long: no string of the right length was found for the pattern ^\\w+$",
  ]);
});

Deno.test("a response that does not come ends the check, and wrong options are refused", async () => {
  const app = quiet();
  app.get("/never", () => {});
  await assertRejects(() => found(app, { timeoutMs: 20 }), Error, "no response within 20 ms");
  await assertRejects(() => found(app, { sead: 1 } as never), TypeError, "sead");
  await assertRejects(() => found(app, { seed: -1 }), RangeError, "seed");
});

Deno.test("limits of one client do not end a check, because each request has an address of its own", async () => {
  const app = quiet();
  app.use(rateLimit({ windowMs: 60_000, limit: 1 }));
  app.get("/", (_req, res) => res.json(1));
  const report = await found(app);
  assertEquals([report.findings, report.unchecked], [[], []], reportText(report));
});

Deno.test("41 operations are checked, and each that does otherwise than its document says is found", async () => {
  const { findings, operations } = await found(ordersApi(), { runs: 8 });
  assertEquals(operations, 41);
  // z.coerce.date() reads null as 1970
  assertEquals(findings.map(({ kind, operation, reason }) => `${operation} ${kind}: ${reason}`), [
    "POST /v1/orders accepts: the document forbids null as body /deliverBy",
  ]);
});

Deno.test("the tutorial keeps to its document, for guests and for a user who has signed in", async () => {
  const db = new DatabaseSync(":memory:");
  try {
    const app = createApp({ db, secret: "x".repeat(32) }).set("env", "test");
    const guest = await found(app as never, { runs: 3 });
    assertEquals(guest.findings.map(line), [], reportText(guest));
    assertEquals(guest.unchecked.map((one) => one.split(": ")[0]), [
      ...["POST /api/login", "POST /api/links", "GET /api/links", "GET /api/links/{code}"],
      ...["GET /api/links/{code}/visits", "GET /{code}"],
    ]);
    const signup = { method: "POST", body: { name: "ann", password: "correct horse" } };
    const cookie = (await app.inject("/api/signup", signup)).headers.get("set-cookie")!.split(";")[0]!;
    await app.inject("/api/links", {
      method: "POST",
      headers: { cookie },
      body: { url: "https://a.example", code: "abc" },
    });
    const user = await found(app as never, {
      headers: { cookie },
      runs: 3,
      only: ["POST /api/links", "GET /api/links"],
    });
    assertEquals(user.findings.map(line), [], reportText(user));
    assertEquals(user.unchecked, []);
  } finally {
    db.close();
  }
});

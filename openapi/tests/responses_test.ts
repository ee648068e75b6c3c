/** Responses match the document: only the schema's fields are sent, in every environment. */
import { openapi, validate, type ValidateOptions } from "@sluice/openapi";
import sluice from "@sluice/sluice";
import { assertEquals, assertMatch } from "@std/assert";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { z } from "zod";

const USER = { id: 1, name: "Ann", passwordHash: "secret", keys: [{ id: 2, secret: "secret" }] };

/** Sends a value; returns the client's response and the errors reported to the developer. */
async function sentOf(
  options: Omit<ValidateOptions, "response">,
  schema: unknown,
  value: unknown,
  env = "production",
): Promise<{ status: number; body: unknown; warnings: string[] }> {
  const app = sluice().set("env", env).set("logger", undefined as never);
  app.get("/users/:id", validate({ ...options, response: { 200: schema as z.ZodType } }), (_req, res) => {
    res.json(value);
  });
  const { warn } = console;
  const warnings: string[] = [];
  console.warn = (text: string) => void warnings.push(text);
  try {
    const response = await app.inject("/users/1", { headers: { accept: "application/json" } });
    return { status: response.status, body: await response.json(), warnings };
  } finally {
    console.warn = warn;
  }
}

const SCHEMAS = {
  zod: z.object({ id: z.number(), name: z.string(), keys: z.array(z.object({ id: z.number() })) }),
  valibot: toStandardJsonSchema(v.object({
    id: v.number(),
    name: v.string(),
    keys: v.array(v.object({ id: v.number() })),
  })),
  arktype: type({ id: "number", name: "string", keys: type({ id: "number" }).array() }),
};

for (const [name, schema] of Object.entries(SCHEMAS)) {
  Deno.test(`fields that a schema of ${name} does not have are sent nowhere, and development says so`, async () => {
    const expected = { id: 1, name: "Ann", keys: [{ id: 2 }] };
    for (const env of ["production", "test", "development"]) {
      const { status, body, warnings } = await sentOf({}, schema, USER, env);
      assertEquals([status, body], [200, expected], env);
      if (env === "development" && name === "zod") {
        assertEquals(warnings.length, 1);
        assertMatch(warnings[0]!, /^GET \/users\/:id: .* status 200 .*: \/passwordHash, \/keys\/\*\/secret$/);
      }
    }
  });

  Deno.test(`a value is sent as it is if a schema of ${name} has all of it`, async () => {
    const value = { id: 1, name: "Ann", keys: [] };
    assertEquals((await sentOf({}, schema, value)).body, value);
  });
}

Deno.test("what may have any field keeps all of them", async () => {
  const schemas = {
    loose: z.looseObject({ id: z.number() }),
    record: z.record(z.string(), z.unknown()),
    unknown: z.unknown(),
    "loose, of valibot": toStandardJsonSchema(v.looseObject({ id: v.number() })),
    "with an index, of arktype": type({ id: "number", "[string]": "unknown" }),
  };
  for (const [what, schema] of Object.entries(schemas)) assertEquals((await sentOf({}, schema, USER)).body, USER, what);
  const rest = z.object({ id: z.number() }).catchall(z.object({ a: z.number() }));
  assertEquals((await sentOf({}, rest, { id: 1, x: { a: 1, b: 2 } })).body, { id: 1, x: { a: 1 } });
});

Deno.test("of alternatives, the fields of those count that a value fits", async () => {
  const card = z.object({ kind: z.literal("card"), last4: z.string() });
  const sepa = z.object({ kind: z.literal("sepa"), iban: z.string() });
  const value = { kind: "card", last4: "1234", iban: "secret", number: "secret" };
  for (const schema of [z.discriminatedUnion("kind", [card, sepa]), z.union([card, sepa])]) {
    assertEquals((await sentOf({}, schema, value)).body, { kind: "card", last4: "1234" });
  }
  const both = z.intersection(z.object({ a: z.number() }), z.object({ b: z.number() }));
  assertEquals((await sentOf({}, both, { a: 1, b: 2, c: 3 })).body, { a: 1, b: 2 });
  const nullable = z.object({ user: z.object({ id: z.number() }).nullable() });
  assertEquals((await sentOf({}, nullable, { user: USER })).body, { user: { id: 1 } });
  assertEquals((await sentOf({}, nullable, { user: null })).body, { user: null });
});

Deno.test("alternatives that differ in the types of their fields, or further inside, do not lend each other fields", async () => {
  const text = { a: "x", secret: "secret" };
  const inside = { user: { kind: "guest" }, secret: "secret" };
  const listed = { list: [{ n: "1" }], secret: "secret" };
  const schemas: [schema: unknown, value: object, expected: object][] = [
    [z.union([z.object({ a: z.string() }), z.object({ a: z.number(), secret: z.string() })]), text, { a: "x" }],
    [type({ a: "string" }).or({ a: "number", secret: "string" }), text, { a: "x" }],
    [
      z.union([
        z.object({ user: z.object({ kind: z.literal("guest") }) }),
        z.object({ user: z.object({ kind: z.literal("staff") }), secret: z.string() }),
      ]),
      inside,
      { user: { kind: "guest" } },
    ],
    [
      z.union([
        z.object({ list: z.array(z.object({ n: z.string() })) }),
        z.object({ list: z.array(z.object({ n: z.number() })), secret: z.string() }),
      ]),
      listed,
      { list: [{ n: "1" }] },
    ],
    [
      z.union([
        z.tuple([z.literal("a"), z.object({ id: z.number() })]),
        z.tuple([z.literal("b"), z.object({ id: z.number(), secret: z.string() })]),
      ]),
      ["a", { id: 1, secret: "secret" }],
      ["a", { id: 1 }],
    ],
    [z.union([z.record(z.string(), z.number()), z.object({ a: z.string() })]), text, { a: "x" }],
  ];
  for (const [schema, value, expected] of schemas) assertEquals((await sentOf({}, schema, value)).body, expected);
  const parts = toStandardJsonSchema(v.intersect([
    v.object({ user: v.object({ id: v.number() }) }),
    v.object({ user: v.object({ name: v.string() }) }),
  ]));
  assertEquals((await sentOf({}, parts, { user: USER })).body, { user: { id: 1, name: "Ann" } });
});

Deno.test("alternatives that differ in dates, patterns and limits do not lend each other fields, either", async () => {
  const value = (a: unknown) => ({ a, secret: "secret" });
  const schemas: [schema: unknown, a: unknown, expected: unknown][] = [
    [
      z.union([z.record(z.string(), z.union([z.string(), z.boolean()])), z.object({ a: z.set(z.string()) })]),
      new Set(),
      [],
    ],
    [z.union([z.object({ a: z.number().max(9), secret: z.string() }), z.object({ a: z.number() })]), 10, 10],
    [z.union([z.object({ a: z.int(), secret: z.string() }), z.object({ a: z.number() })]), 1.5, 1.5],
    [z.union([z.object({ a: z.email(), secret: z.string() }), z.object({ a: z.string() })]), "Ann", "Ann"],
    [z.union([z.object({ a: z.string().max(2), secret: z.string() }), z.object({ a: z.string() })]), "Ann", "Ann"],
    [z.union([z.object({ a: z.date(), secret: z.string() }), z.object({ a: z.string() })]), "Ann", "Ann"],
    [type({ "[string]": "boolean" }).or({ a: "Date" }), new Date(0), "1970-01-01T00:00:00.000Z"],
  ];
  for (const [schema, a, expected] of schemas) {
    assertEquals((await sentOf({}, schema, value(a))).body, { a: expected }, String(a));
  }
  // a value without its pattern is still told by its kind
  const kinds = z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("user"), a: z.email() }),
    z.object({ kind: z.literal("staff"), secret: z.string() }),
  ]);
  assertEquals((await sentOf({}, kinds, { kind: "user", ...value("Ann") })).body, { kind: "user", a: "Ann" });
});

Deno.test("the output of a schema of valibot with defaults has them, and the document requires them", async () => {
  const schema = toStandardJsonSchema(v.object({ id: v.optional(v.number(), 3), name: v.nullable(v.string(), "Ann") }));
  assertEquals((await sentOf({}, schema, { name: null })).body, { id: 3, name: "Ann" });
  const app = sluice();
  app.post("/", sluice.json(), validate({ body: schema, response: { 200: schema } }), (req, res) => res.json(req.body));
  const { requestBody, responses } = openapi(app, { title: "T", version: "1" }).paths["/"]!["post"]!;
  const required = [requestBody!, responses["200"]!].map(({ content }) => {
    return content!["application/json"]!.schema!["required"];
  });
  assertEquals(required, [["name"], ["id", "name"]]);
});

Deno.test("of a record, the names that its schema has are sent", async () => {
  const row = { a: "1", b: "2", passwordHash: "secret" };
  const schemas = {
    "an enum": z.record(z.enum(["a", "b"]), z.string()),
    "literals": z.record(z.union([z.literal("a"), z.literal("b")]), z.string()),
    "a named enum": z.partialRecord(z.enum(["a", "b"]).meta({ id: "Letter" }), z.string()),
    "a pattern": z.record(z.string().regex(/^[ab]$/), z.string()),
    "a list, of valibot": toStandardJsonSchema(v.record(v.picklist(["a", "b"]), v.string())),
  };
  for (const [what, schema] of Object.entries(schemas)) {
    assertEquals((await sentOf({}, schema, row)).body, { a: "1", b: "2" }, what);
  }
});

Deno.test("schemas that refer to themselves, and values that say what they are in JSON, are looked into", async () => {
  interface Tree {
    name: string;
    children: Tree[];
  }
  const tree: z.ZodType<Tree> = z.object({
    name: z.string(),
    get children() {
      return z.array(tree);
    },
  });
  const value = { name: "a", secret: 1, children: [{ name: "b", secret: 2, children: [] }] };
  const expected = { name: "a", children: [{ name: "b", children: [] }] };
  assertEquals((await sentOf({}, tree, value)).body, expected);
  class Row {
    readonly #columns = value;
    toJSON() {
      return this.#columns;
    }
  }
  assertEquals((await sentOf({}, tree, new Row())).body, expected);
});

Deno.test("dates, sets and maps are sent as the document says that they are", async () => {
  const schema = z.object({ at: z.date(), tags: z.set(z.string()), rates: z.map(z.string(), z.number()) });
  const value = { at: new Date(0), tags: new Set(["a"]), rates: new Map([["EUR", 1]]) };
  for (const env of ["production", "development"]) {
    const { body } = await sentOf({}, schema, value, env);
    assertEquals(body, { at: "1970-01-01T00:00:00.000Z", tags: ["a"], rates: { EUR: 1 } }, env);
  }
});

Deno.test("of what is in sets and maps, only the fields of its schema are sent", async () => {
  const Key = z.object({ id: z.number() }).meta({ id: "Key" });
  const key = { id: 1, secret: "secret" };
  const value = { set: new Set([{ key }]), map: new Map([["a", key]]) };
  const schemas: [schema: unknown, map: unknown][] = [
    [z.object({ set: z.set(z.object({ key: Key })), map: z.map(z.string(), Key) }), { a: { id: 1 } }],
    [
      toStandardJsonSchema(v.object({
        set: v.set(v.object({ key: v.object({ id: v.number() }) })),
        map: v.map(v.string(), v.object({ id: v.number() })),
      })),
      [["a", { id: 1 }]],
    ],
  ];
  for (const [schema, map] of schemas) {
    assertEquals((await sentOf({}, schema, value)).body, { set: [{ key: { id: 1 } }], map });
  }
});

Deno.test("a schema whose output is another than its input makes what is sent, once, in every environment", async () => {
  for (const env of ["production", "development"]) {
    let runs = 0;
    const masked = z.string().transform((text) => {
      runs++;
      return { last4: text.slice(-4) };
    });
    const schema = z.object({ card: masked, currency: z.string().default("EUR") });
    const { body } = await sentOf({}, schema, { card: "123456789", more: 1 }, env);
    assertEquals([body, runs], [{ card: { last4: "6789" }, currency: "EUR" }, 1], env);
    // a value that the schema cannot convert is never sent
    assertEquals((await sentOf({}, schema, { card: 5 }, env)).status, 500, env);
  }
  let runs = 0;
  const checked = z.object({ id: z.number().refine(() => ++runs > 0) });
  await sentOf({}, checked, { id: 1 });
  assertEquals(runs, 0, "a schema that makes nothing else is not run in production");
  await sentOf({ checkResponses: true }, checked, { id: 1 });
  assertEquals(runs, 1);
});

Deno.test("a schema that takes anything and makes what the document says of it, makes what is sent", async () => {
  const sent = { price: "9.5", at: "2030-01-02", tries: "many", length: "3" };
  const expected = { price: 9.5, at: "2030-01-02T00:00:00.000Z", tries: 0, length: 3 };
  const schemas: [schema: unknown, value: object, expected: object][] = [
    [
      z.object({
        price: z.coerce.number(),
        at: z.coerce.date(),
        tries: z.number().catch(0),
        length: z.preprocess(Number, z.number()),
      }),
      sent,
      expected,
    ],
    [toStandardJsonSchema(v.object({ tries: v.fallback(v.number(), 0) })), sent, { tries: 0 }],
  ];
  for (const env of ["production", "development"]) {
    for (const [schema, value, expected] of schemas) {
      assertEquals((await sentOf({}, schema, value, env)).body, expected, env);
    }
  }
});

Deno.test("another status, and a schema without JSON Schema, send what they are given", async () => {
  const app = sluice().set("env", "production");
  app.get("/", validate({ response: { 200: SCHEMAS.zod } }), (_req, res) => void res.status(404).json(USER));
  app.get("/v", validate({ response: { 200: v.object({ id: v.number() }) } }), (_req, res) => {
    res.json({ id: 1, ...{ more: 2 } });
  });
  assertEquals(await (await app.inject("/")).json(), USER);
  assertEquals(await (await app.inject("/v")).json(), { id: 1, more: 2 });
});

Deno.test("res.send and error handlers send by the schema of their status, too", async () => {
  const Problem = z.object({ title: z.string() });
  const app = sluice().set("env", "test").set("logger", undefined as never);
  const response = { 200: SCHEMAS.zod, 500: Problem };
  app.get("/sent", validate({ response }), (_req, res) => void res.send({ ...USER }));
  app.get("/failed", validate({ response }), () => {
    throw new Error("failed");
  });
  const failed: sluice.ErrorRequestHandler = (error, _req, res, _next) => {
    res.status(500).json({ title: error.message, stack: error.stack });
  };
  app.use(failed);
  assertEquals(await (await app.inject("/sent")).json(), { id: 1, name: "Ann", keys: [{ id: 2 }] });
  assertEquals(await (await app.inject("/failed")).json(), { title: "failed" });
});

Deno.test("ranges of statuses, default, and res.jsonp send by their schemas, too", async () => {
  const app = sluice().set("env", "production");
  const a = z.object({ a: z.number() });
  const b = z.object({ b: z.number() });
  const c = z.object({ c: z.number() });
  const response = { 404: a, "4XX": b, default: c };
  app.get("/:status", validate({ response }), (req, res) => {
    res.status(Number(req.params.status)).jsonp({ a: 1, b: 2, c: 3, secret: "secret" });
  });
  app.get("/returned/:status", validate({ response }), (req) => {
    return Response.json({ a: 1, b: 2, c: 3, secret: "secret" }, { status: Number(req.params.status) });
  });
  for (const [status, expected] of [[404, { a: 1 }], [409, { b: 2 }], [200, { c: 3 }], [503, { c: 3 }]] as const) {
    assertEquals(await (await app.inject(`/${status}`)).json(), expected);
    assertEquals(await (await app.inject(`/returned/${status}`)).json(), expected);
  }
  assertEquals(await (await app.inject("/404?callback=f")).text(), "/**/ typeof f === 'function' && f({\"a\":1});");
});

Deno.test("if two functions describe a status, the last one applies, and others keep theirs", async () => {
  const app = sluice().set("env", "production");
  const Base = z.object({ id: z.number() });
  app.use(validate({ response: { 200: Base, 404: z.object({ title: z.string() }) } }));
  const response = { 200: z.object({ name: z.string() }) };
  const user = { id: 1, name: "Ann", secret: "secret" };
  app.get("/:id", validate({ response }), (req, res) => {
    if (req.params.id === "0") return void res.status(404).json({ title: "There is none", secret: "secret" });
    res.json(user);
  });
  assertEquals(await (await app.inject("/1")).json(), { name: "Ann" });
  assertEquals(await (await app.inject("/0")).json(), { title: "There is none" });
  const { content } = openapi(app, { title: "T", version: "1" }).paths["/{id}"]!["get"]!.responses["200"]!;
  assertEquals(content!["application/json"]!.schema!["properties"], { name: { type: "string" } });
});

Deno.test("a Response with JSON that a handler returns has the fields of its schema, too", async () => {
  const response = { 200: SCHEMAS.zod, 404: z.object({ title: z.string() }) };
  const expected = { id: 1, name: "Ann", keys: [{ id: 2 }] };
  const headers = { "x-a": "b", "content-type": "application/json; charset=utf-8" };
  const app = sluice().set("env", "production").set("logger", undefined as never);
  app.get("/json", validate({ response }), () => Response.json(USER, { headers: { "x-a": "b" } }));
  app.get("/later", validate({ response }, async () => await Promise.resolve(Response.json(USER, { headers }))));
  app.get("/404", validate({ response }), () => Response.json({ title: "None", stack: "secret" }, { status: 404 }));
  app.get("/other", validate({ response }), () => Response.json(USER, { status: 203 }));
  app.get("/text", validate({ response }), () => new Response("text"));
  app.get("/empty", validate({ response }), () => new Response(null, { headers }));
  app.get("/bad", validate({ response, checkResponses: true }), () => Response.json({ id: "1" }));
  app.get("/broken", validate({ response }), () => new Response("{", { headers }));
  const seen = async (path: string): Promise<[number, string, string | null]> => {
    const { status, headers, ...rest } = await app.inject(path).then(async (got) => {
      return { status: got.status, headers: got.headers, text: await got.text() };
    });
    return [status, rest.text, headers.get("x-a")];
  };
  for (const path of ["/json", "/later"]) assertEquals(await seen(path), [200, JSON.stringify(expected), "b"], path);
  assertEquals(await seen("/404"), [404, '{"title":"None"}', null]);
  assertEquals(await seen("/other"), [203, JSON.stringify(USER), null]);
  assertEquals(await seen("/text"), [200, "text", null]);
  assertEquals(await seen("/empty"), [200, "", "b"]);
  assertEquals([(await seen("/bad"))[0], (await seen("/broken"))[0]], [500, 500]);
});

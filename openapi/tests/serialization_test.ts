/** Parameters and bodies are read in the serialization that the document declares, with schemas from any library. */
import { upload } from "@sluice/middleware/upload";
import { openapi, validate, type ValidateOptions } from "@sluice/openapi";
import sluice, { type FrameworkApp } from "@sluice/sluice";
import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import { toJsonSchema, toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { z } from "zod";
import { assertAccepted } from "./support/assert_accepted.ts";

/** A request, and what a handler gets from it. */
interface Way {
  readonly options: ValidateOptions;
  readonly path?: string;
  readonly target: string;
  readonly init?: RequestInit;
  readonly expected: unknown;
}

function appOf({ options, path = "/" }: Pick<Way, "options" | "path">): FrameworkApp {
  const app = sluice().set("env", "test");
  const method = options.body === undefined ? "get" : "post";
  const parsers = options.body === undefined ? [] : [sluice.json(), sluice.urlencoded(), upload()];
  app[method](path, ...parsers, validate(options), (req: sluice.Request, res: sluice.Response) => {
    const { query, params, body, valid } = req as sluice.Request & { valid?: unknown };
    res.json(options.query ? query : options.body ? shown(body) : options.params ? params : valid);
  });
  return app;
}

/** Files and dates in a comparable form. */
function shown(body: Record<string, unknown>): unknown {
  return JSON.parse(JSON.stringify(body, (_, value) => {
    if (value instanceof File) return `${value.name} ${value.type} ${value.size}`;
    return value instanceof Set ? { set: [...value] } : value instanceof Map ? { map: [...value] } : value;
  }));
}

async function assertRead(way: Way): Promise<void> {
  const app = appOf(way);
  const response = await app.inject(way.target, way.init);
  assertEquals([response.status, await response.json()], [200, way.expected], way.target);
  await assertAccepted(openapi(app, { title: "T", version: "1" }));
}

function form(text: string): RequestInit {
  return { method: "POST", headers: { "content-type": "application/x-www-form-urlencoded" }, body: text };
}

function parts(...fields: readonly (readonly [string, string | Blob])[]): RequestInit {
  const body = new FormData();
  for (const [name, value] of fields) body.append(name, value as string);
  return { method: "POST", body };
}

/** Schemas for a list of strings, an object with two numbers, numbers and a file: `{ a: … }`. */
const LIBRARIES = {
  zod: {
    list: z.object({ a: z.array(z.string()) }),
    range: z.object({ a: z.object({ min: z.number(), max: z.number().optional() }).optional() }),
    header: z.object({ "x-a": z.array(z.string()) }),
    scalars: z.object({ n: z.int(), yes: z.boolean(), ids: z.array(z.number()) }),
    json: z.object({ a: z.object({ b: z.number() }), list: z.array(z.object({ c: z.string() })) }),
    file: z.object({ a: z.file().mime("image/png"), more: z.array(z.file()).optional() }),
    natives: z.object({ at: z.date(), tags: z.set(z.string()) }),
  },
  valibot: {
    list: toStandardJsonSchema(v.object({ a: v.array(v.string()) })),
    range: toStandardJsonSchema(
      v.object({ a: v.optional(v.object({ min: v.number(), max: v.optional(v.number()) })) }),
    ),
    header: toStandardJsonSchema(v.object({ "x-a": v.array(v.string()) })),
    scalars: toStandardJsonSchema(v.object({
      n: v.pipe(v.number(), v.integer()),
      yes: v.boolean(),
      ids: v.array(v.number()),
    })),
    json: toStandardJsonSchema(
      v.object({ a: v.object({ b: v.number() }), list: v.array(v.object({ c: v.string() })) }),
    ),
    file: toStandardJsonSchema(v.object({ a: v.file(), more: v.optional(v.array(v.file())) })),
    natives: toStandardJsonSchema(v.object({ at: v.date(), tags: v.set(v.string()) })),
  },
  arktype: {
    list: type({ "+": "delete", a: "string[]" }),
    range: type({ "a?": { min: "number", "max?": "number" } }),
    header: type({ "+": "delete", "x-a": "string[]" }),
    scalars: type({ n: "number.integer", yes: "boolean", ids: "number[]" }),
    json: type({ a: { b: "number" }, list: type({ c: "string" }).array() }),
    file: type({ a: "File", "more?": "File[]" }),
    natives: type({ at: "Date", tags: "Set" }),
  },
} as const;

const PNG = new File(["pixels"], "a.png", { type: "image/png" });
const JSON_PART = { type: "application/json" };

for (const [name, { list, range, header, scalars, json, file, natives }] of Object.entries(LIBRARIES)) {
  const ways: Record<string, Way> = {
    "a list of two in a query": { options: { query: list }, target: "/?a=1&a=2", expected: { a: ["1", "2"] } },
    "a list of one in a query": { options: { query: list }, target: "/?a=1", expected: { a: ["1"] } },
    "an object in a query": {
      options: { query: range },
      target: "/?a%5Bmin%5D=1&a%5Bmax%5D=2.5",
      expected: { a: { min: 1, max: 2.5 } },
    },
    "an optional object in a query": { options: { query: range }, target: "/?a[min]=1", expected: { a: { min: 1 } } },
    "a list in a path": { options: { params: list }, path: "/p/:a", target: "/p/1,2", expected: { a: ["1", "2"] } },
    "a list of one in a path": {
      options: { params: list },
      path: "/p/:a",
      target: "/p/1%2C2",
      expected: { a: ["1,2"] },
    },
    "segments of a path": { options: { params: list }, path: "/p/*a", target: "/p/1/2", expected: { a: ["1", "2"] } },
    "a list in a header": {
      options: { headers: header },
      target: "/",
      init: { headers: { "x-a": "1, 2" } },
      expected: { headers: { "x-a": ["1", "2"] } },
    },
    "a list of one in a header": {
      options: { headers: header },
      target: "/",
      init: { headers: { "x-a": "1" } },
      expected: { headers: { "x-a": ["1"] } },
    },
    "a list in a cookie": {
      options: { cookies: list },
      target: "/",
      init: { headers: { cookie: "b=2; a=1,2%2C3" } },
      expected: { cookies: { a: ["1", "2,3"] } },
    },
    "a list of two in a form": {
      options: { body: list },
      target: "/",
      init: form("a=1&a=2"),
      expected: { a: ["1", "2"] },
    },
    "a list of one in a form": { options: { body: list }, target: "/", init: form("a=1"), expected: { a: ["1"] } },
    "an object in a form": {
      options: { body: range },
      target: "/",
      init: form("a[min]=1"),
      expected: { a: { min: 1 } },
    },
    "a list of one in parts": { options: { body: list }, target: "/", init: parts(["a", "1"]), expected: { a: ["1"] } },
    "JSON in parts": {
      options: { body: json },
      target: "/",
      init: parts(["a", new Blob(['{"b":1}'], JSON_PART)], ["list", new Blob(['{"c":"x"}'], JSON_PART)]),
      expected: { a: { b: 1 }, list: [{ c: "x" }] },
    },
    "JSON in parts without file names": {
      options: { body: json },
      target: "/",
      init: parts(["a", '{"b":1}'], ["list", '{"c":"x"}'], ["list", '{"c":"y"}']),
      expected: { a: { b: 1 }, list: [{ c: "x" }, { c: "y" }] },
    },
    "a file": { options: { body: file }, target: "/", init: parts(["a", PNG]), expected: { a: "a.png image/png 6" } },
    "files": {
      options: { body: file },
      target: "/",
      init: parts(["a", PNG], ["more", PNG]),
      expected: { a: "a.png image/png 6", more: ["a.png image/png 6"] },
    },
    "numbers and truths in a query": {
      options: { query: scalars },
      target: "/?n=-7&yes=false&ids=1&ids=2e3",
      expected: { n: -7, yes: false, ids: [1, 2000] },
    },
    "numbers and truths in a form": {
      options: { body: scalars },
      target: "/",
      init: form("n=7&yes=true&ids=1"),
      expected: { n: 7, yes: true, ids: [1] },
    },
    "dates and sets in JSON": {
      options: { body: natives },
      target: "/",
      init: {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: '{"at":"2030-01-02T03:04:05Z","tags":["a","b","a"]}',
      },
      expected: { at: "2030-01-02T03:04:05.000Z", tags: { set: ["a", "b"] } },
    },
  };
  for (const [what, way] of Object.entries(ways)) {
    Deno.test(`${what} is read as the document says, by schemas of ${name}`, () => assertRead(way));
  }
}

Deno.test("lists and objects are written otherwise where the program says so, and the document says it too", async () => {
  const ids = z.object({ ids: z.array(z.number()) });
  const point = z.object({ p: z.object({ x: z.number(), y: z.number() }) });
  const ways: readonly (Way & { readonly written?: unknown })[] = [
    {
      options: { query: ids, serialization: { query: { ids: { explode: false } } } },
      target: "/?ids=1,2",
      expected: { ids: [1, 2] },
      written: { style: "form", explode: false },
    },
    {
      options: { query: ids, serialization: { query: { ids: { style: "pipeDelimited", explode: false } } } },
      target: "/?ids=1|2",
      expected: { ids: [1, 2] },
      written: { style: "pipeDelimited", explode: false },
    },
    {
      options: { query: ids, serialization: { query: { ids: { style: "spaceDelimited", explode: false } } } },
      target: "/?ids=1%202",
      expected: { ids: [1, 2] },
      written: { style: "spaceDelimited", explode: false },
    },
    {
      options: { query: point, serialization: { query: { p: { style: "form" } } } },
      target: "/?x=1&y=2",
      expected: { p: { x: 1, y: 2 } },
      written: {},
    },
    {
      options: { query: point, serialization: { query: { p: { style: "form", explode: false } } } },
      target: "/?p=x,1,y,2",
      expected: { p: { x: 1, y: 2 } },
      written: { style: "form", explode: false },
    },
    { options: { params: point }, path: "/at/:p", target: "/at/x,1,y,2", expected: { p: { x: 1, y: 2 } }, written: {} },
    {
      options: { params: point, serialization: { params: { p: { explode: true } } } },
      path: "/at/:p",
      target: "/at/x=1,y=2",
      expected: { p: { x: 1, y: 2 } },
      written: { style: "simple", explode: true },
    },
    {
      options: { params: ids, serialization: { params: { ids: { style: "label" } } } },
      path: "/of/:ids",
      target: "/of/.1,2",
      expected: { ids: [1, 2] },
      written: { style: "label", explode: false },
    },
    {
      options: { params: ids, serialization: { params: { ids: { style: "matrix" } } } },
      path: "/of/:ids",
      target: "/of/;ids=1,2",
      expected: { ids: [1, 2] },
      written: { style: "matrix", explode: false },
    },
    {
      options: { params: ids, serialization: { params: { ids: { style: "matrix", explode: true } } } },
      path: "/of/:ids",
      target: "/of/;ids=1;ids=2",
      expected: { ids: [1, 2] },
      written: { style: "matrix", explode: true },
    },
    {
      options: { params: z.object({ id: z.number() }), serialization: { params: { id: { style: "matrix" } } } },
      path: "/of/:id",
      target: "/of/;id=7",
      expected: { id: 7 },
      written: { style: "matrix", explode: false },
    },
  ];
  for (const { written, ...way } of ways) {
    await assertRead(way);
    const { paths } = openapi(appOf(way), { title: "T", version: "1" });
    const { style, explode } = Object.values(paths)[0]!["get"]!.parameters![0]!;
    assertEquals({ ...style === undefined ? {} : { style, explode } }, written, way.target);
  }
  const tags = z.object({ tags: z.array(z.string()) });
  const body = { options: { body: tags, serialization: { body: { tags: { explode: false } } } } };
  await assertRead({ ...body, target: "/", init: form("tags=a,b"), expected: { tags: ["a", "b"] } });
  const { content } = openapi(appOf(body), { title: "T", version: "1" }).paths["/"]!["post"]!.requestBody!;
  const { encoding } = content["application/x-www-form-urlencoded"]!;
  assertEquals(encoding, { tags: { style: "form", explode: false } });
});

Deno.test("dates in sets and maps are read, with a name and in schemas that refer to themselves as well", async () => {
  const at = "2030-01-02T03:04:05.000Z";
  interface Event {
    at: Date;
    causes?: Set<Event> | undefined;
  }
  const Event: z.ZodType<Event> = z.object({
    at: z.date(),
    get causes() {
      return z.set(Event).optional();
    },
  }).meta({ id: "Event" });
  const ofValibot = toStandardJsonSchema(v.object({ days: v.set(v.date()), byName: v.map(v.string(), v.date()) }));
  const ways: [body: ValidateOptions["body"], sent: unknown, expected: unknown][] = [
    [
      z.object({ event: Event, all: z.map(z.string(), Event) }),
      { event: { at, causes: [{ at }] }, all: { a: { at } } },
      { event: { at, causes: { set: [{ at }] } }, all: { map: [["a", { at }]] } },
    ],
    [ofValibot, { days: [at], byName: [["a", at]] }, { days: { set: [at] }, byName: { map: [["a", at]] } }],
  ];
  for (const [body, sent, expected] of ways) {
    const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(sent) };
    await assertRead({ options: { body: body! }, target: "/", init, expected });
  }
});

Deno.test("what may be several things, or nothing that is known, stays as it was sent", async () => {
  const query = z.object({
    one: z.union([z.string(), z.array(z.string())]),
    text: z.union([z.number(), z.string()]),
    any: z.unknown(),
    digits: z.string(),
  });
  const expected = { one: "1", text: "2", any: "3", digits: "4" };
  await assertRead({ options: { query }, target: "/?one=1&text=2&any=3&digits=4", expected });
  // anything not written as a number is left to the schema
  for (const target of ["/?n=0x10", "/?n=1_000", "/?n=", "/?n=1&n=2", "/?n=NaN"]) {
    const response = await appOf({ options: { query: z.object({ n: z.number() }) } }).inject(target);
    await response.text();
    assertEquals([target, response.status], [target, 400]);
  }
});

Deno.test("what only one of several things can be written as is read as that", async () => {
  const at = "2030-01-02T03:04:05.000Z";
  const many = z.union([z.number(), z.array(z.number())]);
  const ways: [schema: z.ZodType, target: string, expected: unknown][] = [
    [z.union([z.number(), z.enum(["all"])]), "/?a=10", 10],
    [z.union([z.number(), z.enum(["all"])]), "/?a=all", "all"],
    [z.literal([1, "1", true, "auto"]), "/?a=true", true],
    [z.literal([1, "1", true, "auto"]), "/?a=1", "1"],
    [z.union([z.int(), z.uuid()]), "/?a=10", 10],
    [z.union([z.number(), z.string().regex(/^\d+$/)]), "/?a=10", "10"],
    [many, "/?a=1", 1],
    [many, "/?a=1&a=2", [1, 2]],
    [z.union([z.boolean(), z.array(z.number())]), "/?a=1", [1]],
    [z.union([z.string(), z.array(z.number())]), "/?a=1&a=2", [1, 2]],
    [z.union([z.date(), z.number()]), `/?a=${at}`, at],
    [z.union([z.date(), z.number()]), "/?a=7", 7],
  ];
  for (const [a, target, expected] of ways) {
    await assertRead({ options: { query: z.object({ a }) }, target, expected: { a: expected } });
  }
  const valibot = v.object({ a: v.union([v.number(), v.picklist(["all"])]) });
  for (const query of [toStandardJsonSchema(valibot), type({ a: "number | 'all'" })]) {
    await assertRead({ options: { query }, target: "/?a=10", expected: { a: 10 } });
  }
});

Deno.test("alternatives that a fixed value tells apart are read by the one that it names", async () => {
  const query = z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("number"), value: z.number() }),
    z.object({ kind: z.literal("text"), value: z.string() }),
  ]);
  for (const [text, expected] of [["kind=number&value=1", 1], ["kind=text&value=1", "1"]] as const) {
    const [kind] = /[a-z]+(?=&)/.exec(text)!;
    await assertRead({ options: { query }, target: `/?${text}`, expected: { kind, value: expected } });
    await assertRead({ options: { body: query }, target: "/", init: form(text), expected: { kind, value: expected } });
  }
  const day = "2030-01-02T00:00:00.000Z";
  const value = z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("set"), value: z.set(z.date()) }),
    z.object({ kind: z.literal("list"), value: z.array(z.string()) }),
  ]);
  const body = z.object({ one: z.union([value, z.string()]), many: z.array(z.union([z.date(), z.array(z.date())])) });
  const of = (kind: string) => ({ one: { kind, value: [day] }, many: [day, [day]] });
  for (const [kind, expected] of [["set", { set: [day] }], ["list", [day]]] as const) {
    const sent = JSON.stringify(of(kind));
    const init = { method: "POST", headers: { "content-type": "application/json" }, body: sent };
    const read = { ...of(kind), one: { kind, value: expected } };
    await assertRead({ options: { body }, target: "/", init, expected: read });
    const part = new Blob([sent], { type: "application/json" });
    await assertRead({
      options: { body: z.object({ a: body }) },
      target: "/",
      init: parts(["a", part]),
      expected: { a: read },
    });
  }
});

Deno.test("an alternative within an intersection is read by its fixed value, too", async () => {
  const at = new Date(0).toJSON();
  const zods = z.intersection(
    z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("day"), at: z.date() }),
      z.object({ kind: z.literal("text"), at: z.string() }),
    ]),
    z.object({ until: z.date() }),
  );
  const valibots = v.intersect([
    v.variant("kind", [
      v.object({ kind: v.literal("day"), at: v.date() }),
      v.object({ kind: v.literal("text"), at: v.string() }),
    ]),
    v.object({ until: v.date() }),
  ]);
  for (const schema of [zods, toStandardJsonSchema(valibots)]) {
    const app = sluice().set("env", "test");
    app.post("/", sluice.json(), validate({ body: schema }), ({ body }, res) => {
      res.json([body.at, body.until].map((one) => one instanceof Date));
    });
    for (const [kind, isDate] of [["day", true], ["text", false]] as const) {
      const response = await app.inject("/", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ kind, at, until: at }),
      });
      assertEquals(await response.json(), [isDate, true], kind);
    }
  }
});

Deno.test("an alternative is known by its fixed value even without an optional field that has one, too", async () => {
  const body = z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("day"), at: z.date(), version: z.literal(1).optional() }),
    z.object({ kind: z.literal("text"), at: z.string() }),
  ]);
  const app = sluice().set("env", "test");
  app.post("/", sluice.json(), validate({ body }), (req, res) => res.json(req.body.at instanceof Date));
  const init = { method: "POST", headers: { "content-type": "application/json" } };
  const at = new Date(0).toJSON();
  for (const value of [{ kind: "day", at }, { kind: "day", at, version: 1 }]) {
    assertEquals(await (await app.inject("/", { ...init, body: JSON.stringify(value) })).json(), true);
  }
});

Deno.test("what no alternative has as its fixed value is refused", async () => {
  const schema = z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("a"), at: z.date() }),
    z.object({ kind: z.literal("b"), at: z.string() }),
  ]);
  const app = sluice().set("env", "test").set("query parser", "extended");
  app.all("/", sluice.json(), validate({ query: schema }), (_req, res) => res.json(1));
  app.post("/body", sluice.json(), validate({ body: schema }), (_req, res) => res.json(1));
  assertEquals((await app.inject("/?kind[toString]=1&at=x")).status, 400);
  const headers = { "content-type": "application/json" };
  for (const body of ['{"kind":{"toString":null},"at":"x"}', '{"kind":[[]],"at":1}', '{"__proto__":{"kind":"a"}}']) {
    assertEquals((await app.inject("/body", { method: "POST", headers, body })).status, 400, body);
  }
});

Deno.test("fields that a schema does not name are read by its schema for others, and those that it names are not", async () => {
  const query = z.object({ code: z.string(), n: z.number() }).catchall(z.number());
  await assertRead({ options: { query }, target: "/?code=1&n=2&other=3", expected: { code: "1", n: 2, other: 3 } });
  const codes = z.object({ code: z.string() }).catchall(z.number());
  await assertRead({ options: { body: codes }, target: "/", init: form("code=1&a=2"), expected: { code: "1", a: 2 } });
});

Deno.test("commas are separators where they were sent as such, and parts of values where they were encoded", async () => {
  const list = z.object({ a: z.array(z.string()) });
  const commas = { query: { a: { explode: false } } } as const;
  const expected = { a: ["x,y", "z"] };
  await assertRead({ options: { query: list, serialization: commas }, target: "/?b=1&a=x%2Cy,z", expected });
  await assertRead({ options: { params: list }, path: "/p/:a", target: "/p/x%2Cy,z", expected });
});

Deno.test("an encoded comma separates values that cannot have one, and an unencoded one still does", async () => {
  const commas = { query: { a: { style: "form", explode: false } } } as const;
  for (
    const [of, values] of [
      [z.number(), [1, 2, 3]],
      [z.enum(["x", "y", "z"]), ["x", "y", "z"]],
      [z.union([z.boolean(), z.int()]), [true, 2, false]],
    ] as const
  ) {
    const list = z.object({ a: z.array(of as z.ZodType) });
    const expected = { a: values };
    for (const text of [values.join("%2C"), values.join(","), `${values[0]},${values[1]}%2C${values[2]}`]) {
      await assertRead({ options: { query: list, serialization: commas }, target: `/?a=${text}`, expected });
      await assertRead({ options: { params: list }, path: "/p/:a", target: `/p/${text}`, expected });
      const init = { headers: { cookie: `a=${text}` } };
      await assertRead({ options: { cookies: list }, target: "/", init, expected: { cookies: expected } });
    }
  }
  // either value may be meant
  const list = z.object({ a: z.array(z.enum(["x", "x,y"])) });
  await assertRead({ options: { params: list }, path: "/p/:a", target: "/p/x%2Cy", expected: { a: ["x,y"] } });
});

Deno.test("an object in a query is read with each of the query parsers, and has no prototype but its own", async () => {
  const options = { query: z.object({ f: z.looseObject({ min: z.number(), tags: z.array(z.string()).optional() }) }) };
  for (const parser of ["simple", "extended"]) {
    const app = appOf({ options }).set("query parser", parser);
    const seen = await (await app.inject("/?f[min]=1&f[tags]=a&f[__proto__][admin]=1&f[constructor]=x")).json();
    assertEquals([seen.f.min, seen.f.tags, seen.f.admin], [1, ["a"], undefined], parser);
  }
  assertEquals(({} as Record<string, unknown>)["admin"], undefined);
});

Deno.test("strict schemas do not see how an object was written", async () => {
  const query = z.strictObject({ f: z.strictObject({ min: z.number() }) });
  await assertRead({ options: { query }, target: "/?f[min]=1", expected: { f: { min: 1 } } });
});

Deno.test("schemas without JSON Schema are read by what converts them, which the document need not be told again", async () => {
  const convert = (schema: unknown, typeMode: "input" | "output") => {
    return toJsonSchema(schema as v.GenericSchema, { typeMode }) as Record<string, unknown>;
  };
  const options = { query: v.object({ a: v.array(v.number()) }), toJsonSchema: convert };
  await assertRead({ options, target: "/?a=1", expected: { a: [1] } });
  const document = openapi(appOf({ options }), { title: "T", version: "1" });
  assertEquals(document["x-not-expressible"], undefined);
  assertEquals(document.paths["/"]!["get"]!.parameters!.map(({ name }) => name), ["a"]);
});

Deno.test("what a program says of how parameters are written is checked when it is said", () => {
  const query = z.object({ ids: z.array(z.string()) });
  const message = (serialization: unknown) =>
    assertThrows(() => validate({ query, serialization } as never), TypeError).message;
  assertMatch(message({ search: {} }), /option serialization has the parts params, query, .*, not "search"/);
  assertMatch(
    message({ query: { ids: { style: "simple" } } }),
    /serialization\.query\.ids\.style must be one of form, /,
  );
  assertMatch(message({ query: { ids: { explode: 1 } } }), /serialization\.query\.ids\.explode must be true or false/);
  assertMatch(
    message({ query: { ids: { delimiter: "," } } }),
    /serialization\.query\.ids has style and explode, not delimiter/,
  );
  assertMatch(message({ query: { id: {} } }), /serialization\.query has the names ids, not "id"/);
});

import { toJsonSchema, toStandardJsonSchema } from "@valibot/to-json-schema";
import { upload } from "@sluice/middleware/upload";
import { openapi, type OpenApiDocument, type OpenApiOptions, operation, validate } from "@sluice/openapi";
import { rateLimit as exactLimit } from "@sluice/rate-limit";
import sluice, { type FrameworkApp, rateLimit, shedLoad } from "@sluice/sluice";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { Ajv2020 } from "ajv/dist/2020.js";
import { type } from "arktype";
import bodyParser from "body-parser";
import multer from "multer";
import * as v from "valibot";
import { z } from "zod";
import { assertAccepted } from "./support/assert_accepted.ts";

const INFO = { title: "Test", version: "1" };

const end = (_req: unknown, res: { end(): void }) => void res.end();

async function documentOf(app: FrameworkApp, options?: OpenApiOptions): Promise<OpenApiDocument> {
  const document = openapi(app, INFO, options);
  await assertAccepted(document);
  return document;
}

Deno.test("routes of mounted routers, applications and groups are in the document, each with what is said of its group", async () => {
  const app = sluice();
  const notes = sluice.Router();
  notes.get("/", end);
  notes.route("/:id").get(operation({ summary: "One note" }), end).delete(end);
  const admin = sluice().get("/users", end);
  app.use("/api", operation({ tags: ["api"] }));
  app.use("/api/notes", operation({ tags: ["notes"], security: [{ bearer: [] }] }), notes);
  app.use("/admin", admin);
  const options = {
    securitySchemes: { bearer: { type: "http", scheme: "bearer" } },
    security: [],
    tags: [{ name: "notes", description: "All about notes" }],
    servers: [{ url: "https://example.com" }],
  };
  const document = await documentOf(app, options);
  assertEquals(Object.keys(document.paths), ["/api/notes", "/api/notes/{id}", "/admin/users"]);
  assertEquals(document.paths["/api/notes/{id}"]!["get"], {
    operationId: "getApiNotesById",
    summary: "One note",
    tags: ["api", "notes"],
    security: [{ bearer: [] }],
    parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
    responses: { default: { description: "The handler's response" } },
  });
  assertEquals(document.paths["/admin/users"]!["get"]!.tags, undefined);
  assertEquals(document.tags, [{ name: "notes", description: "All about notes" }, { name: "api" }]);
  assertEquals(document.components, { securitySchemes: options.securitySchemes });
  assertEquals([document.servers, document.security], [options.servers, []]);
});

for (
  const [library, schemas] of Object.entries({
    zod: {
      query: z.object({ page: z.coerce.number().optional(), tag: z.array(z.string()) }),
      body: z.object({ text: z.string().min(1), done: z.boolean().optional() }),
      sent: z.object({ id: z.number(), text: z.string() }),
    },
    arktype: {
      query: type({ "page?": "number", tag: "string[]" }),
      body: type({ text: "string >= 1", "done?": "boolean" }),
      sent: type({ id: "number", text: "string" }),
    },
    valibot: {
      query: toStandardJsonSchema(v.object({ page: v.optional(v.number()), tag: v.array(v.string()) })),
      body: toStandardJsonSchema(v.object({
        text: v.pipe(v.string(), v.minLength(1)),
        done: v.optional(v.boolean()),
      })),
      sent: toStandardJsonSchema(v.object({ id: v.number(), text: v.string() })),
    },
  })
) {
  Deno.test(`schemas of ${library} describe parameters, bodies and responses`, async () => {
    const app = sluice();
    const { query, body, sent } = schemas;
    app.post("/notes", sluice.json(), validate({ query, body, response: { 201: sent } }), end);
    const document = await documentOf(app);
    const { parameters, requestBody, responses } = document.paths["/notes"]!["post"]!;
    assertEquals(sorted(parameters!), [
      { name: "page", in: "query", schema: { type: "number" } },
      { name: "tag", in: "query", required: true, schema: { type: "array", items: { type: "string" } } },
    ]);
    assertEquals(requestBody, {
      required: true,
      content: {
        "application/json": {
          schema: {
            type: "object",
            properties: { text: { type: "string", minLength: 1 }, done: { type: "boolean" } },
            required: ["text"],
          },
        },
      },
    });
    assertEquals(Object.keys(responses), ["201", "400", "415"]);
    const schema = responses["201"]!.content!["application/json"]!.schema!;
    const { additionalProperties: _, ...rest } = schema;
    const properties = { id: { type: "number" }, text: { type: "string" } };
    assertEquals(rest, { type: "object", properties, required: ["id", "text"] });
  });
}

function sorted<T extends { name: string }>(list: readonly T[]): T[] {
  return [...list].sort((a, b) => a.name < b.name ? -1 : 1);
}

Deno.test("requests have the input of a schema, and responses its output", async () => {
  const app = sluice();
  const flag = z.object({ on: z.stringbool() });
  app.get("/flag", validate({ query: flag, response: { 200: flag } }), end);
  const { parameters, responses } = (await documentOf(app)).paths["/flag"]!["get"]!;
  const { type: written, enum: words } = parameters![0]!.schema as { type: string; enum: string[] };
  assertEquals([written, words.slice(0, 4)], ["string", ["true", "1", "yes", "on"]]);
  const schema = responses["200"]!.content!["application/json"]!.schema as { properties: unknown };
  assertEquals(schema.properties, { on: { type: "boolean" } });
});

Deno.test("headers and cookies are parameters, but for the headers that OpenAPI describes elsewhere", async () => {
  const app = sluice();
  const headers = z.object({ "x-tenant": z.string().describe("Whose"), authorization: z.string() });
  const cookies = z.object({ theme: z.enum(["dark", "light"]).meta({ deprecated: true }) });
  app.get("/", validate({ headers, cookies }), end);
  assertEquals((await documentOf(app)).paths["/"]!["get"]!.parameters, [
    {
      name: "x-tenant",
      in: "header",
      required: true,
      description: "Whose",
      schema: { type: "string", description: "Whose" },
    },
    {
      name: "theme",
      in: "cookie",
      required: true,
      deprecated: true,
      schema: { type: "string", enum: ["dark", "light"], deprecated: true },
    },
  ]);
});

Deno.test("of alternatives in a query, a parameter is required if all of them require it", async () => {
  const app = sluice();
  const query = z.union([z.object({ by: z.literal("id"), id: z.string() }), z.object({ by: z.literal("all") })]);
  app.get("/", validate({ query }), end);
  app.get("/any", validate({ query: z.record(z.string(), z.string()) }), end);
  app.get("/deep", validate({ query: z.object({ filter: z.object({ name: z.string() }) }) }), end);
  const { paths } = await documentOf(app);
  assertEquals(paths["/"]!["get"]!.parameters, [
    {
      name: "by",
      in: "query",
      required: true,
      schema: { anyOf: [{ type: "string", const: "id" }, { type: "string", const: "all" }] },
    },
    { name: "id", in: "query", schema: { type: "string" } },
  ]);
  const [any] = paths["/any"]!["get"]!.parameters!;
  assertEquals([any!.style, any!.explode, any!.schema["additionalProperties"]], ["form", true, { type: "string" }]);
  assertEquals(paths["/deep"]!["get"]!.parameters![0]!.style, "deepObject");
});

Deno.test("a body has the media types of the parsers in front, and is required unless its schema takes none", async () => {
  const app = sluice();
  const body = z.object({ text: z.string() });
  app.post("/json", sluice.json(), validate({ body }), end);
  app.post("/both", sluice.json(), sluice.urlencoded(), validate({ body: body.optional() }), end);
  app.post("/text", sluice.text(), end);
  app.post("/raw", sluice.raw(), end);
  app.post("/none", validate({ body }), end);
  app.post("/other", operation({ consumes: ["application/xml"], examples: { body: "<a/>" } }), end);
  app.use("/parsed", sluice.json());
  app.get("/parsed", end);
  app.put("/parsed", end);
  const { paths } = await documentOf(app);
  const bodies = Object.entries(paths).map(([path, { get: _, ...methods }]) => {
    const { required, content } = Object.values(methods)[0]!.requestBody!;
    return [path, Object.keys(content), required];
  });
  assertEquals(bodies, [
    ["/json", ["application/json"], true],
    ["/both", ["application/json", "application/x-www-form-urlencoded"], undefined],
    ["/text", ["text/plain"], undefined],
    ["/raw", ["application/octet-stream"], undefined],
    ["/none", ["application/json"], true],
    ["/other", ["application/xml"], undefined],
    ["/parsed", ["application/json"], undefined],
  ]);
  assertEquals(paths["/parsed"]!["get"]!.requestBody, undefined);
  assertEquals(paths["/other"]!["post"]!.requestBody!.content["application/xml"], { example: "<a/>" });
});

Deno.test("a body has the media types that its parsers really read, and those that the program says instead", async () => {
  const app = sluice();
  const body = z.object({ text: z.string() });
  app.post("/types", sluice.json({ type: ["application/vnd.api+json", "json"] }), validate({ body }), end);
  app.post("/suffix", sluice.json({ type: "application/*+json" }), validate({ body }), end);
  app.post("/text", sluice.text({ type: "text/*" }), end);
  app.post("/unknown", sluice.raw({ type: ["no-such-extension", "png"] }), end);
  app.post("/words", sluice.raw({ type: ["urlencoded", "multipart", "+json"] }), end);
  app.post("/function", sluice.raw({ type: () => true }), end);
  app.post("/said", sluice.raw({ type: () => true }), operation({ consumes: ["image/*"] }), end);
  const bytes = { reads: ["application/cbor"] };
  app.post("/foreign", Object.assign(() => {}, { [Symbol.for("sluice.details")]: bytes }), validate({ body }), end);
  app.post("/npm", bodyParser.json() as never, validate({ body }), end);
  const fields = { picture: { maxCount: 1 } };
  app.post("/all", sluice.json(), sluice.urlencoded(), upload({ fields }), validate({ body }), end);
  const { paths } = await documentOf(app);
  const contentOf = (path: string) => paths[path]!["post"]!.requestBody!.content;
  assertEquals(Object.keys(paths).map((path) => Object.keys(contentOf(path))), [
    ["application/vnd.api+json", "application/json"],
    ["application/*+json"],
    ["text/*"],
    ["image/png"],
    ["application/x-www-form-urlencoded", "multipart/*", "*/*+json"],
    ["*/*"],
    ["image/*"],
    ["application/cbor"],
    ["application/json"],
    ["application/json", "application/x-www-form-urlencoded", "multipart/form-data"],
  ]);
  const propertiesOf = (type: string) => Object.keys(contentOf("/all")[type]!.schema!["properties"] as object);
  assertEquals(propertiesOf("application/json"), ["text"]);
  assertEquals(propertiesOf("multipart/form-data"), ["text", "picture"]);
});

Deno.test("a form with files has the fields of the upload in front and those of the schema", async () => {
  const app = sluice();
  const body = z.object({ title: z.string() });
  const fields = { picture: { maxCount: 1, types: ["image/*"] }, attachments: {} };
  app.post("/own", upload({ fields }), validate({ body }), end);
  const files = { picture: { maxCount: 1, types: ["image/*"] }, attachments: {} };
  app.post("/multer", multer().any() as never, operation({ files }), validate({ body }), end);
  const { paths } = await documentOf(app);
  const file = { type: "string", format: "binary" };
  const expected = {
    schema: {
      type: "object",
      properties: { title: { type: "string" }, picture: file, attachments: { type: "array", items: file } },
      required: ["title"],
    },
    encoding: { picture: { contentType: "image/*" } },
  };
  for (const path of ["/own", "/multer"]) {
    assertEquals(paths[path]!["post"]!.requestBody!.content, { "multipart/form-data": expected }, path);
  }
});

Deno.test("a body has those media types only in which it can be what its schema takes", async () => {
  const app = sluice();
  app.use(sluice.json(), sluice.urlencoded(), sluice.text({ type: "text/csv" }));
  app.post("/text", validate({ body: z.string() }), end);
  app.post("/list", validate({ body: z.array(z.string()) }), end);
  app.post("/object", validate({ body: z.object({ n: z.number() }) }), end);
  app.post("/any", validate({ body: z.unknown() }), end);
  app.post("/file", upload(), validate({ body: z.object({ picture: z.file().mime("image/png") }) }), end);
  const avatar = upload({ types: ["image/*"], fields: { avatar: { maxCount: 1, required: true } } });
  app.post("/avatar", avatar, validate({ body: z.object({ caption: z.string() }) }), end);
  app.post("/said", operation({ consumes: ["text/csv"] }), validate({ body: z.object({}) }), end);
  const { paths } = await documentOf(app);
  const contentOf = (path: string) => paths[path]!["post"]!.requestBody!.content;
  const [json, form, parts, csv] = [
    "application/json",
    "application/x-www-form-urlencoded",
    "multipart/form-data",
    "text/csv",
  ] as const;
  assertEquals(Object.fromEntries(Object.keys(paths).map((path) => [path, Object.keys(contentOf(path))])), {
    "/text": [csv],
    "/list": [json],
    "/object": [json, form],
    "/any": [json, form, csv],
    "/file": [parts],
    "/avatar": [parts],
    "/said": [csv],
  });
  assertEquals(contentOf("/file")[parts]!.encoding, { picture: { contentType: "image/png" } });
  assertEquals(contentOf("/avatar")[parts]!.encoding, { avatar: { contentType: "image/*" } });
  assertEquals(contentOf("/avatar")[parts]!.schema!["required"], ["caption", "avatar"]);
  assertEquals(paths["/avatar"]!["post"]!.requestBody!.required, true);
});

Deno.test("a limiter in front responds 429 with its headers, and load shedding 503", async () => {
  const app = sluice().set("env", "test");
  const keyGenerator = () => "one";
  app.get("/free", end);
  app.use("/limited", rateLimit({ windowMs: 60_000, limit: 1, keyGenerator }));
  app.get("/limited", end);
  app.get("/exact", exactLimit({ windowMs: 60_000, limit: 1, name: "exact", keyGenerator }), end);
  for (const standardHeaders of ["draft-6", "draft-7", "draft-8", "draft-11"] as const) {
    const options = { windowMs: 60_000, limit: 1, name: standardHeaders, keyGenerator, legacyHeaders: false };
    app.get(`/${standardHeaders}`, exactLimit({ ...options, standardHeaders }), end);
  }
  app.get("/shed", shedLoad({ maxPending: 9 }), end);
  const { paths } = await documentOf(app);
  const statuses = Object.values(paths).map(({ get }) => Object.keys(get!.responses));
  const drafts = Array.from({ length: 4 }, () => ["429", "default"]);
  assertEquals(statuses, [["default"], ["429", "default"], ["429", "default"], ...drafts, ["503", "default"]]);
  // the document matches the response
  for (const path of Object.keys(paths).filter((path) => path !== "/free" && path !== "/shed")) {
    await (await app.inject(path)).text();
    const refused = await app.inject(path);
    assertEquals(refused.status, 429);
    await refused.text();
    const headers = Object.keys(paths[path]!["get"]!.responses["429"]!.headers!);
    const sent = [...refused.headers.keys()].filter((name) => /ratelimit|retry/.test(name));
    assertEquals(headers.map((name) => name.toLowerCase()).sort(), sent.sort());
  }
});

Deno.test("operationIds are unique, stay the same, and may be given", async () => {
  const app = sluice();
  app.get("/", end);
  app.get("/users/:id/posts", end);
  app.get("/users/by-id/posts", end);
  app.get("/notes{/:page}", operation({ operationId: "listNotes" }), end);
  const document = await documentOf(app);
  const ids = Object.values(document.paths).map(({ get }) => get!.operationId);
  assertEquals(ids, ["getRoot", "getUsersByIdPosts", "getUsersByIdPosts2", "listNotes", "listNotes2"]);
  assertEquals(openapi(app, INFO), document);
});

Deno.test("what is hidden is in no document, and what is deprecated, described and shown by example says so", async () => {
  const app = sluice();
  app.get("/hidden", operation({ hide: true }), end);
  app.use("/internal", operation({ hide: true }), sluice.Router().get("/health", end));
  const query = z.object({ q: z.string() });
  const described = operation({
    summary: "Old",
    description: "Use *new*.",
    deprecated: true,
    examples: { query: { q: "milk" }, params: { id: "7" } },
    responses: {
      200: { schema: z.object({ n: z.number() }), example: { n: 1 }, headers: { ETag: "Its version" } },
      404: "There is none",
      "5XX": "Try again",
    },
  });
  app.get("/old/:id", described, validate({ query }), end);
  const { paths } = await documentOf(app);
  assertEquals(Object.keys(paths), ["/old/{id}"]);
  const { summary, description, deprecated, parameters, responses } = paths["/old/{id}"]!["get"]!;
  assertEquals([summary, description, deprecated], ["Old", "Use *new*.", true]);
  assertEquals(parameters!.map(({ example }) => example), ["7", "milk"]);
  assertEquals(responses["200"]!.content!["application/json"]!.example, { n: 1 });
  assertEquals(responses["200"]!.headers, { ETag: { description: "Its version", schema: { type: "string" } } });
  assertEquals([responses["404"], responses["5XX"]], [
    { description: "There is none" },
    { description: "Try again" },
  ]);
});

Deno.test("what validate responds to invalid requests is described as it is sent, once", async () => {
  const app = sluice().set("env", "test");
  const query = z.object({ q: z.string() });
  const body = z.object({ n: z.number() });
  app.use(sluice.json());
  app.get("/query", validate({ query, response: { 200: query } }), end);
  app.post("/body", validate({ query, body, status: 422 }), end);
  app.post("/optional", validate({ body: body.optional() }), end);
  app.post("/described", operation({ responses: { 400: "No query" } }), validate({ query }), end);
  app.post("/own", operation({ responses: { 400: { schema: query } } }), validate({ query }), end);
  app.post(
    "/taken",
    validate({ query, response: { 200: query }, onInvalid: (_req, res) => res.status(200).end() }),
    end,
  );
  const document = await documentOf(app);
  const responsesOf = (path: string) => Object.values(document.paths[path]!)[0]!.responses;
  const statuses = Object.keys(document.paths).map((path) => Object.keys(responsesOf(path)));
  assertEquals(statuses, [
    ["200", "400"],
    ["415", "422", "default"],
    ["400", "415", "default"],
    ["400", "default"],
    ["400", "default"],
    ["200", "default"],
  ]);
  const invalid = { "application/problem+json": { schema: { $ref: "#/components/schemas/InvalidRequest" } } };
  assertEquals(responsesOf("/query")["400"]!.content, invalid);
  assertEquals(responsesOf("/body")["422"]!.content, invalid);
  assertEquals(responsesOf("/described")["400"], { description: "No query", content: invalid });
  // validate's response, and the program's own with the same status
  assertEquals(Object.keys(responsesOf("/own")["400"]!.content!), ["application/problem+json", "application/json"]);
  assertEquals(responsesOf("/taken")["default"], { description: "The program's response to an invalid request" });
  // the document matches the response
  const ajv = new Ajv2020();
  const schemaOf = (status: string) => {
    const { schema } = responsesOf("/body")[status]!.content!["application/problem+json"]!;
    const { $ref } = schema as { $ref?: string };
    return $ref === undefined ? schema! : document.components!.schemas![$ref.split("/").at(-1)!]!;
  };
  const requests = [["422", "application/json", '{"n":"x"}'], ["415", "text/plain", "n"]] as const;
  for (const [status, type, text] of requests) {
    const init = { method: "POST", headers: { "content-type": type, "content-length": `${text.length}` }, body: text };
    const response = await app.inject("/body", init);
    assertEquals([String(response.status), response.headers.get("content-type")], [status, "application/problem+json"]);
    const exact = { ...schemaOf(status), additionalProperties: false };
    assert(ajv.validate(exact, await response.json()), JSON.stringify(ajv.errors));
  }
});

Deno.test("a handler that validates itself is the last of its route, and in the document", async () => {
  const app = sluice();
  const details = {
    validates: { query: z.object({ q: z.string() }) },
    responds: { 200: z.object({ n: z.number() }) },
    operation: { summary: "Itself" },
  };
  app.get("/", Object.assign(end.bind(null), { [Symbol.for("sluice.details")]: details }));
  const { summary, parameters, responses } = (await documentOf(app)).paths["/"]!["get"]!;
  assertEquals([summary, parameters!.length, Object.keys(responses)], ["Itself", 1, ["200", "default"]]);
});

Deno.test("a route for all methods is there for each of them, unless its path has routes of its own", async () => {
  const app = sluice();
  app.all("/guarded", (_req, _res, next) => next());
  app.get("/guarded", end);
  app.all("/proxy", end);
  const { paths } = await documentOf(app);
  assertEquals(Object.keys(paths["/guarded"]!), ["get"]);
  assertEquals(Object.keys(paths["/proxy"]!), ["get", "put", "post", "delete", "patch"]);
});

Deno.test("of two routes with one method and path, the first one is described", async () => {
  const app = sluice();
  app.get("/", operation({ summary: "first" }), end);
  app.get("/", operation({ summary: "second" }), end);
  assertEquals((await documentOf(app)).paths["/"]!["get"]!.summary, "first");
});

Deno.test("a method that OpenAPI does not have is listed as not expressible", async () => {
  const app = sluice();
  app.get("/files", end);
  app.propfind("/files", end);
  const document = await documentOf(app);
  const reason = "OpenAPI 3.1 has no method PROPFIND";
  assertEquals(document["x-not-expressible"], [{ method: "PROPFIND", path: "/files", reason }]);
});

Deno.test("schemas that are named and used twice are components, and others stay where they are used", async () => {
  const app = sluice();
  const Note = z.object({ text: z.string() }).meta({ id: "Note" });
  const Once = z.object({ once: z.boolean() }).meta({ id: "Once" });
  const Titled = z.object({ n: z.number() }).meta({ title: "A title" });
  const unnamed = z.object({ unnamed: z.string() });
  app.post("/a", validate({ body: z.object({ note: Note, titled: Titled, unnamed }) }), end);
  app.post("/b", validate({ body: z.array(Note), query: z.object({ u: z.string() }) }), end);
  app.post("/c", validate({ body: Once }), end);
  app.post("/d", validate({ body: Titled }), end);
  const other = z.object({ other: z.string() });
  app.post("/e", validate({ body: other }), end);
  app.post("/f", validate({ body: other }), end);
  const document = await documentOf(app, { schemas: { Other: other } });
  const schemas = document.components!.schemas!;
  assertEquals(Object.keys(schemas).sort(), ["Atitle", "InvalidRequest", "Note", "Other", "Problem"]);
  const body = (path: string) => document.paths[path]!["post"]!.requestBody!.content["application/json"]!.schema;
  const { note, titled } = body("/a")!["properties"] as Record<string, unknown>;
  assertEquals([note, titled], [{ $ref: "#/components/schemas/Note" }, { $ref: "#/components/schemas/Atitle" }]);
  assertEquals(body("/b"), { type: "array", items: { $ref: "#/components/schemas/Note" } });
  assertEquals(body("/c"), { type: "object", properties: { once: { type: "boolean" } }, required: ["once"] });
  assertEquals([body("/e"), body("/f")], Array(2).fill({ $ref: "#/components/schemas/Other" }));
});

Deno.test("two schemas of one name are two components, and the output of one may be another", async () => {
  const app = sluice();
  const first = z.object({ a: z.string().default("x") }).meta({ id: "first" });
  const Note = (n: string) => z.toJSONSchema(z.object({ [n]: z.string() }).meta({ title: "Note" }));
  app.post("/a", validate({ body: first, response: { 200: first } }), end);
  const made = ["x", "y"].map((name) => ({
    "~standard": {
      version: 1 as const,
      vendor: "own",
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input: () => Note(name), output: () => Note(name) },
    },
  }));
  for (const [i, body] of made.entries()) app.post(`/${i}`, validate({ body }), end);
  const document = await documentOf(app);
  assertEquals(Object.keys(document.components!.schemas!).sort(), [
    "InvalidRequest",
    "Note",
    "Note2",
    "Problem",
    "first",
    "firstOutput",
  ]);
});

Deno.test("schemas that refer to themselves are components, named or not", async () => {
  const app = sluice();
  interface Tree {
    value: string;
    children: Tree[];
  }
  const tree: z.ZodType<Tree> = z.object({ value: z.string(), children: z.array(z.lazy(() => tree)) });
  app.post("/trees", validate({ body: tree }), end);
  const forest = v.object({ kids: v.array(v.lazy((): v.GenericSchema => forest)) });
  app.post("/forests", validate({ body: toStandardJsonSchema(forest) }), end);
  const document = await documentOf(app);
  const schema = document.paths["/trees"]!["post"]!.requestBody!.content["application/json"]!.schema!;
  assertEquals(schema, { $ref: "#/components/schemas/PostTreesBody" });
  const { properties } = document.components!.schemas!["PostTreesBody"] as { properties: Record<string, unknown> };
  assertEquals(properties["children"], { type: "array", items: schema });
  assert(!JSON.stringify(document).includes("$defs"), "a definition was left where nothing finds it");
});

Deno.test("a schema without JSON Schema allows everything and is listed, unless the program converts it", async () => {
  const app = sluice();
  const body = v.object({ text: v.string() });
  app.post("/plain", validate({ body }), end);
  app.get("/large", validate({ response: { 200: z.object({ at: z.bigint(), n: z.number() }) } }), end);
  const document = await documentOf(app);
  assertEquals(document["x-not-expressible"], [
    {
      method: "POST",
      path: "/plain",
      reason: "its body: its schema, of valibot, has no JSON Schema; option toJsonSchema can convert it",
    },
    { method: "GET", path: "/large", reason: "its response 200: BigInt cannot be represented in JSON Schema" },
  ]);
  assertEquals(document.paths["/plain"]!["post"]!.requestBody!.content["application/json"], { schema: {} });
  // everything else is expressed
  const sent = document.paths["/large"]!["get"]!.responses["200"]!.content!["application/json"]!.schema!;
  assertEquals(sent["properties"], { at: {}, n: { type: "number" } });
  const converting = {
    toJsonSchema: (schema: unknown) => toJsonSchema(schema as v.GenericSchema) as Record<string, unknown>,
  };
  const converted = await documentOf(app, converting);
  const schema = converted.paths["/plain"]!["post"]!.requestBody!.content["application/json"]!.schema;
  assertEquals(schema, { type: "object", properties: { text: { type: "string" } }, required: ["text"] });
});

Deno.test("what changes nothing that valibot accepts is not listed as missing", () => {
  const body = v.object({
    id: v.pipe(v.string(), v.trim(), v.toLowerCase(), v.brand("Id")),
    tags: v.pipe(v.array(v.string()), v.readonly()),
    odd: v.pipe(v.number(), v.check((value) => value % 2 === 1)),
  });
  const app = sluice();
  app.post("/", sluice.json(), validate({ body: toStandardJsonSchema(body) }), (_req, res) => res.sendStatus(204));
  const missing = openapi(app, { title: "T", version: "1" })["x-not-expressible"]!;
  assertEquals(missing.map(({ reason }) => reason), [
    'its body: The "check" action cannot be converted to JSON Schema.',
  ]);
});

Deno.test("an async schema that fails for a missing body fails nothing else", async () => {
  const app = sluice();
  const body = {
    "~standard": {
      version: 1 as const,
      vendor: "own",
      validate: () => Promise.reject(new Error("refused")),
      jsonSchema: { input: () => ({ type: "string" }), output: () => ({}) },
    },
  };
  app.post("/", validate({ body }), end);
  assertEquals((await documentOf(app)).paths["/"]!["post"]!.requestBody!.required, true);
});

Deno.test("a document is JSON, with the prefix of a router that is mounted elsewhere", async () => {
  const router = sluice.Router();
  router.get("/notes", end);
  const document = openapi(router, { ...INFO, description: "About" }, { prefix: "/api" });
  assertEquals(JSON.parse(JSON.stringify(document)), document);
  assertEquals(Object.keys(document.paths), ["/api/notes"]);
  await assertAccepted(document);
});

Deno.test("wrong options are refused by the names that they have", () => {
  const app = sluice();
  const refused = (make: () => unknown, message: string) => assertThrows(make, TypeError, message);
  refused(() => openapi(app, { title: "T" } as never), "openapi: info: option version must be a string, not undefined");
  const call = 'write openapi(app, { title: "Books", version: "1.0.0" }, options)';
  const guess = openapi as unknown as (...given: unknown[]) => never;
  refused(() => guess(app, { info: INFO }), `openapi: info: there is no option info; ${call}`);
  refused(() => guess(app), `openapi cannot take a function app and undefined; ${call}`);
  refused(() => guess(app, "Books"), `openapi cannot take a function app and "Books"; ${call}`);
  refused(() => guess({ app, info: INFO }), `openapi cannot take an object and undefined; ${call}`);
  refused(() => guess(INFO, app), `openapi cannot take an object and a function app; ${call}`);
  refused(() => guess(), `openapi cannot take undefined and undefined; ${call}`);
  refused(() => openapi(app, { ...INFO, name: "x" } as never), "openapi: info: there is no option name");
  refused(() => openapi(app, INFO, { server: [] } as never), "openapi: there is no option server");
  refused(() => openapi(app, INFO, { servers: {} } as never), "openapi: option servers must be a list");
  refused(() => openapi(app, INFO, { schemas: 1 } as never), "openapi: option schemas must be an object, not 1");
  refused(() => operation({ sumary: "x" } as never), "operation: there is no option sumary");
  // what belongs to the other one of the two
  refused(() => operation({ body: {} } as never), "operation: there is no option body; write validate({ body })");
  refused(
    () => validate({ summary: "x" } as never),
    "validate: there is no option summary; write operation({ summary })",
  );
  refused(() => validate({ querystring: {} } as never), "validate: there is no option querystring; use query");
  refused(() => operation({ tags: "x" } as never), "operation: option tags must be a list of strings");
  refused(() => operation({ hide: 1 } as never), "operation: option hide must be true or false, not 1");
  refused(() => operation({ responses: { 4: "x" } }), "operation: option responses has statuses such as 404, 4XX");
  refused(
    () => operation({ responses: { 404: { text: "x" } as never } }),
    "operation: response 404: there is no option",
  );
  refused(() => operation({ examples: { bdy: 1 } as never }), "operation: examples: there is no option bdy");
});

Deno.test("a pattern with flags is listed, and left out: without them it would forbid what the schema accepts", async () => {
  const app = sluice().set("env", "test");
  const schema = z.object({
    color: z.string().regex(/^[a-f\d]{6}$/i).regex(/^\d/),
    own: z.stringFormat("own", /^a$/im),
  });
  app.post("/colors", sluice.json(), validate({ body: schema }), (_req, res) => res.sendStatus(204));
  const document = openapi(app, { title: "Colors", version: "1" });
  const body = JSON.stringify({ color: "1ABCDE", own: "A" });
  const headers = { "content-type": "application/json" };
  assertEquals((await app.inject("/colors", { method: "POST", headers, body })).status, 204);
  const content = document.paths["/colors"]!["post"]!.requestBody!.content["application/json"]!;
  assertEquals(content.schema?.["properties"], { color: { type: "string" }, own: { type: "string", format: "own" } });
  const { reason } = document["x-not-expressible"]![0]!;
  assertEquals(reason, "its body: JSON Schema has no flags, as in /^a$/im");
});

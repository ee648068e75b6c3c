/** Named schemas: which become components, and what they are called. */
import { openapi, type OpenApiDocument, operation, validate } from "@sluice/openapi";
import sluice, { type FrameworkApp } from "@sluice/sluice";
import { assertEquals } from "@std/assert";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { z } from "zod";
import { assertAccepted } from "./support/assert_accepted.ts";

const end = (_req: unknown, res: { end(): void }) => void res.end();

const Money = z.object({ amount: z.number().int(), currency: z.enum(["EUR", "USD"]) }).meta({ id: "Money" });
const Address = z.object({ city: z.string(), country: z.string().default("AT") }).meta({ id: "Address" });
const Line = z.object({ price: Money, count: z.number().default(1) });
const Customer = z.object({ id: z.number(), address: Address, credit: Money.optional() }).meta({ id: "Customer" });

type Register = (app: FrameworkApp) => void;

/** Routes that use the same schemas in requests and in responses. */
const ROUTES: readonly Register[] = [
  (app) => app.post("/money", validate({ body: Money, response: { 200: Money } }), end),
  (app) => app.post("/lines", validate({ body: z.object({ lines: z.array(Line) }) }), end),
  (app) => app.get("/lines", validate({ response: { 200: z.array(Line) } }), end),
  (app) => app.get("/customers", validate({ response: { 200: z.array(Customer) } }), end),
  (app) => app.get("/customers/:id", validate({ response: { 200: Customer } }), end),
  (app) => app.put("/addresses", validate({ body: Address }), end),
];

async function documentOf(routes: readonly Register[]): Promise<OpenApiDocument> {
  const app = sluice();
  for (const register of routes) register(app);
  const document = openapi(app, { title: "T", version: "1" });
  await assertAccepted(document);
  return document;
}

Deno.test("a schema of requests and responses is one component, and an output that differs another", async () => {
  const { schemas } = (await documentOf(ROUTES)).components!;
  const own = Object.keys(schemas!).filter((name) => !/^(?:InvalidRequest|Problem)$/.test(name)).sort();
  assertEquals(own, ["Address", "AddressOutput", "Customer", "Money"]);
  assertEquals(schemas!["Address"]!["required"], ["city"]);
  assertEquals(schemas!["AddressOutput"]!["required"], ["city", "country"]);
  const { address, credit } = schemas!["Customer"]!["properties"] as Record<string, unknown>;
  assertEquals([address, credit], [
    { $ref: "#/components/schemas/AddressOutput" },
    { $ref: "#/components/schemas/Money" },
  ]);
});

Deno.test("names do not depend on the order in which routes are registered", async () => {
  const first = sortedKeys(await documentOf(ROUTES));
  for (let i = 1; i < ROUTES.length; i++) {
    const turned = [...ROUTES.slice(i), ...ROUTES.slice(0, i)];
    assertEquals(sortedKeys(await documentOf(turned)), first);
    assertEquals(sortedKeys(await documentOf(turned.toReversed())), first);
  }
});

Deno.test("nor do those of different schemas with the same name", async () => {
  const routes = ["a", "b", "c"].map((field): Register => (app) => {
    const Note = z.object({ [field]: z.string() }).meta({ title: "Note" });
    app.post(`/${field}`, validate({ body: Note, response: { 200: z.array(Note) } }), end);
  });
  const first = sortedKeys(await documentOf(routes));
  assertEquals(sortedKeys(await documentOf(routes.toReversed())), first);
  const { schemas } = (await documentOf(routes)).components!;
  const names = ["Note", "Note2", "Note3"].map((name) => Object.keys(schemas![name]!["properties"] as object)[0]);
  assertEquals(names, ["a", "b", "c"]);
});

/** A document with sorted keys. */
function sortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedKeys);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1);
  return Object.fromEntries(entries.map(([key, one]) => [key, sortedKeys(one)]));
}

const CARD = { kind: "card", number: "string" } as const;
const PAYMENTS = {
  zod: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("card"), number: z.string() }),
    z.object({ kind: z.enum(["sepa", "debit"]), iban: z.string() }),
  ]).meta({ id: "Payment" }),
  valibot: toStandardJsonSchema(v.variant("kind", [
    v.object({ kind: v.literal("card"), number: v.string() }),
    v.object({ kind: v.picklist(["sepa", "debit"]), iban: v.string() }),
  ])),
  arktype: type({ kind: "'card'", number: CARD.number }).or({ kind: "'sepa' | 'debit'", iban: "string" }),
};

for (const [name, schema] of Object.entries(PAYMENTS)) {
  Deno.test(`alternatives of a named schema of ${name} are components, with what tells them apart`, async () => {
    const app = sluice();
    app.post("/payments", validate({ body: schema }), end);
    const document = openapi(app, { title: "T", version: "1" }, { schemas: { Payment: schema } });
    await assertAccepted(document);
    const { schemas } = document.components!;
    const payment = schemas!["Payment"] ??
      document.paths["/payments"]!["post"]!.requestBody!.content["application/json"]!.schema!;
    const mapping = (payment["discriminator"] as { propertyName: string; mapping: Record<string, string> }).mapping;
    assertEquals(Object.keys(mapping).sort(), ["card", "debit", "sepa"]);
    assertEquals(mapping["card"], "#/components/schemas/PaymentCard");
    assertEquals(mapping["sepa"], mapping["debit"]);
    const card = schemas!["PaymentCard"]!["properties"] as Record<string, { const?: string }>;
    assertEquals(card["kind"]!.const, "card");
    const list = (payment["oneOf"] ?? payment["anyOf"]) as { $ref: string }[];
    assertEquals(list.map(({ $ref }) => $ref).sort(), [...new Set(Object.values(mapping))].sort());
  });
}

Deno.test("alternatives without names stay where they are, and those with names keep theirs", async () => {
  const Cat = z.object({ kind: z.literal("cat") }).meta({ id: "Cat" });
  const Dog = z.object({ kind: z.literal("dog") }).meta({ id: "Dog" });
  const unnamed = z.union([z.object({ kind: z.literal("a") }), z.object({ kind: z.literal("b") })]);
  const app = sluice();
  app.post("/animals", validate({ body: z.discriminatedUnion("kind", [Cat, Dog]) }), end);
  app.post("/unnamed", validate({ body: unnamed }), end);
  const document = openapi(app, { title: "T", version: "1" });
  await assertAccepted(document);
  const bodyOf = (path: string) => document.paths[path]!["post"]!.requestBody!.content["application/json"]!.schema!;
  assertEquals(bodyOf("/animals")["discriminator"], {
    propertyName: "kind",
    mapping: { cat: "#/components/schemas/Cat", dog: "#/components/schemas/Dog" },
  });
  assertEquals(bodyOf("/unnamed")["discriminator"], undefined);
  assertEquals((bodyOf("/unnamed")["anyOf"] as unknown[]).length, 2);
});

Deno.test("recursive schemas within others have names of their own", async () => {
  interface Tree {
    value: string;
    children: Tree[];
  }
  const tree: z.ZodType<Tree> = z.object({ value: z.string(), children: z.array(z.lazy(() => tree)) });
  const forest = v.object({ kids: v.array(v.lazy((): v.GenericSchema => forest)) });
  const app = sluice();
  app.post("/trees", validate({ body: z.object({ tree }) }), end);
  app.post("/forests", validate({ body: toStandardJsonSchema(v.object({ forest })) }), end);
  const document = openapi(app, { title: "T", version: "1" });
  await assertAccepted(document);
  const names = Object.keys(document.components!.schemas!).filter((name) => /Part/.test(name));
  assertEquals(names.sort(), ["PostForestsBodyPart", "PostTreesBodyPart"]);
});

Deno.test("dates, sets, maps and files are what they are in JSON and in forms", async () => {
  const schema = z.object({
    at: z.coerce.date(),
    on: z.date().describe("When"),
    tags: z.set(z.string()),
    rates: z.map(z.string(), z.number()),
    pairs: z.map(z.number(), z.boolean()),
    some: z.set(z.int()).min(1).max(3),
    named: z.map(z.enum(["a", "b"]), z.number()).min(2),
    days: z.map(z.date(), z.number()).size(1),
    maybe: z.date().nullable().optional(),
  });
  const DATE = { type: "string", format: "date-time" };
  const expected = {
    at: DATE,
    on: { ...DATE, description: "When" },
    tags: { type: "array", uniqueItems: true, items: { type: "string" } },
    rates: { type: "object", additionalProperties: { type: "number" } },
    pairs: {
      type: "array",
      items: { type: "array", prefixItems: [{ type: "number" }, { type: "boolean" }], minItems: 2, maxItems: 2 },
    },
    some: {
      type: "array",
      uniqueItems: true,
      items: { type: "integer", minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
      minItems: 1,
      maxItems: 3,
    },
    named: {
      type: "object",
      propertyNames: { type: "string", enum: ["a", "b"] },
      additionalProperties: { type: "number" },
      minProperties: 2,
    },
    days: {
      type: "array",
      items: { type: "array", prefixItems: [DATE, { type: "number" }], minItems: 2, maxItems: 2 },
      minItems: 1,
      maxItems: 1,
    },
    maybe: { anyOf: [DATE, { type: "null" }] },
  };
  const others = {
    valibot: toStandardJsonSchema(v.object({ at: v.date(), tags: v.set(v.string()) })),
    arktype: type({ at: "Date", tags: "Set" }),
  };
  const app = sluice();
  app.post("/zod", validate({ body: schema, response: { 200: schema } }), end);
  for (const [name, body] of Object.entries(others)) app.post(`/${name}`, validate({ body }), end);
  const document = openapi(app, { title: "T", version: "1" });
  await assertAccepted(document);
  assertEquals(document["x-not-expressible"], undefined);
  const { requestBody, responses } = document.paths["/zod"]!["post"]!;
  assertEquals(requestBody!.content["application/json"]!.schema!["properties"], expected);
  assertEquals(responses["200"]!.content!["application/json"]!.schema!["properties"], expected);
  for (const name of Object.keys(others)) {
    const { content } = document.paths[`/${name}`]!["post"]!.requestBody!;
    assertEquals(content["application/json"]!.schema!["properties"], {
      at: DATE,
      // arktype's sets do not say what is in them
      tags: { type: "array", uniqueItems: true, ...name === "valibot" ? { items: { type: "string" } } : {} },
    });
  }
});

Deno.test("what is in sets and maps may have a name, refer to itself, and be a set or map again", async () => {
  interface Person {
    id: number;
    friends: Set<Person>;
  }
  const Person: z.ZodType<Person> = z.object({
    id: z.number(),
    get friends() {
      return z.set(Person);
    },
  }).meta({ id: "Person" });
  interface Folder {
    files: Set<Date>;
    folders: Map<string, Folder>;
  }
  const folder: v.GenericSchema<Folder> = v.object({
    files: v.set(v.date()),
    folders: v.map(v.string(), v.lazy(() => folder)),
  });
  const app = sluice();
  const team = z.object({ lead: Person, members: z.set(Person), byRole: z.map(z.string(), z.set(Person)) });
  app.post("/teams", validate({ body: team, response: { 200: team } }), end);
  app.post("/folders", validate({ body: toStandardJsonSchema(folder) }), end);
  const document = openapi(app, { title: "T", version: "1" });
  await assertAccepted(document);
  assertEquals(document["x-not-expressible"], undefined);
  const set = { type: "array", uniqueItems: true, items: { $ref: "#/components/schemas/Person" } };
  const { requestBody, responses } = document.paths["/teams"]!["post"]!;
  const { schema } = requestBody!.content["application/json"]!;
  assertEquals(schema!["properties"], {
    lead: { $ref: "#/components/schemas/Person" },
    members: set,
    byRole: { type: "object", additionalProperties: set },
  });
  assertEquals(responses["200"]!.content!["application/json"]!.schema, schema);
  const { Person: person, PostFoldersBodyPart: part, ...others } = document.components!.schemas!;
  assertEquals(Object.keys(others).sort(), ["InvalidRequest", "Problem"]);
  assertEquals(person!["properties"], { id: { type: "number" }, friends: set });
  assertEquals(part!["properties"], {
    files: { type: "array", uniqueItems: true, items: { type: "string", format: "date-time" } },
    folders: {
      type: "array",
      items: {
        type: "array",
        prefixItems: [{ type: "string" }, { $ref: "#/components/schemas/PostFoldersBodyPart" }],
        minItems: 2,
        maxItems: 2,
      },
    },
  });
});

Deno.test("what the server sends by itself is in the document: callbacks, webhooks, and where routes are served", async () => {
  const Paid = z.object({ id: z.number(), at: z.date() }).meta({ id: "Paid" });
  const app = sluice();
  app.use("/orders", operation({ servers: [{ url: "https://orders.example" }], "x-team": "shop" }));
  const paid = { url: "{$request.body#/url}", body: Paid, responses: { 204: "Understood" } };
  app.post(
    "/orders",
    operation({ callbacks: { paid }, "x-internal": true }),
    validate({ body: z.object({ url: z.url() }) }),
    end,
  );
  const webhooks = { orderPaid: { summary: "An order was paid", body: Paid, headers: { "X-Signature": "HMAC" } } };
  const document = openapi(app, { title: "T", version: "1" }, { webhooks });
  await assertAccepted(document);
  const { callbacks, servers, ...rest } = document.paths["/orders"]!["post"]!;
  assertEquals([servers, rest["x-internal"], rest["x-team"]], [[{ url: "https://orders.example" }], true, "shop"]);
  const schema = { $ref: "#/components/schemas/Paid" };
  assertEquals(callbacks, {
    paid: {
      "{$request.body#/url}": {
        post: {
          requestBody: { required: true, content: { "application/json": { schema } } },
          responses: { 204: { description: "Understood" } },
        },
      },
    },
  });
  assertEquals(document.webhooks, {
    orderPaid: {
      post: {
        summary: "An order was paid",
        parameters: [{ name: "X-Signature", in: "header", description: "HMAC", schema: { type: "string" } }],
        requestBody: { required: true, content: { "application/json": { schema } } },
        responses: { "2XX": { description: "Received" } },
      },
    },
  });
});

/** Clients written by `generateClient`: each route's input and response are typed, and calls arrive. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import openapiTS, { astToString } from "openapi-typescript";
import { openapi, operation, validate } from "@sluice/openapi";
import { generateClient } from "@sluice/openapi/generate";
import sluice, { type FrameworkApp } from "@sluice/sluice";
import { z } from "zod";
import { run } from "../../scripts/process.ts";
import { allImports, TESTS_LOCK } from "../../scripts/tests_config.ts";
import { random } from "../../tests/support/random.ts";
import { generatedRoutes } from "./support/generated_routes.ts";
import { ordersApi } from "./support/orders_api.ts";

/** Puts files into a temporary folder with all of this repository's imports. */
async function inFolder<T>(files: Readonly<Record<string, string>>, use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await Deno.makeTempDir();
  try {
    const compilerOptions = {
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      lib: ["deno.ns", "esnext", "dom", "dom.iterable", "dom.asynciterable"],
    };
    await Deno.writeTextFile(`${folder}/deno.json`, JSON.stringify({ imports: await allImports(), compilerOptions }));
    await Deno.copyFile(TESTS_LOCK, `${folder}/deno.lock`);
    for (const [name, text] of Object.entries(files)) await Deno.writeTextFile(`${folder}/${name}`, text);
    return await use(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function assertCompiles(folder: string, ...files: string[]): Promise<void> {
  // a wrong call that compiles is also an error
  const options = { limitMs: 120_000, quiet: true, cwd: folder };
  const { code, output } = await run(Deno.execPath(), ["check", "--quiet", ...files], options);
  assertEquals(code, 0, output);
}

const CALLS = `
import { createClient, type Customer } from "./client.ts";

export async function use(fetch: (request: Request) => Response | Promise<Response>) {
  const api = createClient({ fetch, headers: { authorization: "Bearer x" } });
  const came: Record<string, unknown> = {};

  const listed = await api.get("/v1/customers", { query: { page: 2, tag: ["a", "b"], sort: "-name" } });
  if (listed.ok) came.total = listed.data.total satisfies number;

  const customer = { name: "Ann", email: "ann@example.com", addresses: [{ street: "s", city: "c", zip: "1010" }], note: null };
  const made = await api.post("/v1/customers", { json: customer });
  if (made.status === 201) {
    const one: Customer = made.data;
    came.made = one.tags;
  }

  const taken = await api.post("/v1/customers", { json: { ...customer, name: "taken" } });
  if (!taken.ok) {
    switch (taken.status) {
      case 409:
        came.taken = taken.data.code satisfies string;
        break;
      case 400:
        came.taken = taken.data.errors.map((one) => one.pointer) satisfies string[];
        break;
      default:
        came.taken = taken.data satisfies unknown;
    }
  }

  const invalid = await api.post("/v1/customers", { json: { ...customer, email: "none" } });
  if (invalid.status === 400) came.invalid = invalid.data.errors.map((one) => one.in + one.pointer);

  const none = await api.get("/v1/customers/:id", { params: { id: 404 }, signal: AbortSignal.timeout(60_000) });
  came.none = none.status === 404 ? none.data.message : "";

  const gone = await api.delete("/v1/customers/:id", { params: { id: 7 } });
  came.gone = gone.status === 204 ? (gone.data satisfies undefined) === undefined : false;

  const avatar = new File(["x"], "a.png", { type: "image/png" });
  const stored = await api.post("/v1/customers/:id/avatar", { params: { id: 7 }, form: { caption: "me", avatar } });
  came.stored = stored.data satisfies unknown;

  const seen = await api.get("/v1/orders", { headers: { "x-tenant": "t", "x-any": 1 }, cookies: { theme: "dark" } });
  came.seen = [seen.status, seen.headers.get("x-tenant")];

  const json = {
    customer: 1,
    lines: [{ sku: "a", price: { amount: 1, currency: "EUR" as const } }],
    payment: { type: "card" as const, number: "1", cvc: "2" },
  };
  const ordered = await api.post("/v1/orders", { json });
  if (ordered.ok) came.ordered = ordered.data.payment.type === "sepa" ? ordered.data.payment.iban : "";

  const events = await api.get("/v1/orders/:orderId/events", { params: { orderId: "7" } });
  if (events.ok) {
    const texts: string[] = [];
    for await (const { event, data } of events.data) texts.push(event + data);
    came.events = texts;
  }

  const tree = await api.post("/v1/categories", { json: { name: "a", children: [{ name: "b", children: [] }] } });
  if (tree.ok) came.tree = tree.data.children[0]?.name;

  const files = await api.get("/v1/files/*path", { params: { path: "a b/c" } });
  came.files = files.data;

  const imported = await api.post("/v1/import", { body: "a\\nb" });
  if (imported.ok) came.imported = imported.data.rows;

  came.report = (await api.get("/v1/report.:format", { params: { format: "csv" } })).data;

  const paid = await api.post("/v1/payments", { json: { type: "sepa", iban: "x" } });
  if (paid.ok) came.paid = paid.data.ok ? "" : paid.data.reason;
  return came;
}

export async function wrong(api: ReturnType<typeof createClient>) {
  // @ts-expect-error there is no such path
  await api.get("/v1/customer");
  // @ts-expect-error nor such a method
  await api.put("/v1/customers", {});
  // @ts-expect-error the parameter is missing
  await api.get("/v1/customers/:id");
  // @ts-expect-error it is a number
  await api.get("/v1/customers/:id", { params: { id: true } });
  // @ts-expect-error there is no such parameter
  await api.get("/v1/customers", { query: { most: 1 } });
  // @ts-expect-error there is no such order
  await api.get("/v1/customers", { query: { sort: "age" } });
  // @ts-expect-error a header is missing
  await api.get("/v1/orders", {});
  // @ts-expect-error a field has another type
  await api.post("/v1/payments", { json: { type: "sepa", iban: 7 } });
  // @ts-expect-error the body is missing
  await api.post("/v1/payments", {});
  // @ts-expect-error a file is no text
  await api.post("/v1/customers/:id/avatar", { params: { id: 1 }, form: { caption: "me", avatar: "x" } });
  const found = await api.get("/v1/customers/:id", { params: { id: 7 } });
  // @ts-expect-error it may have failed
  found.data.name;
  // @ts-expect-error there is no such field
  if (found.ok) found.data.nam;
  // @ts-expect-error nor in what is wrong
  if (found.status === 404) found.data.reason;
}
`;

Deno.test("a client of the orders API has the types of its 41 operations, and calls them", async () => {
  const app = ordersApi();
  const client = generateClient(app, { command: "sluice client app.ts" });
  assertEquals(client, generateClient(app, { command: "sluice client app.ts" }), "the same text each time");
  await inFolder({ "client.ts": client, "use.ts": CALLS }, async (folder) => {
    await assertCompiles(folder, "use.ts");
    const { use } = await import(`file://${folder}/use.ts`);
    assertEquals(await use((request: Request) => app.fetch(request)), {
      total: 2,
      made: [],
      taken: "taken",
      invalid: ["body/email"],
      none: "There is none",
      gone: true,
      stored: { bytes: 1, caption: "me" },
      seen: [200, "t"],
      ordered: "AT",
      events: ["paid1", "message2"],
      tree: "b",
      files: ["a b", "c"],
      imported: 2,
      report: { format: "csv" },
      paid: "unknown account",
    });
  });
});

Deno.test("paths and methods are known without any schema, and what is sent is the caller's business", async () => {
  const app = sluice().set("env", "test");
  app.use(sluice.json());
  const users = sluice.Router();
  users.get("{/:id}", (req, res) => res.json({ id: req.params["id"] }));
  users.put("/:id/files/*path", (req, res) => res.json({ ...req.params, body: req.body }));
  app.use("/users", users);
  app.get(/^\/expression/, (_req, res) => res.json(1));
  app.ws("/live", { open() {} });
  const client = generateClient(app);
  assertMatch(client, /^\/\/ Without GET .*expression.*: its path is a regular expression$/m);
  assertMatch(client, /^\/\/ Without WS \/live: it is a WebSocket$/m);
  const calls = `
    import { createClient } from "./client.ts";
    export async function use(fetch: (request: Request) => Response | Promise<Response>) {
      const api = createClient({ fetch });
      const all = await api.get("/users");
      const one = await api.get("/users/:id", { params: { id: 7 } });
      const put = await api.put("/users/:id/files/*path", { params: { id: "a", path: ["b", "c"] }, json: { any: 1 } });
      if (!put.ok) throw new Error(String(put.status));
      return [all.data, one.data, put.data] satisfies unknown[];
    }
    // @ts-expect-error there is no such path
    export const wrong = () => createClient().get("/user");
  `;
  await inFolder({ "client.ts": client, "use.ts": calls }, async (folder) => {
    await assertCompiles(folder, "use.ts");
    const { use } = await import(`file://${folder}/use.ts`);
    assertEquals(await use((request: Request) => app.fetch(request)), [
      {},
      { id: "7" },
      { id: "a", path: ["b", "c"], body: { any: 1 } },
    ]);
  });
});

Deno.test("names of schemas that TypeScript or the client uses itself get others", async () => {
  const app = sluice();
  const named = (id: string) => z.object({ [id]: z.string() }).meta({ id });
  const names = ["Error", "Record", "Client", "Success", "class", "9lives", "User-Data", "User.Data"];
  for (const [i, id] of names.entries()) {
    const schema = named(id);
    app.get(
      `/${i}`,
      validate({ response: { 200: schema, 201: z.array(schema) } }),
      (_req, res) => res.json({} as never),
    );
  }
  const client = generateClient(app);
  await inFolder({ "client.ts": client }, (folder) => assertCompiles(folder, "client.ts"));
  for (
    const name of ["Error", "RecordSchema", "ClientSchema", "SuccessSchema", "classSchema", "_9lives", "User_Data"]
  ) {
    assertMatch(client, new RegExp(`^export interface ${name} \\{$`, "m"));
  }
});

Deno.test("records with listed names, tuples, and media types of several kinds have the types that arrive", async () => {
  const app = sluice().set("env", "test");
  const body = z.object({
    all: z.record(z.enum(["a", "b"]), z.number()),
    some: z.partialRecord(z.union([z.literal("c"), z.literal("d")]), z.number()),
    pair: z.tuple([z.string(), z.number()]),
  });
  app.post("/echo", sluice.json(), validate({ body, response: { 200: body } }), (req, res) => res.json(req.body));
  const image = { description: "A picture", mediaType: "image/*", schema: z.file() };
  app.get("/picture", operation({ responses: { 200: image } }), (_req, res) => res.type("png").send("x"));
  const calls = `
    import { createClient } from "./client.ts";
    export async function use(fetch: (request: Request) => Response | Promise<Response>) {
      const api = createClient({ fetch });
      const json = { all: { a: 1, b: 2 }, some: { d: 3 }, pair: ["x", 4] } satisfies { all: object; some: object; pair: [string, number] };
      const echo = await api.post("/echo", { json });
      if (!echo.ok) throw new Error(String(echo.status));
      const { all, some, pair } = echo.data;
      const sum: number = all.a + all.b + (some.c ?? 0) + (some.d ?? 0) + pair[1];
      const picture = await api.get("/picture");
      if (!picture.ok) throw new Error(String(picture.status));
      return [sum, pair.length satisfies 2, await new Response(picture.data satisfies ReadableStream<Uint8Array>).text()];
    }
    export const wrong = (api: ReturnType<typeof createClient>) => [
      // @ts-expect-error a name is missing
      api.post("/echo", { json: { all: { a: 1 }, some: {}, pair: ["x", 4] } }),
      // @ts-expect-error a name is not listed
      api.post("/echo", { json: { all: { a: 1, b: 2 }, some: { e: 3 }, pair: ["x", 4] } }),
      // @ts-expect-error there are only two
      api.post("/echo", { json: { all: { a: 1, b: 2 }, some: {}, pair: ["x", 4, 5] } }),
    ];
  `;
  await inFolder({ "client.ts": generateClient(app), "use.ts": calls }, async (folder) => {
    await assertCompiles(folder, "use.ts");
    const { use } = await import(`file://${folder}/use.ts`);
    assertEquals(await use((request: Request) => app.fetch(request)), [10, 2, "x"]);
  });
});

Deno.test("what is said of routes and fields stands in front of them", () => {
  const app = sluice();
  const body = z.object({ text: z.string().describe("What it says; no */ ends this") });
  const said = operation({ summary: "Writes a note", description: "Twice\nis once", deprecated: true });
  app.post("/notes", said, validate({ body }), (_req, res) => res.sendStatus(204));
  const client = generateClient(app);
  assertMatch(
    client,
    /\/\*\*\n {3}\* Writes a note\n {3}\*\n {3}\* Twice\n {3}\* is once\n {3}\*\n {3}\* @deprecated\n {3}\*\//,
  );
  assertMatch(client, /\/\*\* What it says; no \*\u200b\/ ends this \*\//);
});

Deno.test("the guide's programs compile with the client of its application, those with React Query and SWR as well", async () => {
  const page = await Deno.readTextFile(new URL("../../docs/guide/clients.md", import.meta.url));
  const named = Array.from(
    page.matchAll(/^```ts \[([\w.]+)\]\n(.*?)^```$/gms),
    ([, name, text]) => [name!, text!] as const,
  );
  assertEquals(named.map(([name]) => name), ["app.ts", "main.ts", "use.ts", "query.ts", "swr.ts"]);
  await inFolder(Object.fromEntries(named), async (folder) => {
    const { app } = await import(`file://${folder}/app.ts`);
    await Deno.writeTextFile(`${folder}/client.ts`, generateClient(app));
    await assertCompiles(folder, "use.ts", "query.ts", "swr.ts");
  });
});

/** Compares each of our types with openapi-typescript's, in both directions. */
function compared(app: FrameworkApp): { ours: string; theirs: Promise<string>; pairs: string[] } {
  const document = openapi(app, { title: "Compared", version: "1" });
  const pairs: string[] = [];
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, { requestBody }] of Object.entries(methods)) {
      const table = `${method[0]!.toUpperCase()}${method.slice(1)}Routes`;
      const route = path.replace(/\{(\w+)\}/g, ":$1");
      const operation = `paths[${JSON.stringify(path)}][${JSON.stringify(method)}]`;
      if (requestBody?.content["application/json"]?.schema === undefined) continue;
      const content = `NonNullable<${operation}["requestBody"]>["content"]["application/json"]`;
      const call = `NonNullable<${table}[${JSON.stringify(route)}]["call"]>`;
      pairs.push(`same<NonNullable<Json<${call}>>, ${content}>(true);`);
    }
  }
  const theirs = openapiTS(JSON.stringify(document), { defaultNonNullable: false }).then(astToString);
  return { ours: generateClient(app, { document }), theirs, pairs };
}

Deno.test("bodies of 15 generated applications and of the orders API have the types that openapi-typescript gives them", async () => {
  const files: Record<string, string> = {};
  let count = 0;
  for (let seed = 0; seed <= 15; seed++) {
    const app = seed === 0 ? ordersApi() : generatedRoutes(random(seed));
    const { ours, theirs, pairs } = compared(app);
    if (pairs.length === 0) continue;
    count += pairs.length;
    files[`client${seed}.ts`] = ours;
    files[`api${seed}.d.ts`] = await theirs;
    const tables = ["GetRoutes", "PostRoutes", "PutRoutes", "PatchRoutes", "DeleteRoutes"].filter((one) =>
      pairs.some((pair) => pair.includes(`${one}[`))
    );
    files[`compare${seed}.ts`] = `import type { ${tables.join(", ")} } from "./client${seed}.ts";
      import type { paths } from "./api${seed}.d.ts";
      type Json<Call> = Call extends { json?: infer Body } ? Body : never;
      type Same<A, B> = [A] extends [B] ? [B] extends [A] ? true : { wanted: B; is: A } : { wanted: B; is: A };
      function same<A, B>(_is: Same<A, B>) {}
      ${pairs.join("\n")}`;
  }
  assert(count > 20, `only ${count} bodies`);
  await inFolder(
    files,
    (folder) => assertCompiles(folder, ...Object.keys(files).filter((name) => name.startsWith("compare"))),
  );
});

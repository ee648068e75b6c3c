/** A client from existing libraries: openapi-typescript generates its types, and openapi-fetch sends the requests. */
import { assertEquals } from "@std/assert";
import openapiTS, { astToString } from "openapi-typescript";
import { openapi } from "@sluice/openapi";
import type { FrameworkApp } from "@sluice/sluice";
import { makeDemo } from "../../examples/demo/app.ts";
import { run } from "../../scripts/process.ts";
import { allImports, TESTS_LOCK } from "../../scripts/tests_config.ts";
import { shop } from "./support/shop.ts";

const PROGRAM = `
import createClient from "openapi-fetch";
import type { components, paths } from "./api.d.ts";

export async function use(fetch: (request: Request) => Promise<Response>) {
  const client = createClient<paths>({ baseUrl: "http://localhost", fetch });

  const written = await client.POST("/api/notes", { body: { text: "Milk" } });
  const note: components["schemas"]["Note"] = written.data!;
  const id: number = note.id;

  const found = await client.GET("/api/notes/{id}", { params: { path: { id: String(id) } } });
  const text: string | undefined = found.data?.text;

  const listed = await client.GET("/api/notes", { params: { query: { limit: "1" } } });
  const texts: string[] = listed.data!.map((one) => one.text);

  const missing = await client.GET("/api/notes/{id}", { params: { path: { id: "99" } } });
  // what is there depends on what happened
  const reason: string | undefined = missing.error?.title;

  const refused = await client.POST("/api/notes", { body: { text: " " } });
  const problem = refused.error!;
  const wrong: string[] = "errors" in problem ? problem.errors.map((one) => one.in + one.pointer) : [];

  return { id, text, texts, missing: [missing.response.status, reason], refused: [refused.response.status, wrong] };
}

export function wrong(client: ReturnType<typeof createClient<paths>>) {
  // @ts-expect-error there is no such path
  client.GET("/api/note");
  // @ts-expect-error nor such a method
  client.DELETE("/api/notes");
  // @ts-expect-error the parameter is missing
  client.GET("/api/notes/{id}");
  // @ts-expect-error it is text
  client.GET("/api/notes/{id}", { params: { path: { id: true } } });
  // @ts-expect-error the query has another type
  client.GET("/api/notes", { params: { query: { limit: [1] } } });
  // @ts-expect-error there is no such parameter
  client.GET("/api/notes", { params: { query: { most: "1" } } });
  // @ts-expect-error a field has another type
  client.POST("/api/notes", { body: { text: 7 } });
  // @ts-expect-error the body is missing
  client.POST("/api/notes");
  // @ts-expect-error there is no such field
  client.GET("/api/notes/{id}", { params: { path: { id: "1" } } }).then(({ data }) => data?.txt);
  // @ts-expect-error nor in what is wrong
  client.GET("/api/notes/{id}", { params: { path: { id: "1" } } }).then(({ error }) => error?.reason);
}
`;

/**
 * A client for the shop: it omits values that have a default, and sends lists, objects and files as the libraries do.
 */
const SHOP_PROGRAM = `
import createClient from "openapi-fetch";
import type { paths } from "./api.d.ts";

export async function use(fetch: (request: Request) => Promise<Response>) {
  const client = createClient<paths>({ baseUrl: "http://localhost", fetch });
  const statuses: Record<string, number> = {};

  const address = { street: "Ring", zip: "1010" };
  const customer = { name: "Ann", email: "ann@example.com", addresses: [address], note: null };
  const made = await client.POST("/v1/customers", { body: customer });
  const country: string = made.data!.addresses[0]!.country;
  statuses["defaults"] = made.response.status;

  const one = await client.GET("/v1/customers", { params: { query: { page: 2, tag: ["a"] } } });
  const items: { id: number }[] = one.data!.items;
  statuses["a list of one"] = one.response.status;
  const two = await client.GET("/v1/customers", { params: { query: { tag: ["a", "b"] } } });
  statuses["a list of two"] = two.response.status;
  const deep = await client.GET("/v1/search", { params: { query: { q: "x", filter: { min: 1, max: 2.5 } } } });
  statuses["an object"] = deep.response.status;
  const near = await client.GET("/v1/near", { params: { query: { near: [1, 2], ids: ["a,b"] } } });
  statuses["delimited lists"] = near.response.status;
  const state = await client.GET("/v1/orders/{ids}/state", { params: { path: { ids: [1, 2] } } });
  statuses["a list in a path"] = state.response.status;
  const header = { "x-tenant": "t", "x-regions": ["a", "b"] };
  const orders = await client.GET("/v1/orders", { params: { header, cookie: { theme: "dark" } } });
  statuses["a list in a header"] = orders.response.status;
  const price = { amount: 1, currency: "EUR" as const };
  const payment = { kind: "card" as const, number: "1" };
  const order = { lines: [{ sku: "a", price }], payment, deliverBy: "2026-01-02" };
  const placed = await client.POST("/v1/orders", { body: order });
  const labels: string[] = placed.data!.labels;
  statuses["a date, and an alternative"] = placed.response.status;
  const avatar = await client.POST("/v1/customers/{id}/avatar", {
    params: { path: { id: 1 } },
    body: { caption: "me", at: { x: 1 }, tags: ["a"], avatar: "" },
    bodySerializer: ({ caption, at, tags }) => {
      const form = new FormData();
      form.set("caption", caption);
      form.set("at", new Blob([JSON.stringify(at)], { type: "application/json" }));
      for (const tag of tags) form.append("tags", tag);
      form.set("avatar", new Blob(["pixels"], { type: "image/png" }), "a.png");
      return form;
    },
  });
  const bytes: number | undefined = avatar.data?.bytes;
  statuses["a form"] = avatar.response.status;
  return { statuses, country, items: items.length, labels, bytes };
}

export function wrong(client: ReturnType<typeof createClient<paths>>) {
  const card = { kind: "card" as const, number: "1" };
  // @ts-expect-error that of another alternative
  client.POST("/v1/payments", { body: { ...card, kind: "sepa" } });
  // @ts-expect-error the file is required
  client.POST("/v1/customers/{id}/avatar", { params: { path: { id: 1 } }, body: { caption: "", at: { x: 1 }, tags: [] } });
}
`;

Deno.test("a client of the demo, made by openapi-typescript and openapi-fetch, has the types of its routes and calls them", async () => {
  const app = makeDemo().set("env", "test");
  const document = await app.inject("/docs/openapi.json");
  const result = await used(app, await document.text(), PROGRAM);
  assertEquals(result, {
    id: 4,
    text: "Milk",
    texts: ["Milk"],
    missing: [404, "There is no note 99"],
    refused: [422, ["body/text"]],
  });
});

Deno.test("a client of the shop may leave out what has a default, and what it sends is read", async () => {
  const app = shop("test");
  const result = await used(app, JSON.stringify(openapi(app, { title: "Shop", version: "1" })), SHOP_PROGRAM);
  assertEquals(result, {
    statuses: {
      "defaults": 201,
      "a list of one": 200,
      "a list of two": 200,
      "an object": 200,
      "delimited lists": 200,
      "a list in a path": 200,
      "a list in a header": 200,
      "a date, and an alternative": 201,
      "a form": 200,
    },
    country: "AT",
    items: 1,
    labels: ["new"],
    bytes: 6,
  });
});

/** Runs a program with a client typed from a document, with the README's flags. */
async function used(app: FrameworkApp, document: string, program: string): Promise<unknown> {
  const readme = await Deno.readTextFile(new URL("../README.md", import.meta.url));
  const flags = readme.match(/^npx openapi-typescript .*$/m)![0].match(/--[\w-]+(?:=\w+)?/g);
  assertEquals(flags, ["--default-non-nullable=false"]);
  const types = astToString(await openapiTS(document, { defaultNonNullable: false }));
  const folder = await Deno.makeTempDir();
  try {
    const config = {
      imports: await allImports(),
      compilerOptions: { strict: true, lib: ["deno.ns", "esnext", "dom"] },
    };
    await Deno.writeTextFile(`${folder}/deno.json`, JSON.stringify(config));
    await Deno.copyFile(TESTS_LOCK, `${folder}/deno.lock`);
    await Deno.writeTextFile(`${folder}/api.d.ts`, types);
    await Deno.writeTextFile(`${folder}/client.ts`, program);
    // a wrong call that compiles is also an error
    const checked = await run(Deno.execPath(), ["check", "--quiet", "client.ts"], {
      limitMs: 120_000,
      quiet: true,
      cwd: folder,
    });
    assertEquals(checked.code, 0, checked.output);
    const graph = await run(Deno.execPath(), ["info", "--json", "client.ts"], {
      limitMs: 60_000,
      quiet: true,
      cwd: folder,
    });
    const modules = (JSON.parse(graph.output).modules as { specifier: string }[]).map(({ specifier }) => specifier);
    assertEquals(modules.filter((one) => one.startsWith("file:")).length, 2, `the server is among ${modules}`);
    const { use } = await import(`file://${folder}/client.ts`);
    return await use((request: Request) => app.handle(request));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

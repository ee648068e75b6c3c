/**
 * One API in five frameworks, as their documentation recommends for large applications: routers of ten routes, merged
 * into one application. No two routes share a schema.
 */

const PER_AREA = 10;

/** How to write the API and its clients in a framework. */
export interface Framework {
  /** Its name. */
  readonly name: string;
  /** The package whose version the page states. */
  readonly package: string;
  /** Generates the server. */
  readonly server: (routes: number) => string;
  /** A file that computes the client's type when it is compiled, if the documentation recommends one. */
  readonly compiled?: string;
  /** The beginning of a client. The first imports types from the server, the second from compiled declarations. */
  readonly client: { readonly source: string; readonly compiled?: string };
  /** Calls a route; on one line, so that a comment above it covers the whole call. */
  readonly call: (i: number, body: string) => string;
  /** Reads a field of the result. */
  readonly read: (field: string) => string;
}

const PARAMS = "z.object({ id: z.coerce.number().int() })";
const SENT = "z.object({ id: z.string(), name: z.string(), year: z.string() })";
const RESULT = (i: number, from: string) =>
  `{ id: ${from}id.toFixed(), name: ${from}name${i}.trim(), year: ${from}at.slice(0, 4) }`;
const fields = (i: number) =>
  `name${i}: z.string().max(100), count: z.number().int().optional(), tags: z.array(z.string()), at: z.iso.date()`;
const body = (i: number) => `z.object({ ${fields(i)} })`;

/** The frameworks. */
export const FRAMEWORKS = {
  sluice: {
    name: "Sluice",
    package: "@sluice/openapi",
    server: (routes) =>
      `import { validate } from "@sluice/openapi";
import sluice from "@sluice/sluice";
import { z } from "zod";

${
        areas(routes, (name, all) => `const ${name} = sluice.Router();\n${all.join("\n")}`, (i, name) =>
          `${name}.post(
  "/thing${i}/:id",
  validate({ params: ${PARAMS}, body: ${body(i)}, response: { 200: ${SENT} } }),
  (req, res) => {
    const { params: { id }, body: { name${i}, at } } = req;
    res.json(${RESULT(i, "")});
  },
);`)
      }

export const app = sluice();
app.use(sluice.json());
${names(routes).map((name) => `app.use("/${name}", ${name});`).join("\n")}
`,
    client: {
      source: `import { createClient } from "./client.js";

const client = createClient({ baseUrl: "http://localhost" });`,
    },
    call: (i, body) => `client.post("/${area(i)}/thing${i}/:id", { params: { id: ${i} }, json: ${body} })`,
    read: (field) => `result.ok ? result.data.${field} : ""`,
  },
  hono: {
    name: "Hono",
    package: "hono",
    server: (routes) =>
      `import { zValidator } from "@hono/zod-validator";
import { Hono } from "hono";
import { z } from "zod";

${
        areas(routes, (name, all) => `const ${name} = new Hono()\n${all.join("\n")};`, (i) =>
          `  .post("/thing${i}/:id", zValidator("param", ${PARAMS}), zValidator("json", ${body(i)}), (c) => {
    const { id } = c.req.valid("param");
    const { name${i}, at } = c.req.valid("json");
    return c.json(${SENT}.parse(${RESULT(i, "")}), 200);
  })`)
      }

export const app = new Hono()
${names(routes).map((name) => `  .route("/${name}", ${name})`).join("\n")};
export type AppType = typeof app;
`,
    compiled: `import { hc } from "hono/client";
import type { AppType } from "./server.js";

const client = hc<AppType>("");
export type Client = typeof client;
export const hcWithType = (...args: Parameters<typeof hc>): Client => hc<AppType>(...args);
`,
    client: {
      source: `import { hc } from "hono/client";
import type { AppType } from "./server.js";

const client = hc<AppType>("http://localhost");`,
      compiled: `import { hcWithType } from "./built/compiled.js";

const client = hcWithType("http://localhost");`,
    },
    call: (i, body) => `client.${area(i)}.thing${i}[":id"].$post({ param: { id: "${i}" }, json: ${body} })`,
    read: (field) => `result.ok ? (await result.json()).${field} : ""`,
  },
  elysia: {
    name: "Elysia",
    package: "elysia",
    server: (routes) =>
      `import { Elysia, t } from "elysia";

${
        areas(routes, (name, all) => `const ${name} = new Elysia({ prefix: "/${name}" })\n${all.join("\n")};`, (i) =>
          `  .post("/thing${i}/:id", ({ params: { id }, body: { name${i}, at } }) => (${RESULT(i, "")}), {
    params: t.Object({ id: t.Integer() }),
    body: t.Object({
      name${i}: t.String({ maxLength: 100 }),
      count: t.Optional(t.Integer()),
      tags: t.Array(t.String()),
      at: t.String({ format: "date" }),
    }),
    response: { 200: t.Object({ id: t.String(), name: t.String(), year: t.String() }) },
  })`)
      }

export const app = new Elysia()
${names(routes).map((name) => `  .use(${name})`).join("\n")};
export type App = typeof app;
`,
    client: clients((from) =>
      `import { treaty } from "@elysia/eden";
import type { App } from "${from}";

const client = treaty<App>("localhost");`
    ),
    call: (i, body) => `client.${area(i)}.thing${i}({ id: ${i} }).post(${body})`,
    read: (field) => `result.data?.${field} ?? ""`,
  },
  trpc: {
    name: "tRPC",
    package: "@trpc/server",
    server: (routes) =>
      `import { initTRPC } from "@trpc/server";
import { z } from "zod";

const t = initTRPC.create();

${
        areas(routes, (name, all) => `const ${name} = t.router({\n${all.join("\n")}\n});`, (i) =>
          `  thing${i}: t.procedure
    .input(z.object({ id: z.number().int(), ${fields(i)} }))
    .output(${SENT})
    .mutation(({ input }) => (${RESULT(i, "input.")})),`)
      }

export const appRouter = t.router({ ${names(routes).join(", ")} });
export type AppRouter = typeof appRouter;
`,
    client: clients((from) =>
      `import { createTRPCClient, httpBatchLink } from "@trpc/client";
import type { AppRouter } from "${from}";

const client = createTRPCClient<AppRouter>({ links: [httpBatchLink({ url: "http://localhost" })] });`
    ),
    call: (i, body) => `client.${area(i)}.thing${i}.mutate({ id: ${i}, ...${body} })`,
    read: (field) => `result.${field}`,
  },
  orpc: {
    name: "oRPC",
    package: "@orpc/server",
    server: (routes) =>
      `import { os } from "@orpc/server";
import { z } from "zod";

${
        areas(routes, (name, all) => `const ${name} = {\n${all.join("\n")}\n};`, (i, name) =>
          `  thing${i}: os
    .route({ method: "POST", path: "/${name}/thing${i}/{id}" })
    .input(z.object({ id: z.coerce.number().int(), ${fields(i)} }))
    .output(${SENT})
    .handler(({ input }) => (${RESULT(i, "input.")})),`)
      }

export const router = { ${names(routes).join(", ")} };
`,
    client: clients((from) =>
      `import { createORPCClient } from "@orpc/client";
import { RPCLink } from "@orpc/client/fetch";
import type { RouterClient } from "@orpc/server";
import type { router } from "${from}";

const client: RouterClient<typeof router> = createORPCClient(new RPCLink({ url: "http://localhost" }));`
    ),
    call: (i, body) => `client.${area(i)}.thing${i}({ id: ${i}, ...${body} })`,
    read: (field) => `result.${field}`,
  },
} satisfies Record<string, Framework>;

/**
 * Generates a client that calls the first routes, each in its own function.
 *
 * @param framework The framework
 * @param beginning The beginning of the file
 * @param calls Number of routes to call
 */
export function client({ call, read }: Framework, beginning: string, calls: number): string {
  const functions = Array.from({ length: calls }, (_, i) =>
    `export async function call${i}(): Promise<string> {
  const result = await ${call(i, sentBody(i))};
  return ${read("name")};
}`);
  return `${beginning}\n\n${functions.join("\n\n")}\n`;
}

/**
 * Generates a client with two errors that its types must find. Types that were `any` would find neither, and an expected
 * error that does not occur is an error.
 *
 * @param framework The framework
 * @param beginning The beginning of the file
 */
export function wrongClient({ call, read }: Framework, beginning: string): string {
  return `${beginning}

// @ts-expect-error a string is no number
await ${call(0, sentBody(0, "1"))};

export async function missing(): Promise<unknown> {
  const result = await ${call(0, sentBody(0))};
  // @ts-expect-error there is no such field
  return ${read("missing")};
}
`;
}

function sentBody(i: number, name = '"a"'): string {
  return `{ name${i}: ${name}, tags: ["b"], at: "2000-01-01" }`;
}

function clients(text: (from: string) => string): { source: string; compiled: string } {
  return { source: text("./server.js"), compiled: text("./built/server.js") };
}

function area(i: number): string {
  return `area${Math.floor(i / PER_AREA)}`;
}

function names(routes: number): string[] {
  return Array.from({ length: Math.ceil(routes / PER_AREA) }, (_, i) => `area${i}`);
}

/** Generates all routers. */
function areas(
  routes: number,
  router: (name: string, all: readonly string[]) => string,
  route: (i: number, name: string) => string,
): string {
  return names(routes).map((name, at) => {
    const first = at * PER_AREA;
    const length = Math.min(PER_AREA, routes - first);
    return router(name, Array.from({ length }, (_, i) => route(first + i, name)));
  }).join("\n\n");
}

/** Libraries that accept web requests get `req.request`, and libraries with their own web responses return them. */
import { assertEquals } from "@std/assert";
import { installWithNpm, makeProject } from "./support/project.ts";
import { startRegistry } from "./support/registry.ts";
import { inFull, nodes } from "./support/tools.ts";

/** Newer versions of some libraries need Node 22. */
const LIBRARIES = [
  "@auth/core@0.41.3",
  "@trpc/server@11.25.2",
  "better-auth@1.7.25",
  "graphql@16.15.0",
  "graphql-yoga@5.24.1",
  "hono@4.13.19",
  "itty-router@5.0.24",
  "node-fetch@3.3.2",
  "undici@7.30.2",
];

/** Serves all the libraries, sends each a request, and prints the responses. */
const PROGRAM = `
  import sluice from "@sluice/sluice";
  import { Auth } from "@auth/core";
  import Credentials from "@auth/core/providers/credentials";
  import { initTRPC } from "@trpc/server";
  import { fetchRequestHandler } from "@trpc/server/adapters/fetch";
  import { betterAuth } from "better-auth";
  import { createSchema, createYoga } from "graphql-yoga";
  import { Hono } from "hono";
  import { AutoRouter } from "itty-router";
  import nodeFetch, { Response as NodeFetchResponse } from "node-fetch";
  import * as undici from "undici";

  const hono = new Hono().basePath("/hono")
    .all("/echo", async (c) => c.json([c.req.method, c.req.header("x-a"), await c.req.text()]))
    .post("/raw", async (c) => c.json([await c.req.raw.clone().json(), await c.req.json()]));
  const itty = AutoRouter({ base: "/itty" });
  itty.post("/echo", async (request) => [request.method, await request.json()]).get("/echo/:id", ({ params }) => params);
  const t = initTRPC.create();
  const router = t.router({
    hello: t.procedure.query(() => "hi"),
    add: t.procedure.input((value) => value).mutation(({ input }) => input.a + 1),
  });
  const yoga = createYoga({
    schema: createSchema({
      typeDefs: "type Query { next(n: Int): Int }",
      resolvers: { Query: { next: (_, { n }) => n + 1 } },
    }),
    graphqlEndpoint: "/yoga",
    logging: false,
  });
  const better = betterAuth({
    secret: "x".repeat(32),
    baseURL: "http://127.0.0.1",
    basePath: "/better",
    emailAndPassword: { enabled: true },
    trustedOrigins: ["*"],
    logger: { disabled: true },
  });
  const authJs = {
    secret: "secret",
    trustHost: true,
    basePath: "/authjs",
    providers: [Credentials({ credentials: {}, authorize: () => ({ id: "1" }) })],
    logger: { error() {}, warn() {} },
  };

  const app = sluice();
  app.use("/hono", (req) => hono.fetch(req.request));
  app.use("/itty", (req) => itty.fetch(req.request));
  app.use("/trpc", (req) => fetchRequestHandler({ endpoint: "/trpc", req: req.request, router, createContext: () => ({}) }));
  app.use("/yoga", (req) => yoga.fetch(req.request));
  app.use("/better", (req) => better.handler(req.request));
  app.use("/authjs", (req) => Auth(req.request, authJs));
  app.get("/node-fetch", (req) => nodeFetch("http://" + req.get("host") + "/hono/echo"));
  app.get("/node-fetch/made", () => new NodeFetchResponse("made", { status: 201 }));
  app.get("/undici", (req) => undici.fetch("http://" + req.get("host") + "/hono/echo"));
  app.get("/undici/made", () => new undici.Response("made", { status: 201 }));
  // another class of requests: it takes them as the settings of a new one
  app.post("/undici", async (req) => undici.fetch("http://" + req.get("host") + "/hono/echo", req.request));

  const server = app.listen({ port: 0, hostname: "127.0.0.1" }, async () => {
    const told = {};
    const ask = async (method, path, body, headers) => {
      const init = { method, body, headers: { "x-a": "1", ...(body && { "content-type": "application/json" }), ...headers } };
      const answer = await fetch("http://127.0.0.1:" + server.address().port + path, { ...init, redirect: "manual" });
      told[method + " " + path] = [answer.status, await answer.text()];
    };
    await ask("GET", "/hono/echo");
    await ask("POST", "/hono/echo", "body");
    await ask("POST", "/hono/raw", '{"a":1}');
    await ask("GET", "/itty/echo/7");
    await ask("POST", "/itty/echo", '{"a":1}');
    await ask("GET", "/trpc/hello");
    await ask("POST", "/trpc/add", '{"a":1}');
    await ask("POST", "/yoga", '{"query":"{ next(n: 1) }"}');
    await ask("GET", "/better/ok");
    await ask("POST", "/better/sign-in/email", '{"email":"a@b.example","password":"12345678"}', { origin: "http://127.0.0.1" });
    await ask("GET", "/authjs/session");
    await ask("GET", "/node-fetch");
    await ask("GET", "/node-fetch/made");
    await ask("GET", "/undici");
    await ask("GET", "/undici/made");
    if (!("Deno" in globalThis)) await ask("POST", "/undici", "body");
    console.log(JSON.stringify(told));
    process.exit(0);
  });
`;

const TOLD = {
  "GET /hono/echo": [200, '["GET","1",""]'],
  "POST /hono/echo": [200, '["POST","1","body"]'],
  "POST /hono/raw": [200, '[{"a":1},{"a":1}]'],
  "GET /itty/echo/7": [200, '{"id":"7"}'],
  "POST /itty/echo": [200, '["POST",{"a":1}]'],
  "GET /trpc/hello": [200, '{"result":{"data":"hi"}}'],
  "POST /trpc/add": [200, '{"result":{"data":2}}'],
  "POST /yoga": [200, '{"data":{"next":2}}'],
  "GET /better/ok": [200, '{"ok":true}'],
  "POST /better/sign-in/email": [401, '{"message":"Invalid email or password","code":"INVALID_EMAIL_OR_PASSWORD"}'],
  "GET /authjs/session": [200, "null"],
  "GET /node-fetch": [200, '["GET",null,""]'],
  "GET /node-fetch/made": [201, "made"],
  "GET /undici": [200, '["GET",null,""]'],
  "GET /undici/made": [201, "made"],
};
/** undici's own `fetch` reads `duplex`, which only Node's and Bun's request classes have. */
const WITH_UNDICI = { ...TOLD, "POST /undici": [200, '["POST","1","body"]'] };

if (inFull) {
  const registry = await startRegistry();
  globalThis.addEventListener("unload", () => void registry.stop());
  const project = await makeProject(registry, { type: "module" });
  await installWithNpm(project, "@sluice/sluice", ...LIBRARIES);
  await project.write("main.mjs", PROGRAM);

  const deno = [Deno.execPath(), "run", "-A", "--quiet"];
  const commands: [name: string, command: string[]][] = [["Deno", deno], [
    "Bun",
    [`${Deno.env.get("SLUICE_RUNTIMES")}node_modules/.bin/bun`],
  ]];
  for (const [name, node] of await nodes()) commands.push([name, [node]]);
  for (const [name, [command, ...args]] of commands) {
    Deno.test(`on ${name}, libraries for web requests take req.request, and responses of other classes are sent`, async () => {
      const { output } = await project.run(command!, ...args, "main.mjs");
      // Deno may also print a notice about a signal that a library reads
      const line = output.split("\n").find((one) => one.startsWith("{"));
      assertEquals(JSON.parse(line ?? JSON.stringify(output)), name === "Deno" ? TOLD : WITH_UNDICI);
    });
  }
}

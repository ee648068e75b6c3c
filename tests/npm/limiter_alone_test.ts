/** The limiter without the framework: in Express, in Hono and in front of a plain handler. */
import { assertEquals } from "@std/assert";
import { installWithNpm, makeProject } from "./support/project.ts";
import { startRegistry } from "./support/registry.ts";
import { inFull, tools } from "./support/tools.ts";

const runtimes = Deno.env.get("SLUICE_RUNTIMES");
const registry = await startRegistry();
globalThis.addEventListener("unload", () => void registry.stop());

/** An Express and Hono project to which only the limiter was added. */
const project = await makeProject(registry, { type: "module" });
await installWithNpm(project, "@sluice/rate-limit", "express@5", "hono@4", "@types/express@5");

/** Prints the statuses of three requests, two of which are admitted. */
const STATUSES = `
  async function statuses(ask) {
    const all = [];
    for (let i = 0; i < 3; i++) {
      const response = await ask();
      all.push(response.status, response.headers.get("x-ratelimit-remaining"));
      await response.body?.cancel();
    }
    console.log(all.join(" "));
  }
`;
const ADMITTED_TWICE = "200 1 200 0 429 0";

const EXPRESS = `
  import express from "express";
  import { clientKey, rateLimit, subnetOf } from "@sluice/rate-limit";

  const app = express();
  app.use(rateLimit({ limit: 2, keyGenerator: (req) => clientKey(req) + subnetOf("2001:db8::1", 48) }));
  app.get("/", (req, res) => res.send("admitted"));
  const server = app.listen(0, "127.0.0.1", async () => {
    await statuses(() => fetch("http://127.0.0.1:" + server.address().port));
    server.close();
  });
`;

const HONO = `
  import { Hono } from "hono";
  import { fetchLimit } from "@sluice/rate-limit";

  const app = new Hono().get("/", (c) => c.text("admitted"));
  const handler = fetchLimit({ limit: 2, clientAddress: (request) => request.headers.get("x-client") })(app.fetch);
  await statuses(() => handler(new Request("http://localhost/", { headers: { "x-client": "2001:db8::1" } })));
`;

const HONO_OWN = `
  import { Hono } from "hono";
  import { rateLimit } from "@sluice/rate-limit/hono";

  const app = new Hono().use(rateLimit({ limit: 2 })).get("/", (c) => c.text("admitted " + c.get("rateLimit").limit));
  await statuses(() => app.request("/", {}, { incoming: { socket: { remoteAddress: "2001:db8::1" } } }));
`;

/** Framework entries; this project has only one of the frameworks. */
const ENTRIES = `
  const names = ["elysia", "fastify", "h3", "hono", "koa"].map((name) => "@sluice/rate-limit/" + name);
  (async () => {
    for (const name of names) {
      const [imported, required] = [await import(name), require(name)];
      if (imported.rateLimit !== required.rateLimit) console.log(name, "differs");
      const limit = required.rateLimit({ limit: 1 });
      if (!(limit.limiter instanceof require("@sluice/rate-limit").Limiter)) console.log(name, "has a copy");
    }
    console.log("loaded " + names.length);
  })();
`;

const PLAIN = `
  const { fetchLimit, MemoryStore } = require("@sluice/rate-limit");
  const { VirtualClock } = require("@sluice/rate-limit/testing");

  const store = new MemoryStore({ clock: new VirtualClock().read });
  const handler = fetchLimit({ limit: 2, store, keyGenerator: () => "all" })(() => new Response("admitted"));
  statuses(() => handler(new Request("http://localhost/")));
`;

const PROGRAMS = [
  ["Express", "express.js", EXPRESS],
  ["Hono", "hono.js", HONO],
  ["Hono as its own middleware", "hono_own.js", HONO_OWN],
] as const;

for (const [name, file, text] of PROGRAMS) {
  await project.write(file, STATUSES + text);
  Deno.test(`in ${name}, on Node, the limiter needs no framework of ours`, async () => {
    assertEquals((await project.run("node", file)).output.trim(), ADMITTED_TWICE);
  });

  Deno.test(
    `in ${name}, on Bun, the limiter needs no framework of ours`,
    { ignore: runtimes === undefined },
    async () => {
      const { output } = await project.run(`${runtimes}node_modules/.bin/bun`, file);
      assertEquals(output.trim(), ADMITTED_TWICE);
    },
  );
}

Deno.test("in front of a plain handler, in CommonJS, the limiter needs no framework of ours", async () => {
  await project.write("plain.cjs", STATUSES + PLAIN);
  assertEquals((await project.run("node", "plain.cjs")).output.trim(), ADMITTED_TWICE);
});

Deno.test("the entries for frameworks load without them, and are the same in ES modules and CommonJS", async () => {
  await project.write("entries.cjs", ENTRIES);
  assertEquals((await project.run("node", "entries.cjs")).output.trim(), "loaded 5");
});

Deno.test("on Deno, from JSR, the limiter loads no framework of ours", async () => {
  const own = await makeProject(registry, {});
  await Deno.remove(`${own.path}package.json`);
  const program = `
    import { fetchLimit } from "jsr:@sluice/rate-limit";
    const handler = fetchLimit({ limit: 2 })(() => new Response("admitted"));
    await statuses(() => handler(new Request("http://localhost/"), { remoteAddr: { hostname: "::1" } }));
  `;
  await own.write("main.ts", STATUSES + program);
  const { output } = await own.run(Deno.execPath(), "run", "-A", "--quiet", "--no-check", "--no-lock", "main.ts");
  assertEquals(output.trim(), ADMITTED_TWICE);
  const { output: graph } = await own.run(Deno.execPath(), "info", "--json", "--no-lock", "main.ts");
  const ours = new Set(Array.from(graph.matchAll(/"specifier": ?".*?\/(@sluice\/[^/]+)\//g), ([, name]) => name));
  assertEquals([...ours], ["@sluice/rate-limit"]);
});

Deno.test("nothing of ours is installed beside the limiter", async () => {
  const found = await Array.fromAsync(Deno.readDir(`${project.path}node_modules/@sluice`), ({ name }) => name);
  assertEquals(found, ["rate-limit"]);
  const { output } = await project.run("npm", "ls", "--all", "@sluice/sluice");
  assertEquals(/@sluice\/sluice@/.test(output), false, output);
});

/** Functions in the options get their types from the application that uses the limiter. */
const TYPED = `
  import express, { type Request } from "express";
  import { fetchLimit, Limiter, rateLimit } from "@sluice/rate-limit";

  import { Hono } from "hono";
  import { rateLimit as honoLimit } from "@sluice/rate-limit/hono";

  new Hono().use(honoLimit({ keyGenerator: (c) => c.req.path })).get("/", (c) => {
    // @ts-expect-error: there is no such variable
    c.get("other");
    return c.json({ left: c.get("rateLimit")?.remaining satisfies number | undefined });
  });
  const app = express();
  app.use(rateLimit({ keyGenerator: (req, res) => req.get("x-user") ?? res.locals.user }));
  app.get("/:id", rateLimit({ keyGenerator: (req) => req.params.id }), (req, res) => { res.send(req.params.id); });
  // @ts-expect-error: Express's requests have no such method
  app.use(rateLimit({ keyGenerator: (req) => req.getHeader("x-user") }));
  const limit = rateLimit<Request>({ handler: (_req, res) => res.status(503).send("later") });
  app.use(limit, rateLimit());
  new Limiter({ limit: 1 }).on("limited", () => {});
  fetchLimit({ keyGenerator: (request) => request.headers.get("x-user") ?? "nobody" }) satisfies object;
`;

for (const compiler of inFull ? ["typescript-5.7", "typescript-newest"] : ["typescript-newest"]) {
  Deno.test(`programs of Express with the limiter pass ${compiler}, and wrong ones do not`, async () => {
    await project.write("typed.ts", TYPED);
    const compilerOptions = {
      module: "nodenext",
      target: "es2023",
      lib: ["es2023"],
      types: ["node"],
      typeRoots: [`${await tools()}node_modules/@types`],
      strict: true,
      noEmit: true,
    };
    await project.write("tsconfig.json", JSON.stringify({ compilerOptions, files: ["typed.ts"] }));
    const { code, output } = await project.run("node", `${await tools()}node_modules/${compiler}/bin/tsc`, "-p", ".");
    assertEquals(code, 0, output.slice(0, 3000));
  });
}

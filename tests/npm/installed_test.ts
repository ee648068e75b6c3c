/** The packages as users get them, installed in every supported way. */
import { cp } from "node:fs/promises";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { installWithNpm, makeProject, type Project, README_ANSWER, readmesProgram } from "./support/project.ts";
import { startRegistry } from "./support/registry.ts";
import { inFull, nodes, tool, tools } from "./support/tools.ts";

const runtimes = Deno.env.get("SLUICE_RUNTIMES");
const registry = await startRegistry();
globalThis.addEventListener("unload", () => void registry.stop());

/** One project with both packages, for tests that only run in it. */
const project = await makeProject(registry, {});
await installWithNpm(project, "@sluice/sluice", "@sluice/rate-limit", "@sluice/middleware");
await project.write("main.mjs", await readmesProgram());

const IMPORT = /^import sluice, \{(.*?)\} from (.*?);$/m;

/** Languages for the README's program, and the Node arguments that run it. */
const LANGUAGES: readonly [language: string, args: () => Promise<string[]>][] = [
  ["ES modules", () => Promise.resolve(["main.mjs"])],
  ["CommonJS", () => Promise.resolve(["main.cjs"])],
  ["TypeScript", async () => [`${await tools()}node_modules/tsx/dist/cli.mjs`, "readme.ts"]],
];

/** Prints which ways of loading a package give the same instance. */
const INSTANCES = `
  const [sluice, node, limits] = ["@sluice/sluice", "@sluice/sluice/node", "@sluice/rate-limit"].map((one) => require(one));
  (async () => {
    const [a, b, c] = await Promise.all([import("@sluice/sluice"), import("@sluice/sluice/node"), import("@sluice/rate-limit")]);
    const app = sluice();
    const names = Object.keys(a).filter((name) => !["default", "module.exports"].includes(name));
    console.log(JSON.stringify({
      callable: app instanceof a.FrameworkApp && a.default() instanceof sluice.FrameworkApp,
      different: names.filter((name) => a[name] !== sluice[name]),
      node: node.serve === b.serve,
      limits: limits.rateLimit === c.rateLimit && limits.RedisStore === c.RedisStore,
    }));
  })();
`;
const SAME = { callable: true, different: [], node: true, limits: true };
await project.write("instances.cjs", INSTANCES);

/** Prints which middleware entries differ depending on how they are loaded. */
const ENTRIES = `
  const manifest = require("@sluice/middleware/package.json");
  const names = Object.keys(manifest.exports).filter((name) => name !== "./package.json").map((name) => "@sluice/middleware" + name.slice(1));
  (async () => {
    const different = [];
    for (const name of names) {
      const [imported, required] = [await import(name), require(name)];
      const own = Object.keys(imported).filter((key) => key !== "default" && key !== "module.exports");
      if (own.length === 0 || own.some((key) => imported[key] !== required[key])) different.push(name);
    }
    console.log(JSON.stringify({ several: names.length > 5, different }));
  })();
`;
await project.write("entries.cjs", ENTRIES);

await project.write("main.cjs", (await readmesProgram()).replace(IMPORT, "const sluice = require($2), {$1} = sluice;"));
await project.write("readme.ts", (await readmesProgram()).replace("(ws, text)", "(ws, text: string | Uint8Array)"));

for (const [name, node] of await nodes()) {
  Deno.test(`on ${name}, sluice routes prints the routes of the README's program`, async () => {
    for (const [language, file] of [["ES modules", "main.mjs"], ["CommonJS", "main.cjs"]]) {
      const { code, output } = await project.run(node, "node_modules/.bin/sluice", "routes", file!);
      assertEquals(code, 0, `${language}: ${output}`);
      assertMatch(
        output,
        /^GET \/api\/users\/:id\n {4}rateLimit {2}on \/api.*\nGET \/hello\nWS \/echo \(message\)\n/,
      );
      const asked = await project.run(node, "node_modules/.bin/sluice", "request", file!, "/hello", "--json");
      assertEquals([asked.code, JSON.parse(asked.output).status], [0, 200], `${language}: ${asked.output}`);
    }
  });

  Deno.test(`on ${name}, sluice request gives up on a handler that never responds, although its listeners hear of it`, async () => {
    await project.write(
      "silent.mjs",
      `import sluice from "@sluice/sluice";
      sluice().get("/", (_req, res) => void res.on("close", () => {})).listen(3000);`,
    );
    const { code, output } = await project.run(
      node,
      ...["node_modules/.bin/sluice", "request", "silent.mjs", "/", "--max-time", "0.3"],
    );
    assertEquals(code, 1, output);
    assertMatch(output, /^request: no complete response within 0\.3 s/);
  });

  Deno.test(`on ${name}, sluice-simulate says whom a limit would have refused`, async () => {
    const line = '192.0.2.1 - - [10/Oct/2026:13:55:36 +0000] "GET / HTTP/1.1" 200 1\n';
    await project.write("access.log", line.repeat(3));
    await project.write("policies.yaml", "policies:\n  - { name: api, window: 1m, limit: 2 }\n");
    const { code, output } = await project.run(
      node,
      ...["node_modules/.bin/sluice-simulate", "access.log", "--policy", "policies.yaml", "--at-most", "0"],
    );
    assertEquals(code, 0, output);
    assertMatch(output, /^ {2}requests {2}3, limited 1 \(33\.3 %\)$/m);
    assertMatch(output, /a limit of 3 is the lowest/);
  });

  for (const [language, args] of LANGUAGES) {
    Deno.test(`the README's program runs on ${name}, installed from npm, in ${language}`, async () => {
      const { output } = await project.run(node, ...await args());
      assertEquals(output.trim(), README_ANSWER);
    });
  }

  Deno.test(`on ${name}, each entry of the middleware is the same for import and require`, async () => {
    const { output } = await project.run(node, "entries.cjs");
    assertEquals(output.trim(), JSON.stringify({ several: true, different: [] }));
  });

  Deno.test(`on ${name}, import and require share one instance`, async () => {
    const { output } = await project.run(node, "instances.cjs");
    assertEquals(JSON.parse(output), SAME);
  });
}

Deno.test("the README's program runs on Bun, installed by Bun", { ignore: runtimes === undefined }, async () => {
  const bun = `${runtimes}node_modules/.bin/bun`;
  const own = await makeProject(registry, {});
  await own.write("main.ts", await readmesProgram());
  await own.write("instances.cjs", INSTANCES);
  const { code, output } = await own.run(bun, "add", "@sluice/sluice", "@sluice/rate-limit");
  assertEquals(code, 0, output.slice(0, 3000));
  assertEquals((await own.run(bun, "main.ts")).output.trim(), README_ANSWER);
  assertEquals(JSON.parse((await own.run(bun, "instances.cjs")).output), SAME);
});

for (const scheme of ["npm", "jsr"]) {
  Deno.test(`the README's program runs on Deno, from ${scheme}:`, async () => {
    const own = await makeProject(registry, {});
    await Deno.remove(`${own.path}package.json`);
    await own.write(
      "main.ts",
      (await readmesProgram()).replace(/"(?:jsr:)?@sluice\/sluice"/, `"${scheme}:@sluice/sluice"`),
    );
    const { output } = await own.run(Deno.execPath(), "run", "-A", "--quiet", "--no-check", "main.ts");
    assertEquals(output.trim(), README_ANSWER);
  });
}

Deno.test("installed from JSR, a program on Node that listens without the entry for Node is told what to import", async () => {
  const own = await makeProject(registry, {});
  const installed = `${own.path}node_modules/@sluice/sluice/`;
  await cp(registry.published, installed, { recursive: true });
  const { exports } = JSON.parse(await Deno.readTextFile(`${installed}deno.json`));
  await Deno.writeTextFile(`${installed}package.json`, JSON.stringify({ type: "module", exports }));
  await own.write("main.mjs", await readmesProgram());
  const { code, output } = await own.run("node", "main.mjs");
  assertEquals(code, 1);
  assertMatch(output, /TypeError: app\.listen .*import "@sluice\/sluice\/node"/);
  // Node shows the line that throws
  assertEquals(output.split("\n").filter((line) => line.length > 200), []);
});

// Deno's `require` does not support the condition "deno"
for (const load of [`require("@sluice/sluice")`, `(await import("@sluice/sluice")).default`]) {
  Deno.test(`on Deno, a project installed by npm may say ${load}`, async () => {
    const file = `on_deno_${load.startsWith("require")}.cjs`;
    await project.write(
      file,
      `
      (async () => {
        const app = (${load})().get("/", (req, res) => res.send(req.ip));
        const server = app.listen({ port: 0, hostname: "127.0.0.1" });
        const { port } = server.address();
        console.log(await (await fetch("http://127.0.0.1:" + port)).text());
        await app.close();
      })();
    `,
    );
    assertEquals((await project.run(Deno.execPath(), "run", "-A", "--quiet", file)).output.trim(), "127.0.0.1");
  });
}

Deno.test("under Jest, applications are made, listen and accept WebSockets, and limits are kept in Redis", async () => {
  const own = await makeProject(registry, {});
  await installWithNpm(own, "@sluice/sluice", "@sluice/rate-limit", "redis@6");
  await own.write("program.test.js", JEST);
  const { code, output } = await own.run("node", await tool("jest"), "--rootDir", own.path);
  assertEquals(code, 0, output);
});

const JEST = `
  const sluice = require("@sluice/sluice");
  const { rateLimit } = require("@sluice/rate-limit");
  const { WebSocket } = require("ws");

  test("a limited application answers", async () => {
    const app = sluice().use(rateLimit({ windowMs: 60_000, limit: 1, keyGenerator: () => "all" }));
    app.get("/", (req, res) => res.json({ answered: true }));
    app.ws("/echo", { message: (ws, text) => ws.send(text) });
    const server = await new Promise((resolve) => { const server = app.listen(0, () => resolve(server)); });
    const address = "127.0.0.1:" + server.address().port;
    expect(await (await fetch("http://" + address)).json()).toEqual({ answered: true });
    expect((await fetch("http://" + address)).status).toBe(429);
    await app.close();
  });

  test("a WebSocket is accepted", async () => {
    const app = sluice();
    app.ws("/echo", { message: (ws, text) => ws.send(text) });
    const server = await new Promise((resolve) => { const server = app.listen(0, () => resolve(server)); });
    const socket = new WebSocket("ws://127.0.0.1:" + server.address().port + "/echo");
    const echo = new Promise((resolve, reject) => socket.on("message", resolve).on("error", reject));
    socket.on("open", () => socket.send("hello"));
    expect(String(await echo)).toBe("hello");
    socket.terminate();
    await app.close();
  });

  test("a limit is kept in Redis", async () => {
    const { Limiter, RedisStore } = require("@sluice/rate-limit");
    const store = new RedisStore({ url: process.env.REDIS_URL, prefix: "jest:" + Date.now() + ":" });
    const limiter = new Limiter({ windowMs: 60_000, limit: 1, store });
    expect([(await limiter.consume("a")).allowed, (await limiter.consume("a")).allowed]).toEqual([true, false]);
    await store.close();
  });
`;

Deno.test("under tsx, import and require give the same function", async () => {
  await project.write(
    "main.ts",
    `
    import sluice, { rateLimit, type Request, type Response } from "@sluice/sluice";
    const required = require("@sluice/sluice");
    const app = sluice().get("/:id", (req: Request<{ id: string }>, res: Response) => { res.send(req.params.id); });
    app.use(rateLimit({ windowMs: 1000, limit: 1, keyGenerator: () => "all" }));
    app.handle(new globalThis.Request("http://localhost/7")).then(async (response) => {
      console.log(required === sluice, required() instanceof required.FrameworkApp, await response.text());
    });
  `,
  );
  const { output } = await project.run(await tool("tsx"), "main.ts");
  assertEquals(output.trim(), "true true 7");
});

/** Bundlers, and their arguments to bundle `bundled.mjs` for Node into `out.mjs` or `out.cjs`. */
const BUNDLERS: readonly [name: string, tool: string, args: string[], file: string][] = [
  ["esbuild, as ES modules", "esbuild", [
    "main.mjs",
    "--bundle",
    "--platform=node",
    "--format=esm",
    "--external:ws",
    "--outfile=out.mjs",
  ], "out.mjs"],
  ["esbuild, as CommonJS", "esbuild", ["main.mjs", "--bundle", "--platform=node", "--outfile=out.cjs"], "out.cjs"],
  ["Vite", "vite", ["build", "--ssr", "main.mjs", "--outDir", "vite", "--logLevel", "error"], "vite/main.mjs"],
  [
    "webpack",
    "webpack",
    ["./main.mjs", "--target", "node", "--mode", "production", "-o", "webpack"],
    "webpack/main.js",
  ],
];

for (const [name, command, args, file] of BUNDLERS) {
  Deno.test(`the README's program runs on Node, bundled by ${name}`, async () => {
    await project.write("vite.config.mjs", "export default { ssr: { noExternal: true } };");
    const { code, output } = await project.run(await tool(command), ...args);
    assertEquals(code, 0, output.slice(0, 3000));
    assertEquals((await project.run("node", file)).output.trim(), README_ANSWER);
  });
}

Deno.test("bundled for Workers, the program contains no module of Node's", async () => {
  const args = ["main.mjs", "--bundle", "--format=esm", "--conditions=workerd,worker,browser", "--outfile=worker.mjs"];
  const { code, output } = await project.run(await tool("esbuild"), ...args);
  assertEquals(code, 0, output.slice(0, 3000));
  const bundled = await project.read("worker.mjs");
  assertEquals(bundled.match(/(?:from|import|require)\s*\(?\s*"node:[^"]*/g), null);
  assertMatch(bundled, /class FrameworkApp/);
  // nor modules that other runtimes need
  assertEquals(bundled.match(/function (?:deno|bun)Platform|class Server extends/), null);
});

/** A program that compiles only if the types are found; its errors are checked as well. */
const TYPED = (loads: string) => `
  ${loads}
  declare module "@sluice/sluice" {
    interface RequestExtras { user?: { name: string } }
  }
  declare module "@sluice/middleware/session" {
    interface SessionData { views: number }
  }
  const app: FrameworkApp = sluice();
  app.use(sluice.json(), rateLimit({ windowMs: 1000, limit: 1 }));
  app.get("/users/:id/*path", (req, res) => {
    const id: string = req.params.id;
    const path: string[] = req.params.path;
    const name: string | undefined = req.user?.name;
    // @ts-expect-error: there is no such parameter
    req.params.other;
    res.json({ id, path, name });
  });
  app.get("/visits", session({ secret: "5VnrkxJ0fTuGGq7ZJvqCCiTTQ9SXYH2l" }), (req, res) => {
    const views: number | undefined = req.session.views;
    // @ts-expect-error: the program's session has no such data
    req.session.other;
    res.json(views);
  });
  // @ts-expect-error: the limit is a number
  rateLimit({ windowMs: 1000, limit: "many" });
  const handler: RequestHandler = (req: Request, res: Response, next: NextFunction) => next();
  app.use(handler);
`;
const LIMITS = `new RedisStore({ url: "redis://127.0.0.1" }) satisfies object;`;
const NAMES = "type FrameworkApp, type NextFunction, type Request, type RequestHandler, type Response";

/** Compilers and their module resolution; in CI the oldest and the newest, each in one way. */
const COMPILERS: readonly (readonly [compiler: string, module: string, resolution: string])[] = [
  ["typescript-5.7", "node16", "node16"],
  ["typescript-newest", "nodenext", "nodenext"],
  ...(inFull
    ? [
      ["typescript-5.7", "esnext", "bundler"],
      ["typescript-5.7", "nodenext", "nodenext"],
      ["typescript-newest", "esnext", "bundler"],
      ["typescript-newest", "node16", "node16"],
    ] as const
    : []),
];

for (const [compiler, module, resolution] of COMPILERS) {
  Deno.test(`typed programs pass ${compiler} with ${resolution}, and wrong ones do not`, async () => {
    const own = await typedProject(module, resolution);
    const path = `${await tools()}node_modules/${compiler}/bin/tsc`;
    const { code, output } = await project.run("node", path, "-p", own);
    assertEquals(code, 0, output.slice(0, 3000));
  });
}

async function typedProject(module: string, resolution: string): Promise<string> {
  const folder = `typed_${module}_${resolution}/`;
  await Deno.mkdir(`${project.path}${folder}`, { recursive: true });
  const isBundler = resolution === "bundler";
  const files = { "esm.mts": esm(), ...(isBundler ? {} : { "required.cts": required(), "compiled.cts": esm() }) };
  for (const [name, text] of Object.entries(files)) await project.write(`${folder}${name}`, text);
  await project.write(
    `${folder}tsconfig.json`,
    JSON.stringify({
      compilerOptions: {
        module,
        moduleResolution: resolution,
        target: "es2023",
        lib: ["es2023"],
        types: ["node"],
        typeRoots: [`${await tools()}node_modules/@types`],
        strict: true,
        esModuleInterop: true,
        // our declarations must be correct by themselves
        skipLibCheck: false,
        noEmit: true,
      },
      files: Object.keys(files),
    }),
  );
  return folder;
}

function esm(): string {
  return TYPED(`
    import sluice, { rateLimit, ${NAMES} } from "@sluice/sluice";
    import { serve } from "@sluice/sluice/node";
    import { RedisStore } from "@sluice/rate-limit";
    import { session } from "@sluice/middleware/session";
  `) + `serve(app, { port: 0 });` + LIMITS;
}

function required(): string {
  return TYPED(`
    import sluice = require("@sluice/sluice");
    import { ${NAMES} } from "@sluice/sluice";
    import limits = require("@sluice/rate-limit");
    import sessions = require("@sluice/middleware/session");
    const { rateLimit, FrameworkApp: Class } = sluice;
    const { RedisStore } = limits;
    const { session } = sessions;
    new Class() satisfies sluice.FrameworkApp;
  `) + LIMITS;
}

/** Node forgets the address with the connection. It was already read, because either package's limiter needs it. */
const LEAVING = `
  import { connect } from "node:net";
  import sluice from "@sluice/sluice";
  import { rateLimit } from "@sluice/rate-limit";

  const limit = rateLimit({ limit: 2 });
  const app = sluice();
  const wait = (req, res, next) => {
    res.on("close", () => next());
    socket.destroy();
  };
  app.get("/", wait, limit, () => {
    console.log(limit.limiter.peek("127.0.0.1").remaining);
    app.close();
  });
  let socket;
  const server = app.listen(0, "127.0.0.1", () => {
    socket = connect(server.address().port, "127.0.0.1");
    socket.write("GET / HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n");
  });
`;

Deno.test("a client that leaves while a handler waits is counted, by the limiter of the other package, too", async () => {
  await project.write("leaving.mjs", LEAVING);
  assertEquals((await project.run("node", "leaving.mjs")).output.trim(), "1");
});

Deno.test("a project has what it installed, and nothing of this repository", async () => {
  const found = await Array.fromAsync(Deno.readDir(`${project.path}node_modules`), ({ name }) => name);
  assertEquals(found.filter((name) => !name.startsWith(".")).sort(), ["@sluice", "ws"]);
  await assertStarts(project);
});

async function assertStarts(project: Project): Promise<void> {
  const { code, output } = await project.run("npm", "ls", "--all");
  assertEquals(code, 0, output.slice(0, 3000));
  assert(output.includes("@sluice/rate-limit@"), output);
}

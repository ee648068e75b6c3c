/** Sluice under Express's name: packages that require `express` get Sluice. */
import { assertEquals } from "@std/assert";
import { seenInFiles } from "./support/express_files.ts";
import { makeProject, type Project } from "./support/project.ts";
import { startRegistry } from "./support/registry.ts";
import { tool, tools } from "./support/tools.ts";

const registry = await startRegistry();
globalThis.addEventListener("unload", () => void registry.stop());

const ALIAS = "npm:@sluice/express@^4.22.0";
const DEPENDENCIES = {
  "express": ALIAS,
  "express-rate-limit": "8.7.5",
  "express-session": "1.19.0",
  "json-server": "0.17.4",
};

/** A service built from packages for Express; prints which Express they load, and their responses. */
const PROGRAM = `
  const { createRequire } = require("node:module");
  const express = require("express");
  const { rateLimit } = require("express-rate-limit");
  const session = require("express-session");
  const jsonServer = require("json-server");
  const theirs = createRequire(require.resolve("json-server"));

  const app = express();
  app.use(rateLimit({ windowMs: 60_000, limit: 2, keyGenerator: () => "everybody" }));
  app.use(session({ secret: "secret", resave: false, saveUninitialized: true }));
  app.get("/", (req, res) => res.send(typeof req.session.cookie));
  app.use("/db", jsonServer.defaults({ logger: false }), jsonServer.router({ posts: [{ id: 1, title: "first" }] }));
  const server = app.listen(0, async () => {
    const address = "http://127.0.0.1:" + server.address().port;
    const home = await fetch(address);
    const post = await fetch(address + "/db/posts/1");
    const third = await fetch(address);
    console.log(JSON.stringify({
      isSluice: express.application.getRoutes !== undefined && theirs("express") === express,
      sharesFiles: theirs("express/lib/router/layer") === require("express/lib/router/layer"),
      home: [home.status, await home.text(), home.headers.get("set-cookie").split("=")[0]],
      post: await post.json(),
      third: third.status,
    }));
    await app.close();
  });
`;

const SEEN = {
  isSluice: true,
  sharesFiles: true,
  home: [200, "object", "connect.sid"],
  post: { id: 1, title: "first" },
  third: 429,
};

/** Package managers: additions to a project's manifest, and the install command. */
const MANAGERS: readonly { name: string; manifest: object; files?: Record<string, string>; install: string[] }[] = [
  {
    name: "npm",
    manifest: { overrides: { express: "$express" } },
    install: ["npm", "install", "--no-audit", "--no-fund", "--prefer-offline"],
  },
  {
    name: "pnpm",
    manifest: {},
    files: {
      "pnpm-workspace.yaml": [
        "overrides:",
        `  express: ${ALIAS}`,
        "strictPeerDependencies: true",
        "peerDependencyRules:",
        "  allowedVersions:",
        '    express: "*"',
      ].join("\n"),
    },
    install: ["pnpm", "install"],
  },
  {
    name: "pnpm before version 11",
    manifest: {
      pnpm: { overrides: { express: ALIAS }, peerDependencyRules: { allowedVersions: { express: "*" } } },
    },
    files: { ".npmrc": "strict-peer-dependencies=true" },
    install: ["pnpm", "install"],
  },
  {
    name: "Yarn",
    manifest: { resolutions: { express: ALIAS } },
    install: ["yarn", "install", "--no-lockfile", "--non-interactive", "--registry", registry.npm],
  },
];

/** Runtimes for the programs; Deno and Bun use npm's installation. */
const NODE = ["node"];
const runtimes = Deno.env.get("SLUICE_RUNTIMES");
const RUNTIMES: readonly (readonly string[])[] = [
  NODE,
  [Deno.execPath(), "run", "-A", "--quiet"],
  ...(runtimes === undefined ? [] : [[`${runtimes}node_modules/.bin/bun`]]),
];

for (const { name, manifest, files = {}, install: [command, ...args] } of MANAGERS) {
  Deno.test(`with ${name}, express-rate-limit, express-session and json-server get Sluice for Express, and its files, without a conflict`, async () => {
    const project = await makeProject(registry, { dependencies: DEPENDENCIES, ...manifest });
    await project.write("program.cjs", PROGRAM);
    for (const [file, text] of Object.entries(files)) await project.write(file, text);
    await installed(project, command!, args);
    const { output } = await project.run("node", "program.cjs");
    assertEquals(JSON.parse(output), SEEN);

    const express = await seenInFiles(project, NODE, await tools(), "express-4");
    for (const runtime of name === "npm" ? RUNTIMES : [NODE]) {
      const sluice = await seenInFiles(project, runtime, project.path, "express");
      assertEquals(sluice, { ...express, manifest: "@sluice/express" }, runtime[0]);
    }
  });
}

async function installed(project: Project, command: string, args: readonly string[]): Promise<void> {
  const program = command === "npm" ? command : await tool(command);
  const { code, output } = await project.run(program, ...args);
  assertEquals(code, 0, output);
}

/**
 * A framework has one instance, however the program and its packages load it: by import and by require, on three
 * runtimes, bundled or not.
 */
import { assertEquals } from "@std/assert";
import { installWithNpm, makeProject, type Project } from "./support/project.ts";
import { startRegistry } from "./support/registry.ts";
import { nodes, tool, tools } from "./support/tools.ts";

const registry = await startRegistry();
globalThis.addEventListener("unload", () => void registry.stop());

/** A CommonJS package with its own application and router, like bull-board, json-server and agendash. */
const GUEST = `
  module.exports = Object.entries({
    "Express 5": require("express"),
    "Express 4": require("express4"),
    // bun build gives to require what an ES module exports
    "Sluice": require("@sluice/sluice").default,
  }).map(([name, make]) => {
    const admin = make();
    admin.get("/login", (req, res) => res.redirect(req.baseUrl + "/home"));
    admin.get("/ip", (req, res) => res.json([req.ip, req.protocol, req.originalUrl]));
    const router = make.Router();
    router.get("/login", (req, res) => res.redirect(req.baseUrl + "/home"));
    return { name, make, admin, router };
  });
`;

/** A program that imports each framework, and mounts the package's application and router. */
const PROGRAM = `
  import express from "express";
  import express4 from "express4";
  import sluice from "@sluice/sluice";
  import { FrameworkApp } from "@sluice/sluice";
  import guests from "./guest.cjs";

  const seen = {};
  for (const { name, make, admin, router } of guests) {
    const own = { "Express 5": express, "Express 4": express4, "Sluice": sluice }[name];
    const app = own().set("trust proxy", 1).use("/admin", admin).use("/router", router);
    const server = app.listen(0, "127.0.0.1");
    if (!server.listening) await new Promise((resolve) => server.once("listening", resolve));
    const ask = async (path) => {
      const headers = { "x-forwarded-for": "192.0.2.9", "x-forwarded-proto": "https" };
      const response = await fetch("http://127.0.0.1:" + server.address().port + path, { redirect: "manual", headers });
      return response.headers.get("location") ?? await response.text();
    };
    seen[name] = {
      same: own === make || [own, make].every((one) => one() instanceof FrameworkApp),
      admin: await ask("/admin/login"),
      router: await ask("/router/login"),
      ip: await ask("/admin/ip"),
    };
    await app.close();
  }
  console.log(JSON.stringify(seen));
`;

const ONE = { same: true, admin: "/admin/home", router: "/router/home", ip: '["192.0.2.9","https","/admin/ip"]' };
const SEEN = { "Express 5": ONE, "Express 4": ONE, "Sluice": ONE };

const project = await makeProject(registry, {
  type: "commonjs",
  dependencies: {
    "express": "npm:@sluice/express@^5.2.0",
    "express4": "npm:@sluice/express@^4.22.0",
    "@sluice/sluice": "^0.1.0",
  },
});
await installWithNpm(project);
await project.write("guest.cjs", GUEST);
await project.write("main.mjs", PROGRAM);

const folder = Deno.env.get("SLUICE_RUNTIMES");
const bun = folder === undefined ? undefined : `${folder}node_modules/.bin/bun`;
const runtimes: [name: string, ...command: string[]][] = [
  ...[...await nodes()].map(([name, node]): [string, string] => [name, node]),
  ["Deno", Deno.execPath(), "run", "-A", "--quiet"],
  ...(bun === undefined ? [] : [["Bun", bun] as [string, string]]),
];

/** A bundler, and its arguments to bundle the program into a file. */
interface Bundler {
  readonly name: string;
  command(): Promise<readonly [string, ...string[]]>;
  readonly file: string;
}

const esbuild = async (format: string, file: string): Promise<[string, ...string[]]> => [
  await tool("esbuild"),
  ...["main.mjs", "--bundle", "--platform=node", `--format=${format}`, `--outfile=${file}`],
];

const BUNDLERS: readonly Bundler[] = [
  { name: "esbuild, as ES modules", command: () => esbuild("esm", "esbuild.mjs"), file: "esbuild.mjs" },
  {
    name: "webpack",
    command:
      async () => [await tool("webpack"), "./main.mjs", "--target", "node", "--mode", "production", "-o", "webpack"],
    file: "webpack/main.js",
  },
  {
    name: "Vite",
    command: async () => [await tool("vite"), "build", "--ssr", "main.mjs", "--outDir", "vite", "--logLevel", "error"],
    file: "vite/main.mjs",
  },
  { name: "Rollup", command: async () => [await tool("rollup"), "-c", "rollup.config.mjs"], file: "rollup/main.mjs" },
  ...(bun === undefined ? [] : ["node", "bun"].map((target): Bundler => ({
    name: `Bun, for ${target}`,
    command: () => Promise.resolve([bun, "build", "main.mjs", `--target=${target}`, `--outfile=bun_${target}.mjs`]),
    file: `bun_${target}.mjs`,
  }))),
];

await project.write("vite.config.mjs", "export default { ssr: { noExternal: true } };");
await project.write("rollup.config.mjs", await rollupConfig());

async function rollupConfig(): Promise<string> {
  const from = (name: string, path: string) => JSON.stringify(`${path}node_modules/${name}`);
  const path = await tools();
  return `
    import commonjs from ${from("@rollup/plugin-commonjs/dist/cjs/index.js", path)};
    import resolve from ${from("@rollup/plugin-node-resolve/dist/cjs/index.js", path)};
    export default {
      input: "main.mjs",
      output: { file: "rollup/main.mjs", format: "es", inlineDynamicImports: true },
      plugins: [resolve.default({ exportConditions: ["node"], preferBuiltins: true }), commonjs.default()],
    };
  `;
}

async function assertOne(project: Project, command: readonly string[], file: string): Promise<void> {
  const [program, ...args] = command;
  const { code, output } = await project.run(program!, ...args, file);
  assertEquals(code, 0, output.slice(0, 3000));
  assertEquals(JSON.parse(output.split("\n").find((line) => line.startsWith("{"))!), SEEN);
}

for (const [name, ...command] of runtimes) {
  Deno.test(`on ${name}, what imports a framework and what requires it have one`, async () => {
    await assertOne(project, command, "main.mjs");
  });
}

for (const { name, command, file } of BUNDLERS) {
  Deno.test(`bundled by ${name}, what imports a framework and what requires it have one, on each runtime`, async () => {
    const [program, ...args] = await command();
    const { code, output } = await project.run(program, ...args);
    assertEquals(code, 0, output.slice(0, 3000));
    for (const [runtime, ...started] of runtimes) {
      await assertOne(project, started, file).catch((error) => {
        throw new Error(`on ${runtime}`, { cause: error });
      });
    }
  });
}

Deno.test("under Jest, which falls to CommonJS, what imports a framework and what requires it have one", async () => {
  await project.write(
    "one.test.mjs",
    `
    import { createRequire } from "node:module";
    import express, { Router } from "express";
    import sluice, { FrameworkApp } from "@sluice/sluice";
    const require = createRequire(import.meta.url);
    test("one", () => {
      expect(require("express")).toBe(express);
      expect(express.Router).toBe(Router);
      expect(require("@sluice/sluice")).toBe(sluice);
      expect(express()).toBeInstanceOf(FrameworkApp);
      expect(require("express4")()).toBeInstanceOf(FrameworkApp);
    });
  `,
  );
  const args = ["--experimental-vm-modules", "--no-warnings", await tool("jest"), "--rootDir", project.path];
  const matched = ["--testMatch", "**/one.test.mjs"];
  const { code, output } = await project.run("node", ...args, ...matched);
  assertEquals(code, 0, output.slice(0, 3000));
});

/** Contents of the npm packages, and results from tools that check packages for mistakes. */
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { assert, assertEquals, assertMatch } from "@std/assert";
import type { Built } from "../../scripts/build_npm.ts";
import { run } from "../../scripts/process.ts";
import { jsrPackages, npmPackages } from "../../scripts/shared_builds.ts";
import { PATIENCE_MS } from "../support/patience.ts";
import { tool } from "./support/tools.ts";

const ROOT = new URL("../../", import.meta.url);
const REPOSITORY = "https://github.com/sluicejs/sluice";
const { libraries: packages } = await npmPackages();

/** An entry point's conditions, in order. */
const CONDITIONS = ["deno", "bun", "workerd", "node", "default"];

/** The checked part of a `package.json`. */
interface Manifest {
  version: string;
  exports: Record<string, string | Record<string, unknown>>;
  sideEffects: false | string[];
  dependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional: boolean }>;
  [name: string]: unknown;
}

async function manifestOf({ folder }: Built): Promise<Manifest> {
  return JSON.parse(await Deno.readTextFile(new URL("package.json", folder)));
}

/**
 * Paths of a tarball's files, as npm unpacks them: each header has 512 bytes, and each file is padded to a multiple of
 * 512.
 */
async function packed({ tarball }: Built): Promise<string[]> {
  const bytes = gunzipSync(await Deno.readFile(tarball));
  const text = (from: number, length: number) =>
    new TextDecoder().decode(bytes.subarray(from, from + length)).replace(/\0.*$/s, "");
  const found: string[] = [];
  for (let at = 0; text(at, 100) !== "";) {
    found.push(text(at, 100).replace(/^package\//, ""));
    at += 512 * (1 + Math.ceil(parseInt(text(at + 124, 12), 8) / 512));
  }
  return found.sort();
}

/** All files that the conditions lead to. */
function pathsIn(value: unknown): string[] {
  return typeof value === "string" ? [value] : Object.values(value as object).flatMap(pathsIn);
}

async function toolSays(name: string, ...args: string[]): Promise<{ code: number; output: string }> {
  const env = { NO_COLOR: "1" };
  return await run(await tool(name), args, { limitMs: PATIENCE_MS, quiet: true, env });
}

for (const one of packages) {
  Deno.test(`publint finds nothing in ${one.name}`, async () => {
    const { code, output } = await toolSays("publint", "run", "--strict", fileURLToPath(one.folder));
    assertEquals(code, 0, output);
    assertMatch(output, /All good/);
  });

  Deno.test(`attw finds no wrong types in ${one.name}, in ES modules and in CommonJS`, async () => {
    const { code, output } = await toolSays("attw", "--profile", "node16", fileURLToPath(one.tarball));
    assertEquals(code, 0, output);
  });

  Deno.test(`all that ${one.name} exports is in its tarball, types first, with a source map beside all code`, async () => {
    const { exports } = await manifestOf(one);
    const files = await packed(one);
    for (const [entry, conditions] of Object.entries(exports)) {
      if (typeof conditions === "string") continue;
      assertEquals(Object.keys(conditions), CONDITIONS, entry);
      assertEquals(
        Object.keys(conditions["node"] as object),
        ["node-addons", "module-sync", "require", "default"],
        entry,
      );
      for (const condition of CONDITIONS.filter((name) => name !== "node")) {
        assertEquals(Object.keys(conditions[condition] as object), ["types", "default"], entry);
      }
    }
    assertEquals(pathsIn(exports).filter((path) => !files.includes(path.slice("./".length))), []);
    const code = files.filter((path) => /^(?:dist|node|workerd)\/.*\.c?js$/.test(path));
    assert(code.length > 5, code.join());
    for (const path of code) {
      const text = await Deno.readTextFile(new URL(path, one.folder));
      assertMatch(text, /^\p{ASCII}*$/u, path);
      const [, map] = text.match(/\n\/\/# sourceMappingURL=(\S+)\s*$/) ?? [];
      if (map === undefined) continue;
      assert(files.includes(path.replace(/[^/]*$/, map)), `${path}: ${map}`);
    }
  });

  Deno.test(`${one.name} has no file that nobody needs, and names no machine`, async () => {
    const known =
      /^(?:(?:dist|node)\/[\w-]+\.c?js(?:\.map)?|workerd\/[\w-]+\.js|bin\/sluice(?:-simulate)?\.js|types\/[\w/]+\.d\.c?ts|[A-Z]+(?:\.md)?|LICENSES\.txt|package\.json|policies\.schema\.json|llms-small\.txt)$/;
    const files = await packed(one);
    assertEquals(files.filter((path) => !known.test(path)), []);
    assert(files.includes("LICENSE") && files.includes("README.md"));
    for (const path of files) {
      const text = await Deno.readTextFile(new URL(path, one.folder));
      assert(!text.includes(fileURLToPath(ROOT)) && !text.includes("/.cache/"), path);
    }
  });

  Deno.test(`${one.name} says who made it, what it needs and where it comes from`, async () => {
    const manifest = await manifestOf(one);
    for (const name of ["description", "keywords", "homepage", "bugs", "license"]) assert(manifest[name], name);
    assertEquals(manifest["repository"], { type: "git", url: `git+${REPOSITORY}.git` });
    assertEquals(manifest["engines"], { node: ">=20.19" });
    const { version } = JSON.parse(await Deno.readTextFile(new URL("deno.json", ROOT)));
    assertEquals(manifest.version, version);
  });
}

Deno.test("each package depends on no more than the list says, and what only some programs need is optional", async () => {
  const needed = await Promise.all(packages.map(async (one) => {
    const { dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = await manifestOf(one);
    assertEquals(Object.keys(peerDependenciesMeta), Object.keys(peerDependencies), "all peers are optional");
    return [one.name, Object.keys(dependencies), Object.keys(peerDependencies)];
  }));
  assertEquals(needed, [
    ["@sluice/sluice", ["ws"], []],
    // for their types, except redis
    ["@sluice/rate-limit", [], ["redis", "@types/koa", "elysia", "fastify", "h3", "hono", "koa"]],
    // for its types
    ["@sluice/middleware", [], ["@sluice/sluice"]],
    ["@sluice/openapi", ["@cfworker/json-schema", "@standard-schema/spec"], ["@sluice/sluice", "swagger-ui-dist"]],
  ]);
});

Deno.test("any version of a framework may be installed beside the limiter, which has entries for some", async () => {
  const { peerDependencies } = await manifestOf(packages.find(({ name }) => name === "@sluice/rate-limit")!);
  const { redis, ...frameworks } = peerDependencies as Record<string, string>;
  assertEquals(redis, "^6");
  assertEquals([...new Set(Object.values(frameworks))], ["*"]);
});

Deno.test("only what makes applications listen on Node has effects of its own", async () => {
  const effects = await Promise.all(packages.map(async (one) => (await manifestOf(one)).sideEffects));
  assertEquals(effects, [
    [
      "./node/mod.js",
      "./node/mod.cjs",
      "./node/node.js",
      "./node/node.cjs",
      "./dist/node.js",
      "./dist/mod_on_node.js",
      "./workerd/node.js",
    ],
    false,
    false,
    false,
  ]);
});

Deno.test("the code for Deno and Bun is what JSR has", async () => {
  const published = await jsrPackages();
  const textOf = async (folder: URL, name: string) => {
    const text = await Deno.readTextFile(new URL(`dist/${name}.js`, folder));
    // removes additions by JSR and npm, and names of shared modules, which are derived from their contents
    return text.replace(/^\/\* @ts-self-types=.*? \*\/ /, "").replace(/\n\/\/# sourceMappingURL=.*$/m, "")
      .replaceAll(/chunk-[\w-]+/g, "chunk").trimEnd();
  };
  for (const name of ["mod", "redis", "lambda", "workers"]) {
    assertEquals(await textOf(packages[0]!.folder, name), await textOf(published, name), name);
  }
});

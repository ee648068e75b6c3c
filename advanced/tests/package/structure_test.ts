import { assert, assertEquals } from "@std/assert";
import { type Arrows, importCycles, importsAgainst } from "../../../tests/support/imports.ts";
import { readSource, readSources, type Source } from "../../../tests/support/sources.ts";

/** Frameworks with their own entry. */
const FRAMEWORKS = ["elysia", "fastify", "h3", "hono", "koa"];

const sources: Source[] = [
  await readSource("advanced/mod.ts"),
  await readSource("advanced/dashboard.ts"),
  await readSource("advanced/rules.ts"),
  await readSource("advanced/simulate.ts"),
  await readSource("advanced/testing.ts"),
  ...await Promise.all(FRAMEWORKS.map((name) => readSource(`advanced/${name}.ts`))),
  ...await readSources("advanced/src/"),
];

/** Folders that each folder may import, besides itself. */
const ARROWS: Arrows = {
  policy: [],
  algorithms: ["policy"],
  stores: ["algorithms", "policy"],
  wrappers: ["stores", "policy"],
  limiter: ["wrappers", "stores", "policy"],
  // imported only by rules.ts and simulate.ts, except for types and path parsing
  rules: ["limiter", "policy"],
  http: ["rules", "limiter", "stores", "policy"],
  concurrency: ["http"],
  frameworks: ["http", "rules", "limiter", "policy"],
  // imported only by dashboard.ts: a page for the server's operator
  dashboard: ["http", "limiter", "policy", "text"],
  testing: ["wrappers", "policy"],
  // imported only by simulate.ts: logs on the command line
  simulate: ["rules", "limiter", "stores", "policy", "text"],
  text: [],
};

/** Everything that runs in servers: everything except the command. */
const portable = sources.filter(({ path }) => !/^advanced\/(?:src\/)?simulate[/.]/.test(path));

Deno.test("imports between the limiter's folders point one way", () => {
  assertEquals(importsAgainst(sources, "advanced/src/", ARROWS), []);
});

Deno.test("the limiter imports the engine, and nothing of the framework", () => {
  const imported = new Set(portable.flatMap(({ packages }) => packages));
  assertEquals([...imported].sort(), ["@sluice/limiting", "@sluice/shared", ...FRAMEWORKS]);
});

Deno.test("the limiter's entry for a framework imports types of that one alone, and has less than 80 lines of code", async () => {
  for (const { path, packages } of sources) {
    const theirs = packages.filter((name) => FRAMEWORKS.includes(name));
    if (theirs.length === 0) continue;
    assertEquals([path], theirs.map((name) => `advanced/src/frameworks/${name}.ts`));
    const text = await Deno.readTextFile(new URL(`../../../${path}`, import.meta.url));
    assert(!/^import (?!type )[^;]*from "(?!\.|@sluice\/)/m.test(text), path);
    const code = text.replaceAll(/^ *\/\*\*[^]*?\*\/\n/gm, "");
    assert(code.split("\n").length < 80, path);
  }
});

Deno.test("nothing imports the command but its entry", () => {
  const found = portable.flatMap(({ path, imports }) =>
    imports.filter((target) => target.startsWith("advanced/src/simulate/")).map((target) => `${path}: ${target}`)
  );
  assertEquals([found, portable.length < sources.length], [[], true]);
});

Deno.test("the limiter has no import cycles, types included", () => {
  assertEquals(importCycles(sources), []);
});

Deno.test("the limiter names no runtime and no Node module", () => {
  // not eval, which is also a Redis client method
  const forbidden = /\bDeno\.|\bBun\.|\bprocess\b|\bBuffer\b|new Function\b/;
  const impure = portable.flatMap(({ path, code, packages }) => [
    ...(code.match(forbidden) ?? []).map((found) => `${path}: ${found}`),
    ...packages.filter((name) => name.startsWith("node:")).map((name) => `${path}: ${name}`),
  ]);
  assertEquals(impure, []);
});

// webpack skips imports it is told to ignore, and replaces a constant used only there with null, which import() rejects
Deno.test("no constant is only used by an import that bundlers leave alone", () => {
  const options = sources.flatMap(({ code }) =>
    Array.from(code.matchAll(/await import\([^)]*\b(\w+)\)/g), ([, name]) => name!)
  );
  const constants = sources.flatMap(({ code }) => Array.from(code.matchAll(/^const (\w+)/gm), ([, name]) => name!));
  assertEquals(options.length, 1);
  assertEquals(options.filter((name) => constants.includes(name)), []);
});

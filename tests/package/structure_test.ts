import { assert, assertEquals } from "@std/assert";
import { type Arrows, importCycles, importsAgainst, roomOf } from "../support/imports.ts";
import { readSource, readSources, type Source } from "../support/sources.ts";

/** Entries beside the core, each with a folder that only it imports. */
const GUESTS = ["node", "lambda", "fastly", "redis", "workers"];

const { exports: entries } = JSON.parse(await Deno.readTextFile(new URL("../../deno.json", import.meta.url)));
const doors = (Object.values(entries) as string[]).map((path) => path.slice("./".length));
const sources: Source[] = [
  ...await Promise.all(doors.map(readSource)),
  ...await readSources("limiting/"),
  ...await readSources("src/"),
];
const core = sources.filter(({ path }) =>
  !GUESTS.some((name) => path === `${name}.ts` || path.startsWith(`src/${name}/`))
);
const byPath = new Map(sources.map((source) => [source.path, source]));

/** What the package `@sluice/rate-limit` gets copies of, besides the engine. */
const COPIED = "limiting/core.ts";

/** Which folders each folder may import, besides itself. */
const ARROWS: Arrows = {
  http: [],
  request: ["http"],
  // the engine of both limiters
  limiting: ["http"],
  matching: ["http"],
  response: ["request", "http"],
  dispatch: ["matching", "request", "response", "http"],
  websocket: ["request", "response", "http"],
  views: ["request", "http"],
  routing: ["dispatch", "matching", "request", "response", "websocket", "http"],
  middleware: ["limiting", "request", "response", "http"],
  platform: ["request", "http"],
  // folders that only their own entry imports
  lambda: ["node", "platform", "http"],
  fastly: ["request", "platform"],
  node: ["app", "dispatch", "request", "response", "websocket", "platform", "http"],
  // imported only by redis.ts: topics across processes
  redis: ["websocket", "http"],
  // imported only by workers.ts: Durable Objects around the application
  workers: ["app", "routing", "request", "websocket", "platform", "http"],
  app: [
    "routing",
    "dispatch",
    "matching",
    "request",
    "response",
    "middleware",
    "views",
    "websocket",
    "platform",
    "http",
  ],
};

Deno.test("imports between folders point one way", () => {
  assertEquals(importsAgainst(sources.filter(({ path }) => path !== COPIED), "src/", ARROWS), []);
});

Deno.test("there are no import cycles, types included", async () => {
  assertEquals(importCycles(sources), []);
  assertEquals(importCycles(await readSources("create/src/")), []);
});

Deno.test("the core names no runtime and no Node module", () => {
  const forbidden = /\bDeno\.|\bBun\.|\bprocess\b|\bBuffer\b|\beval\(|new Function\b/;
  const impure = core.filter((source) => !source.path.startsWith("src/platform/"))
    .flatMap((source) => {
      const found = source.code.match(forbidden);
      return found === null ? [] : [`${source.path}: ${found[0]}`];
    });
  assertEquals(impure, []);
});

Deno.test("no module of the core imports a Node module", () => {
  const imported = core.flatMap((source) =>
    source.packages.filter((name) => name.startsWith("node:")).map((name) => `${source.path}: ${name}`)
  );
  assertEquals(imported, []);
});

Deno.test("the core imports nothing from the folders of the other entries", () => {
  const wrong = core.flatMap((source) =>
    source.imports.filter((target) => GUESTS.includes(roomOf(target, "src/") ?? "")).map((target) =>
      `${source.path} imports ${target}`
    )
  );
  assertEquals(wrong, []);
});

/** All files that a file imports, and that these import. */
function reachedFrom(entry: string): string[] {
  const reached = new Set([entry]);
  // a set that grows is iterated to its end
  for (const path of reached) byPath.get(path)?.imports.forEach((target) => reached.add(target));
  return [...reached].sort();
}

Deno.test("the limiter's package gets copies of nothing that knows requests, routes or applications", () => {
  const rooms = ["http", "limiting"];
  assertEquals(reachedFrom(COPIED).filter((path) => !rooms.includes(roomOf(path, "src/", ["limiting"]) ?? "")), [
    "src/platform/shared/builtin_module.ts",
    "src/platform/shared/installed_package.ts",
    "src/platform/shared/peer_of.ts",
    // a type
    "src/exchange/peer.ts",
  ]);
});

Deno.test("a Lambda function starts without Node's server", () => {
  assertEquals(reachedFrom("lambda.ts").filter((path) => path.startsWith("src/node/")), [
    "src/node/load_package.ts",
    "src/node/node_files.ts",
  ]);
});

// webpack replaces an import it cannot resolve statically with one that always fails
Deno.test("bundlers ignore imports whose specifier is known only at run time", async () => {
  const open: string[] = [];
  let leftAlone = 0;
  for (const { path } of sources) {
    const text = await Deno.readTextFile(new URL(`../../${path}`, import.meta.url));
    for (const [, argument] of text.matchAll(/await import\(\s*([^)]*)\)/g)) {
      if (argument!.startsWith("/* webpackIgnore: true */ /* @vite-ignore */ ")) leftAlone++;
      else if (!argument!.startsWith('"')) open.push(`${path}: import(${argument})`);
    }
    // webpack recognizes the function by its imported name
    if (/import \{[^}]*\bcreateRequire\b/.test(text)) open.push(`${path}: createRequire`);
  }
  assertEquals(open, []);
  assert(leftAlone > 0, "nothing was found");
});

Deno.test("every package the core imports is an ES module", async () => {
  const { imports } = JSON.parse(await Deno.readTextFile(new URL("../../deno.json", import.meta.url)));
  const names = [...new Set(core.flatMap((source) => source.packages))];
  const { code, stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", new URL("../../mod.ts", import.meta.url).href],
    stderr: "null",
  }).output();
  assertEquals(code, 0);
  const { modules } = JSON.parse(new TextDecoder().decode(stdout)) as { modules: { specifier: string }[] };
  assertEquals(modules.filter(({ specifier }) => specifier.startsWith("node:")), []);
  for (const name of names) {
    const module = await import(imports[name]);
    // a CommonJS package has all of its exports under this name
    assertEquals("module.exports" in module, false, `${name} is CommonJS`);
  }
});

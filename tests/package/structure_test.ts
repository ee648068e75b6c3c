import { assertEquals } from "@std/assert";
import { readSource, readSources, type Source } from "../support/sources.ts";

/** Entries beside the core, each with a room that it alone reaches. */
const GUESTS = ["node", "lambda", "fastly", "redis"];

const { exports: entries } = JSON.parse(await Deno.readTextFile(new URL("../../deno.json", import.meta.url)));
const doors = (Object.values(entries) as string[]).map((path) => path.slice("./".length));
const sources: Source[] = [...await Promise.all(doors.map(readSource)), ...await readSources("src/")];
const core = sources.filter(({ path }) =>
  !GUESTS.some((name) => path === `${name}.ts` || path.startsWith(`src/${name}/`))
);
const byPath = new Map(sources.map((source) => [source.path, source]));

/** Which rooms a room may import, besides itself. */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  http: [],
  request: ["http"],
  matching: ["http"],
  response: ["request", "http"],
  dispatch: ["matching", "request", "response", "http"],
  websocket: ["request", "response", "http"],
  views: ["request", "http"],
  routing: ["dispatch", "matching", "request", "response", "websocket", "http"],
  middleware: ["request", "response", "http"],
  platform: ["request", "http"],
  // what an entry of their own alone reaches
  lambda: ["node", "platform", "http"],
  fastly: ["request", "platform"],
  node: ["app", "dispatch", "request", "response", "platform", "http"],
  // what redis.ts alone reaches: topics across processes
  redis: ["websocket"],
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

function roomOf(path: string): string | undefined {
  return path.match(/^src\/([^/]+)\//)?.[1];
}

Deno.test("imports between rooms point one way", () => {
  const wrong = sources.flatMap((source) => {
    const room = roomOf(source.path);
    if (room === undefined) return [];
    return source.imports.filter((target) => {
      const other = roomOf(target);
      return other !== room && !(ARROWS[room] ?? []).includes(other ?? "");
    }).map((target) => `${source.path} imports ${target}`);
  });
  assertEquals(wrong, []);
});

Deno.test("no file imports itself by a detour, types included", () => {
  const done = new Set<string>();
  const cycles: string[] = [];
  function visit(path: string, trail: readonly string[]): void {
    if (trail.includes(path)) cycles.push([...trail.slice(trail.indexOf(path)), path].join(" -> "));
    if (trail.includes(path) || done.has(path)) return;
    for (const next of byPath.get(path)?.imports ?? []) visit(next, [...trail, path]);
    done.add(path);
  }
  for (const { path } of sources) visit(path, []);
  assertEquals(cycles, []);
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

Deno.test("the core reaches nothing of its guests' rooms", () => {
  const wrong = core.flatMap((source) =>
    source.imports.filter((target) => GUESTS.includes(roomOf(target) ?? "")).map((target) =>
      `${source.path} imports ${target}`
    )
  );
  assertEquals(wrong, []);
});

Deno.test("a Lambda function starts without Node's server", () => {
  const reached = new Set<string>();
  const reach = (path: string): void => {
    if (reached.has(path)) return;
    reached.add(path);
    byPath.get(path)?.imports.forEach(reach);
  };
  reach("lambda.ts");
  assertEquals([...reached].filter((path) => path.startsWith("src/node/")).sort(), [
    "src/node/load_package.ts",
    "src/node/node_files.ts",
  ]);
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
    // a CommonJS package shows its whole exports under this name
    assertEquals("module.exports" in module, false, `${name} is CommonJS`);
  }
});

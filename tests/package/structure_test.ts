import { assert, assertEquals } from "@std/assert";
import { type Arrows, importCycles, importsAgainst, roomOf } from "../support/imports.ts";
import { readSource, readSources, type Source } from "../support/sources.ts";

/** Entries besides the core, each with a folder that only it imports. */
const GUESTS = ["node", "lambda", "fastly", "redis", "cli", "uws", "workers"];

const { exports: entries } = JSON.parse(await Deno.readTextFile(new URL("../../deno.json", import.meta.url)));
const doors = (Object.values(entries) as string[]).map((path) => path.slice("./".length));
const sources: Source[] = [
  ...await Promise.all(doors.map(readSource)),
  ...await readSources("limiting/"),
  ...await readSources("shared/"),
  ...await readSources("src/"),
];
const core = sources.filter(({ path }) =>
  !GUESTS.some((name) => path === `${name}.ts` || path.startsWith(`src/${name}/`))
);
const byPath = new Map(sources.map((source) => [source.path, source]));

/** Code copied into `@sluice/rate-limit`, besides the engine. */
const COPIED = "shared/mod.ts";

/**
 * Folders that each folder may import, besides itself. A folder may import folders inside it, but never the other way
 * round.
 */
const ARROWS: Arrows = {
  util: [],
  http: ["util"],
  // the engine of both limiters
  limiting: ["http", "util"],
  // code copied into other packages, besides the list of it
  shared: [],
  // paths and layers do not depend on requests
  matching: ["util"],
  exchange: ["http", "util"],
  "request/body": ["exchange", "http", "util"],
  "request/node": ["request/body", "exchange", "http", "util"],
  request: ["request/body", "request/node", "exchange", "http", "util"],
  "response/web": ["request/body", "exchange", "http", "util"],
  "response/node": ["response/web", "request/node", "exchange", "http", "util"],
  "response/files": ["response/node", "response/web", "request", "exchange", "http", "util"],
  response: ["response/files", "response/node", "response/web", "request", "exchange", "http", "util"],
  views: ["exchange", "util"],
  websocket: ["response", "request", "exchange", "http", "util"],
  dispatch: ["matching", "response/node", "response/web", "response", "request", "exchange", "http", "util"],
  routing: [
    ...["dispatch", "matching", "websocket", "response/web", "response", "request/node", "request"],
    ...["exchange", "http", "util"],
  ],
  middleware: [
    ...["limiting", "response/files", "response/node", "response", "request/body", "request/node", "request"],
    ...["exchange", "http", "util"],
  ],
  "platform/shared": ["exchange", "http", "util"],
  "platform/bun": ["platform/shared", "exchange"],
  "platform/cloudflare": ["platform/shared", "exchange", "http"],
  "platform/deno": ["platform/shared", "exchange", "util"],
  platform: ["platform/bun", "platform/cloudflare", "platform/deno", "platform/shared"],
  // folders that only their own entry imports
  lambda: ["node", "platform/shared", "http", "util"],
  fastly: ["platform", "platform/shared", "exchange"],
  node: [
    ...["app", "dispatch", "websocket", "response/node", "response/web", "response", "request/node", "request"],
    ...["platform", "platform/shared", "exchange", "http", "util"],
  ],
  // imported only by uws.ts: another engine instead of Node's server
  uws: [
    ...["node", "app", "routing", "dispatch", "websocket", "response/web", "response", "request"],
    ...["platform", "platform/shared", "exchange", "http", "util"],
  ],
  // imported only by redis.ts: topics across processes
  redis: ["websocket", "util"],
  // imported only by cli.ts: the command line
  cli: ["util"],
  // imported only by workers.ts: Durable Objects around the application
  workers: ["app", "routing", "websocket", "platform/cloudflare", "platform/shared", "exchange", "util"],
  app: [
    ...["routing", "dispatch", "matching", "middleware", "views", "websocket", "response/files", "response"],
    ...["request/body", "request", "platform", "platform/shared", "exchange", "http", "util"],
  ],
};

Deno.test("imports between folders point one way", () => {
  assertEquals(importsAgainst(sources.filter(({ path }) => path !== COPIED), "src/", ARROWS), []);
});

Deno.test("every import that is allowed between folders is used", () => {
  const rooms = Object.keys(ARROWS);
  const used = new Set(sources.flatMap(({ path, imports }) => {
    const room = roomOf(path, "src/", rooms);
    return imports.map((target) => `${room} imports ${roomOf(target, "src/", rooms)}`);
  }));
  const allowed = Object.entries(ARROWS).flatMap(([room, others]) => others.map((other) => `${room} imports ${other}`));
  assertEquals(allowed.filter((arrow) => !used.has(arrow)), []);
});

/** The same check in `@sluice/middleware`: each entry has its own folder, so a program loads only its imports. */
const MIDDLEWARE_ARROWS: Arrows = {
  compress: ["methods"],
  context: [],
  cookies: [],
  csrf: ["cookies"],
  methods: [],
  session: ["cookies", "methods"],
  session_deno_kv: ["session"],
  session_durable_object: ["session"],
  session_redis: ["session"],
  metrics: [],
  health: [],
  log: ["context"],
  request_id: ["context"],
  sse: [],
  timeout: [],
  upload: [],
};

Deno.test("the entries of @sluice/middleware share nothing but what the list says", async () => {
  const found = await readSources("middleware/src/");
  assertEquals(importsAgainst(found, "middleware/src/", MIDDLEWARE_ARROWS), []);
  const rooms = new Set(found.map(({ path }) => roomOf(path, "middleware/src/", Object.keys(MIDDLEWARE_ARROWS))));
  assertEquals([...rooms].sort(), Object.keys(MIDDLEWARE_ARROWS).sort());
});

/** The same check in `@sluice/express`: neither major imports the other. */
const EXPRESS_ARROWS: Arrows = {
  four: ["shared"],
  five: ["shared"],
  shared: [],
};

Deno.test("the majors of @sluice/express share what the list says, and import nothing of one another", async () => {
  const found = await readSources("express/src/");
  assertEquals(importsAgainst(found, "express/src/", EXPRESS_ARROWS), []);
});

/** The same check in `@sluice/openapi`. */
const OPENAPI_ARROWS: Arrows = {
  check: ["client", "document", "generate", "schema"],
  // loaded by generated clients: no server code
  client: [],
  document: ["metadata", "schema"],
  generate: ["document", "schema"],
  metadata: ["schema"],
  pages: ["document"],
  schema: [],
  tools: ["client", "document", "generate", "schema"],
  validate: ["metadata", "schema"],
};

Deno.test("the rooms of @sluice/openapi import one another as the list says", async () => {
  const found = await readSources("openapi/src/");
  assertEquals(importsAgainst(found, "openapi/src/", OPENAPI_ARROWS), []);
  const rooms = new Set(found.map(({ path }) => roomOf(path, "openapi/src/", Object.keys(OPENAPI_ARROWS))));
  assertEquals([...rooms].sort(), Object.keys(OPENAPI_ARROWS).sort());
});

Deno.test("@sluice/middleware and @sluice/openapi name no runtime, and import only types of the framework", async () => {
  const forbidden = /\bDeno\.|\bBun\.|\bprocess\b|\bBuffer\b|\beval\(|new Function\b/;
  const found = [...await readSources("middleware/src/"), ...await readSources("openapi/src/")];
  for (const { path, code, packages } of found) {
    assertEquals(code.match(forbidden)?.[0], undefined, path);
    assertEquals(packages.filter((name) => name.startsWith("node:")), [], path);
    if (!packages.includes("@sluice/sluice")) continue;
    const text = await Deno.readTextFile(new URL(`../../${path}`, import.meta.url));
    assert(!/^import (?!type )[^;]*"@sluice\/sluice"/m.test(text), path);
  }
});

Deno.test("there are no import cycles, types included", async () => {
  assertEquals(importCycles(sources), []);
  assertEquals(importCycles(await readSources("create/src/")), []);
  assertEquals(importCycles(await readSources("middleware/src/")), []);
  assertEquals(importCycles(await readSources("openapi/src/")), []);
  assertEquals(importCycles(await readSources("express/src/")), []);
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

Deno.test("an asynchronous context is kept by two modules alone: for a runtime's events, and by promises", () => {
  const keeping = /\bAsyncResource\b|\bAsyncLocalStorage\b|\.then\(queueMicrotask\)|node:async_hooks/;
  const named = sources.filter(({ code }) => keeping.test(code)).map(({ path }) => path);
  assertEquals(named.sort(), ["src/platform/shared/async_scope.ts", "src/util/async_context.ts"]);
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

/** All files that a file imports, directly or indirectly. */
function reachedFrom(entry: string): string[] {
  const reached = new Set([entry]);
  // a set is iterated to the end even if it grows during the iteration
  for (const path of reached) byPath.get(path)?.imports.forEach((target) => reached.add(target));
  return [...reached].sort();
}

Deno.test("other packages get copies of nothing that knows requests, routes or applications", () => {
  const rooms = ["http", "limiting", "shared", "util"];
  assertEquals(
    reachedFrom(COPIED).filter((path) => !rooms.includes(roomOf(path, "src/", ["limiting", "shared"]) ?? "")),
    [
      // a type
      "src/exchange/peer.ts",
      "src/platform/shared/builtin_module.ts",
      "src/platform/shared/installed_package.ts",
      "src/platform/shared/node_bytes.ts",
      "src/platform/shared/peer_of.ts",
    ],
  );
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

/** Names that only monitoring agents provide: their API, spans, contexts, meters and channels. */
const OF_AGENTS = new RegExp(
  [
    String.raw`\[(?:OPEN_TELEMETRY|REGISTERED)\](?!\??:)`,
    String.raw`\.(?:isRecording|setAttribute|updateName|setStatus|recordException|getValue|hasSubscribers|runStores)\b`,
    String.raw`\.(?:getMeter|createHistogram|createUpDownCounter|createObservableCounter|createObservableGauge)\b`,
    String.raw`\bspan\[|channels\[|\b(?:active|durations)\?\.|\binstrument\.|\.#?metadata\.`,
  ].join("|"),
  "g",
);

/** Whether a position is within an argument to `guarded` or `runInside`, or within a `try`. */
function isGuarded(code: string, position: number): boolean {
  let depth = 0;
  for (let i = position; i >= 0; i--) {
    if (/[)}\]]/.test(code[i]!)) depth++;
    else if (/[({[]/.test(code[i]!) && --depth < 0) {
      if (/(?:\bguarded|\brunInside|\btry\s*)$/.test(code.slice(Math.max(0, i - 20), i))) return true;
      depth = 0;
    }
  }
  return false;
}

Deno.test("whatever a monitoring agent has put into the process is touched within a guard only", async () => {
  const unguarded: string[] = [];
  let guardedCalls = 0;
  for (const { path, code } of [...sources, ...await readSources("middleware/src/")]) {
    for (const { 0: found, index } of code.matchAll(OF_AGENTS)) {
      if (isGuarded(code, index - 1)) guardedCalls++;
      else unguarded.push(`${path}: ${found}`);
    }
  }
  assertEquals(unguarded, []);
  assert(guardedCalls > 15, `only ${guardedCalls} were found`);
  // shows that it can fail
  assert(isGuarded("guarded(app, () => span.end())", 22) && !isGuarded("guarded(app); span.end()", 18));
});

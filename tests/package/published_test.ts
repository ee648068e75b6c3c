/** The entry points as `deno task build` builds them and `deno publish` uploads them. */
import { fileURLToPath } from "node:url";
import type { FrameworkRequest, FrameworkResponse } from "@sluice/sluice";
import { rateLimit } from "@sluice/rate-limit";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { importGraph } from "../../bench/start/graph.ts";
import { buildPackages } from "../../scripts/build.ts";
import { lockedVersions } from "../../scripts/locked_packages.ts";
import { LIBRARY_FOLDERS } from "../../scripts/packages.ts";
import { run } from "../../scripts/process.ts";
import { publishedImports } from "../../scripts/published_imports.ts";
import { APP_CONTRACT, outcomesOf } from "../contracts/app_contract.ts";
import { startServing } from "../contracts/serving.ts";
import { SUBJECTS } from "../contracts/subjects.ts";
import { packageFlags, skipNode } from "../support/node_program.ts";
import { PATIENCE_MS } from "../support/patience.ts";

const ROOT = new URL("../../", import.meta.url);
const FOLDER = ".cache/published_test/";

/** The modules in `mod.js`: the part shared with other entries, and the rest. */
const MODULES = 2;

/** A package's entry point. */
interface Entry {
  /** Name that programs import. */
  readonly name: string;
  /** Its path relative to the root. */
  readonly source: string;
  /** Path of its bundle relative to the root. */
  readonly built: string;
}

await buildPackages(new URL(FOLDER, ROOT));
const entries = (await Promise.all(LIBRARY_FOLDERS.map(entriesOf))).flat();

async function entriesOf(folder: string): Promise<Entry[]> {
  const manifest = async (path: string) => JSON.parse(await Deno.readTextFile(new URL(`${path}deno.json`, ROOT)));
  const { name, exports } = await manifest(folder);
  const built = (await manifest(`${FOLDER}${folder}`)).exports as Record<string, string>;
  return Object.entries<string>(exports).map(([entry, path]) => ({
    name: `${name}${entry.slice(1)}`,
    source: folder + path.slice("./".length),
    built: `${FOLDER}${folder}${built[entry]!.slice("./".length)}`,
  }));
}

// deno-lint-ignore no-explicit-any
function imported(path: string): Promise<Record<string, any>> {
  return import(new URL(path, ROOT).href);
}

function classNames(exported: Record<string, { name?: unknown; toString?: unknown }>): [string, unknown][] {
  const isClass = (value: unknown) => typeof value === "function" && value.toString().startsWith("class");
  return Object.entries(exported).filter(([, value]) => isClass(value)).map(([key, { name }]) => [key, name]);
}

/** Flags that map a program's package imports to the published files. */
async function publishedFlags(): Promise<string[]> {
  return [`--import-map=${await publishedImports(new URL(FOLDER, ROOT))}`, ...await packageFlags("published")];
}

/** The framework's bundle files, by name. */
async function builtFiles(): Promise<Map<string, string>> {
  const folder = new URL(`${FOLDER}dist/`, ROOT);
  const names = (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name);
  return new Map(
    await Promise.all(
      names.map(async (name) => [name, await Deno.readTextFile(new URL(name, folder))] as const),
    ),
  );
}

for (const { name, source, built } of entries) {
  Deno.test(`${name} exports the same as published`, async () => {
    const [before, after] = [await imported(source), await imported(built)];
    // one entry contains only types
    assertEquals(Object.keys(before).length === 0, source.endsWith("types.ts"), source);
    assertEquals(Object.keys(after), Object.keys(before));
  });

  Deno.test(`${name} has classes of the same names as published`, async () => {
    const [before, after] = [await imported(source), await imported(built)];
    assertEquals(classNames(after), classNames(before));
  });
}

Deno.test("published stack traces name the same functions and classes", async () => {
  const frames = async (path: string) => {
    const { default: sluice } = await imported(path);
    const app = sluice().set("env", "test");
    app.use((_req: unknown, _res: unknown, next: () => void) => next());
    app.get("/", () => {
      throw new Error("shown");
    });
    app.use((error: Error, _req: unknown, res: FrameworkResponse, _next: unknown) => res.send(error.stack));
    const response: Response = await app.handle(new Request("http://localhost/"));
    return [...(await response.text()).matchAll(/at ([\w.#]+) \(/g)].map(([, name]) => name);
  };
  const [before, after] = await Promise.all([entries[0]!.source, entries[0]!.built].map(frames));
  assert(before!.some((name) => name!.includes(".#")), before!.join());
  assertEquals(after, before);
});

// as npm installs them: the program's copy under its chosen name, and a second copy for the limiter
Deno.test("a limiter made inside requests counts them even if they come from another copy of Sluice", async () => {
  const { default: sluice } = await imported(entries[0]!.built);
  const app = sluice();
  app.get("/", (req: FrameworkRequest, res: FrameworkResponse, next: () => void) => {
    return rateLimit({ windowMs: 60_000, limit: 1, keyGenerator: () => "all" })(req, res, next);
  }, (_req: unknown, res: FrameworkResponse) => res.send("admitted"));
  const status = async (path: string) => (await app.handle(new Request(`http://localhost${path}`))).status;
  for (let i = 0; i < 10; i++) assertEquals(await status("/elsewhere"), 404);
  assertEquals([await status("/"), await status("/")], [200, 429]);
});

Deno.test("a limiter of this package tells one of the other package when it has units again", async () => {
  const { default: sluice, rateLimit: inFront } = await imported(entries[0]!.built);
  const { rateLimit: behind } = await imported(entries.find(({ name }) => name === "@sluice/rate-limit")!.built);
  const app = sluice();
  app.use(inFront({ windowMs: 3_600_000, limit: 2, keyGenerator: () => "all" }));
  app.use(behind({ windowMs: 60_000, limit: 1, keyGenerator: () => "all" }));
  app.get("/", (_req: unknown, res: FrameworkResponse) => res.send("admitted"));
  const ask = (): Promise<Response> => app.handle(new Request("http://localhost/"));
  assertEquals((await ask()).status, 200);
  const refused = await ask();
  assertEquals(refused.status, 429);
  const seconds = Number(refused.headers.get("retry-after"));
  assert(seconds > 60 && seconds <= 3600, `${seconds} s`);
});

Deno.test("the published mod.ts loads few modules, no package, and nothing of Node's", async () => {
  const { own, packages } = await importGraph(entries[0]!.built);
  assert(own.length > 1 && own.length <= MODULES, `${own.length} modules`);
  assertEquals(packages, []);
});

Deno.test("the packages that mod.ts loads are inside, at the versions that are tested, with their licenses", async () => {
  const { own } = await importGraph(entries[0]!.built);
  const code = (await Promise.all(own.map(({ path }) => Deno.readTextFile(new URL(path, ROOT))))).join("\n");
  const licenses = await Deno.readTextFile(new URL(`${FOLDER}dist/LICENSES.txt`, ROOT));
  const versions = await lockedVersions();
  const { packages } = await importGraph("mod.ts");
  assert(packages.length > 0);
  for (const name of packages) {
    assert(code.includes(`\n// node_modules/.deno/${name}@${versions[name]}/`), name);
    assertMatch(
      licenses,
      new RegExp(`^${name} ${RegExp.escape(versions[name]!)}\n\n[^]*?copyright[^]*?permission`, "im"),
    );
  }
});

// V8 stores non-ASCII source in two bytes per character, and takes half again as long to load it
Deno.test("what is published is ASCII", async () => {
  for (const [name, code] of await builtFiles()) if (name.endsWith(".js")) assert(/^\p{ASCII}+$/u.test(code), name);
});

Deno.test("what is published tells bundlers which calls may be left out and which imports to leave alone", async () => {
  const code = [...(await builtFiles()).values()].join("\n");
  assertMatch(code, /= \/\* @__PURE__ \*\/ withNames\(\)/);
  const computed = [...code.matchAll(/\bimport\((?!")[^)]*/g)].map(([call]) => call);
  assert(computed.length > 0);
  for (const call of computed) assert(call.includes("webpackIgnore: true") && call.includes("@vite-ignore"), call);
});

Deno.test("nothing that is published names the machine on which it was built", async () => {
  for (const [name, text] of await builtFiles()) {
    assert(!text.includes("/npm/") && !text.includes(fileURLToPath(ROOT)), name);
  }
});

Deno.test("built with source maps, stack traces name the sources", { ignore: skipNode }, async () => {
  const folder = new URL(".cache/published_maps_test/", ROOT);
  await buildPackages(folder, { sourceMaps: true });
  const program = `
    import(${JSON.stringify(new URL("dist/mod.js", folder).href)}).then(({ default: sluice }) => {
      const app = sluice().use((req, res, next) => next()).get("/", () => { throw new Error("shown"); });
      app.on("error", (error) => console.log(error.stack));
      return app.handle(new Request("http://localhost/"));
    });`;
  const { output } = await run("node", ["--enable-source-maps", "-e", program], { limitMs: PATIENCE_MS, quiet: true });
  const [, path, line] = output.match(/\/(src\/\w+\/\w+\.ts):(\d+):/) ?? [];
  assert(path !== undefined, output);
  const lines = (await Deno.readTextFile(new URL(path, ROOT))).split("\n");
  // the line that called the handler
  assertMatch(lines[Number(line) - 1]!, /\w\(.*req, res/);
});

Deno.test("what is published on Deno behaves as the contract says", async (t) => {
  const flags = await publishedFlags();
  const program = ["run", "-A", "--no-check", ...flags, "tests/contracts/entries/listen.ts"];
  const serving = await startServing(Deno.execPath(), program);
  try {
    const { gaps } = SUBJECTS.find(({ name }) => name === "Deno listen")!;
    const outcomes = await outcomesOf(APP_CONTRACT, { ...serving, name: "published", gaps });
    for (const { title, cases } of APP_CONTRACT) {
      for (const one of cases) {
        const { gaps, error } = outcomes.get(one)!;
        if (gaps.length > 0) continue;
        await t.step(`${title}: ${one.name}`, () => {
          if (error !== null) throw error;
        });
      }
    }
  } finally {
    await serving.stop();
  }
});

Deno.test("programs typed for Express pass the compiler with what is published", async () => {
  const args = ["test", "-A", "--quiet", ...await publishedFlags(), "tests/types/"];
  const { code, output } = await run(Deno.execPath(), args, {
    // several compiler versions, and a language service
    limitMs: 6 * PATIENCE_MS,
    quiet: true,
    cwd: fileURLToPath(ROOT),
  });
  assertEquals(code, 0, output);
});

/** Code examples and links in the documentation. */
import { assert, assertEquals } from "@std/assert";
import { FOLDERS, LIBRARY_FOLDERS } from "../../scripts/packages.ts";
import { run } from "../../scripts/process.ts";
import { allImports, TESTS_LOCK } from "../../scripts/tests_config.ts";

const ROOT = new URL("../../", import.meta.url);

/** Declarations of names that an excerpt leaves to its surrounding text. */
const GIVEN: Readonly<Record<string, string>> = {
  Bun: "declare const Bun: { serve(options: unknown): void };",
  app: 'declare const app: import("@sluice/sluice").FrameworkApp;',
  cert: "declare const cert: string; declare const key: string;",
  buildRoom: 'declare const buildRoom: () => import("@sluice/sluice").FrameworkApp;',
  process: "declare const process: { on(event: string, listener: () => unknown): unknown };",
  expressApp: 'declare const expressApp: import("@sluice/sluice").FrameworkApp;',
  http: 'import http from "node:http";',
  signedIn: 'declare const signedIn: import("@sluice/sluice").Handler;',
  Express: "declare global { namespace Express { interface Request {} interface Response {} } }",
};

async function documents(folder = ""): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(new URL(folder, ROOT))) {
    if (name.startsWith(".") || name === "node_modules" || name === "coverage") continue;
    if (isDirectory) found.push(...await documents(`${folder}${name}/`));
    else if (name.endsWith(".md")) found.push(folder + name);
  }
  return found.sort();
}

async function read(path: string): Promise<string> {
  return await Deno.readTextFile(new URL(path, ROOT));
}

/** A program in a document. */
interface Program {
  readonly code: string;
  /** Why it is not run, if the document gives a reason: `<!-- not run: why -->` in front of it. */
  readonly notRun: string | undefined;
}

function programs(path: string, text: string): Program[] {
  const found = [...text.matchAll(/(?:^<!-- not run: ([^\n]+?) -->\n\n)?^```ts( \[[^\]\n]+\])?\n(.*?)^```/gms)];
  return found
    // unnamed code in the tutorial is part of one of its files; code that imports another file is one of several files
    .filter(([, , name, code]) =>
      (name !== undefined || !path.startsWith("docs/tutorial/")) && !/ from "\.\//.test(code!)
    )
    .map(([, notRun, , code]) => ({ code: code!.replaceAll('"jsr:@sluice/', '"@sluice/'), notRun }));
}

/** Names that an excerpt uses without defining them. */
function missingIn(code: string): string[] {
  return Object.keys(GIVEN).filter((name) =>
    new RegExp(`(?<![.\\w/])${name}[.(,)]`).test(code) &&
    !new RegExp(`(?:const|function|class) ${name}\\b|import[^;]*\\b${name}\\b[^;]*from`).test(code)
  );
}

function withGiven(code: string): string {
  return [...missingIn(code).map((name) => GIVEN[name]), code, "export {};"].join("\n");
}

async function packageEntries(folder: string): Promise<[string, string][]> {
  const { name, exports } = JSON.parse(await read(`${folder}deno.json`));
  return Object.entries(exports as string | Record<string, string>).map(
    ([door, path]) => [name + door.slice(1), new URL(folder + path, ROOT).href],
  );
}

/** A folder where programs find the packages as users do, and the documents' other imports. */
async function withFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const { compilerOptions } = JSON.parse(await read("deno.json"));
  const packages = Object.fromEntries((await Promise.all(LIBRARY_FOLDERS.map(packageEntries))).flat());
  const folder = await Deno.makeTempDir();
  try {
    const config = {
      imports: { ...await allImports(), ...packages },
      compilerOptions: { ...compilerOptions, lib: [...compilerOptions.lib, "deno.unstable"] },
    };
    await Deno.writeTextFile(`${folder}/deno.json`, JSON.stringify(config));
    await Deno.copyFile(TESTS_LOCK, `${folder}/deno.lock`);
    await use(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** All documents' programs, by file name. */
async function allPrograms(isWanted: (path: string) => boolean = () => true): Promise<Map<string, Program>> {
  const found = new Map<string, Program>();
  for (const path of (await documents()).filter(isWanted)) {
    const name = path.replaceAll(/\W/g, "_");
    programs(path, await read(path)).forEach((program, i) => found.set(`${name}_${i + 1}.ts`, program));
  }
  return found;
}

async function deno(args: string[], cwd: string): Promise<void> {
  const { code, output } = await run(Deno.execPath(), args, { limitMs: 300_000, quiet: true, cwd });
  assertEquals(code, 0, output);
}

Deno.test("every TypeScript program in a document type-checks as printed", async () => {
  const found = await allPrograms();
  assert(found.size > 20, `only ${found.size} programs were found`);
  console.log(`${found.size} programs of documents`);
  await withFolder(async (folder) => {
    for (const [file, { code }] of found) await Deno.writeTextFile(`${folder}/${file}`, withGiven(code));
    await deno(["check", "--quiet", ...found.keys()], folder);
  });
});

/** The Redis server in documents; tests run their own. */
const REDIS = "redis://localhost:6379";
const redis = Deno.env.get("REDIS_URL");
/** The PostgreSQL server in documents. */
const POSTGRES = "postgres://localhost:5432/app";
const postgres = Deno.env.get("POSTGRES_URL");

/** Pages for users: `tests/pages/` compares their content with their programs' behavior. */
const COMPARED = /^(?:README\.md|docs\/(?:start|tutorial|guide|limits|moving)\/[^/]+)$/;

Deno.test("every program in a document runs that is complete, unless the document says why not", async () => {
  const complete = [...await allPrograms((path) => !COMPARED.test(path))].filter(([, { code, notRun }]) =>
    notRun === undefined && /^import /m.test(code) && missingIn(code).length === 0 &&
    (redis !== undefined || !code.includes(REDIS)) && (postgres !== undefined || !code.includes(POSTGRES))
  );
  const isTest = ([, { code }]: [string, Program]) => code.includes("Deno.test");
  const [tests, others] = [complete.filter(isTest), complete.filter((one) => !isTest(one))].map((some) =>
    some.map(([file]) => file)
  ) as [string[], string[]];
  await withFolder(async (folder) => {
    for (const [file, { code }] of complete) {
      await Deno.writeTextFile(
        `${folder}/${file}`,
        // other frameworks' servers all use this port
        code.replaceAll(REDIS, redis ?? REDIS).replaceAll(POSTGRES, postgres ?? POSTGRES).replaceAll(
          /listen\((\{ port: )?3000/g,
          "listen($10",
        ) + "export {};\n",
      );
    }
    const flags = ["-A", "--no-check", "--unstable-kv", "--quiet"];
    await deno(["test", ...flags, ...tests], folder);
    const runner = new URL("support/run_programs.ts", import.meta.url);
    await Deno.copyFile(runner, `${folder}/run_programs.ts`);
    await deno(["run", ...flags, "run_programs.ts", ...others], folder);
  });
  console.log(`${complete.length} programs of documents have run`);
  assert(complete.length > 30, `only ${complete.length} programs are complete`);
});

function anchors(text: string): string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading!.toLowerCase().replaceAll(/[^\w\- ]/g, "").replaceAll(" ", "-")
  );
}

Deno.test("every link in a document leads to an existing file and heading", async () => {
  const broken: string[] = [];
  for (const path of await documents()) {
    const text = await read(path);
    for (const [, target] of text.replaceAll(/^```.*?^```/gms, "").matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(target!)) continue;
      const file = new URL(target!, new URL(path, ROOT));
      const { hash } = file;
      file.hash = "";
      const isThere = await Deno.stat(file).then(() => true, () => false);
      const hasHeading = hash === "" || isThere && anchors(await Deno.readTextFile(file)).includes(hash.slice(1));
      if (!isThere || !hasHeading) broken.push(`${path}: ${target}`);
    }
  }
  assertEquals(broken, []);
});

/** Folders with files that contributor documents name by path from the root. */
const ROOMS = /^(?:src|tests|docs|scripts|bench|advanced|middleware|openapi|limiting|shared|reliability|create)\//;

/** Documents that show contributors where things are. */
const FOR_CONTRIBUTORS = /^(?:CONTRIBUTING|RELEASING|docs\/checklists)\.md$|^docs\/decisions\//;

Deno.test("every file that a document for contributors names exists", async () => {
  const gone: string[] = [];
  for (const path of (await documents()).filter((one) => FOR_CONTRIBUTORS.test(one))) {
    const prose = (await read(path)).replaceAll(/^```.*?^```/gms, "");
    for (const [, name] of prose.matchAll(/`([\w./-]+\/[\w.-]*)`/g)) {
      if (!ROOMS.test(name!)) continue;
      if (!await Deno.stat(new URL(name!, ROOT)).then(() => true, () => false)) gone.push(`${path}: ${name}`);
    }
  }
  assertEquals(gone, []);
});

Deno.test("SECURITY.md covers every package", async () => {
  const text = await read("SECURITY.md");
  for (const folder of [...FOLDERS, "./express/"]) {
    const { name } = JSON.parse(await read(`${folder}deno.json`));
    assert(text.includes(`\`${name}\``), `SECURITY.md does not name ${name}`);
  }
});

Deno.test("no document has the marks of an unfinished merge", async () => {
  const marked: string[] = [];
  // anywhere in a line: the formatter may have wrapped them
  for (const path of await documents()) if (/<{7}|>{7}/.test(await read(path))) marked.push(path);
  assertEquals(marked, []);
});

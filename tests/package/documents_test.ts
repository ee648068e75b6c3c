/** Code examples and links in the documentation. */
import { assert, assertEquals } from "@std/assert";
import { LIBRARY_FOLDERS } from "../../scripts/packages.ts";
import { run } from "../../scripts/process.ts";
import { allImports, TESTS_LOCK } from "../../scripts/tests_config.ts";

const ROOT = new URL("../../", import.meta.url);

/** Declarations of names that an excerpt leaves to the text around it. */
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

function programs(text: string): string[] {
  return [...text.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code]) => code!.replaceAll('"jsr:@sluice/', '"@sluice/'));
}

function withGiven(code: string): string {
  const missing = Object.keys(GIVEN).filter((name) =>
    new RegExp(`(?<![.\\w/])${name}[.(,)]`).test(code) &&
    !new RegExp(`(?:const|function|class) ${name}\\b|import[^;]*\\b${name}\\b[^;]*from`).test(code)
  );
  return [...missing.map((name) => GIVEN[name]), code, "export {};"].join("\n");
}

async function packageEntries(folder: string): Promise<[string, string][]> {
  const { name, exports } = JSON.parse(await read(`${folder}deno.json`));
  return Object.entries(exports as string | Record<string, string>).map(
    ([door, path]) => [name + door.slice(1), new URL(folder + path, ROOT).href],
  );
}

Deno.test("every TypeScript program in a document type-checks as printed", async () => {
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
    const files: string[] = [];
    for (const path of await documents()) {
      for (const [i, code] of programs(await read(path)).entries()) {
        files.push(`${path.replaceAll(/\W/g, "_")}_${i + 1}.ts`);
        await Deno.writeTextFile(`${folder}/${files.at(-1)}`, withGiven(code));
      }
    }
    assert(files.length > 20, `only ${files.length} programs were found`);
    const args = ["check", "--quiet", ...files];
    const { code, output } = await run(Deno.execPath(), args, { limitMs: 300_000, quiet: true, cwd: folder });
    assertEquals(code, 0, output);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
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

Deno.test("no document has the marks of an unfinished merge", async () => {
  const marked: string[] = [];
  // anywhere in a line: the formatter may have wrapped them
  for (const path of await documents()) if (/<{7}|>{7}/.test(await read(path))) marked.push(path);
  assertEquals(marked, []);
});

import { assert, assertEquals } from "@std/assert";
import { withoutComments } from "../support/sources.ts";

const ROOT = new URL("../../", import.meta.url);

/**
 * Functions that turn strings into code, with their first argument. `require` is called through a function made by
 * `createRequire`, which is also listed.
 */
const LOADERS =
  /\bimport\(\s*([^()]*(?:\([^()]*\))?[^(),]*)|\bcreateRequire\(([^()]*)\)(?:\.resolve)?\(?([^()]*)|(\bgetBuiltinModule[^;,{]*)|(\bimport\.meta\.resolve\b)|(?<![.\w])(eval\((?!script: )|importScripts\()|(\bFunction\()|(\bnew (?:Shared)?Worker\()|(\bWebAssembly\b)|\bset(?:Timeout|Interval)\(\s*(["'`])/g;

/** A string literal. */
const LITERAL = /^"[^"]*"(?:,|$)/;

/**
 * Places where the source does not name the loaded package or code. Adding one is a decision: nothing from a path, a
 * request, or a typing error in a setting may become a package to load or code to run (decision 18).
 */
const KNOWN = [
  // a file in an installed package that findPackage found
  "src/node/load_package.ts: pathToFileURL(path).href",
  // `ws`, resolved from this module
  "src/node/load_ws.ts: from: string",
  "src/node/load_ws.ts: import.meta.url",
  // the type contains only names of Node modules
  "src/platform/shared/builtin_module.ts: getBuiltinModule?(name: string): unknown",
  "src/platform/shared/builtin_module.ts: getBuiltinModule?.(name) as T | undefined",
  // findPackage itself: plain names only, and nothing is downloaded
  "src/platform/shared/installed_package.ts: from: string",
  "src/platform/shared/installed_package.ts: path",
  "src/platform/shared/installed_package.ts: from",
  // the program given on the command line, and our package next to it
  "src/cli/client_command.ts: url",
  "src/cli/openapi_package.ts: specifier",
  "src/cli/program_apps.ts: url",
];

async function sourceFiles(folder: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(new URL(folder, ROOT))) {
    if (isDirectory && (folder !== "" && name !== "tests")) found.push(...await sourceFiles(`${folder}${name}/`));
    else if (/\.[jt]s$/.test(name)) found.push(`${folder}${name}`);
  }
  return found;
}

function loadedBy(source: string): string[] {
  return [...withoutComments(source).matchAll(LOADERS)].map(([whole, ...parts]) =>
    parts.find((part) => part !== undefined)?.trim() || whole
  );
}

Deno.test("what is loaded is named in the source, but for installed packages and the modules of Node", async () => {
  const files = [
    ...await sourceFiles(""),
    ...await sourceFiles("src/"),
    ...await sourceFiles("limiting/"),
    ...await sourceFiles("shared/"),
    ...await sourceFiles("advanced/"),
    ...await sourceFiles("middleware/"),
    ...await sourceFiles("openapi/"),
  ];
  const loaded: string[] = [];
  let literal = 0;
  for (const path of files) {
    for (const what of loadedBy(await Deno.readTextFile(new URL(path, ROOT)))) {
      if (LITERAL.test(what)) literal++;
      else loaded.push(`${path}: ${what}`);
    }
  }
  assertEquals(loaded.sort(), KNOWN.toSorted());
  assert(literal > 4, "nothing was found");
});

Deno.test("every way to turn text into code is noticed", () => {
  const ways = [
    "await import(name)",
    "import(/* @vite-ignore */ `npm:${name}`)",
    'import("npm:" + name)',
    "import.meta.resolve(name)",
    "module.createRequire(from)(name)",
    "Module.createRequire(from).resolve(name)",
    "process.getBuiltinModule(name)",
    "eval(text)",
    "new Function(text)",
    "Function(text)()",
    "importScripts(url)",
    "new Worker(url)",
    "WebAssembly.compile(bytes)",
    'setTimeout("run()", 1)',
  ];
  for (const way of ways) {
    const [what] = loadedBy(way);
    assert(what !== undefined && !LITERAL.test(what), way);
  }
});

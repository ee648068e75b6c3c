import { fileURLToPath } from "node:url";
import { assert, assertEquals } from "@std/assert";
import { gzipSync } from "node:zlib";
import { minify } from "rolldown/utils";
import { WORKERD_MODULES } from "../../scripts/workerd_modules.ts";
import { packageFlags, workerdFlags } from "../support/node_program.ts";
import { withoutComments, withoutTexts } from "../support/sources.ts";

const ROOT = new URL("../../", import.meta.url);

/** One file's part of a bundle. */
interface Section {
  readonly path: string;
  readonly text: string;
}

async function bundle(program: string, ...flags: string[]): Promise<string> {
  return await bundleBy([...await packageFlags(`bundle_${program}`), "--platform", "browser", ...flags], program);
}

async function bundleForWorkers(program: string, ...flags: string[]): Promise<string> {
  return await bundleBy([...await workerdFlags(`bundle_workers_${program}`), ...flags], program);
}

async function bundleBy(flags: readonly string[], program: string): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["bundle", "--quiet", ...flags, `tests/package/bundles/${program}.ts`],
    cwd: fileURLToPath(ROOT),
  }).output();
  assert(success, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}

// the bundler writes each file's path above its code
function sectionsOf(text: string): Section[] {
  const [, ...parts] = text.split(/^\/\/ (\S+\.[cm]?[jt]s)$/m);
  return parts.flatMap((path, i) => i % 2 === 0 ? [{ path, text: parts[i + 1]! }] : []);
}

/** Size limits in bytes, with about 1 % headroom; docs/measurements/size.md explains the size. */
const BUDGETS = [
  { what: "the smallest Worker", program: "hello", make: bundleForWorkers, minified: 288_000, gzipped: 104_200 },
  { what: "the smallest application", program: "hello", make: bundle, minified: 319_200, gzipped: 113_800 },
  { what: "an application without middleware", program: "core", make: bundle, minified: 306_600, gzipped: 109_200 },
  { what: "a limiter over Durable Objects", program: "limited", make: bundle, minified: 126_700, gzipped: 45_300 },
];

for (const { what, program, make, minified, gzipped } of BUDGETS) {
  Deno.test(`${what} stays within its budget of bytes`, async () => {
    const bytes = new TextEncoder().encode(await make(program, "--minify"));
    const sizes = { minified: bytes.length, gzipped: gzipSync(bytes, { level: 9 }).length };
    assert(
      sizes.minified <= minified && sizes.gzipped <= gzipped,
      `${JSON.stringify(sizes)} is more than ${JSON.stringify({ minified, gzipped })}`,
    );
    // a budget far above the size would catch nothing
    assert(sizes.minified > minified * 0.9, `the budget of ${minified} is too wide for ${sizes.minified} bytes`);
  });
}

Deno.test("a program that imports only the classes bundles no body parser, static files or limiter", async () => {
  const sections = sectionsOf(await bundle("core"));
  // for an omitted module, a bundler may keep the calls that initialize its imports
  const paths = sections.filter(({ text }) => /\S/.test(text.replace(/^init_\w+\(\);$/gm, ""))).map(({ path }) => path);
  assert(paths.includes("src/app/framework_app.ts"), paths.join());
  assertEquals(paths.filter((path) => /^(?:src\/middleware|limiting)\//.test(path)), []);
});

Deno.test("a bundle for Workers has no code for other runtimes, and none that listens", async () => {
  const paths = sectionsOf(await bundleForWorkers("everything")).map(({ path }) => path);
  for (const path of Object.values(WORKERD_MODULES)) assert(paths.includes(path), path);
  const left = paths.filter((path) => /^src\/(?:platform\/(?:deno|bun)\/|app\/(?:server|listen))/.test(path));
  assertEquals([...left, ...Object.keys(WORKERD_MODULES).filter((path) => paths.includes(path))], []);
});

Deno.test("modules for Workers export what they replace", async () => {
  for (const paths of Object.entries(WORKERD_MODULES)) {
    const [usual, workerd] = await Promise.all(paths.map((path) => import(new URL(path, ROOT).href)));
    assertEquals(Object.keys(workerd), Object.keys(usual));
  }
});

/** Code that names a runtime or evaluates a string. */
const FORBIDDEN =
  /\b(?:Deno|Bun)\b|\bprocess\b|\bBuffer\b|__require|\bcreateRequire\b|\brequire\(|\beval\(|new Function\b/g;

// path-to-regexp has its own function named process
function isOwn(name: string, code: string): boolean {
  return new RegExp(`\\bfunction ${name}\\(`).test(code);
}

for (const program of ["everything", "limited"]) {
  Deno.test(`the bundle "${program}" names no runtime and no Node module outside src/platform/`, async () => {
    const sections = sectionsOf(await bundle(program));
    assert(sections.length > 30, `only ${sections.length} files were found in the bundle`);
    const named = sections.filter(({ path }) => !path.startsWith("src/platform/")).flatMap((section) => {
      const code = withoutComments(section.text);
      const modules = code.match(/(?:from|import|require)\s*\(?\s*["']node:[^"']+/g) ?? [];
      const names = (withoutTexts(code).match(FORBIDDEN) ?? []).filter((name) => !isOwn(name, code));
      return [...modules, ...names].map((found) => `${section.path}: ${found}`);
    });
    assertEquals(named, []);
  });
}

Deno.test("a file that names a runtime is found in a bundle", async () => {
  const platform = sectionsOf(await bundle("everything")).find(({ path }) =>
    path === "src/platform/deno/deno_platform.ts"
  );
  assert(withoutTexts(withoutComments(platform!.text)).match(FORBIDDEN) !== null);
});

const asItIs = (text: string): string => text;
// without `--minify`: with some short names, Deno's bundler loses track of the `require` it generates
const shortened = async (text: string): Promise<string> => (await minify("bundle.js", text)).code;

for (const [what, change] of [["renamed", asItIs], ["renamed and minified", shortened]] as const) {
  Deno.test(`cookie-parser and cookie-session work in a bundle that has ${what} them`, async () => {
    const file = await Deno.makeTempFile({ suffix: ".mjs" });
    try {
      await Deno.writeTextFile(file, await change(await bundle("cookies", "--platform", "deno")));
      const { app } = await import(`file://${file}`) as typeof import("./bundles/cookies.ts");
      for (const path of ["/signed", "/session"]) {
        const set = await app.fetch(new Request(`http://name${path}/set`));
        assertEquals([set.status, await set.text()], [200, "set"]);
        const cookie = set.headers.getSetCookie().map((line) => line.split(";")[0]).join("; ");
        const seen = await app.fetch(new Request(`http://name${path}`, { headers: { cookie } }));
        assertEquals(await seen.json(), { name: "Ada" }, path);
      }
    } finally {
      await Deno.remove(file);
    }
  });
}

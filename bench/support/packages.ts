import { fileURLToPath, pathToFileURL } from "node:url";
import { buildPackages } from "../../scripts/build.ts";
import { digestOfSources } from "../../scripts/built_from.ts";
import { run } from "../../scripts/process.ts";
import { publishedImports } from "../../scripts/published_imports.ts";
import { TESTS_CONFIG } from "../../scripts/tests_config.ts";

const ROOT = new URL("../../", import.meta.url);
const FOLDER = new URL(".cache/bench/", ROOT);

/** The packages that a benchmark's programs import as Sluice. */
export interface Packages {
  /** Name, for derived files. */
  readonly name: string;
  /**
   * Flags for `deno run` and `deno bundle`. Everything but Sluice has the version in a copy of the lock file, because
   * Deno would add to the committed file if JSR is reachable.
   */
  readonly flags: readonly string[];
}

/** Sluice's sources, for benchmarks without a server: the limiter. */
export const SOURCES: Packages = { name: "sources", flags: [`--config=${TESTS_CONFIG}`] };

/**
 * Builds this checkout's packages as published. A command does this once, before it starts anything.
 *
 * @returns The packages
 */
export async function buildOwn(): Promise<Packages> {
  const folder = new URL("published/", FOLDER);
  await unlessUnchanged(ROOT, folder, () => buildPackages(folder));
  return await packagesIn("now", folder);
}

/**
 * Builds another checkout's packages, with its own `scripts/build.ts`, into a folder in this one.
 *
 * @param path The checkout's folder
 * @returns The packages
 * @throws {Error} If it is not a checkout of Sluice, or cannot be built
 */
export async function buildOther(path: string): Promise<Packages> {
  const checkout = new URL(`${pathToFileURL(await Deno.realPath(path)).href}/`);
  const script = new URL("scripts/build.ts", checkout);
  const { name } = JSON.parse(await Deno.readTextFile(new URL("deno.json", checkout)).catch(() => "{}"));
  if (name !== "@sluice/sluice") throw new Error(`--against takes a checkout of Sluice; ${path} is none`);
  const folder = new URL("published_before/", FOLDER);
  const program = `const { buildPackages } = await import(${JSON.stringify(script.href)});
await buildPackages(new URL(${JSON.stringify(folder.href)}));`;
  await unlessUnchanged(checkout, folder, async () => {
    const args = ["eval", "--quiet", ...await importFlags("build_before", checkout), program];
    const { code, output } = await run(Deno.execPath(), args, {
      limitMs: 120_000,
      quiet: true,
      cwd: fileURLToPath(checkout),
    });
    if (code !== 0) throw new Error(`${path} cannot be built: ${output}`);
  });
  return await packagesIn("before", folder);
}

/** Builds, unless there is already a build from files with the same contents. */
async function unlessUnchanged(checkout: URL, folder: URL, build: () => Promise<void>): Promise<void> {
  const stamp = new URL("built_from.txt", folder);
  const contents = `${checkout.href} ${await digestOfSources(checkout)}`;
  if (await Deno.readTextFile(stamp).catch(() => "") === contents) return;
  await build();
  await Deno.writeTextFile(stamp, contents);
}

async function packagesIn(name: string, folder: URL): Promise<Packages> {
  const map = await publishedImports(folder);
  const { imports } = JSON.parse(await Deno.readTextFile(map));
  // imports from the other checkout that this one lacks
  const { imports: own } = JSON.parse(await Deno.readTextFile(new URL("deno.json", folder)));
  await Deno.writeTextFile(map, JSON.stringify({ imports: { ...own, ...imports } }));
  return { name, flags: [`--import-map=${map}`, ...await importFlags(name, ROOT)] };
}

/** Returns flags for all of a checkout's imports, with a copy of its lock file. */
async function importFlags(name: string, checkout: URL): Promise<string[]> {
  const lock = new URL(`${name}.lock`, FOLDER);
  await Deno.mkdir(FOLDER, { recursive: true });
  const own = new URL("tests/deno.json", checkout);
  // older checkouts have one configuration for everything
  const config = await Deno.stat(own).then(() => own, () => new URL("deno.json", checkout));
  await Deno.copyFile(new URL("deno.lock", config), lock);
  return [`--config=${fileURLToPath(config)}`, `--lock=${fileURLToPath(lock)}`];
}

/**
 * Returns the arguments for Deno to run a program in this repository.
 *
 * @param packages Packages for its imports
 * @param flags Further flags for Deno
 * @returns Arguments before the program's own
 */
export function denoRun(packages: Packages, ...flags: readonly string[]): string[] {
  return ["run", "-A", "--quiet", "--no-check", ...packages.flags, ...flags];
}

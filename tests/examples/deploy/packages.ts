/** Both packages as users install them from npm, and examples that import them by name. */
import { cp, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { run } from "../../../scripts/process.ts";
import { npmPackages } from "../../../scripts/shared_builds.ts";

const ROOT = new URL("../../../", import.meta.url);
const FOLDER = new URL(".cache/deploy/", ROOT);

/** Packed packages by name. */
export type Tarballs = Readonly<Record<string, string>>;

let installing: Promise<void> | undefined;

/**
 * Packs the packages.
 *
 * @returns Paths of the tarballs
 */
export async function packages(): Promise<Tarballs> {
  const { libraries } = await npmPackages();
  return Object.fromEntries(libraries.map(({ name, tarball }) => [name, fileURLToPath(tarball)]));
}

/**
 * Copies an example to where its packages are installed, in a parent folder's `node_modules`.
 *
 * @param name Its folder in `examples/deploy`
 * @returns Path of the copy, with a trailing slash
 */
export async function copyExample(name: string): Promise<string> {
  await (installing ??= install());
  const copy = fileURLToPath(new URL(`${name}/`, FOLDER));
  await rm(copy, { recursive: true, force: true });
  await cp(new URL(`examples/deploy/${name}/`, ROOT), copy, { recursive: true });
  return copy;
}

/** The type checker's packages, as users install them from npm. */
const TYPES = { "typescript": "7.0.2", "@types/node": "^24" };

// their dependencies and those of the examples come from npm once; the packages themselves are unpacked every time
async function install(): Promise<void> {
  const tarballs = await packages();
  const dependencies = await dependenciesOfExamples();
  const unpacked = new URL("unpacked/", FOLDER);
  await rm(unpacked, { recursive: true, force: true });
  for (const [name, tarball] of Object.entries(tarballs)) {
    const folder = fileURLToPath(new URL(`${name}/`, unpacked));
    await Deno.mkdir(folder, { recursive: true });
    await done("tar", ["-xzf", tarball, "--strip-components=1", "-C", folder], folder);
    Object.assign(dependencies, JSON.parse(await Deno.readTextFile(`${folder}package.json`)).dependencies);
  }
  // they also depend on one another
  for (const name of Object.keys(tarballs)) delete dependencies[name];
  const manifest = JSON.stringify({ private: true, type: "module", dependencies, devDependencies: TYPES });
  const installed = new URL("installed.json", FOLDER);
  if (await Deno.readTextFile(installed).catch(() => "") !== manifest) {
    await Deno.mkdir(FOLDER, { recursive: true });
    await Deno.writeTextFile(new URL("package.json", FOLDER), manifest);
    await done(
      "npm",
      ["install", "--prefer-offline", "--no-audit", "--no-fund", "--no-package-lock"],
      fileURLToPath(FOLDER),
    );
    await Deno.writeTextFile(installed, manifest);
  }
  const scope = fileURLToPath(new URL("node_modules/@sluice", FOLDER));
  await rm(scope, { recursive: true, force: true });
  await Deno.rename(fileURLToPath(new URL("@sluice", unpacked)), scope);
}

async function dependenciesOfExamples(): Promise<Record<string, string>> {
  const all: Record<string, string> = {};
  for await (const { name } of Deno.readDir(new URL("examples/deploy/", ROOT))) {
    const manifest = new URL(`examples/deploy/${name}/package.json`, ROOT);
    const text = await Deno.readTextFile(manifest).catch(() => "{}");
    Object.assign(all, JSON.parse(text).dependencies);
  }
  return all;
}

/**
 * Runs a program that is expected to succeed.
 *
 * @param program The program
 * @param args Its arguments
 * @param cwd Folder it runs in
 * @param env Variables added to its environment
 * @returns Its output
 */
export async function done(
  program: string,
  args: string[],
  cwd: string,
  env: Record<string, string> = {},
): Promise<string> {
  const { code, output } = await run(program, args, { limitMs: 120_000, quiet: true, cwd, env });
  if (code !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${code}: ${output}`);
  return output;
}

/** A tool installed for tests on other runtimes; available if the variable is set. */
export function tool(name: string): string {
  return `${Deno.env.get("SLUICE_RUNTIMES")}node_modules/.bin/${name}`;
}

/** Whether those tools are missing; in CI the test runner counts this as a failure. */
export const skipTools: boolean = !Deno.env.has("SLUICE_RUNTIMES");

/**
 * Copies a host next to the tools, so it can import them.
 *
 * @param name A file in `hosts/`
 * @returns Path of the copy
 */
export async function host(name: string): Promise<string> {
  const copy = `${Deno.env.get("SLUICE_RUNTIMES")}deploy_${name}`;
  await Deno.copyFile(new URL(`hosts/${name}`, import.meta.url), copy);
  return copy;
}

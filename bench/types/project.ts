/** A project with the packages as on npm, in which compilers check types. */
import { cp, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { installLocked } from "../../scripts/locked_packages.ts";
import { run } from "../../scripts/process.ts";
import { npmPackages } from "../../scripts/shared_builds.ts";

/** Its folder. */
export const FOLDER: URL = new URL("../../.cache/bench/types/", import.meta.url);

const LIMIT_MS = 300_000;

const PACKAGES = [
  ...["@elysia/eden", "@hono/zod-validator", "@orpc/client", "@orpc/server", "@standard-schema/spec", "@trpc/client"],
  ...["@trpc/server", "elysia", "hono", "openapi-fetch", "typescript", "ws", "zod"],
];

const TYPESCRIPT = ["node_modules/typescript/bin/tsc", "--extendedDiagnostics"];

/** The cost of a check. */
export interface Checked {
  /** Seconds of processor time, for the whole process. */
  readonly seconds: number;
  /** Number of generic type instantiations. */
  readonly instantiations: number;
}

/**
 * Installs the packages.
 *
 * @throws {Error} If they cannot be built or installed
 */
export async function makeProject(): Promise<void> {
  const { libraries } = await npmPackages();
  await installLocked(FOLDER, PACKAGES);
  await Deno.mkdir(new URL("node_modules/@sluice/", FOLDER), { recursive: true });
  for (const { name, folder } of libraries) {
    const to = new URL(`node_modules/${name}/`, FOLDER);
    await rm(to, { recursive: true, force: true });
    await cp(folder, to, { recursive: true });
  }
  // packages that are not on npm are also resolved from the folder
  await put("deno.json", JSON.stringify({ nodeModulesDir: "manual" }));
  const compilerOptions = {
    target: "es2022",
    lib: ["es2022", "dom", "dom.iterable"],
    module: "nodenext",
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    types: [],
  };
  await put("tsconfig.json", JSON.stringify({ compilerOptions, files: ["checked.ts"] }));
}

/**
 * Writes a file in the project.
 *
 * @param name Its name
 * @param text Its content
 */
export async function put(name: string, text: string): Promise<void> {
  await Deno.writeTextFile(new URL(name, FOLDER), text);
}

/**
 * Checks the file `checked.ts` with TypeScript's compiler.
 *
 * @throws {Error} If it has an error
 */
export async function byTypeScript(): Promise<Checked> {
  return checkedFrom(await timed("node", ...TYPESCRIPT));
}

/**
 * Checks the file `checked.ts`, or does what another configuration says, and stops at a limit.
 *
 * @param limit Seconds of processor time
 * @param configuration The configuration's file name
 * @returns The cost, or `undefined` beyond the limit
 * @throws {Error} If there is an error in the types
 */
export async function byTypeScriptWithin(limit: number, configuration = "tsconfig.json"): Promise<Checked | undefined> {
  const { code, seconds, output } = await timedWithin(limit, "node", [...TYPESCRIPT, "--project", configuration]);
  if (OVER_LIMIT.includes(code)) return undefined;
  if (code !== 0) throw new Error(`${configuration}: ${output.slice(0, 2000)}`);
  return checkedFrom({ seconds, output });
}

function checkedFrom({ seconds, output }: { seconds: number; output: string }): Checked {
  return { seconds, instantiations: Number(output.match(/^Instantiations: +(\d+)/m)?.[1]) };
}

/**
 * Checks it with Deno.
 *
 * @returns Seconds of processor time
 * @throws {Error} If it has an error
 */
export async function byDeno(): Promise<number> {
  return (await timed(Deno.execPath(), "check", "--quiet", "--no-lock", "checked.ts")).seconds;
}

/** Names of the files that TypeScript's compiler reads for `checked.ts`. */
export async function filesRead(): Promise<string[]> {
  const { output } = await timed("node", "node_modules/typescript/bin/tsc", "--listFilesOnly");
  return output.split("\n").filter((line) => line.startsWith("/"));
}

/**
 * Runs a program in the project's folder.
 *
 * @returns Seconds of processor time, and its output
 * @throws {Error} If it fails
 */
export async function timed(program: string, ...args: string[]): Promise<{ seconds: number; output: string }> {
  const { code, seconds, output } = await timedWithin("unlimited", program, args);
  if (code !== 0) throw new Error(`${program} ${args.join(" ")}: ${output.slice(0, 2000)}`);
  return { seconds, output };
}

// the shell adds up all threads' times: a compiler that waits for a processor uses none
const TIMED = 'ulimit -t "$0"; "$@"; code=$?; times; exit $code';

/** The shell's exit codes for SIGKILL and SIGXCPU. */
const OVER_LIMIT = [128 + 9, 128 + 24];

async function timedWithin(limit: number | "unlimited", program: string, args: readonly string[]) {
  const options = { limitMs: LIMIT_MS, quiet: true, cwd: fileURLToPath(FOLDER) };
  const { code, output } = await run("sh", ["-c", TIMED, String(limit), program, ...args], options);
  const times = output.match(/^\d+m[\d.]+s \d+m[\d.]+s$/gm)?.at(-1) ?? "";
  const seconds = Array.from(
    times.matchAll(/(\d+)m([\d.]+)s/g),
    ([, minutes, rest]) => 60 * Number(minutes) + Number(rest),
  );
  return { code, output, seconds: seconds.reduce((sum, one) => sum + one, 0) };
}

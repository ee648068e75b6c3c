/** A project with the packages as on npm, in which compilers check types. */
import { cp, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { installLocked } from "../../scripts/locked_packages.ts";
import { run } from "../../scripts/process.ts";
import { npmPackages } from "../../scripts/shared_builds.ts";

/** Its folder. */
export const FOLDER: URL = new URL("../../.cache/bench/types/", import.meta.url);

const LIMIT_MS = 300_000;

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
  await installLocked(FOLDER, ["@standard-schema/spec", "openapi-fetch", "typescript", "ws", "zod"]);
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
  const { seconds, output } = await timed("node", "node_modules/typescript/bin/tsc", "--extendedDiagnostics");
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

// the shell adds up all threads' times: a compiler that waits for a processor uses none
const TIMED = '"$0" "$@"; code=$?; times; exit $code';

async function timed(program: string, ...args: string[]): Promise<{ seconds: number; output: string }> {
  const options = { limitMs: LIMIT_MS, quiet: true, cwd: fileURLToPath(FOLDER) };
  const { code, output } = await run("sh", ["-c", TIMED, program, ...args], options);
  if (code !== 0) throw new Error(`${program} ${args.join(" ")}: ${output.slice(0, 2000)}`);
  const times = output.match(/^\d+m[\d.]+s \d+m[\d.]+s$/gm)!.at(-1)!;
  const seconds = Array.from(
    times.matchAll(/(\d+)m([\d.]+)s/g),
    ([, minutes, rest]) => 60 * Number(minutes) + Number(rest),
  );
  return { seconds: seconds.reduce((sum, one) => sum + one), output };
}

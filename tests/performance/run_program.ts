import { fileURLToPath } from "node:url";
import { npmPackages } from "../../scripts/shared_builds.ts";
import { packageFlags } from "../support/node_program.ts";

const ROOT = new URL("../../", import.meta.url);

/**
 * Runs a program in this folder, which prints JSON, in its own process.
 *
 * @param name Its file name
 * @param v8Flags Flags for V8
 * @returns Its parsed output
 * @throws {Error} If it failed
 */
export async function runProgram<T>(name: string, ...v8Flags: string[]): Promise<T> {
  const flags = [
    "-A",
    "--quiet",
    "--no-check",
    ...await packageFlags(name),
    `--v8-flags=${v8Flags.join(",") || "--expose-gc"}`,
  ];
  return await printed(Deno.execPath(), ["run", ...flags, `tests/performance/${name}`]);
}

/**
 * Runs a program in this folder on Node; its argument is the entry of the framework's package for npm.
 *
 * @param name Its file name
 * @returns Its parsed output
 * @throws {Error} If it failed
 */
export async function runOnNode<T>(name: string): Promise<T> {
  const { libraries } = await npmPackages();
  const { folder } = libraries.find((one) => one.name === "@sluice/sluice")!;
  return await printed("node", [`tests/performance/${name}`, new URL("node/mod.js", folder).href]);
}

async function printed<T>(command: string, args: readonly string[]): Promise<T> {
  const { success, stdout, stderr } = await new Deno.Command(command, {
    args: [...args],
    cwd: fileURLToPath(ROOT),
    env: { NODE_ENV: "test" },
    stdin: "null",
  }).output();
  const text = new TextDecoder().decode(stdout);
  if (!success) throw new Error(`${args.join(" ")} failed: ${text}${new TextDecoder().decode(stderr)}`);
  return JSON.parse(text) as T;
}

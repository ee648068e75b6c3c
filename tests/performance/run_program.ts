import { fileURLToPath } from "node:url";
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
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", ...flags, `tests/performance/${name}`],
    cwd: fileURLToPath(ROOT),
    env: { NODE_ENV: "test" },
    stdin: "null",
  }).output();
  const text = new TextDecoder().decode(stdout);
  if (!success) throw new Error(`${name} failed: ${text}${new TextDecoder().decode(stderr)}`);
  return JSON.parse(text) as T;
}

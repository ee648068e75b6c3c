import { fileURLToPath } from "node:url";
import { bundleForNode, skipNode } from "./node_program.ts";
import { type Program, startProgram } from "./program.ts";

const runtimes = Deno.env.get("SLUICE_RUNTIMES");

/** Whether tests on uWebSockets.js are skipped because it is missing. */
export const skipUws: boolean = skipNode || runtimes === undefined;

/** The environment for programs that import `tests/fixtures/uws/engine.ts`. */
export const UWS_ENV: Record<string, string> = {
  NODE_ENV: "test",
  SLUICE_UWS: `${runtimes}node_modules/@trufflesuite/uws-js-unofficial`,
};

/**
 * Starts a program on Node that listens with uWebSockets.js.
 *
 * @param path Its path relative to the root
 * @param env Additional variables
 */
export async function startUws(path: string, env: Record<string, string> = {}): Promise<Program> {
  const cwd = fileURLToPath(new URL("../../", import.meta.url));
  return await startProgram("node", [await bundleForNode(path)], { cwd, env: { ...UWS_ENV, ...env } });
}

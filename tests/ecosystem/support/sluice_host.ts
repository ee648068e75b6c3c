import { bundled } from "../../contracts/bundled.ts";
import { packageFlags } from "../../support/node_program.ts";
import { Host } from "./host.ts";
import { NPM_FOLDER } from "./npm_folder.ts";
import type { Runtime } from "./program.ts";

const ROOT = new URL("../../../", import.meta.url);

/**
 * Starts Sluice. Under Node and Bun it uses the folder filled for Express.
 *
 * @param runtime The runtime
 * @param flags Flags for `deno run` that a package needs
 * @returns The process
 * @throws {Error} If the runtime is missing
 */
export async function startSluiceHost(runtime: Runtime, flags: readonly string[] = []): Promise<Host> {
  const name = `Sluice on ${runtime}`;
  if (runtime === "Deno") return new Host({ name, program: Deno.execPath(), args: await denoArgs(flags), cwd: ROOT });
  const runtimes = Deno.env.get("SLUICE_RUNTIMES");
  if (runtimes === undefined) {
    throw new Error("SLUICE_RUNTIMES is not set; deno task test --only=tests/ecosystem installs Bun");
  }
  const [program, bundle] = runtime === "Node"
    ? ["node", await bundled("tests/ecosystem/support/sluice_on_node.ts", "deno")]
    : [`${runtimes}node_modules/.bin/bun`, await bundled("mod.ts")];
  return new Host({ name, program, args: ["support/runner.mjs", bundle], cwd: NPM_FOLDER });
}

async function denoArgs(flags: readonly string[]): Promise<string[]> {
  const packages = await packageFlags("ecosystem");
  const runner = "tests/ecosystem/support/runner.mjs";
  return ["run", "-A", "--quiet", ...packages, ...flags, runner, "@sluice/sluice"];
}

/** The runtimes with `app.listen`, and the commands that start a program on each. */
import { bundled } from "../contracts/bundled.ts";
import { bundleForNode, packageFlags, skipNode } from "./node_program.ts";

const folder = Deno.env.get("SLUICE_RUNTIMES");

/** A runtime with `app.listen`. */
export interface ListeningRuntime {
  readonly name: "Deno" | "Node" | "Bun";
  /** Whether it is missing on this machine. */
  readonly ignore: boolean;
  /** The command that runs a program, given its path relative to the root, and its arguments. */
  command(program: string): Promise<[command: string, ...args: string[]]>;
}

/** All runtimes that can listen. */
export const LISTENING_RUNTIMES: readonly ListeningRuntime[] = [
  {
    name: "Deno",
    ignore: false,
    async command(program) {
      const flags = await packageFlags(program.replace(/[^a-z0-9]+/g, "_"));
      return [Deno.execPath(), "run", "-A", "--quiet", ...flags, program];
    },
  },
  { name: "Node", ignore: skipNode, command: async (program) => ["node", await bundleForNode("node.ts", program)] },
  {
    name: "Bun",
    ignore: folder === undefined,
    command: async (program) => [`${folder}node_modules/.bin/bun`, await bundled(program, "deno")],
  },
];

import type { ServerCommand } from "./server.ts";

/** The core that loads run on; see `server.ts`. */
export const LOAD_CORE = "1";

/**
 * Runs a program that loads a server, until it ends.
 *
 * @param command How it is started
 * @returns What it printed
 * @throws {Error} If it fails
 */
export async function printedByLoad({ program, args }: ServerCommand): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command("taskset", {
    args: ["-c", LOAD_CORE, program, ...args],
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}

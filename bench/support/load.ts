import type { ServerCommand } from "./server.ts";

/** The core that loads run on; see `server.ts`. */
export const LOAD_CORE = "1";

/**
 * Runs a load generator to its end.
 *
 * @param command How to start it
 * @returns Its output
 * @throws {Error} If it fails
 */
export async function printedByLoad({ program, args }: ServerCommand): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command("taskset", {
    args: ["-c", LOAD_CORE, program, ...args],
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}

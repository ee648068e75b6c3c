/** The target for slow clients, with short limits. */
import { fileURLToPath } from "node:url";
import type { FaultRuntime } from "./fault_servers.ts";
import { type Program, startProgram } from "./program.ts";
import type { RawServer } from "./raw_client.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** File size in bytes: more than the system buffers for a connection. */
export const FILE_BYTES = 256 * 1024 * 1024;

/** A server in a separate process. */
export interface LimitedServer extends RawServer, Program {}

/**
 * Starts the program.
 *
 * @param runtime Its runtime
 * @param fixture Its file in `tests/fixtures/limits/`
 * @param limits The `app.listen` options
 * @param env Variables added to its environment
 */
export async function startLimited(
  runtime: FaultRuntime,
  fixture: string,
  limits: Readonly<Record<string, number>>,
  env: Record<string, string> = {},
): Promise<LimitedServer> {
  const [command, ...args] = await runtime.command(`limits/${fixture}`);
  // sparse, so it uses no disk space; not in `.cache`, because names with a leading dot are not served
  const file = await Deno.makeTempFile();
  await Deno.truncate(file, FILE_BYTES);
  const variables = { NODE_ENV: "test", LIMITS: JSON.stringify(limits), FILE: file, ...env };
  const program = await startProgram(command!, args, { cwd: ROOT, env: variables });
  const dispose = async () => {
    await program.stop();
    await Deno.remove(file);
  };
  return { ...program, port: Number(program.line), [Symbol.asyncDispose]: dispose };
}

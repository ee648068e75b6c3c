import { Host } from "./host.ts";

const ROOT = new URL("../../../", import.meta.url);

/**
 * Starts Sluice under Deno.
 *
 * @param flags Flags for `deno run` that a package needs
 * @returns The process
 */
export async function startSluiceHost(flags: readonly string[]): Promise<Host> {
  await Deno.mkdir(new URL(".cache/", ROOT), { recursive: true });
  // a lock of its own, for a run may note things in it
  await Deno.copyFile(new URL("deno.lock", ROOT), new URL(".cache/ecosystem.lock", ROOT));
  const runner = "tests/ecosystem/support/runner.mjs";
  const args = ["run", "-A", "--quiet", "--lock=.cache/ecosystem.lock", ...flags, runner, "@sluice/sluice"];
  return new Host({ name: "Sluice", program: Deno.execPath(), args, cwd: ROOT });
}

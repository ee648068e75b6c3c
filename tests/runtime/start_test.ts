/** What a program gets that fails as it starts, on every runtime that listens. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { run } from "../../scripts/process.ts";
import { bundled } from "../contracts/bundled.ts";
import { bundleForNode, lockFlag, skipNode } from "../support/node_program.ts";
import { PATIENCE_MS } from "../support/patience.ts";

const PROGRAM = "tests/fixtures/start_fails.ts";
const runtimes = Deno.env.get("SLUICE_RUNTIMES");

const RUNTIMES: readonly [name: string, ignore: boolean, command: () => Promise<readonly string[]>][] = [
  ["Deno", false, async () => [Deno.execPath(), "run", "-A", "--quiet", await lockFlag("start_fails"), PROGRAM]],
  ["Node", skipNode, async () => ["node", await bundleForNode("node.ts", PROGRAM)]],
  ["Bun", runtimes === undefined, async () => [`${runtimes}node_modules/.bin/bun`, await bundled(PROGRAM, "deno")]],
];

for (const [name, ignore, command] of RUNTIMES) {
  Deno.test(`on ${name}, what the callback of listen throws ends the process, as with Express`, { ignore }, async () => {
    const [program, ...args] = await command();
    for (const way of ["callback", "promise", "listener"]) {
      const { code, output } = await run(program!, [...args, way], { limitMs: PATIENCE_MS, quiet: true });
      assertEquals(code, 1, `${way}: ${output}`);
      assertMatch(output, /the start failed/);
      assert(!/still running|reported/.test(output), `${way}: ${output}`);
    }
  });
}

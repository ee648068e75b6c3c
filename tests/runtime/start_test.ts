/** Programs that fail at startup, on every runtime that listens. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { run } from "../../scripts/process.ts";
import { LISTENING_RUNTIMES } from "../support/listening_runtimes.ts";
import { PATIENCE_MS } from "../support/patience.ts";

for (const { name, ignore, command } of LISTENING_RUNTIMES) {
  Deno.test(
    `on ${name}, what the callback of listen throws ends the process, as with Express`,
    { ignore },
    async () => {
      const [program, ...args] = await command("tests/fixtures/start_fails.ts");
      for (const way of ["callback", "promise", "listener"]) {
        const { code, output } = await run(program, [...args, way], { limitMs: PATIENCE_MS, quiet: true });
        assertEquals(code, 1, `${way}: ${output}`);
        assertMatch(output, /the start failed/);
        assert(!/still running|reported/.test(output), `${way}: ${output}`);
      }
    },
  );
}

import { assertEquals } from "@std/assert";
import { bundleForNode, skipNode } from "../support/node_program.ts";
import { PATIENCE_MS } from "../support/patience.ts";

Deno.test(
  "on Node, bodies and heads arrive under a test's fake timers, and stalled bodies time out by the clock of the moment",
  {
    ignore: skipNode,
  },
  async () => {
    const { stdout } = await new Deno.Command("node", {
      args: [await bundleForNode("tests/fixtures/node/fake_timers.ts")],
      stderr: "inherit",
      signal: AbortSignal.timeout(PATIENCE_MS),
    }).output();
    assertEquals(JSON.parse(new TextDecoder().decode(stdout)), ["/events", "/piped", 200, 408, 408, 408, 408]);
  },
);

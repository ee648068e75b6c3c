import { assertEquals } from "@std/assert";
import { bundleForNode, skipNode } from "../support/node_program.ts";
import { PATIENCE_MS } from "../support/patience.ts";

Deno.test("on Node, an agent that waits for node:http to be required sees requests of an ES module, as with Express", {
  ignore: skipNode,
}, async () => {
  const { stdout } = await new Deno.Command("node", {
    args: [await bundleForNode("tests/fixtures/node/agent.ts", "tests/fixtures/node/watched.ts")],
    stderr: "inherit",
    signal: AbortSignal.timeout(PATIENCE_MS),
  }).output();
  assertEquals(JSON.parse(new TextDecoder().decode(stdout)), [["/listening", "/listening"], ["/own", "/own"]]);
});

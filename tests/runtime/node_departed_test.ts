/** Requests on Node from clients already known to have disconnected when the application gets them. */
import { assertEquals } from "@std/assert";
import { bundleForNode, skipNode } from "../support/node_program.ts";

const SCENARIOS: readonly [name: string, scenario: string, seen: unknown][] = [
  ["no layer runs for a client that left while the server waited", "left", []],
  ["nor for one that has ended its side, which Node takes for gone", "ended", []],
  ["one that has ended its side is answered if the server keeps such connections", "half", ["/", true]],
  ["every request of a connection that is kept alive is run", "kept", ["/", "/"]],
];

for (const [name, scenario, seen] of SCENARIOS) {
  Deno.test(`on Node, ${name}`, { ignore: skipNode }, async () => {
    const { success, stdout, stderr } = await new Deno.Command("node", {
      args: [await bundleForNode("tests/fixtures/node/departed.ts"), scenario],
    }).output();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
    assertEquals(JSON.parse(new TextDecoder().decode(stdout)), seen);
  });
}

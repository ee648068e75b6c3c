import { assertEquals } from "@std/assert";
import { bundleForNode, skipNode } from "../support/node_program.ts";
import { PATIENCE_MS } from "../support/patience.ts";

Deno.test("on Node's server, an answer is sent without a web response, headers, a URL or a signal", {
  ignore: skipNode,
}, async () => {
  const { stdout } = await new Deno.Command("node", {
    args: [await bundleForNode("tests/performance/node_count_program.ts")],
    stderr: "inherit",
    signal: AbortSignal.timeout(PATIENCE_MS),
  }).output();
  const made = JSON.parse(new TextDecoder().decode(stdout)) as Record<string, Record<string, number>>;
  const names = [
    "plain text",
    "JSON",
    "1 param",
    "3 params",
    "5 middleware",
    "10 middleware",
    "1 of 100 routes",
    "404",
  ];
  assertEquals(made, Object.fromEntries(names.map((name) => [name, {}])));
});

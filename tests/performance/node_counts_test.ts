import { assert, assertEquals } from "@std/assert";
import { bundleForNode, skipNode } from "../support/node_program.ts";
import { PATIENCE_MS } from "../support/patience.ts";

/** What the program prints. */
interface Counted {
  /** Objects made, by scenario and class. */
  readonly made: Record<string, Record<string, number>>;
  /** Counts for 20 requests to an asynchronous handler, half of them with a body. */
  readonly asynchronous: Record<"addresses" | "timers", number>;
}

let counted: Promise<Counted> | null = null;

async function count(): Promise<Counted> {
  const { stdout } = await new Deno.Command("node", {
    args: [await bundleForNode("tests/performance/node_count_program.ts")],
    stderr: "inherit",
    signal: AbortSignal.timeout(PATIENCE_MS),
  }).output();
  return JSON.parse(new TextDecoder().decode(stdout));
}

Deno.test("on Node's server, an answer is sent without a web response, headers, a URL or a signal", {
  ignore: skipNode,
}, async () => {
  const { made } = await (counted ??= count());
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

Deno.test("on Node's server, asynchronous handlers read no address, and bodies share their timers", {
  ignore: skipNode,
}, async () => {
  const { asynchronous: { addresses, timers } } = await (counted ??= count());
  assertEquals(addresses, 0);
  assert(timers < 10, `${timers} timers for 10 bodies`);
});

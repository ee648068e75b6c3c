/**
 * `deno task bench:node`: the service from `run.ts`, with the same flags, on Node. Compares Sluice and its peers, as
 * ratios, with a hand-written `node:http` listener. The peers come from npm; about half an hour in full.
 */
import { SCENARIOS } from "./service/scenarios.ts";
import { underNode } from "./wire/commands.ts";
import { ON_NODE } from "./wire/comparison.ts";
import { runField } from "./wire/field.ts";

await runField({
  section: "node",
  runtime: "Node",
  contestants: ON_NODE,
  scenarios: SCENARIOS,
  program: "serve_node.ts",
  start: underNode,
});

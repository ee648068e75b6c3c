/**
 * `deno task bench:node`: the contestants of `run.ts` on Node, relative to a handwritten `node:http` listener. The peers
 * come from npm; about seven minutes in full.
 *
 * `--only=JSON,404 --contestants=sluice-node,hono-node --rounds=5 --seconds=1`; `--write` puts the results into
 * `docs/performance.md` and its picture.
 */
import { underNode } from "./wire/commands.ts";
import { ON_NODE } from "./wire/comparison.ts";
import { runField } from "./wire/field.ts";

await runField({
  comparisons: ON_NODE,
  command: (name) => underNode("serve_node.ts", name),
  sameBytes: [],
  picture: "performance-node.svg",
  title: "Requests per second on Node",
});

/**
 * `deno task bench`: Sluice and its peers on Deno, and Express and `node:http` under Node, as ratios to handwritten
 * handlers. Needs Linux with two processors, wrk (Debian package `wrk`) and Node; about twelve minutes in full.
 *
 * `--only=JSON,404 --contestants=sluice,hono --rounds=5 --seconds=1`; `--write` puts the results into
 * `docs/performance.md` and its picture.
 */
import { onDeno, underNode } from "./wire/commands.ts";
import { ON_DENO } from "./wire/comparison.ts";
import { runField } from "./wire/field.ts";

await runField({
  comparisons: ON_DENO,
  command: (name) => name.endsWith("-node") ? underNode("serve_node.ts", name) : onDeno("serve.ts", name),
  sameBytes: [["raw-same", "sluice"], ["raw-lean", "sluice-lean"]],
  picture: "performance.svg",
  title: "Requests per second, over a handler written by hand",
});

/**
 * `deno task bench:bun`: the contestants of `run.ts` on Bun, relative to `Bun.serve` with a handwritten handler. Bun and
 * the peers come from npm; about thirteen minutes in full.
 *
 * `--only=JSON,404 --contestants=sluice,hono --rounds=5 --seconds=1`; `--write` puts the results into
 * `docs/performance.md` and its picture.
 */
import { onBun } from "./wire/commands.ts";
import { ON_BUN } from "./wire/comparison.ts";
import { runField } from "./wire/field.ts";

await runField({
  comparisons: ON_BUN,
  command: (name) => onBun("serve_bun.ts", name),
  sameBytes: [["raw-same", "sluice"], ["raw-lean", "sluice-lean"], ["least", "sluice-lean"]],
  picture: "performance-bun.svg",
  title: "Requests per second on Bun",
  // Bun tidies up whenever it has a moment, so what follows a pause is slower, the longer it was
  leadSeconds: 1,
});

/**
 * `deno task bench:bun`: the service from `run.ts`, with the same flags, on Bun. Compares Sluice and its peers, as
 * ratios, with `Bun.serve` and a hand-written handler. Bun and the peers come from npm; about an hour in full.
 */
import { SCENARIOS } from "./service/scenarios.ts";
import { onBun } from "./wire/commands.ts";
import { ON_THE_WEB } from "./wire/comparison.ts";
import { runField } from "./wire/field.ts";

await runField({
  section: "bun",
  runtime: "Bun",
  contestants: ON_THE_WEB,
  scenarios: SCENARIOS,
  program: "serve_bun.ts",
  start: onBun,
  // Bun cleans up when idle: the longer the pause, the slower the next requests
  leadSeconds: 1,
});

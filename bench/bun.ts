/**
 * `deno task bench:bun`: the same service as in `run.ts`, with the same flags, on Bun: Sluice and its peers as ratios to
 * `Bun.serve` with a handler written by hand. Bun and the peers come from npm; about an hour in full.
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
  // Bun tidies up whenever it has a moment, so what follows a pause is slower, the longer it was
  leadSeconds: 1,
});

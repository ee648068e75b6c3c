/**
 * `deno task bench`: a small service on Sluice and its peers on Deno, as ratios to a hand-written version.
 * All requests differ. Needs Linux with two processors and wrk (Debian package `wrk`); about half an hour in full.
 *
 * `--only=json,404 --headers=bare --contestants=sluice,hono --rounds=5 --seconds=1` measures part of it; `--write` puts
 * the results into `docs/performance.md` and its picture.
 *
 * `--against=../base` measures the effect of a change: Sluice from this checkout and Sluice from a second checkout,
 * built by its own script, in one run of 15 rounds. With `--contestants`, other contestants run too. The ratios compare
 * processor time and are above 1 if this checkout uses less; bold ratios differ from 1 by more than chance.
 * `bench:node` and `bench:bun` accept the same flags.
 *
 * `deno task bench --only=json,404 --headers=bare --contestants=sluice,sluice-lean --against=../base`
 */
import { REPEATED, SCENARIOS } from "./service/scenarios.ts";
import { onDeno } from "./wire/commands.ts";
import { ON_THE_WEB } from "./wire/comparison.ts";
import { runField } from "./wire/field.ts";

await runField({
  section: "deno",
  runtime: "Deno",
  contestants: ON_THE_WEB,
  scenarios: [...SCENARIOS, REPEATED],
  program: "serve.ts",
  start: onDeno,
});

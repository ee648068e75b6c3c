/**
 * Starts every benchmark's command for one short round. Checks no figures: only that the command exits on its own and
 * prints its table.
 */
import { assert, assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";
import { run } from "../../scripts/process.ts";
import { skipNode } from "../support/node_program.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const LIMIT_MS = 120_000;
const ON_A_RUNTIME = ["--only=json", "--headers=bare", "--contestants=sluice", "--rounds=1", "--seconds=0.5"];

/** Arguments that keep each command short. */
const SHORT: Readonly<Record<string, readonly string[]>> = {
  "bench": [...ON_A_RUNTIME, "--against=."],
  "bench:node": ON_A_RUNTIME,
  "bench:bun": ON_A_RUNTIME,
  "bench:uws": ["--only=json", "--headers=bare", "--contestants=uws-sluice", "--rounds=1", "--seconds=0.5"],
  "bench:price": ["--only=idle", "--runtimes=deno"],
  "bench:process": ["--only=json", "--contestants=sluice-lean", "--rounds=1"],
  "bench:growth": ["--only=registration", "--contestants=sluice", "--rounds=1"],
  "bench:start": ["--contestants=bare", "--rounds=1"],
  "bench:install": ["--only=deno-jsr", "--rounds=1"],
  "bench:bodies": ["--only=json-in", "--rounds=1", "--seconds=0.5"],
  "bench:latency": ["--contestants=sluice-lean", "--connections=10", "--rounds=1", "--seconds=0.5"],
  "bench:overload": ["--only=deno", "--rate=50", "--seconds=0.5"],
  "bench:middleware": ["--only=none", "--rounds=1", "--seconds=0.5"],
  "bench:limiter": ["--only=middleware", "--rounds=1", "--keys=1"],
  "bench:types-frameworks": ["--only=sluice", "--sizes=10", "--rounds=1"],
  "bench:types": ["--only=plain", "--sizes=10", "--rounds=1"],
};

const { tasks } = JSON.parse(await Deno.readTextFile(`${ROOT}deno.json`)) as { tasks: Record<string, string> };
// scripts/run_tests.ts installs it where it can, and otherwise counts it as missing
const hasWrk = (await run("wrk", ["--version"], { limitMs: 5000, quiet: true })).code !== 127;

Deno.test("every benchmark's command is started here", () => {
  assertEquals(Object.keys(tasks).filter((name) => name.startsWith("bench")).sort(), Object.keys(SHORT).sort());
});

for (const [task, flags] of Object.entries(SHORT)) {
  Deno.test(`deno task ${task} ends with a table`, { ignore: !hasWrk || skipNode }, async () => {
    const { code, output } = await run(Deno.execPath(), ["task", task, ...flags], {
      limitMs: LIMIT_MS,
      quiet: true,
      cwd: ROOT,
    });
    assertEquals(code, 0, output);
    assert(/^\|(---\|)+$/m.test(output), output);
  });
}

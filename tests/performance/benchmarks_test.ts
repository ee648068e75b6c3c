/**
 * Starts every benchmark's command for one short round. No figure is judged: only that the command ends by itself, and
 * with its table.
 */
import { assert, assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";
import { run } from "../../scripts/process.ts";
import { skipNode } from "../support/node_program.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const LIMIT_MS = 120_000;
const ON_A_RUNTIME = ["--only=json", "--headers=bare", "--contestants=sluice", "--rounds=1", "--seconds=0.2"];

/** How each command is kept short. */
const SHORT: Readonly<Record<string, readonly string[]>> = {
  "bench": [...ON_A_RUNTIME, "--against=."],
  "bench:node": ON_A_RUNTIME,
  "bench:bun": ON_A_RUNTIME,
  "bench:process": ["--only=json", "--contestants=sluice-lean", "--rounds=1"],
  "bench:growth": ["--only=registration", "--contestants=sluice", "--rounds=1"],
  "bench:start": ["--contestants=bare", "--rounds=1"],
  "bench:bodies": ["--only=json-in", "--rounds=1", "--seconds=0.5"],
  "bench:latency": ["--contestants=sluice-lean", "--connections=10", "--rounds=1", "--seconds=0.2"],
  "bench:overload": ["--only=deno", "--rate=50", "--seconds=0.5"],
  "bench:middleware": ["--only=none", "--rounds=1", "--seconds=0.2"],
  "bench:limiter": ["--only=middleware", "--rounds=1", "--keys=1"],
};

const { tasks } = JSON.parse(await Deno.readTextFile(`${ROOT}deno.json`)) as { tasks: Record<string, string> };
const missing = (await Promise.all(["wrk", "taskset"].map(isMissing))).includes(true);
if (missing && Deno.env.get("CI") === "true") throw new Error("wrk or taskset is missing: no benchmark can run");

async function isMissing(program: string): Promise<boolean> {
  return (await run(program, ["-v"], { limitMs: 5000, quiet: true })).code === 127;
}

Deno.test("every benchmark's command is started here", () => {
  assertEquals(Object.keys(tasks).filter((name) => name.startsWith("bench")).sort(), Object.keys(SHORT).sort());
});

for (const [task, flags] of Object.entries(SHORT)) {
  Deno.test(`deno task ${task} ends with a table`, { ignore: missing || skipNode }, async () => {
    const { code, output } = await run(Deno.execPath(), ["task", task, ...flags], {
      limitMs: LIMIT_MS,
      quiet: true,
      cwd: ROOT,
    });
    assertEquals(code, 0, output);
    assert(/^\|(---\|)+$/m.test(output), output);
  });
}

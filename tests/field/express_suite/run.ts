/**
 * Express's own suites for both majors, at their pinned commits, on Express and on `@sluice/express` as npm installs
 * it: on Node, Deno and Bun. The exit code is 1 if a test fails that `failing.ts` does not list, or a listed test
 * passes. The repository comes from GitHub, or from the folder in `FIELD_REPOS`. `--record` puts the results into
 * docs/ecosystem.md.
 *
 * Usage: deno task test:express [--major=5,4] [--only=Node,Deno,Bun] [--record]
 */
import { type RuntimeName, RUNTIMES } from "../../../reliability/support/children.ts";
import { flags } from "../../../scripts/flags.ts";
import { type Recorded, withExpressSuite } from "./page.ts";
import recorded from "./results.json" with { type: "json" };
import { ExpressSuite } from "./run_express_suite.ts";
import { type Major, MAJORS } from "./suite.ts";

const { major: majors, only, record } = flags({ major: MAJORS.map(String), only: RUNTIMES, record: false });
const results: Recorded = recorded;

const all: Record<string, Partial<Record<RuntimeName, Recorded[Major][RuntimeName]>>> = structuredClone(results);
let surprises = 0;
for (const major of majors.map(Number) as Major[]) {
  await using suite = await ExpressSuite.prepare(major);
  for (const runtime of only as RuntimeName[]) {
    const { unexpected, ...result } = await suite.on(runtime);
    const { version, tests, express, sluice } = result;
    console.log(
      `Express ${major}, ${runtime} ${version}: of ${tests} tests, ${express} pass on Express, ${sluice} on Sluice`,
    );
    for (const line of unexpected) console.log(`  ${line}`);
    surprises += unexpected.length;
    all[major]![runtime] = result;
  }
}
if (record) await write(all as Recorded);
// not Deno.exit(), which would leave the folder behind
if (surprises > 0) Deno.exitCode = 1;

async function write(all: Recorded): Promise<void> {
  const page = new URL("../../../docs/ecosystem.md", import.meta.url);
  await Deno.writeTextFile(page, withExpressSuite(await Deno.readTextFile(page), all));
  await Deno.writeTextFile(new URL("results.json", import.meta.url), `${JSON.stringify(all, null, 2)}\n`);
}

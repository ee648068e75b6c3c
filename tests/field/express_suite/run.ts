/**
 * Express's own suite, from its pinned commit, on Express and on Sluice as npm installs it: on Node, Deno and Bun. The
 * exit code is 1 if a test fails that `failing.ts` does not list, or one passes that it lists. The repository comes from
 * GitHub, or from the folder that `FIELD_REPOS` names. `--record` puts the results into docs/ecosystem.md.
 *
 * Usage: deno task test:express [--only=Node,Deno,Bun] [--record]
 */
import { type RuntimeName, RUNTIMES } from "../../../reliability/support/children.ts";
import { flags } from "../../../scripts/flags.ts";
import { type Recorded, withExpressSuite } from "./page.ts";
import recorded from "./results.json" with { type: "json" };
import { ExpressSuite } from "./run_express_suite.ts";

const { only, record } = flags({ only: RUNTIMES, record: false });
const results: Recorded = recorded;

await using suite = await ExpressSuite.prepare();
const judged: Partial<Record<RuntimeName, Recorded[RuntimeName]>> = {};
let surprises = 0;
for (const runtime of only as RuntimeName[]) {
  const { unexpected, ...result } = await suite.on(runtime);
  const { version, tests, express, sluice } = result;
  console.log(`${runtime} ${version}: of ${tests} tests, ${express} pass on Express and ${sluice} on Sluice`);
  for (const line of unexpected) console.log(`  ${line}`);
  surprises += unexpected.length;
  judged[runtime] = result;
}
if (record) await write({ ...results, ...judged });
// not Deno.exit(), which would leave the folder behind
if (surprises > 0) Deno.exitCode = 1;

async function write(all: Recorded): Promise<void> {
  const page = new URL("../../../docs/ecosystem.md", import.meta.url);
  await Deno.writeTextFile(page, withExpressSuite(await Deno.readTextFile(page), all));
  await Deno.writeTextFile(new URL("results.json", import.meta.url), `${JSON.stringify(all, null, 2)}\n`);
}

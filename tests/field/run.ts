/**
 * Software made for Express, on Express and on Sluice: tests for applications and packages at pinned commits, and
 * programs that use npm packages. Repositories come from GitHub, or from the folder in `FIELD_REPOS`. `--record` puts
 * the results into docs/ecosystem.md.
 *
 * Usage: deno task test:field [--only=name,name] [--record]
 */
import { flags } from "../../scripts/flags.ts";
import { checkOut } from "./support/checkout.ts";
import { installFrameworks } from "./support/frameworks.ts";
import { differencesOf, judge } from "./support/judge.ts";
import { installPrograms, programs, runProgram } from "./support/run_program.ts";
import { countTests, measureOf, runSuite } from "./support/run_suite.ts";
import { type Passed, withResults } from "./support/page.ts";
import recorded from "./results.json" with { type: "json" };
import { APPLICATIONS, SUITES } from "./suites.ts";

const ofNpm = await programs();
const suites = [...APPLICATIONS, ...SUITES];
const names = [...suites.map(({ name }) => name), ...Array.from(ofNpm.keys(), (name) => `npm:${name}`)];
const { only, record } = flags({ only: names, record: false });

const failed: string[] = [];
const results: { programs: Record<string, number>; suites: Record<string, Passed> } = structuredClone(recorded);

/**
 * Tries one suite or program, and prints the result. An error that prevents a run counts as its failure and does not
 * stop the others.
 */
async function attempt(name: string, tried: () => Promise<readonly string[]>): Promise<void> {
  if (!only.includes(name)) return;
  const unexpected = await tried().catch((error: unknown) => [String(error)]);
  for (const line of unexpected) console.log(`  ${line}`);
  if (unexpected.length > 0) failed.push(name);
  // after each one: running all of them takes hours
  if (record) await write();
}

await installFrameworks();
if (only.some((name) => name.startsWith("npm:"))) await installPrograms(ofNpm);
for (const [name, program] of ofNpm) {
  await attempt(`npm:${name}`, async () => {
    const { asked, known, unexpected } = await runProgram(name, program);
    console.log(`${name}: ${asked} answers, ${known.length} of them known to differ`);
    results.programs[name] = asked;
    return unexpected;
  });
}
for (const suite of suites) {
  await attempt(suite.name, async () => {
    const folder = await checkOut(suite);
    const theirs = await measureOf(suite, folder);
    const known = differencesOf(suite.name);
    let judged = judge(theirs, await runSuite(suite, folder, "sluice"), known);
    // many suites measure time, on a machine that may be busy
    if (judged.unexpected.length > 0) {
      const again = judge(theirs, await runSuite(suite, folder, "sluice"), known);
      if (again.unexpected.length < judged.unexpected.length) judged = again;
    }
    const { express, sluice, unexpected, gone } = judged;
    console.log(`${suite.name}: ${sluice} of the ${express} that pass on Express`);
    const share = suite.all === undefined ? {} : { run: theirs.size, all: await countTests(suite, folder, suite.all) };
    results.suites[suite.name] = { express, sluice, ...share };
    return [...unexpected.map((title) => `fails: ${title}`), ...gone.map((title) => `passes now: ${title}`)];
  });
}
if (failed.length > 0) console.log(`Not as expected: ${failed.join(", ")}`);
Deno.exit(failed.length > 0 ? 1 : 0);

async function write(): Promise<void> {
  const page = new URL("../../docs/ecosystem.md", import.meta.url);
  await Deno.writeTextFile(page, withResults(await Deno.readTextFile(page), results, ofNpm));
  await Deno.writeTextFile(new URL("results.json", import.meta.url), `${JSON.stringify(results, null, 2)}\n`);
}

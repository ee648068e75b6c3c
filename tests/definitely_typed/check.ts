/**
 * `deno task test:types`: compiles DefinitelyTyped's tests for Express's types against the built packages.
 *
 * `--from=folder`, or the variable `DEFINITELY_TYPED`, names a folder that contains them; `--fetch` checks them out.
 */
import { flags } from "../../scripts/flags.ts";
import { npmPackages } from "../../scripts/shared_builds.ts";
import { findings, type Loading } from "./compile.ts";
import { EXPECTED } from "./expected.ts";
import { makeProject } from "./project.ts";
import { checkOutTests, readTests } from "./sources.ts";

/** Ways to load Express, and the types they get. */
const LOADINGS: Readonly<Record<Loading, string>> = { require: "required.d.cts", import: "mod.d.ts" };

const given = flags({ from: Deno.env.get("DEFINITELY_TYPED") ?? "", fetch: false });
if (given.from === "" && !given.fetch) {
  throw new Error(
    "The tests of DefinitelyTyped are not part of this repository: name a folder that has them with --from or " +
      "DEFINITELY_TYPED, or let git fetch them with --fetch",
  );
}
const texts = await readTests(given.fetch ? await checkOutTests() : given.from);
const { libraries: [sluice] } = await npmPackages();
const folder = await makeProject(sluice!.folder);

const wrong: string[] = [];
for (const [path, text] of texts) {
  for (const [loading, types] of Object.entries(LOADINGS) as [Loading, string][]) {
    const name = `${folder}${path.slice(path.lastIndexOf("/") + 1)}`;
    const found = findings(name, text, `${folder}node_modules/express/types/${types}`, loading);
    const differences = EXPECTED.filter((expected) => expected.path === path);
    const isExpected = ({ line, code }: { line: number; code: string }) =>
      differences.some((one) => one.lines.includes(line) && one.code === code);
    const surprises = found.filter((one) => !isExpected(one));
    const gone = differences.flatMap(({ lines, code }) =>
      lines.filter((line) => !found.some((one) => one.line === line && one.code === code))
    );
    console.log(`${path}, by ${loading}: ${found.length} differences, ${found.length - surprises.length} expected`);
    for (const { line, code, message } of surprises) wrong.push(`${path}:${line}, by ${loading}: ${code} ${message}`);
    for (const line of gone) wrong.push(`${path}:${line}, by ${loading}: the difference in expected.ts is gone`);
  }
}
if (wrong.length > 0) console.log(wrong.join("\n"));
Deno.exit(wrong.length > 0 ? 1 : 0);

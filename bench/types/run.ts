/**
 * `deno task bench:types`: how long compilers take to check applications with many routes, without and with schemas,
 * and clients with types from the OpenAPI document. About ten minutes.
 *
 * `--only=behind,within --sizes=10,100,500 --rounds=3`; `--write` puts the results into `docs/measurements/details.md`.
 */
import { fileURLToPath } from "node:url";
import openapiTS, { astToString } from "openapi-typescript";
import { flags } from "../../scripts/flags.ts";
import { run } from "../../scripts/process.ts";
import { TESTS_CONFIG } from "../../scripts/tests_config.ts";
import { writeSections } from "../support/page.ts";
import { median, spread, table } from "../support/table.ts";
import { application, client, type Way, WAYS } from "./application.ts";
import { byDeno, byTypeScript, type Checked, filesRead, FOLDER, makeProject, put } from "./project.ts";

const { only, sizes: chosen, rounds, write } = flags({
  only: Object.keys(WAYS),
  sizes: ["10", "100", "500"],
  rounds: 3,
  write: false,
});

await makeProject();
const sizes = chosen.map(Number);
// the other ways are compared with the first
const ways = [...new Set(["plain", ...only])] as Way[];

/** The cost of one source file for both compilers, per round. */
interface Measured {
  readonly byTypeScript: Checked[];
  readonly byDeno: number[];
}

async function measure(text: string, { byTypeScript: found, byDeno: seconds }: Measured): Promise<void> {
  await put("checked.ts", text);
  found.push(await byTypeScript());
  seconds.push(await byDeno());
}

const rows: string[][] = [];
for (const size of sizes) {
  const figures = new Map(ways.map((way) => [way, { byTypeScript: [], byDeno: [] } as Measured]));
  // in turn, so that ratios come from one round; Deno caches sources, so no source is repeated
  for (let round = 0; round < rounds; round++) {
    for (const way of ways) await measure(application(way, size, Math.random()), figures.get(way)!);
  }
  const base = figures.get("plain")!;
  const before = rows.length;
  for (const way of ways) rows.push(rowOf(size, WAYS[way], figures.get(way)!, base));
  const ofClient: Measured = { byTypeScript: [], byDeno: [] };
  await put("api.d.ts", await typesOf(size));
  for (let round = 0; round < rounds; round++) await measure(client(size, Math.random()), ofClient);
  rows.push(rowOf(size, "a client", ofClient, base));
  for (const row of rows.slice(before)) console.error(row.join("  "));
}
const foreign = (await filesRead()).filter((path) => /node_modules\/(?:@sluice|zod)\//.test(path));
if (foreign.length > 0) throw new Error(`the client is checked with the server's types: ${foreign}`);

async function typesOf(size: number): Promise<string> {
  await put("server.ts", application("within", size, 0));
  const server = new URL("server.ts", FOLDER).href;
  const program = fileURLToPath(new URL("document.ts", import.meta.url));
  const args = ["run", "-A", "--quiet", "--no-check", `--config=${TESTS_CONFIG}`, "--no-lock", program, server];
  const { code, output } = await run(Deno.execPath(), args, { limitMs: 60_000, quiet: true });
  if (code !== 0) throw new Error(`There is no document: ${output}`);
  return astToString(await openapiTS(output));
}

function rowOf(size: number, what: string, own: Measured, base: Measured): string[] {
  const times = (of: (checked: Checked) => number) => own.byTypeScript.map(of);
  const ratios = (above: readonly number[], below: readonly number[]) => above.map((value, i) => value / below[i]!);
  const total = times(({ seconds }) => seconds);
  return [
    String(size),
    what,
    median(total).toFixed(2),
    spread(ratios(total, base.byTypeScript.map(({ seconds }) => seconds))),
    String(median(times(({ instantiations }) => instantiations))),
    median(own.byDeno).toFixed(2),
    spread(ratios(own.byDeno, base.byDeno)),
  ];
}

const head = ["routes", "how", "tsc, s", "over without", "instantiations", "deno check, s", "over without"];
const text = `Processor time of the compilers for one file, with all that it imports, in seconds, median of ${rounds} ${
  rounds === 1 ? "round" : "rounds"
}, and over the same routes \
without schemas. All import Sluice, \`validate\` and zod, each schema is another one, and the client has the types that \
openapi-typescript makes of the document: its program has no file of Sluice or zod.

${table(head, rows)}`;
console.log(text);
if (write) await writeSections(new Map([["types", text]]), "measurements/details.md");

/**
 * `deno task bench:types-frameworks`: how long TypeScript takes to check one API in five frameworks, and its clients.
 * About 25 minutes.
 *
 * `--only=hono,trpc --sizes=10,100,500 --rounds=3`; `--write` puts the results into `docs/measurements/details.md`.
 */
import { flags } from "../../../scripts/flags.ts";
import { writeSections } from "../../support/page.ts";
import { median, paired, spread, table } from "../../support/table.ts";
import { byTypeScriptWithin, type Checked, FOLDER, makeProject, put, timed } from "../project.ts";
import { client, type Framework, FRAMEWORKS, wrongClient } from "./programs.ts";

const LIMIT_S = 120;

const { only, sizes: chosen, rounds, write } = flags({
  only: Object.keys(FRAMEWORKS),
  sizes: ["10", "100", "500"],
  rounds: 3,
  write: false,
});

/** The three measurements of a row: the server, a client with one call, a client with all calls. */
const COLUMNS = ["server", "one call", "every call"];

/** A way to give clients their types. */
interface Row {
  readonly name: string;
  readonly framework: Framework;
  /** Whether clients read the server's compiled declarations, not its source. */
  readonly compiled: boolean;
  /** Results by column and round; `undefined` beyond the limit. */
  readonly found: (Checked | undefined)[][];
}

await makeProject();
await put(
  "tsconfig.declarations.json",
  JSON.stringify({
    extends: "./tsconfig.json",
    compilerOptions: { noEmit: false, declaration: true, emitDeclarationOnly: true, outDir: "built", rootDir: "." },
    files: ["declared.ts"],
  }),
);

const sizes = chosen.map(Number);
const frameworks = [...new Set(["sluice", ...only])].map((name): Framework =>
  FRAMEWORKS[name as keyof typeof FRAMEWORKS]
);
const lines: string[][] = [];
const written: string[] = [];
for (const size of sizes) {
  const rows = frameworks.flatMap(rowsOf);
  const generated: number[] = [];
  // in turn, so that ratios come from one round
  for (let round = 0; round < rounds; round++) {
    for (const row of rows) {
      await putServer(row.framework, size);
      if (row.framework === FRAMEWORKS.sluice) generated.push(await generate());
      for (const [column, results] of row.found.entries()) {
        // what has exceeded the limit is not tried again
        if (!row.found.flat().includes(undefined)) results.push(await measure(row, column, size));
      }
      if (round === 0 && size === sizes[0]) await refuseWrong(row);
    }
  }
  const before = lines.length;
  lines.push(...rows.map((row) => lineOf(size, row, rows[0]!)));
  written.push(`${median(generated).toFixed(1)} s for ${size} routes`);
  for (const line of lines.slice(before)) console.error(line.join("  "));
}

function rowsOf(framework: Framework): Row[] {
  const row = (compiled: boolean): Row => ({
    name: compiled ? `${framework.name}, compiled` : framework.name,
    framework,
    compiled,
    found: COLUMNS.map(() => []),
  });
  return framework.client.compiled === undefined ? [row(false)] : [row(false), row(true)];
}

async function putServer({ server, compiled }: Framework, size: number): Promise<void> {
  await put("server.ts", server(size));
  await put("compiled.ts", compiled ?? "");
  await put("declared.ts", `export * from "./${compiled === undefined ? "server" : "compiled"}.js";\n`);
}

/** Generates Sluice's client, as users do. */
async function generate(): Promise<number> {
  const command = ["node_modules/@sluice/sluice/bin/sluice.js", "client", "server.ts", "--output", "client.ts"];
  const { seconds } = await timed(Deno.execPath(), "run", "-A", "--quiet", "--no-lock", ...command);
  return seconds;
}

async function measure({ framework, compiled }: Row, column: number, size: number): Promise<Checked | undefined> {
  if (column === 0 && compiled) {
    await Deno.remove(new URL("built/", FOLDER), { recursive: true }).catch(() => {});
    return await byTypeScriptWithin(LIMIT_S, "tsconfig.declarations.json");
  }
  const text = column === 0
    ? framework.server(size)
    : client(framework, beginning(framework, compiled), column === 1 ? 1 : size);
  await put("checked.ts", text);
  return await byTypeScriptWithin(LIMIT_S);
}

async function refuseWrong({ framework, compiled }: Row): Promise<void> {
  await put("checked.ts", wrongClient(framework, beginning(framework, compiled)));
  await byTypeScriptWithin(LIMIT_S);
}

function beginning({ client: { source, compiled } }: Framework, isCompiled: boolean): string {
  return isCompiled ? compiled! : source;
}

function lineOf(size: number, row: Row, base: Row): string[] {
  const cells = row.found.flatMap((results, column) => {
    const seconds = secondsOf(results);
    const ofBase = secondsOf(base.found[column]!);
    if (seconds === undefined) return [`over ${LIMIT_S}`, ""];
    return [median(seconds).toFixed(2), ofBase === undefined ? "" : spread(paired(seconds, ofBase))];
  });
  const counts = row.found.map(([first]) => first === undefined ? "" : String(first.instantiations));
  return [String(size), row.name, ...cells, ...counts];
}

/** Returns the times, if all checks ended. */
function secondsOf(results: readonly (Checked | undefined)[]): number[] | undefined {
  const ended = results.filter((result) => result !== undefined);
  return ended.length < rounds ? undefined : ended.map(({ seconds }) => seconds);
}

async function versionOf(name: string): Promise<string> {
  const { version } = JSON.parse(await Deno.readTextFile(new URL(`node_modules/${name}/package.json`, FOLDER)));
  return version;
}

const peers = frameworks.filter((framework) => framework !== FRAMEWORKS.sluice);
const versions = await Promise.all([
  ...peers.map(async ({ name, package: of }) => `${name} ${await versionOf(of)}`),
  versionOf("typescript").then((version) => `TypeScript ${version}`),
]);
const head = [
  "routes",
  "framework",
  ...COLUMNS.flatMap((column) => [`${column}, s`, "over Sluice"]),
  ...COLUMNS.map((column) => `instantiations, ${column}`),
];
const text = `Processor time of TypeScript's compiler in seconds, median of ${rounds} ${
  rounds === 1 ? "round" : "rounds"
}, and over Sluice's: for the server alone, for a client with one call, and for a client that calls every route. A check \
that takes longer than ${LIMIT_S} s is stopped. With ${
  versions.join(", ")
}. In the lines with _compiled_, the compiler \
first writes the server's declarations, whose time stands for the server, and clients read those. Sluice's clients read \
the file that \`sluice client\` writes, in ${written.join(", ")}.

${table(head, lines)}`;
console.log(text);
if (write) await writeSections(new Map([["types-frameworks", text]]), "measurements/details.md");

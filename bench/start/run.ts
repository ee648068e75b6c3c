/**
 * `deno task bench:start`: from starting a process to the first byte of its first response, relative to a bare
 * `Deno.serve`; the first request; and the imports. Under a minute.
 *
 * `--rounds=20 --contestants=bare,sluice,hono`; `--write` puts the results into `docs/measurements/details.md`.
 */
import { flags } from "../../scripts/flags.ts";
import { writeSections } from "../support/page.ts";
import { median, table } from "../support/table.ts";
import { type Graph, importGraph } from "./graph.ts";
import { makeProject, STARTING } from "./project.ts";
import { start, type Started } from "./started.ts";

const { contestants: chosen, rounds, write } = flags({ contestants: [...STARTING.keys()], rounds: 20, write: false });
const contestants = [...new Set(["bare", ...chosen])];

const program = await makeProject();
const cases = contestants.flatMap((name) => [true, false].map((cache) => ({ name, cache, starts: [] as Started[] })));
// round -1 fills Deno's caches
for (let round = -1; round < rounds; round++) {
  for (const { name, cache, starts } of cases) {
    const started = await start(program(name), cache);
    if (round >= 0) starts.push(started);
  }
}

function middle(name: string, cache: boolean, of: keyof Started): number {
  const { starts } = cases.find((one) => one.name === name && one.cache === cache)!;
  return median(starts.map((started) => started[of]));
}

function over(name: string, cache: boolean, of: keyof Started): string {
  const bare = middle("bare", cache, of);
  return name === "bare" ? `(${bare.toFixed(1)})` : (middle(name, cache, of) - bare).toFixed(1);
}

const rows = contestants.map((name) => [
  STARTING.get(name)!,
  over(name, true, "firstByte"),
  over(name, true, "processor"),
  over(name, false, "firstByte"),
  over(name, false, "processor"),
  middle(name, true, "first").toFixed(1),
  middle(name, true, "second").toFixed(2),
]);
const head = [
  "contestant",
  "first byte",
  "processor",
  "first byte, cold",
  "processor, cold",
  "first request",
  "second",
];
const { own, packages } = await importGraph("mod.ts");
const published = await importGraph(".cache/bench/start/dist/mod.js");
const largest = own.slice(0, 8).map((module) => `\`${module.path}\` (${(module.bytes / 1024).toFixed(0)})`);
const text =
  `ms over a bare \`Deno.serve\`, whose own are in parentheses, median of ${rounds} starts in turn: from starting \
the process to the first byte of its first answer, and the time all its threads spent on a processor until then; with \
V8's code cache, and without ("cold"). At most 12 is wanted. Then the first request and the second, from sending to \
reading; at most 4 is wanted for the first.

${table(head, rows)}

As published, Sluice loads ${sizeOf(published)}, with ${packages.length} packages inside: \
${packages.map((name) => `\`${name}\``).join(", ")}. \`mod.ts\` itself loads ${sizeOf({ own })}; the largest, in KiB: \
${largest.join(", ")}.`;
console.log(text);
if (write) await writeSections(new Map([["start", text]]), "measurements/details.md");

function sizeOf({ own }: Pick<Graph, "own">): string {
  const bytes = own.reduce((sum, module) => sum + module.bytes, 0);
  return `${own.length} modules of ${(bytes / 1024).toFixed(0)} KiB`;
}

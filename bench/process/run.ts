/**
 * `deno task bench:process`: ns per request in one process, `app.fetch(request)` without a network, beyond creating the
 * bare request and response. All requests differ. Every contestant has its own process; about three minutes in full.
 *
 * `--only=json,404 --contestants=sluice-lean,hono --rounds=5`; `--write` puts the results into
 * `docs/measurements/details.md`.
 */
import { flags } from "../../scripts/flags.ts";
import { SCENARIOS } from "../service/scenarios.ts";
import { type Batches, least, overFloor } from "../support/batches.ts";
import { interleave, withChildren } from "../support/child.ts";
import { buildOwn } from "../support/packages.ts";
import { writeSections } from "../support/page.ts";
import { median, table } from "../support/table.ts";
import { TITLES } from "../wire/comparison.ts";

const CONTESTANTS = ["hand", "hand-lean", "sluice-lean", "hand-same", "sluice", "hono", "h3", "elysia"];
/** Files come from the disk, outside the process. */
const IN_PROCESS = SCENARIOS.filter(({ name }) => name !== "file");

const { only, contestants, rounds, write } = flags({
  only: IN_PROCESS.map(({ name }) => name),
  contestants: CONTESTANTS,
  rounds: 5,
  write: false,
});

const packages = await buildOwn();
const worker = new URL("worker.ts", import.meta.url);
const rows: string[][] = [];
for (const { name, title } of IN_PROCESS.filter(({ name }) => only.includes(name))) {
  // separate processes per scenario: a function's speed depends on its earlier arguments
  const figures = await withChildren(
    worker,
    contestants.map((contestant) => [contestant, name]),
    (children) => interleave<Batches>(contestants, children, rounds),
    packages,
  );
  const cells = contestants.map((contestant) => {
    const all = figures.get(contestant)!;
    return [median, least].map((of) => overFloor(all, of).toFixed(0)).join(" · ");
  });
  rows.push([title, ...cells]);
  console.error(rows.at(-1)!.join("  "));
}

const head = ["scenario", ...contestants.map((contestant) => TITLES.get(contestant)!)];
const text =
  `ns a request, over making the bare \`Response\`, the body of a JSON request read and written: the median of many \
batches less that of as many of the bare one, taken in turn; then the least of each. All requests differ.

${table(head, rows)}`;
console.log(`\n${text}`);
if (write) await writeSections(new Map([["process", text]]), "measurements/details.md");

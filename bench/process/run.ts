/**
 * `deno task bench:process`: ns a request costs in one process, `app.fetch(request)` without a network, beyond making
 * the bare request and response. Every contestant has its own process; about two minutes in full.
 *
 * `--only=JSON,404 --contestants=sluice-lean,hono --rounds=5`; `--write` puts the results into `docs/performance.md`.
 */
import { flags } from "../../scripts/flags.ts";
import { SCENARIOS } from "../scenarios.ts";
import { type Batches, least, overFloor } from "../support/batches.ts";
import { interleave, withChildren } from "../support/child.ts";
import { writeSections } from "../support/page.ts";
import { median, table } from "../support/table.ts";

const CONTESTANTS: ReadonlyMap<string, string> = new Map([
  ["raw", "the fewest by hand"],
  ["raw-lean", "those of lean by hand"],
  ["sluice-lean", "Sluice lean"],
  ["sluice", "Sluice"],
  ["hono", "Hono"],
  ["h3", "h3"],
  ["elysia", "Elysia"],
]);

/** Upper limits for Sluice lean, in ns. */
const TARGETS: Readonly<Record<string, number>> = {
  "plain text": 390,
  "JSON": 380,
  "1 param": 590,
  "3 params": 770,
  "JSON body": 890,
  "5 middleware": 430,
  "10 middleware": 450,
  "1 of 100 routes": 590,
  "404": 400,
};

const { only, contestants, rounds, write } = flags({
  only: SCENARIOS.map(({ name }) => name),
  contestants: [...CONTESTANTS.keys()],
  rounds: 5,
  write: false,
});

const worker = new URL("worker.ts", import.meta.url);
const rows: string[][] = [];
for (const scenario of only) {
  // separate processes per scenario: a function's speed depends on what it was called with before
  const figures = await withChildren(
    worker,
    contestants.map((contestant) => [contestant, scenario]),
    (children) => interleave<Batches>(contestants, children, rounds),
  );
  const cells = contestants.map((contestant) => {
    const all = figures.get(contestant)!;
    return [median, least].map((of) => overFloor(all, of).toFixed(0)).join(" · ");
  });
  rows.push([scenario, ...cells, String(TARGETS[scenario])]);
  console.log(rows.at(-1)!.join("  "));
}

const head = ["scenario", ...contestants.map((contestant) => CONTESTANTS.get(contestant)!), "lean, at most"];
const text =
  `ns a request, over making the bare \`Response\`, the body of a JSON request read and written: the median of many \
batches less that of as many of the bare one, taken in turn; then the least of each.

${table(head, rows)}`;
console.log(`\n${text}`);
if (write) await writeSections(new Map([["process", text]]));

/**
 * `deno task soak [--minutes M] [--rate N] [--seed N] [--write]`: mixed traffic to a server on each runtime. `--write`
 * puts the table into docs/reliability.md. The exit code is 1 if a request is lost or the server leaks.
 */
import { writeSections } from "../../bench/support/page.ts";
import { table } from "../../bench/support/table.ts";
import { RUNTIMES } from "../support/children.ts";
import { flags } from "../../scripts/flags.ts";
import { grows, leaks, soak, type Soaked } from "./soak.ts";

const { minutes, rate, seed, write } = flags({
  minutes: 2,
  rate: 60,
  seed: 1 + Date.now() % 1_000_000_000,
  write: false,
});
const results = await Promise.all(RUNTIMES.map((runtime) => soak(runtime, { forMs: minutes * 60_000, rate, seed })));

function row({ runtime, sent, lost, slowestMs, heap, descriptors: [before, after] }: Soaked): string[] {
  const slope = `${heap.perUnit.toFixed(1)} ± ${(2 * heap.error).toFixed(1)}`;
  return [runtime, String(sent), String(lost.length), slowestMs.toFixed(0), slope, `${before} → ${after}`];
}

const head = ["runtime", "requests sent", "lost", "slowest, ms", "heap, bytes a request", "descriptors"];
const text = `${minutes} min at ${rate} visits a second to each runtime, seed ${seed}:\n\n${
  table(head, results.map(row))
}`;
console.log(text);
for (const { runtime, lost, errors } of results) {
  for (const why of lost.slice(0, 5)) console.log(`LOST on ${runtime}: ${why}`);
  if (errors !== "") console.log(`STDERR of ${runtime}: ${errors.slice(0, 1000)}`);
}
if (write) await writeSections(new Map([["soak", text]]), "reliability.md");
const isGood = results.every((one) => one.lost.length === 0 && one.errors === "" && !leaks(one) && !grows(one));
Deno.exit(isGood ? 0 : 1);

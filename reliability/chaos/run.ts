/**
 * `deno task chaos [--only=limiter,topics,shutdown] [--write]`: Redis killed, frozen, cut off and moved, processes
 * starved, servers closed under load. `--write` puts the table into docs/reliability.md. The exit code is 1 if anything
 * is lost or admitted that the documentation does not say.
 */
import { writeSections } from "../../bench/support/page.ts";
import { table } from "../../bench/support/table.ts";
import { flags } from "../../scripts/flags.ts";
import { limiterFaults } from "./limiter.ts";
import type { Row } from "./row.ts";
import { shutdowns } from "./shutdown.ts";
import { topicFaults } from "./topics.ts";

const PARTS: Readonly<Record<string, () => AsyncGenerator<Row>>> = {
  limiter: limiterFaults,
  topics: topicFaults,
  shutdown: shutdowns,
};

const { only, write } = flags({ only: Object.keys(PARTS), write: false });
const rows: Row[] = [];
for (const part of only) {
  for await (const row of PARTS[part]!()) {
    rows.push(row);
    console.log(`${row.broken === undefined ? "ok" : `BROKEN: ${row.broken}`}: ${row.fault}`);
  }
}
const text = table(
  ["fault", "sent", "lost", "over the limit", "slowest, ms", "what else was seen"],
  rows.map(({ fault, sent, lost, over, slowestMs, remark }) => {
    return [fault, String(sent), String(lost), String(over ?? ""), slowestMs?.toFixed(0) ?? "", remark];
  }),
);
console.log(`\n${text}`);
if (write) await writeSections(new Map([["chaos", text]]), "reliability.md");
Deno.exit(rows.some(({ broken }) => broken !== undefined) ? 1 : 0);

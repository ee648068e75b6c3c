/**
 * `deno task chaos [--only=limiter,topics,shutdown,kubernetes,bodies] [--write]`: kills, freezes, cuts off and moves
 * Redis, starves processes, closes and replaces servers under load, and keeps them busy with slow clients. `--write`
 * puts the table into docs/reliability.md. The exit code is 1 if anything is lost or admitted beyond what the
 * documentation states.
 */
import { writeSections } from "../../bench/support/page.ts";
import { table } from "../../bench/support/table.ts";
import { flags } from "../../scripts/flags.ts";
import { limiterFaults } from "./limiter.ts";
import type { Row } from "./row.ts";
import { deploys } from "./deploy.ts";
import { kubernetes } from "./kubernetes.ts";
import { shutdowns } from "./shutdown.ts";
import { slowBodies } from "./slow_bodies.ts";
import { topicFaults } from "./topics.ts";

const PARTS: Readonly<Record<string, () => AsyncGenerator<Row>>> = {
  limiter: limiterFaults,
  topics: topicFaults,
  async *shutdown() {
    yield* shutdowns();
    yield* deploys();
  },
  kubernetes,
  bodies: slowBodies,
};

/** The table in docs/reliability.md for each part's rows. */
const TABLES: Readonly<Record<string, string>> = {
  limiter: "chaos",
  topics: "chaos",
  shutdown: "chaos",
  kubernetes: "kubernetes",
  bodies: "bodies",
};

const { only, write } = flags({ only: Object.keys(PARTS), write: false });
const rows = new Map<string, Row[]>();
for (const part of only) {
  const known = rows.get(TABLES[part]!) ?? [];
  rows.set(TABLES[part]!, known);
  for await (const row of PARTS[part]!()) {
    known.push(row);
    console.log(`${row.broken === undefined ? "ok" : `BROKEN: ${row.broken}`}: ${row.fault}`);
  }
}
const texts = new Map(Array.from(rows, ([name, some]) => [name, shown(some)]));
for (const text of texts.values()) console.log(`\n${text}`);
if (write) await writeSections(texts, "reliability.md");
Deno.exit([...rows.values()].flat().some(({ broken }) => broken !== undefined) ? 1 : 0);

function shown(some: readonly Row[]): string {
  return table(
    ["fault", "sent", "lost", "over the limit", "slowest, ms", "what else was seen"],
    some.map(({ fault, sent, lost, over, slowestMs, remark }) => {
      return [fault, String(sent), String(lost), String(over ?? ""), slowestMs?.toFixed(0) ?? "", remark];
    }),
  );
}

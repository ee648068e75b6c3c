/**
 * `deno task bench:overload`: ten times as many requests as one process can handle, for twelve seconds, with and
 * without `shedLoad`; about three minutes in full. The load runs under Node.
 *
 * `--seconds=12 --rate=500 --only=node,deno,bun`; `--write` puts the results into `docs/production.md`.
 */
import { flags, refuseToWrite } from "../../scripts/flags.ts";
import { printedByLoad } from "../support/load.ts";
import { buildOwn } from "../support/packages.ts";
import { writeSections } from "../support/page.ts";
import { withServers } from "../support/server.ts";
import { table } from "../support/table.ts";
import { onBun, onDeno, type Start, underNode } from "../wire/commands.ts";
import type { Rush } from "./work.ts";

const RUNTIMES: Readonly<Record<string, Start>> = { node: underNode, deno: onDeno, bun: onBun };
const TITLES: Readonly<Record<string, string>> = { node: "Node", deno: "Deno", bun: "Bun" };
const CONTESTANTS: readonly { name: string; title: string; only?: string }[] = [
  { name: "express", title: "Express", only: "node" },
  { name: "plain", title: "Sluice" },
  { name: "shedding", title: "Sluice with `shedLoad()`" },
];

const { only, seconds, rate, write } = flags({ only: Object.keys(RUNTIMES), seconds: 12, rate: 500, write: false });
if (write && seconds < 12) refuseToWrite("seconds");
const packages = await buildOwn();

async function rushAt(runtime: string, contestant: string): Promise<Rush> {
  const command = await RUNTIMES[runtime]!(packages, "overload/serve.ts", contestant);
  return await withServers(new Map([[contestant, command]]), async (servers) => {
    const { port } = servers.get(contestant)!;
    const load = await underNode(packages, "overload/load.ts", ...[port, rate, seconds].map(String));
    return JSON.parse(await printedByLoad(load)) as Rush;
  });
}

const rows: string[][] = [];
for (const runtime of only) {
  for (const { name, title, only } of CONTESTANTS) {
    if (only !== undefined && only !== runtime) continue;
    const { served, refused, gaveUp, runs, p50, p99, recovery } = await rushAt(runtime, name);
    const wasted = Math.max(0, runs - served);
    const share = runs === 0 ? "0" : `${wasted} of ${runs} (${(100 * wasted / runs).toFixed(0)} %)`;
    const recovered = recovery === null ? "over 60 s" : `${recovery} ms`;
    rows.push([TITLES[runtime]!, title, ...[served, refused, gaveUp].map(String), `${p50}, ${p99}`, share, recovered]);
  }
}
const head = [
  "",
  "",
  "served",
  "refused",
  "gave up",
  "p50, p99 in ms",
  "handlers run for clients that had left",
  "recovery",
];
const text = table(head, rows);
console.log(text);
if (write) await writeSections(new Map([["overload", text]]), "production.md");

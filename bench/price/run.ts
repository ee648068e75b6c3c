/**
 * `deno task bench:price`: the cost of one connection to a server, for each use a client can make of it, on
 * Deno, Node and Bun: resident memory, requests in progress, descriptors and processor time. About two minutes in full.
 *
 * `--only=idle,br-stream --runtimes=node,bun`; `--write` puts the table into `docs/security.md`.
 */
import { flags } from "../../scripts/flags.ts";
import { buildOwn } from "../support/packages.ts";
import { writeSections } from "../support/page.ts";
import { table } from "../support/table.ts";
import { onBun, onDeno, type Start, underNode } from "../wire/commands.ts";
import { FEATURES } from "./features.ts";
import { serverFiles } from "./files.ts";
import { type Price, priceOf } from "./price.ts";

const RUNTIMES: Readonly<Record<string, { title: string; start: Start; hasHttp2: boolean }>> = {
  deno: { title: "Deno", start: onDeno, hasHttp2: true },
  node: { title: "Node", start: underNode, hasHttp2: true },
  bun: { title: "Bun", start: onBun, hasHttp2: false },
};

const { only, runtimes, write } = flags({
  only: FEATURES.map(({ name }) => name),
  runtimes: Object.keys(RUNTIMES),
  write: false,
});
const packages = await buildOwn();
await using files = await serverFiles();
const started = runtimes.map((name) => {
  const { title, start, hasHttp2 } = RUNTIMES[name]!;
  return { title, command: start(packages, "price/serve.ts", files.folder, ...(hasHttp2 ? files.tls : [])) };
});
const servers = await Promise.all(started.map(async ({ title, command }) => ({ title, command: await command })));
const rows: string[][] = [];
for (const feature of FEATURES.filter(({ name }) => only.includes(name))) {
  // in parallel: memory and processor time are per process
  const measured = await Promise.allSettled(servers.map(({ command }) => priceOf(feature, command, files.cert)));
  // only now, when all servers have been stopped
  const prices = measured.map((result) => {
    if (result.status === "rejected") throw result.reason;
    return result.value;
  });
  rows.push([feature.title, ...prices.map((price) => price === null ? "–" : cell(price))]);
  console.error(rows.at(-1)!.join("  "));
}
const text = table(["one connection", ...servers.map(({ title }) => title)], rows);
console.log(`\n${text}`);
if (write) await writeSections(new Map([["price", text]]), "security.md");

function cell({ mebibytes, requests, descriptors, processorMs }: Price): string {
  const [memory, time] = [mebibytes, processorMs].map((value) =>
    Math.max(0, value).toFixed(value < 0.1 ? 3 : value < 1 ? 2 : 1)
  );
  return `${memory} · ${requests.toFixed(0)} · ${descriptors.toFixed(0)} · ${time}`;
}

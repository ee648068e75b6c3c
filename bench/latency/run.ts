/**
 * `deno task bench:latency`: response times at a constant rate, relative to a hand-written handler at the same rate.
 * About eight minutes in full; the load runs on Bun, from npm.
 *
 * `--rounds=30 --seconds=1 --load=0.3 --connections=50,500 --contestants=sluice-lean,hono`; `--load` is a fraction of
 * the maximum rate that the slowest contestant with the same floor reaches; `--write` puts the results into
 * `docs/measurements/details.md`.
 */
import { flags, refuseToWrite } from "../../scripts/flags.ts";
import { CLIENTS } from "../service/clients.ts";
import { FOLDER } from "../service/files.ts";
import { exchangesOf, SCENARIOS } from "../service/scenarios.ts";
import { printedByLoad } from "../support/load.ts";
import { buildOwn } from "../support/packages.ts";
import { writeSections } from "../support/page.ts";
import { type Server, type ServerCommand, withServers } from "../support/server.ts";
import { median, table } from "../support/table.ts";
import { writeTraffic } from "../support/traffic.ts";
import { onBun, onDeno } from "../wire/commands.ts";
import { TITLES } from "../wire/comparison.ts";
import { measure } from "../wire/rounds.ts";
import { type Counts, Latencies } from "./latencies.ts";

/** Contestants, and the floor for each. */
const FLOORS: ReadonlyMap<string, string> = new Map([
  ["sluice-lean", "hand"],
  ["hono", "hand"],
  ["sluice", "hand-same"],
]);
/** Maximum requests a second that the load generator can send reliably. */
const MOST = 30_000;
/** Number of parts to split the rounds into, to show the spread of the ratio. */
const PARTS = 3;

const CONNECTIONS = "50,500";
const { rounds, seconds, load, connections, contestants, write } = flags({
  rounds: 30,
  seconds: 1,
  load: 0.3,
  connections: CONNECTIONS,
  contestants: [...FLOORS.keys()],
  write: false,
});
if (write && connections !== CONNECTIONS) refuseToWrite("connections");
const connectionCounts = connections.split(",").map(Number);
const exchanges = exchangesOf(SCENARIOS.find(({ name }) => name === "json")!, CLIENTS[0]!);
const traffic = await writeTraffic("latency", exchanges.map(({ asked }) => asked), 200);
const packages = await buildOwn();
const all = [...new Set(contestants.flatMap((name) => [FLOORS.get(name)!, name]))];

/** Determines the requests a second for a floor and its contestants. */
async function rateFor(floor: string, servers: ReadonlyMap<string, Server>, connections: number): Promise<number> {
  let least = MOST / load;
  for (const name of all.filter((one) => floorOf(one) === floor)) {
    await measure(servers.get(name)!, traffic, seconds, { connections });
    least = Math.min(least, (await measure(servers.get(name)!, traffic, seconds, { connections })).rate);
  }
  return Math.round(load * least);
}

function floorOf(name: string): string {
  return FLOORS.get(name) ?? name;
}

async function counts(server: Server, connections: number, rate: number): Promise<Counts> {
  const args = [String(server.port), traffic.file, ...[connections, rate, seconds].map(String)];
  return JSON.parse(await printedByLoad(await onBun(packages, "latency/load.ts", ...args)));
}

async function tableFor(servers: ReadonlyMap<string, Server>, connections: number): Promise<string> {
  const rates = new Map<string, number>();
  for (const floor of new Set(all.map(floorOf))) rates.set(floor, await rateFor(floor, servers, connections));
  const taken = new Map<string, Counts[]>(all.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? all : [...all].reverse();
    for (const name of order) {
      taken.get(name)!.push(await counts(servers.get(name)!, connections, rates.get(floorOf(name))!));
    }
  }
  const rows = all.map((name) => {
    const latencies = Latencies.of(taken.get(name)!);
    const figures = [0.5, 0.9, 0.99, 0.999, 1].map((part) => latencies.at(part).toFixed(2));
    const floor = floorOf(name);
    const ratios = floor === name ? ["", ""] : ratiosOf(taken.get(name)!, taken.get(floor)!);
    return [TITLES.get(name)!, String(rates.get(floor)), ...figures, ...ratios];
  });
  const lag = median([...taken.values()].flat().map((one) => one.lag));
  const head = [
    "contestant",
    "a second",
    "p50",
    "p90",
    "p99",
    "p99.9",
    "longest",
    "p99 over hand-written",
    "median round",
  ];
  return `${connections} connections (the load itself is late by ${lag.toFixed(2)} ms in one of a hundred):\n\n${
    table(head, rows)
  }`;
}

/**
 * Returns the ratio of p99 over all rounds, with the lowest and the highest among the parts; and the median of single
 * rounds' ratios, which other programs that use the processor for a few rounds do not affect.
 */
function ratiosOf(taken: readonly Counts[], floor: readonly Counts[]): string[] {
  const ratio = (from: number, to: number) =>
    Latencies.of(taken.slice(from, to)).at(0.99) / Latencies.of(floor.slice(from, to)).at(0.99);
  const part = Math.ceil(rounds / PARTS);
  const parts = Array.from({ length: Math.ceil(rounds / part) }, (_, i) => ratio(i * part, (i + 1) * part));
  const single = Array.from({ length: rounds }, (_, i) => ratio(i, i + 1));
  const spread = `(${Math.min(...parts).toFixed(2)}–${Math.max(...parts).toFixed(2)})`;
  return [`${ratio(0, rounds).toFixed(2)} ${spread}`, median(single).toFixed(2)];
}

const commands = new Map<string, ServerCommand>(
  all.map((name) => [name, onDeno(packages, "serve.ts", name, "service", FOLDER)]),
);
const tables = await withServers(commands, async (servers) => {
  const texts: string[] = [];
  for (const connections of connectionCounts) texts.push(await tableFor(servers, connections));
  return texts;
});
const text = `ms from the moment a request is due to its answer, a JSON item by id, at ${load * 100} % of what \
the slowest of those with the same floor can answer: of all requests of ${rounds} rounds, then the ratio of p99, and \
its least and greatest in a third of the rounds, and the median of its rounds. At most 1.1 is wanted.

${tables.join("\n\n")}`;
console.log(text);
if (write) await writeSections(new Map([["latency", text]]), "measurements/details.md");

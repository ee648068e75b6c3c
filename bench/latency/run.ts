/**
 * `deno task bench:latency`: how long answers take at a constant rate, over a handler written by hand at the same rate.
 * About two minutes in full; the load is made on Bun, from npm.
 *
 * `--rounds=7 --seconds=2 --load=0.7 --connections=50,500 --contestants=sluice-lean,hono`; `--load` is the part of what
 * the slowest of those with the same floor can answer; `--write` puts the results into `docs/performance.md`.
 */
import { SCENARIOS } from "../scenarios.ts";
import { chosen, flag, numberFlag, refuseOthers, writes } from "../support/flags.ts";
import { writeSections } from "../support/page.ts";
import { type Server, type ServerCommand, withServers } from "../support/server.ts";
import { median, paired, spread, table } from "../support/table.ts";
import { onBun, onDeno } from "../wire/commands.ts";
import { measure } from "../wire/rounds.ts";
import type { Latencies } from "./latencies.ts";

/** Contestants, and the floor of each. */
const FLOORS: ReadonlyMap<string, string> = new Map([
  ["sluice-lean", "raw"],
  ["hono", "raw"],
  ["sluice", "raw-same"],
]);
const NAMES: Readonly<Record<string, string>> = {
  "raw": "by hand, the least bytes",
  "raw-same": "by hand, Express's bytes",
  "sluice-lean": "Sluice lean",
  "sluice": "Sluice",
  "hono": "Hono",
};
/** Requests a second that the load can be trusted with. */
const MOST = 80_000;

refuseOthers("rounds", "seconds", "load", "connections", "contestants", "write");
const contestants = chosen("contestants", [...FLOORS.keys()]);
const connectionCounts = (flag("connections") ?? "50,500").split(",").map(Number);
const rounds = numberFlag("rounds", 7);
const seconds = numberFlag("seconds", 2);
const load = numberFlag("load", 0.7);
if (writes() && (contestants.length < FLOORS.size || flag("connections") !== undefined)) {
  throw new Error("--write puts whole tables into the documentation; leave --contestants and --connections out");
}
const scenario = SCENARIOS.find(({ name }) => name === "1 param")!;
const all = [...new Set(contestants.flatMap((name) => [FLOORS.get(name)!, name]))];

/** Requests a second for a floor and those that are compared with it. */
async function rateFor(floor: string, servers: ReadonlyMap<string, Server>, connections: number): Promise<number> {
  let least = MOST / load;
  for (const name of all.filter((one) => floorOf(one) === floor)) {
    await measure(servers.get(name)!, scenario, 1, connections);
    least = Math.min(least, (await measure(servers.get(name)!, scenario, 1, connections)).rate);
  }
  return Math.round(load * least);
}

function floorOf(name: string): string {
  return FLOORS.get(name) ?? name;
}

async function latencies(server: Server, connections: number, rate: number): Promise<Latencies> {
  const args = [String(server.port), scenario.path, ...[connections, rate, seconds].map(String)];
  const { program, args: programArgs } = await onBun("latency/load.ts", ...args);
  const { success, stdout, stderr } = await new Deno.Command("taskset", {
    args: ["-c", "1", program, ...programArgs],
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return JSON.parse(new TextDecoder().decode(stdout));
}

async function tableFor(servers: ReadonlyMap<string, Server>, connections: number): Promise<string> {
  const rates = new Map<string, number>();
  for (const floor of new Set(all.map(floorOf))) rates.set(floor, await rateFor(floor, servers, connections));
  const taken = new Map<string, Latencies[]>(all.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? all : [...all].reverse();
    for (const name of order) {
      taken.get(name)!.push(await latencies(servers.get(name)!, connections, rates.get(floorOf(name))!));
    }
  }
  const of = (name: string, what: keyof Latencies) => taken.get(name)!.map((one) => one[what]);
  const rows = all.map((name) => {
    const floor = floorOf(name);
    const figures = (["p50", "p90", "p99", "p999", "max"] as const).map((what) => median(of(name, what)).toFixed(2));
    const ratio = floor === name ? "" : spread(paired(of(name, "p99"), of(floor, "p99")));
    return [NAMES[name]!, String(rates.get(floor)), ...figures, ratio];
  });
  const lag = median(all.flatMap((name) => of(name, "lag")));
  const head = ["contestant", "a second", "p50", "p90", "p99", "p99.9", "longest", "p99 over by hand"];
  return `${connections} connections (the load itself is late by ${lag.toFixed(2)} ms in one of a hundred):\n\n${
    table(head, rows)
  }`;
}

const commands = new Map<string, ServerCommand>(all.map((name) => [name, onDeno("serve.ts", name)]));
const tables = await withServers(commands, async (servers) => {
  const texts: string[] = [];
  for (const connections of connectionCounts) texts.push(await tableFor(servers, connections));
  return texts;
});
const text = `ms from the moment a request is due to its answer, one route with a parameter, at ${
  load * 100
} % of what \
the slowest of those with the same floor can answer: medians over ${rounds} rounds, then the ratio of p99 within a round. \
At most 1.1 is wanted.

${tables.join("\n\n")}`;
console.log(text);
if (writes()) await writeSections(new Map([["latency", text]]));

/**
 * `deno task bench:bodies`: bodies from 1 KiB to 100 MiB, in and out, relative to a hand-written handler that does the
 * same. About six minutes in full.
 *
 * `--only=json-in,upload-pipe,download-file --rounds=5 --seconds=1`; `--write` puts the results into
 * `docs/measurements/details.md`.
 */
import { flags } from "../../scripts/flags.ts";
import { printedByLoad } from "../support/load.ts";
import { buildOwn } from "../support/packages.ts";
import { writeSections } from "../support/page.ts";
import { type Server, type ServerCommand, withServers } from "../support/server.ts";
import { median, paired, spread, table } from "../support/table.ts";
import { writeTraffic } from "../support/traffic.ts";
import { onDeno } from "../wire/commands.ts";
import { measure } from "../wire/rounds.ts";
import { JSON_SIZES, jsonOf } from "./content.ts";

const MIB = 2 ** 20;

/** Ways to send bodies, by path segment, with their names in the table. */
const WAYS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  json: { in: "in", out: "out", tagged: "out, with its entity tag", fresh: "out, another each time, tagged" },
  upload: { events: "`req.on('data')`", web: "`req.request.body`", pipe: "`req.pipe()`" },
  download: { write: "`res.write()`", stream: "a stream returned", file: "`res.sendFile()`" },
};

/** Results from one turn, per unit of work (a request or a byte). */
interface Turn {
  readonly rate: number;
  readonly processor: number;
  /** Peak growth in the server's memory, in bytes. */
  readonly growth: number;
}

const { only, rounds, seconds, write } = flags({
  only: Object.entries(WAYS).flatMap(([kind, ways]) => Object.keys(ways).map((how) => `${kind}-${how}`)),
  rounds: 5,
  seconds: 1,
  write: false,
});
const packages = await buildOwn();

async function transfer(server: Server, method: string, path: string, bytes: number): Promise<Turn> {
  const times = Math.max(4, Math.round(400 * seconds * MIB / bytes));
  const { resident } = server.memory();
  server.forgetPeak();
  const before = server.processorTime();
  const args = [String(server.port), method, path, String(bytes), String(times)];
  const taken = Number(await printedByLoad(onDeno(packages, "bodies/client.ts", ...args)));
  const processor = (server.processorTime() - before) / (bytes * times);
  const rate = bytes * times / taken;
  return { rate, processor, growth: server.memory().peak - resident };
}

async function json(server: Server, how: string, kibibytes: number): Promise<Turn> {
  const body = JSON.stringify(jsonOf(kibibytes));
  const path = `/json/${how}/${kibibytes}`;
  const asked = how === "in"
    ? { method: "POST", path, body, headers: {} } as const
    : { method: "GET", path, headers: {} } as const;
  const traffic = await writeTraffic("body", [asked], 200);
  const { resident } = server.memory();
  server.forgetPeak();
  const { rate, cpu } = await measure(server, traffic, seconds);
  return { rate, processor: cpu, growth: server.memory().peak - resident };
}

/** A measurement: its name, and how to run a server's turn. */
interface Case {
  readonly name: string;
  readonly turn: (server: Server) => Promise<Turn>;
}

function casesOf(one: string): Case[] {
  const [kind, how] = one.split("-") as [string, string];
  const name = WAYS[kind]![how]!;
  return kind === "json" ? jsonCases(how, name) : streamCases(kind, how, name);
}

function jsonCases(how: string, name: string): Case[] {
  return JSON_SIZES.map((kibibytes) => ({
    name: `JSON ${name}, ${kibibytes} KiB`,
    turn: (server) => json(server, how, kibibytes),
  }));
}

function streamCases(kind: string, how: string, name: string): Case[] {
  const method = kind === "upload" ? "POST" : "GET";
  return [1, 100].map((mebibytes) => ({
    name: `${kind} ${mebibytes} MiB, ${name}`,
    turn: (server) => transfer(server, method, `/${kind}/${how}/${mebibytes * MIB}`, mebibytes * MIB),
  }));
}

/**
 * The contestants, and what each serves: the second process with the same handler shows how far two processes differ.
 */
const SERVED = { raw: "raw", again: "raw", sluice: "sluice" } as const;
type Contestant = keyof typeof SERVED;

const file = await Deno.makeTempFile();
try {
  const commands = new Map<string, ServerCommand>(
    Object.entries(SERVED).map((
      [contestant, served],
    ) => [contestant, onDeno(packages, "bodies/serve.ts", served, file)]),
  );
  const rows: string[][] = [];
  for (const { name, turn } of only.flatMap(casesOf)) {
    // new servers for each case, so that no case reuses memory from a previous one
    const turns = await withServers(commands, async (servers) => {
      await Deno.truncate(file, name.includes("100 MiB") ? 100 * MIB : MIB);
      const result: Record<Contestant, Turn[]> = { raw: [], again: [], sluice: [] };
      const order = Object.keys(SERVED) as Contestant[];
      // negative rounds warm up: a single round has too few requests, or chunks, for all code to be compiled
      for (let round = name.startsWith("JSON") ? -1 : -8; round < rounds; round++) {
        for (const contestant of order) {
          const one = await turn(servers.get(contestant)!);
          if (round >= 0) result[contestant].push(one);
        }
        // every contestant runs in every position
        order.push(order.shift()!);
      }
      return result;
    });
    const of = (contestant: Contestant, what: keyof Turn) => turns[contestant].map((one) => one[what]);
    const processor = (contestant: Contestant) =>
      median(paired(of("raw", "processor"), of(contestant, "processor"))).toFixed(2);
    const growth = (contestant: Contestant) => (Math.max(...of(contestant, "growth")) / MIB).toFixed(0);
    rows.push([
      name,
      spread(paired(of("sluice", "rate"), of("raw", "rate"))),
      processor("sluice"),
      processor("again"),
      growth("sluice"),
      growth("raw"),
    ]);
    console.error(rows.at(-1)!.join("  "));
  }
  const head = ["body", "rate", "processor", "hand-written, again", "memory, MiB", "hand-written, MiB"];
  const text = `Sluice lean over a hand-written handler that does the same: bytes or requests a second, and time on \
the processor, above 1 being better than hand-written; the time on the processor of the same hand-written handler in a second \
process, which shows how far two processes differ; and by how much the memory of the server's process grew at most in any \
round. At least 0.95 is wanted. With its entity tag, JSON has Express's bytes: the handler sends a constant, and where the \
JSON is another each time, hashes it with \`node:crypto\`.

${table(head, rows)}`;
  console.log(text);
  if (write) await writeSections(new Map([["bodies", text]]), "measurements/details.md");
} finally {
  await Deno.remove(file);
}

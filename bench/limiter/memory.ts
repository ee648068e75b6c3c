/** ns for one in-memory decision about a known client. */
import { interleave, withChildren } from "../support/child.ts";
import { ipv4Keys, randomWalk } from "./keys.ts";
import { AWAITED, contestant, type Decide, decideEach, HOUR } from "./peers.ts";
import { median, printTable, ratio } from "../support/table.ts";

const WORKER = new URL("worker.ts", import.meta.url);
const SIZES = [1, 10_000, 1_000_000];
const PEERS = ["hitlimit", "hono-rate-limiter", "express-rate-limit", "rate-limiter-flexible"];
const ALGORITHMS = ["sliding-window", "sliding-approximate", "token-bucket", "sliding-log", "concurrency"];
const NAMES = [
  ...["floor", "floor + clock", "floor + clock, awaited"],
  ...["Sluice: fixed-window", "Sluice, a clock of its own", "Sluice, awaited", "Sluice Limiter.consume"],
  ...ALGORITHMS.map((algorithm) => `Sluice: ${algorithm}`),
  ...PEERS,
];

const ABOUT =
  `ns per decision, then the ratio to one \`Map\` lookup, an increment and one clock read (paired; lowest–highest). \
Windows of an hour that are never full. Sluice: \`store.decide\` with takes made before; \`Limiter.consume(key)\` makes its own. \
A loop is one turn of the event loop, in which Sluice reads the clock every 64 decisions; "a clock of its own" reads it every \
time, and "awaited" is one turn for each decision, as in a server that is not busy: compare it with the floor that is awaited \
too. express-rate-limit and rate-limiter-flexible answer by promises and are awaited one by one. \
sliding-log and concurrency give each unit back, so theirs are two operations.`;

/** Compares the contestants at every size up to a number of keys. */
export async function memory(rounds: number, keys: number): Promise<void> {
  const sizes = SIZES.filter((size) => size <= keys);
  const columns: string[][] = [];
  for (const size of sizes) {
    const figures = await withChildren(
      WORKER,
      NAMES.map((name) => ["memory", name, String(size)]),
      (children) => interleave(NAMES, children, rounds),
    );
    columns.push(NAMES.map((name) => {
      const base = name.endsWith("awaited") ? "floor + clock, awaited" : "floor + clock";
      return `${Math.round(median(figures.get(name)!))} · ${ratio(figures, name, base)}`;
    }));
  }
  const rows = NAMES.map((name, i) => [name, ...columns.map((cells) => cells[i]!)]);
  printTable("In memory", ABOUT, ["contestant", ...sizes.map((size) => `${size} keys`)], rows);
}

/** Prepares a contestant; every round returns ns per decision. */
export async function memoryWorker(name: string, size: string): Promise<() => Promise<number>> {
  const keys = ipv4Keys(Number(size));
  const decide = (await contestant(name))(keys, HOUR);
  const isAwaited = AWAITED.has(name);
  const steps = 200_000;
  const walk = randomWalk(keys.length, 2 * steps);
  let at = 0;
  const round = async () => {
    const part = walk.subarray(at, at + steps);
    at = at + 2 * steps > walk.length ? 0 : at + steps;
    return isAwaited ? await timeAwaited(decide, part) : time(decide, part);
  };
  await decideEach(decide, keys.length, isAwaited);
  for (let i = 0; i < 3; i++) await round();
  return round;
}

function time(decide: Decide, walk: Uint32Array): number {
  const begin = performance.now();
  for (let i = 0; i < walk.length; i++) decide(walk[i]!);
  return (performance.now() - begin) * 1e6 / walk.length;
}

async function timeAwaited(decide: Decide, walk: Uint32Array): Promise<number> {
  const begin = performance.now();
  for (let i = 0; i < walk.length; i++) await decide(walk[i]!);
  return (performance.now() - begin) * 1e6 / walk.length;
}

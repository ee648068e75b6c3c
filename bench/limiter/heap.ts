/** Memory for a million clients. */
import { withChildren } from "../support/child.ts";
import { ipv4Keys } from "./keys.ts";
import { AWAITED, contestant, decideEach, HOUR } from "./peers.ts";
import { printTable } from "../support/table.ts";

const WORKER = new URL("worker.ts", import.meta.url);
const KEYS = 1_000_000;
const NAMES = [
  ...["floor", "floor + clock", "floor: Map of objects"],
  ...["Sluice: fixed-window", "Sluice: token-bucket", "Sluice: sliding-approximate", "Sluice: sliding-window"],
  ...["Sluice: sliding-log", "Sluice: concurrency", "Sluice Limiter.consume"],
  ...["hitlimit", "hono-rate-limiter", "express-rate-limit", "rate-limiter-flexible"],
];

const ABOUT =
  `Bytes per key at ${KEYS} keys after a full collection, beyond the keys' own strings, which exist before. \
JavaScript's heap and the arrays outside of it; what timers take elsewhere shows only in the resident set.`;

/** A contestant's memory, in bytes per key. */
interface Bytes {
  readonly heap: number;
  readonly outside: number;
  readonly resident: number;
}

/** Measures all contestants, one after the other. */
export async function heap(): Promise<void> {
  const rows: string[][] = [];
  for (const name of NAMES) {
    const bytes = await withChildren(WORKER, [["heap", name]], ([child]) => child!.ask<Bytes>());
    const cells = [bytes.heap + bytes.outside, bytes.heap, bytes.outside, bytes.resident];
    rows.push([name, ...cells.map((cell) => cell.toFixed(0))]);
  }
  printTable("Memory", ABOUT, ["contestant", "bytes per key", "in the heap", "in arrays", "resident set"], rows);
}

/** Prepares a contestant; its only round fills the store. */
export async function heapWorker(name: string): Promise<() => Promise<Bytes>> {
  const make = await contestant(name);
  const keys = ipv4Keys(KEYS);
  // warm up: compile code and create one-time objects
  await decideEach(make(keys.slice(0, 1000), HOUR), 1000, true);
  return async () => {
    const before = used();
    const decide = make(keys, HOUR);
    await decideEach(decide, KEYS, AWAITED.has(name));
    const after = used();
    // the store must live until here
    decide(0);
    return {
      heap: (after.heapUsed - before.heapUsed) / KEYS,
      outside: (after.external - before.external) / KEYS,
      resident: (after.rss - before.rss) / KEYS,
    };
  };
}

function used(): Deno.MemoryUsage {
  const { gc } = globalThis as unknown as { gc(): void };
  for (let i = 0; i < 3; i++) gc();
  return Deno.memoryUsage();
}

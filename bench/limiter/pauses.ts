/** The longest time the event loop is blocked while a million clients come and go. */
import { withChildren } from "../support/child.ts";
import { ipv4Keys } from "./keys.ts";
import { AWAITED, contestant, type Decide, decideEach, HOUR } from "./peers.ts";
import { printTable } from "../support/table.ts";

const WORKER = new URL("worker.ts", import.meta.url);
const KEYS = 1_000_000;
const LATE_KEYS = 20_000;
const NAMES = [
  ...["floor", "floor: Map of objects", "Sluice: fixed-window", "Sluice: sliding-window"],
  ...["hitlimit", "hono-rate-limiter", "express-rate-limit", "rate-limiter-flexible"],
];

const ABOUT =
  `Filling with ${KEYS} new keys, every decision timed, in fresh stores over and over: what is due to a store's \
growth comes back at the same key each time, so of each key the fastest time counts, which leaves out the collector and other \
processes; "any" counts the slowest of all with them. Sweeping: ${KEYS} keys whose windows of a second have ended, one new \
decision a turn of 1 ms; the longest time between two turns in 12 s, in which peers' own timers clean up; Sluice sweeps some \
ten thousand keys by then, the floor never forgets. rate-limiter-flexible is filled once, for its timers outlive the store.`;
const SWEEPING_MS = 12_000;

interface Filling {
  /** 99.99th percentile, the longest and the second longest pause, in ms. */
  readonly percentile: number;
  readonly longest: number;
  readonly second: number;
  readonly any: number;
}

/** Measures all contestants. */
export async function pauses(): Promise<void> {
  const responses = await withChildren(WORKER, NAMES.map((name) => ["pauses", name]), async (children) => {
    const filled: Filling[] = [];
    for (const child of children) filled.push(await child.ask<Filling>());
    // one after the other; otherwise, they would block each other
    for (const child of children) await child.ask();
    const swept = await Promise.all(children.map((child) => child.ask()));
    return filled.map((one, i) => ({ ...one, sweeping: swept[i]! }));
  });
  const rows = NAMES.map((name, i) => {
    const { percentile, longest, second, any, sweeping } = responses[i]!;
    return [name, ...[percentile, second, longest, any, sweeping].map((ms) => ms.toFixed(ms < 0.1 ? 4 : 2))];
  });
  const head = ["contestant", "filling: p99.99, ms", "second longest", "longest", "any", "sweeping: longest gap, ms"];
  printTable("Pauses", ABOUT, head, rows);
}

/** Prepares a contestant: the first round times the filling, the second fills and begins to sweep, the third waits. */
export async function pausesWorker(name: string): Promise<() => Promise<unknown>> {
  const make = await contestant(name);
  const keys = ipv4Keys(KEYS + LATE_KEYS);
  const isAwaited = AWAITED.has(name);
  const rounds = name === "rate-limiter-flexible" ? 1 : 3;
  let swept: Promise<number> | null = null;
  let isTimed = false;

  async function timeFilling(): Promise<Filling> {
    const fastest = new Float64Array(KEYS).fill(Infinity);
    let any = 0;
    for (let round = 0; round < rounds; round++) {
      const slowest = await fill(make(keys, HOUR), isAwaited, fastest);
      any = Math.max(any, slowest);
    }
    fastest.sort();
    const at = (place: number) => fastest[Math.floor(place)]!;
    return { percentile: at(KEYS * 0.9999), second: at(KEYS - 2), longest: at(KEYS - 1), any };
  }

  return async () => {
    if (swept !== null) return await swept;
    if (!isTimed) {
      isTimed = true;
      return await timeFilling();
    }
    const decide = make(keys, 1000);
    await decideEach(decide, KEYS, isAwaited);
    swept = sweep(decide);
    return 0;
  };
}

async function fill(decide: Decide, isAwaited: boolean, fastest: Float64Array): Promise<number> {
  let slowest = 0;
  for (let i = 0; i < KEYS; i++) {
    const begin = performance.now();
    const decided = decide(i);
    if (isAwaited) await decided;
    const ms = performance.now() - begin;
    if (ms < fastest[i]!) fastest[i] = ms;
    if (ms > slowest) slowest = ms;
  }
  return slowest;
}

async function sweep(decide: Decide): Promise<number> {
  const end = performance.now() + SWEEPING_MS;
  let longest = 0;
  for (let i = 0, before = performance.now(); before < end; i++) {
    await decide(KEYS + i % LATE_KEYS);
    await new Promise((resolve) => setTimeout(resolve, 1));
    const now = performance.now();
    longest = Math.max(longest, now - before);
    before = now;
  }
  return longest;
}

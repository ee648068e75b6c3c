import type { Scenario } from "../scenarios.ts";
import type { Server } from "../support/server.ts";
import { type Load, Wrk } from "../support/wrk.ts";

/** Result of one round for one contestant. */
export interface Measured {
  /** Requests answered in a second. */
  readonly rate: number;
  /** Processor time per request, in ns. */
  readonly cpu: number;
}

/** Results of all rounds, by contestant. */
export type Rounds = ReadonlyMap<string, readonly Measured[]>;

/** How long to measure. */
export interface Effort {
  /** Number of rounds. */
  readonly rounds: number;
  /** How long each contestant is loaded in a round, in seconds. */
  readonly seconds: number;
  /**
   * Whole seconds that each contestant is loaded before it is measured, then all its time in one go: for runtimes where
   * a pause makes what follows slower. 0, the default, is for the others: turns are shorter there, and compare better.
   */
  readonly leadSeconds?: number | undefined;
}

/** ms that each contestant is loaded before the next one's turn. */
const SLICE_MS = 100;

/** Pause between turns: pending requests of one contestant would take the next one's time. */
const GAP_MS = 20;

/** Maximum time between the starts of the first and the last load. */
const STARTING_MS = 1000;

/**
 * Measures all contestants together, in turns so short that whatever slows the machine down affects all of them: ratios
 * are made within a round.
 *
 * @param servers The contestants
 * @param scenario The scenario
 * @param effort How long
 */
export async function measureRounds(
  servers: ReadonlyMap<string, Server>,
  scenario: Scenario,
  { rounds, seconds, leadSeconds = 0 }: Effort,
): Promise<Rounds> {
  const measured = new Map<string, Measured[]>([...servers.keys()].map((name) => [name, []]));
  for (const server of servers.values()) await measure(server, scenario, 1);
  const order = [...servers];
  for (let round = 0; round < rounds; round++) {
    const results = leadSeconds === 0
      ? await measureAll(servers, scenario, seconds)
      : await measureInTurn(order, scenario, seconds, leadSeconds);
    for (const [name, one] of results) measured.get(name)!.push(one);
    // everybody gets every place
    order.push(order.shift()!);
  }
  return measured;
}

async function measureInTurn(
  servers: readonly (readonly [name: string, server: Server])[],
  request: Load["request"],
  seconds: number,
  leadSeconds: number,
): Promise<Map<string, Measured>> {
  const result = new Map<string, Measured>();
  for (const [name, server] of servers) {
    await measure(server, request, leadSeconds);
    result.set(name, await measure(server, request, seconds));
  }
  return result;
}

/** One contestant's part in a round. */
interface Turn {
  readonly name: string;
  readonly server: Server;
  readonly load: Wrk;
  /** Processor time of its server before, in ns. */
  readonly before: number;
  /** How long it was loaded. */
  busyMs: number;
}

async function measureAll(
  servers: ReadonlyMap<string, Server>,
  request: Load["request"],
  seconds: number,
): Promise<Map<string, Measured>> {
  const all = Math.ceil(seconds * servers.size);
  const turns: Turn[] = [];
  const start = performance.now();
  try {
    for (const [name, server] of servers) {
      const before = server.processorTime();
      const load = await Wrk.start({ origin: server.origin, request, seconds: all });
      load.pause();
      turns.push({ name, server, load, before, busyMs: 0 });
    }
    const end = start + all * 1000;
    while (performance.now() + (SLICE_MS + GAP_MS) * turns.length < end) {
      for (const turn of turns) {
        const from = performance.now();
        turn.load.resume();
        await delay(SLICE_MS);
        turn.load.pause();
        turn.busyMs += performance.now() - from;
        await delay(GAP_MS);
      }
      // everybody gets every place: whoever came first and last would have two turns in a row
      turns.push(turns.shift()!);
    }
    // requests sent after the slices run for one contestant at a time
    await delay(end - performance.now() + STARTING_MS);
    const result = new Map<string, Measured>();
    for (const { name, server, load, before, busyMs } of turns) {
      const from = performance.now();
      load.resume();
      const { requests } = await load.finish();
      const rate = requests / (busyMs + performance.now() - from) * 1000;
      result.set(name, { rate, cpu: (server.processorTime() - before) / requests });
    }
    return result;
  } finally {
    // if one failed, the others would stay paused
    for (const { load } of turns) load.kill();
  }
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/**
 * Loads one server for a while.
 *
 * @param server The server
 * @param request The request
 * @param seconds How long
 * @param connections Number of connections
 */
export async function measure(
  server: Server,
  request: Load["request"],
  seconds: number,
  connections = 50,
): Promise<Measured> {
  const before = server.processorTime();
  const load = await Wrk.start({ origin: server.origin, request, seconds, connections });
  const { rate, requests } = await load.finish();
  return { rate, cpu: (server.processorTime() - before) / requests };
}

import type { Server } from "../support/server.ts";
import type { Traffic } from "../support/traffic.ts";
import { Wrk } from "../support/wrk.ts";

/** The result of one round for one contestant. */
export interface Measured {
  /** Responses a second. */
  readonly rate: number;
  /** Processor time per request, in ns. */
  readonly cpu: number;
  /** Fraction of its time in which the load generator was busy: near 1, the rate is the load's and not the server's. */
  readonly load: number;
}

/** Results from all rounds, by contestant. */
export type Rounds = ReadonlyMap<string, readonly Measured[]>;

/** How long to measure. */
export interface Effort {
  /** Number of rounds. */
  readonly rounds: number;
  /** How long each contestant is loaded in a round, in seconds. */
  readonly seconds: number;
  /**
   * Seconds of load on each contestant before measuring it in one go, for runtimes where a pause slows down the next
   * requests. 0, the default, is for all other runtimes: turns are shorter there, and compare better.
   */
  readonly leadSeconds?: number | undefined;
}

/** How long each contestant is loaded before the next one's turn, in ms. */
const SLICE_MS = 100;

/** Shortest measurable load, in seconds: one slice, and stopping it. */
const SHORTEST = 2 * SLICE_MS / 1000;

/** Maximum number of retries when a server or its load gets no processor time on a busy machine. */
const CHANCES = 10;

/** Pause between turns: one contestant's pending requests would use the next one's time. */
const GAP_MS = 20;

/** Each round begins at a different offset in the traffic; otherwise, a slow contestant would never reach its end. */
const STRIDE = 7919;

/**
 * Measures all contestants together, in turns so short that a slowdown affects all of them: ratios are computed within
 * a round.
 *
 * @param servers The contestants
 * @param traffic The requests to send
 * @param effort How long to measure
 * @throws {RangeError} If the time is too short
 */
export async function measureRounds(
  servers: ReadonlyMap<string, Server>,
  traffic: Traffic,
  { rounds, seconds, leadSeconds = 0 }: Effort,
): Promise<Rounds> {
  checkLength(seconds);
  const measured = new Map<string, Measured[]>([...servers.keys()].map((name) => [name, []]));
  // compiles the code
  for (const [name, server] of servers) {
    await untilAnswered(`the warm-up of ${name}`, () => loaded(name, server, Math.min(1, 2 * seconds), { traffic }));
  }
  const order = [...servers];
  for (let round = 0; round < rounds; round++) {
    const from = round * STRIDE;
    const results = await untilAnswered(`round ${round + 1}`, () => {
      return leadSeconds === 0
        ? measureAll(order, traffic, seconds, from)
        : measureInTurn(order, traffic, seconds, Math.min(leadSeconds, seconds), from);
    });
    for (const [name, one] of results) measured.get(name)!.push(one);
    // every contestant runs in every position
    order.push(order.shift()!);
  }
  return measured;
}

async function untilAnswered<T>(what: string, attempt: () => Promise<T | null>): Promise<T> {
  for (let chance = 0; chance < CHANCES; chance++) {
    const result = await attempt();
    if (result !== null) return result;
  }
  throw new Error(`somebody answered nothing in ${what}, ${CHANCES} times`);
}

type Order = readonly (readonly [name: string, server: Server])[];

async function measureInTurn(
  order: Order,
  traffic: Traffic,
  seconds: number,
  leadSeconds: number,
  from: number,
): Promise<Map<string, Measured> | null> {
  const result = new Map<string, Measured>();
  for (const [name, server] of order) {
    await loaded(name, server, leadSeconds, { traffic, from });
    const one = await loaded(name, server, seconds, { traffic, from });
    if (one === null) return null;
    result.set(name, one);
  }
  return result;
}

async function measureAll(
  order: Order,
  traffic: Traffic,
  seconds: number,
  from: number,
): Promise<Map<string, Measured> | null> {
  const turns: Turn[] = [];
  try {
    for (const [name, server] of order) turns.push(await Turn.prepare(name, server, { traffic, from }));
    // the last slice, and stopping, take as long as two slices
    const slices = Math.round(seconds * 1000 / SLICE_MS) - 2;
    for (let slice = 0; slice < slices; slice++) {
      for (const turn of turns) {
        await turn.take(SLICE_MS);
        await delay(GAP_MS);
      }
      // every contestant runs in every position: a contestant that came first and last would have two turns in a row
      turns.push(turns.shift()!);
    }
    const result = new Map<string, Measured>();
    for (const turn of turns) {
      const one = await turn.finish();
      if (one === null) return null;
      result.set(turn.name, one);
      await delay(GAP_MS);
    }
    return result;
  } finally {
    // if one failed, the other contestants would stay paused
    await Promise.all(turns.map((turn) => turn.kill()));
  }
}

/** Requests to a contestant. */
interface Sent {
  readonly traffic: Traffic;
  readonly from?: number;
  readonly connections?: number;
}

/** One contestant's part in a round. */
class Turn {
  readonly name: string;
  readonly #server: Server;
  readonly #load: Wrk;
  /** The server's earlier processor time, in ns. */
  readonly #before: number;
  #busyMs = 0;

  private constructor(name: string, server: Server, load: Wrk) {
    this.name = name;
    this.#server = server;
    this.#load = load;
    this.#before = server.processorTime();
  }

  /** Starts its load, paused. */
  static async prepare(name: string, server: Server, sent: Sent): Promise<Turn> {
    return new Turn(name, server, await Wrk.start({ origin: server.origin, ...sent }));
  }

  /** Loads it for a while. */
  async take(ms: number): Promise<void> {
    const from = performance.now();
    await this.#load.resume();
    await delay(ms);
    this.#load.pause();
    this.#busyMs += performance.now() - from;
  }

  /** Loads it for a last slice, and until the load has stopped; returns `null` if there was no response at all. */
  async finish(): Promise<Measured | null> {
    const from = performance.now();
    await this.#load.resume();
    await delay(SLICE_MS);
    const load = this.#load.processorTime() / 1e6 / (this.#busyMs + performance.now() - from);
    const requests = await this.#load.stop();
    if (requests === 0) return null;
    const rate = requests / (this.#busyMs + performance.now() - from) * 1000;
    return { rate, cpu: (this.#server.processorTime() - this.#before) / requests, load };
  }

  kill(): Promise<void> {
    return this.#load.kill();
  }
}

function checkLength(seconds: number): void {
  if (seconds >= SHORTEST) return;
  throw new RangeError(`--seconds takes at least ${SHORTEST}, not ${seconds}: it takes that long to stop a load`);
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/**
 * Loads one server for a while.
 *
 * @param server The server
 * @param traffic The requests to send
 * @param seconds How long to load it
 * @param sent Number of connections, and which request is the first
 * @throws {RangeError} If the time is too short
 */
export async function measure(
  server: Server,
  traffic: Traffic,
  seconds: number,
  sent: Omit<Sent, "traffic"> = {},
): Promise<Measured> {
  return await untilAnswered(server.origin, () => loaded(server.origin, server, seconds, { traffic, ...sent }));
}

async function loaded(name: string, server: Server, seconds: number, sent: Sent): Promise<Measured | null> {
  checkLength(seconds);
  const turn = await Turn.prepare(name, server, sent);
  try {
    await turn.take(seconds * 1000 - 2 * SLICE_MS);
    return await turn.finish();
  } finally {
    await turn.kill();
  }
}

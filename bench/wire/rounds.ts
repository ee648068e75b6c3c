import type { Scenario } from "../scenarios.ts";
import type { Server } from "../support/server.ts";
import { wrk } from "../support/wrk.ts";

/** What one round says about one contestant. */
export interface Measured {
  /** Requests answered in a second. */
  readonly rate: number;
  /** Time on the processor for one request, in ns. */
  readonly cpu: number;
}

/** What all rounds say, by contestant. */
export type Rounds = ReadonlyMap<string, readonly Measured[]>;

/** How long to measure. */
export interface Effort {
  /** Number of rounds. */
  readonly rounds: number;
  /** Length of each contestant's turn, in seconds. */
  readonly seconds: number;
}

/**
 * Measures everybody in turn, round by round, in the opposite direction every second time: ratios are made within a
 * round, because the speed of a machine drifts.
 *
 * @param servers The contestants
 * @param scenario What they are asked
 * @param effort How long
 */
export async function measureRounds(
  servers: ReadonlyMap<string, Server>,
  scenario: Scenario,
  { rounds, seconds }: Effort,
): Promise<Rounds> {
  const measured = new Map<string, Measured[]>([...servers.keys()].map((name) => [name, []]));
  for (const server of servers.values()) await measure(server, scenario, 1);
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? [...servers] : [...servers].reverse();
    for (const [name, server] of order) measured.get(name)!.push(await measure(server, scenario, seconds));
  }
  return measured;
}

/**
 * Loads one server for a while.
 *
 * @param server The server
 * @param scenario What it is asked
 * @param seconds How long
 * @param connections How many connections ask
 */
export async function measure(
  server: Server,
  scenario: Pick<Scenario, "method" | "path" | "body" | "status">,
  seconds: number,
  connections = 50,
): Promise<Measured> {
  const before = server.processorTime();
  const { rate, requests } = await wrk({ origin: server.origin, request: scenario, seconds, connections });
  return { rate, cpu: (server.processorTime() - before) / requests };
}

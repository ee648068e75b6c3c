/** The cost of one connection to a server. */
import { ask } from "../../tests/support/raw_client.ts";
import { Server, type ServerCommand } from "../support/server.ts";
import type { Feature } from "./features.ts";
import type { Figures } from "./figures.ts";

/** Per connection. */
export interface Price {
  readonly mebibytes: number;
  /** Requests with a called handler and an unfinished response. */
  readonly requests: number;
  readonly descriptors: number;
  /** ms over all threads, from opening until the figures no longer change. */
  readonly processorMs: number;
}

/** Connections opened first, so that one-time allocations do not count. */
const WARM = 2;

/** Interval between samples from a server in ms, the number of samples that must agree, and the maximum number. */
const EVERY_MS = 200;
const AGREEING = 4;
const MOST_LOOKS = 25;

/** Maximum processor time for an idle server between two samples. */
const IDLE_NS = 2e6;

/**
 * Measures one feature.
 *
 * @param feature The clients' behaviour
 * @param command The server
 * @param cert Its certificate
 * @returns The price; `null` if the runtime does not support it
 */
export async function priceOf(feature: Feature, command: ServerCommand, cert: string): Promise<Price | null> {
  const server = await Server.start(command);
  const connections: Deno.Conn[] = [];
  try {
    const figures = async () => JSON.parse(await ask(server, "/figures")) as Figures;
    const known = await figures();
    if (feature.isPossible?.(known) === false) return null;
    const open = async (count: number) => {
      for (let i = 0; i < count; i++) connections.push(await feature.connect({ ...known, port: server.port, cert }));
      await settled(server);
    };
    await open(WARM);
    const before = { ...seen(server), ...await figures() };
    await open(feature.connections);
    const after = { ...seen(server), ...await figures() };
    const each = (of: (state: typeof before) => number) => (of(after) - of(before)) / feature.connections;
    return {
      mebibytes: each(({ resident }) => resident) / 1024 / 1024,
      requests: each(({ running }) => running),
      descriptors: each(({ descriptors }) => descriptors),
      processorMs: each(({ processorNs }) => processorNs) / 1e6,
    };
  } finally {
    for (const connection of connections) connection.close();
    await server.stop();
  }
}

function seen(server: Server): { resident: number; descriptors: number; processorNs: number } {
  const { resident } = server.memory();
  return { resident, descriptors: server.descriptors(), processorNs: server.processorTime() };
}

// until its memory stops growing, and it is idle
async function settled(server: Server): Promise<void> {
  let most = 0;
  let busyNs = server.processorTime();
  for (let looks = 0, agreeing = 0; looks < MOST_LOOKS && agreeing < AGREEING; looks++) {
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    const { resident } = server.memory();
    const now = server.processorTime();
    agreeing = resident > most * 1.005 || now - busyNs > IDLE_NS ? 0 : agreeing + 1;
    most = Math.max(most, resident);
    busyNs = now;
  }
}

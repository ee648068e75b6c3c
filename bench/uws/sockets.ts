import type { ServerCommand } from "../support/server.ts";
import { type Server, withServers } from "../support/server.ts";
import { median, table } from "../support/table.ts";

/** Contestants, with their names in the table; the other contestants are compared with the first. */
export const SOCKETS: ReadonlyMap<string, string> = new Map([
  ["hand", "hand-written on ws"],
  ["sluice", "Sluice"],
  ["uws-hand", "hand-written on uWebSockets.js"],
  ["uws-sluice", "Sluice on uWebSockets.js"],
]);

/** Connections that send one message each, and wait for the reply. */
const ECHOES = 50;
/** Connections that get each message on the topic. */
const FOLLOWERS = 100;
const TEXT = "a message of some length, as in a chat";

/**
 * Measures processor time per delivered message, in turns.
 *
 * @param commands How to start each contestant
 * @param effort Number of rounds, and seconds for each contestant in a round
 * @returns A table
 */
export async function socketTable(
  commands: ReadonlyMap<string, ServerCommand>,
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<string> {
  return await withServers(commands, async (servers) => {
    const rows: string[][] = [];
    for (const [title, load] of [["echo", echo], [`a message to ${FOLLOWERS}`, publish]] as const) {
      const times = new Map<string, number[]>();
      for (let round = 0; round <= rounds; round++) {
        for (const [name, server] of servers) {
          const one = await measured(server, seconds, load);
          // the first round compiles the code
          if (round > 0) times.set(name, [...times.get(name) ?? [], one]);
        }
      }
      const floor = median(times.get("hand")!);
      const ratios = [...times.values()].slice(1).map((all) => (floor / median(all)).toFixed(2));
      rows.push([title, (floor / 1000).toFixed(2), ...ratios]);
    }
    const [first, ...others] = SOCKETS.values();
    return table(["WebSockets", `${first}, µs a message`, ...others], rows);
  });
}

type Load = (origin: string, until: Promise<void>) => Promise<number>;

async function measured(server: Server, seconds: number, load: Load): Promise<number> {
  const before = server.processorTime();
  const over = new Promise<void>((resolve) => setTimeout(resolve, seconds * 1000));
  const messages = await load(`ws://127.0.0.1:${server.port}`, over);
  return (server.processorTime() - before) / messages;
}

async function connected(url: string, count: number): Promise<WebSocket[]> {
  return await Promise.all(Array.from({ length: count }, async () => {
    const socket = new WebSocket(url);
    await new Promise((resolve, reject) => {
      socket.onopen = resolve;
      socket.onerror = reject;
    });
    return socket;
  }));
}

async function closed(sockets: readonly WebSocket[]): Promise<void> {
  await Promise.all(sockets.map((socket) =>
    new Promise((resolve) => {
      socket.onclose = resolve;
      socket.close();
    })
  ));
}

async function echo(origin: string, until: Promise<void>): Promise<number> {
  const sockets = await connected(`${origin}/echo`, ECHOES);
  let count = 0;
  for (const socket of sockets) {
    socket.onmessage = () => {
      count++;
      socket.send(TEXT);
    };
    socket.send(TEXT);
  }
  await until;
  for (const socket of sockets) socket.onmessage = null;
  await closed(sockets);
  return count;
}

async function publish(origin: string, until: Promise<void>): Promise<number> {
  const sockets = await connected(`${origin}/topic`, FOLLOWERS);
  let count = 0;
  for (const socket of sockets) {
    socket.onmessage = () => {
      // the next message, once every follower has the previous one
      if (++count % FOLLOWERS === 0) sockets[0]!.send(TEXT);
    };
  }
  sockets[0]!.send(TEXT);
  await until;
  for (const socket of sockets) socket.onmessage = null;
  await closed(sockets);
  return count;
}

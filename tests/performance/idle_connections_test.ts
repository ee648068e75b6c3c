import { assert } from "@std/assert";
import { fileURLToPath } from "node:url";
import { bundleForNode, skipNode } from "../support/node_program.ts";
import { startProgram } from "../support/program.ts";
import { ask, HANDSHAKE, opened, openedMany, readUntil, requestHead } from "../support/raw_client.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const PROGRAM = "tests/performance/idle_connections_program.ts";
const RUNTIMES = Deno.env.get("SLUICE_RUNTIMES");

/** Unmeasured connections, during which code is compiled and caches fill, and measured connections. */
const WARM = 300;
const MEASURED = 1000;

/** A client's request, and the string up to which it reads. */
const KINDS = {
  socket: { head: requestHead("GET /socket", HANDSHAKE), until: "\r\n\r\n" },
  events: { head: requestHead("GET /events", []), until: "data: hello" },
};

/** Heap bytes per connection. */
async function heapOf(kind: keyof typeof KINDS, command: string, ...args: string[]): Promise<number> {
  await using program = await startProgram(command, args, { cwd: ROOT });
  const server = { port: Number(program.line) };
  const { head, until } = KINDS[kind];
  const connections: Deno.Conn[] = [];
  const open = async (count: number): Promise<number> => {
    const more = await openedMany(server, count, async () => {
      const connection = await opened(server, head);
      await readUntil(connection, until);
      return connection;
    });
    connections.push(...more);
    return Number(await ask(server, "/"));
  };
  try {
    const before = await open(WARM);
    return (await open(MEASURED) - before) / MEASURED;
  } finally {
    for (const connection of connections) connection.close();
  }
}

// docs/decisions/0074-idle-connections.md has the measurements; a tenth more is allowed
const MOST_ON_NODE = { socket: 6400, events: 9900 };
const MOST_ON_BUN = { socket: 3300, events: 5800 };

for (const kind of ["socket", "events"] as const) {
  Deno.test(`on Node, an idle connection takes no more of the heap than it did: ${kind}`, {
    ignore: skipNode,
  }, async () => {
    const bytes = await heapOf(kind, "node", "--expose-gc", await bundleForNode(PROGRAM));
    assert(bytes < MOST_ON_NODE[kind], `${bytes} bytes`);
  });

  Deno.test(`on Bun, an idle connection takes no more of the heap than it did: ${kind}`, {
    ignore: RUNTIMES === undefined,
  }, async () => {
    const bytes = await heapOf(kind, `${RUNTIMES}node_modules/.bin/bun`, await bundleForNode(PROGRAM));
    assert(bytes < MOST_ON_BUN[kind], `${bytes} bytes`);
  });
}

/** A TCP port in front of a Unix socket, for clients that support only TCP. */
export interface UnixBridge {
  /** The port, on 127.0.0.1. */
  readonly port: number;
  /** Closes it and all connections. */
  close(): Promise<void>;
}

/**
 * Opens a port in front of a Unix socket.
 *
 * @param path The socket; it need not exist yet
 */
export function bridgeTo(path: string): UnixBridge {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const open = new Set<Deno.Conn>();
  const passing = new Set<Promise<void>>();
  const accepting = (async () => {
    for await (const client of listener) {
      open.add(client);
      const done = pass(client).finally(() => passing.delete(done));
      passing.add(done);
    }
  })();

  async function pass(client: Deno.Conn): Promise<void> {
    let server: Deno.Conn | null = null;
    try {
      server = await Deno.connect({ transport: "unix", path });
      open.add(server);
      // when either side closes, close both directions
      await Promise.race([copy(client, server), copy(server, client)]);
    } finally {
      close(client);
      if (server !== null) close(server);
    }
  }

  function close(connection: Deno.Conn): void {
    if (open.delete(connection)) connection.close();
  }

  return {
    port: listener.addr.port,
    async close() {
      listener.close();
      for (const connection of open) close(connection);
      await accepting;
      await Promise.all(passing);
    },
  };
}

async function copy(from: Deno.Conn, to: Deno.Conn): Promise<void> {
  const buffer = new Uint8Array(64 * 1024);
  try {
    for (let length = await from.read(buffer); length !== null; length = await from.read(buffer)) {
      for (let sent = 0; sent < length;) sent += await to.write(buffer.subarray(sent, length));
    }
  } catch {
    // one side has closed; close the other
  }
}

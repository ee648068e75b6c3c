import type { Wire } from "./late/wire.ts";

/** A proxy between a client and a server that a test can stall or cut. `await using` ends it. */
export interface TcpProxy extends AsyncDisposable {
  /** URL for the client, instead of the server's. */
  readonly url: string;
  /** Port it listens on. */
  readonly port: number;
  /** Bytes received from the server since `hold()` and not passed on. */
  readonly held: number;
  /** Stops passing data on to the client; the server still receives everything. */
  hold(): void;
  /** Passes on held data, and everything after it. */
  release(): void;
  /** Silently stops passing data on over existing connections. New ones work. */
  forsake(): void;
  /** Routes new connections to another server; existing connections stay. */
  lead(port: number): void;
  /** Closes all connections and drops held data. New connections are accepted. */
  cut(): void;
}

/**
 * Starts a proxy on a free port on 127.0.0.1.
 *
 * @param port The server's port on 127.0.0.1
 * @param wire Delays data in both directions; no delay by default
 * @returns The proxy
 */
export function startProxy(port: number, wire?: Wire): TcpProxy {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const connections = new Set<Deno.Conn>();
  const forsaken = new WeakSet<Deno.Conn>();
  let holding: { promise: Promise<void>; resolve: () => void } | null = null;
  let held = 0;

  async function serve(client: Deno.Conn): Promise<void> {
    connections.add(client);
    try {
      const server = await Deno.connect({ hostname: "127.0.0.1", port });
      connections.add(server);
      await Promise.race([
        wire === undefined ? client.readable.pipeTo(server.writable) : passOut(client, server, wire),
        pass(server, client),
      ]);
      close(server);
    } catch {
      // one side has closed; the other may be closed too
    } finally {
      close(client);
    }
  }

  async function passOut(from: Deno.Conn, to: Deno.Conn, wire: Wire): Promise<void> {
    const writer = to.writable.getWriter();
    for await (const bytes of from.readable) {
      await wire.out();
      await writer.write(bytes);
    }
  }

  async function pass(from: Deno.Conn, to: Deno.Conn): Promise<void> {
    const writer = to.writable.getWriter();
    for await (const bytes of from.readable) {
      await wire?.back();
      if (holding !== null) {
        held += bytes.length;
        await holding.promise;
      }
      if (!forsaken.has(from)) await writer.write(bytes);
    }
  }

  function close(connection: Deno.Conn): void {
    connections.delete(connection);
    try {
      connection.close();
    } catch {
      // it is already closed
    }
  }

  const accepting = (async () => {
    for await (const client of listener) void serve(client);
  })();
  const cut = () => [...connections].forEach(close);
  const release = () => {
    holding?.resolve();
    holding = null;
    held = 0;
  };
  return {
    url: `redis://127.0.0.1:${(listener.addr as Deno.NetAddr).port}`,
    port: (listener.addr as Deno.NetAddr).port,
    get held() {
      return held;
    },
    hold: () => holding ??= Promise.withResolvers<void>(),
    release,
    forsake() {
      for (const connection of connections) forsaken.add(connection);
    },
    lead: (other) => port = other,
    cut() {
      cut();
      release();
    },
    async [Symbol.asyncDispose]() {
      listener.close();
      cut();
      release();
      await accepting.catch(() => {});
    },
  };
}

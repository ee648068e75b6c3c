import { lazyClient } from "./lazy_client.ts";
import type { RedisPort } from "./redis_port.ts";

/** A connection, and how many stores have used it and not closed it yet. */
interface Connection {
  readonly port: RedisPort;
  users: number;
}

const connections = new Map<string, Connection>();

function connectionTo(url: string): Connection {
  let connection = connections.get(url);
  if (connection === undefined) connections.set(url, connection = { port: lazyClient(url), users: 0 });
  return connection;
}

/** A store's part in a connection. */
export interface SharedClient {
  /** What the store works with. */
  readonly port: RedisPort;
  /** The same object for all stores that have this connection. */
  readonly home: object;
}

/**
 * The connection to an address, for one store more: where stores are made inside requests, each of them would open one,
 * and nobody closes it. It ends when the last store that has used it is closed.
 *
 * @param url Address of the server
 * @returns The store's part in it
 * @throws {TypeError} If the address is no `redis:`, `rediss:` or `unix:` URL
 */
export function sharedClient(url: string): SharedClient {
  const home = connectionTo(url);
  let own: Connection | null = null;
  let closed = false;

  // a store that is made and never used keeps no connection from its end
  function join(): RedisPort {
    if (own !== null) return own.port;
    own = connectionTo(url);
    own.users++;
    return own.port;
  }

  function used<T>(use: (port: RedisPort) => Promise<T>): Promise<T> {
    return closed ? Promise.reject(new Error("RedisStore: the store was closed")) : use(own?.port ?? join());
  }

  const port: RedisPort = {
    evalsha: (sha, keys, args) => used((one) => one.evalsha(sha, keys, args)),
    eval: (script, keys, args) => used((one) => one.eval(script, keys, args)),
    async *scan(pattern) {
      yield* await used((one) => Promise.resolve(one.scan(pattern)));
    },
    connect: () => used((one) => one.connect!()),
    async close() {
      if (closed) return;
      closed = true;
      if (own === null || --own.users > 0) return;
      // who comes from now on needs another one
      if (connections.get(url) === own) connections.delete(url);
      await own.port.close!();
    },
  };
  return { port, home };
}

import { lazyClient } from "./lazy_client.ts";
import type { RedisPort } from "./redis_port.ts";

/** A connection, and the number of open stores that have used it. */
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

/** A store's share of a connection. */
export interface SharedClient {
  /** The interface the store uses. */
  readonly port: RedisPort;
  /** The same object for all stores that share this connection. */
  readonly home: object;
}

/**
 * Shares the connection to an address with one more store. Otherwise, each store created inside a request would open a
 * connection that nothing closes. The connection closes with the last store that has used it.
 *
 * @param url The server's address
 * @returns The store's share of it
 * @throws {TypeError} If the address is not a `redis:`, `rediss:` or `unix:` URL
 */
export function sharedClient(url: string): SharedClient {
  const home = connectionTo(url);
  let own: Connection | null = null;
  let closed = false;

  function used<T>(use: (port: RedisPort) => Promise<T>): Promise<T> {
    if (closed) return Promise.reject(new Error("RedisStore: the store was closed"));
    // only now, because an unused store must not keep the connection open
    if (own === null) {
      own = connectionTo(url);
      own.users++;
    }
    return use(own.port);
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
      // later stores need a new connection
      if (connections.get(url) === own) connections.delete(url);
      await own.port.close!();
    },
  };
  return { port, home };
}

import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { RedisStore, type Store } from "../../mod.ts";
import { PostgresStore } from "../../postgres.ts";
import { SqliteStore } from "../../sqlite.ts";

/**
 * A store with its own connection.
 *
 * @param url Its database URL: `redis://…`, `postgres://…`, or `file://…` for SQLite
 * @returns The store; closing it closes the connection
 */
export function storeAt(url: string): Store {
  if (url.startsWith("postgres:")) {
    const client = new pg.Pool({ connectionString: url, max: 4 });
    const store: Store = new PostgresStore({ client, attempts: 1000 });
    store.close = () => client.end();
    return store;
  }
  if (!url.startsWith("file:")) return new RedisStore({ url });
  const database = new DatabaseSync(new URL(url));
  database.exec("PRAGMA busy_timeout = 1000; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
  return new SqliteStore({ database });
}

/**
 * A SQLite store, shared by all processes on a machine.
 *
 * @example Counters on Node or Deno
 * ```ts ignore
 * import { DatabaseSync } from "node:sqlite";
 * import { rateLimit } from "@sluice/rate-limit";
 * import { SqliteStore } from "@sluice/rate-limit/sqlite";
 *
 * const database = new DatabaseSync("limits.db");
 * database.exec("PRAGMA busy_timeout = 1000; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
 * const limit = rateLimit({ algorithm: "sliding-window", limit: 100, store: new SqliteStore({ database }) });
 * ```
 *
 * @module
 */
export {
  type SqliteDatabase,
  type SqliteStatement,
  SqliteStore,
  type SqliteStoreOptions,
  type SqliteValue,
} from "./src/stores/sqlite_store.ts";

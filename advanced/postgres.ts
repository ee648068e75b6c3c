/**
 * A PostgreSQL store that uses your existing client.
 *
 * @example Share counters between all processes
 * ```ts ignore
 * import { Pool } from "pg";
 * import { rateLimit } from "@sluice/rate-limit";
 * import { PostgresStore } from "@sluice/rate-limit/postgres";
 *
 * const client = new Pool({ connectionString: "postgres://localhost/app" });
 * const limit = rateLimit({ algorithm: "sliding-window", limit: 100, store: new PostgresStore({ client }) });
 * ```
 *
 * @module
 */
export type { PostgresValue } from "./src/stores/postgres_commit.ts";
export {
  type PostgresClient,
  type PostgresQueryClient,
  PostgresStore,
  type PostgresStoreOptions,
  type PostgresUnsafeClient,
} from "./src/stores/postgres_store.ts";

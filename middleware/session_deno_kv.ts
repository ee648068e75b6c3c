/**
 * Sessions in Deno KV, in a database that the program has opened.
 *
 * @example Sessions in Deno KV
 * ```ts ignore
 * import { session } from "@sluice/middleware/session";
 * import { DenoKvSessionStore } from "@sluice/middleware/session/deno-kv";
 *
 * app.use(session({ store: new DenoKvSessionStore({ kv: await Deno.openKv() }) }));
 * ```
 *
 * @module
 */
export {
  DenoKvSessionStore,
  type DenoKvSessionStoreOptions,
  type KvAtomic,
  type KvDatabase,
  type KvEntry,
  type KvKeyPart,
} from "./src/session_deno_kv/deno_kv_session_store.ts";
export type { SessionStore, SetSessionOptions } from "./src/session/session_store.ts";

/**
 * Sessions in Cloudflare Durable Objects.
 *
 * @example In a Worker
 * ```ts ignore
 * import { env } from "cloudflare:workers";
 * import { session } from "@sluice/middleware/session";
 * import { DurableObjectSessionStore, SessionObject } from "@sluice/middleware/session/durable-object";
 *
 * export { SessionObject };
 *
 * app.use(session({ store: new DurableObjectSessionStore({ namespace: env.SESSIONS }) }));
 * ```
 *
 * @module
 */
export type { DurableObjectNamespaceLike, DurableObjectResponse, DurableObjectStubLike } from "@sluice/shared";
export {
  DurableObjectSessionStore,
  type DurableObjectSessionStoreOptions,
} from "./src/session_durable_object/durable_object_session_store.ts";
export {
  type DurableObjectStateLike,
  type DurableObjectStorageLike,
  SessionObject,
} from "./src/session_durable_object/session_object.ts";
export type { SessionStore, SetSessionOptions } from "./src/session/session_store.ts";

/**
 * Sessions: data that belongs to a client and lasts across requests, in sealed cookies or in a store.
 *
 * A sealed cookie cannot be revoked: ending a session only deletes the client's copy, and a stolen copy works until it
 * expires. With a store, ending a session deletes it.
 *
 * @example A counter
 * ```ts
 * import sluice from "@sluice/sluice";
 * import { session } from "@sluice/middleware/session";
 *
 * const app = sluice();
 * app.use(session({ secret: "5VnrkxJ0fTuGGq7ZJvqCCiTTQ9SXYH2l" }));
 *
 * app.get("/", (req, res) => {
 *   req.session.views = (req.session.views ?? 0) + 1;
 *   res.send(`Visit ${req.session.views}`);
 * });
 * ```
 *
 * @module
 */
export {
  type DeclaredSessionData,
  type Flash,
  type OwnSessionData,
  type Session,
  session,
  type SessionCookieOptions,
  type SessionData,
  type SessionExtras,
  type SessionOptions,
} from "./src/session/session.ts";
export { MemorySessionStore, type MemorySessionStoreOptions } from "./src/session/memory_session_store.ts";
export type { Callback, SessionMethods } from "./src/session/request_session.ts";
export type { SessionCookie } from "./src/session/session_cookie.ts";
export type { SessionStore, SetSessionOptions } from "./src/session/session_store.ts";
export type { CookieAttributes } from "./src/cookies/kept_cookie.ts";

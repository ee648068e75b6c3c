import type { FoundSession, SessionKeeper } from "./session_keeper.ts";

/**
 * A session that could not be read: an empty one. It is not a new one, which would replace the client's cookie.
 *
 * @param token Value of the cookie
 * @param created The present time in ms
 */
export function lostSession(token: string, created: number): FoundSession {
  return { id: "", token, created, isNew: false, content: [{}, []], isStale: false };
}

/**
 * How such a session is kept: whatever would change it fails with the store's error, because nobody knows what is in it.
 * A login would replace it, and a logout leave it as it is.
 *
 * @param error The store's error
 * @param keeper How other sessions are kept
 */
export function lostKeeper(error: unknown, keeper: SessionKeeper): SessionKeeper {
  const fail = (): Promise<never> => Promise.reject(error);
  return { isApart: true, begin: () => keeper.begin(), find: fail, keep: fail, renew: fail, drop: fail };
}

import type { FoundSession, SessionKeeper } from "./session_keeper.ts";

/**
 * Creates an empty session in place of a session that could not be read. It is not new, because that would replace the
 * client's cookie.
 *
 * @param token The cookie's value
 * @param created Current time in ms
 */
export function lostSession(token: string, created: number): FoundSession {
  return { id: "", token, created, isNew: false, content: [{}, []], isStale: false };
}

/**
 * Makes every change to such a session fail with the store's error, because its content is unknown. A login would
 * replace it, and a logout would not end it.
 *
 * @param error The store's error
 * @param keeper How other sessions are stored
 */
export function lostKeeper(error: unknown, keeper: SessionKeeper): SessionKeeper {
  const fail = (): Promise<never> => Promise.reject(error);
  return { isApart: true, begin: () => keeper.begin(), find: fail, keep: fail, renew: fail, drop: fail };
}

import { requestSequence } from "../src/util/sequence.ts";
import { warnOnce } from "./warn_once.ts";

/**
 * Reports whether a limiter was created during a request rather than before it.
 *
 * @param limiterSequence Sequence number of the limiter, in creation order
 * @param req Its first request; other frameworks' requests have no number and count as later
 * @returns Whether the limiter was created after the request
 */
export function isMadeInRequest(limiterSequence: number, req: object): boolean {
  const sequence = (req as { [requestSequence]?: number })[requestSequence];
  return sequence !== undefined && sequence < limiterSequence;
}

/** Maximum number of limiters created during requests; if there are more, their options differ per request. */
export const MAX_MADE_IN_REQUESTS = 1000;

/**
 * Records a new limiter created during a request, and warns about the first one without a name.
 *
 * @param name Its name, if it has one
 * @param known Number of different limiters so far
 * @param alike What limiters with the same name must have in common, for the message
 * @throws {RangeError} If there are more than a thousand
 */
export function noteMadeInRequest(name: string | undefined, known: number, alike: string): void {
  if (known >= MAX_MADE_IN_REQUESTS) {
    throw new RangeError(
      `rateLimit: more than ${MAX_MADE_IN_REQUESTS} different limiters were made inside requests; ` +
        `make them once, outside, or give them a name and the same ${alike}`,
    );
  }
  if (name !== undefined) return;
  warnOnce(
    "name",
    () =>
      "rateLimit: a limiter was made inside a request. It counts together with others of the same options and route; " +
      "make it once, outside, or give it a name",
  );
}

/**
 * The route on which a request meets a limiter: the application's mount path and the route's pattern.
 *
 * It contains only the developer's own patterns: clients choose the actual paths, and must not gain a new count.
 *
 * @param req The request
 * @returns A string, the same for the same route
 */
export function routeLabel(req: object): string {
  const { app, route } = req as { app?: { mountpath?: unknown }; route?: { path?: unknown } };
  return JSON.stringify([String(app?.mountpath ?? ""), String(route?.path ?? "")]);
}

import { requestSequence } from "../../http/sequence.ts";

/**
 * Tells whether a limiter was made while a request was under way, rather than before it.
 *
 * @param limiterSequence Place of the limiter in the order of creation
 * @param req The first request it is asked about; a request of another framework has no place, and gets a private limiter
 * @returns Whether the limiter is the younger one
 */
export function isMadeInside(limiterSequence: number, req: object): boolean {
  const sequence = (req as { [requestSequence]?: number })[requestSequence];
  return sequence !== undefined && sequence < limiterSequence;
}

/** Limiters made inside requests that are told apart; more would mean that their options differ per request. */
export const MAX_MADE_INSIDE = 1000;

let warned = false;

/**
 * Notes one more limiter that is made inside requests, and warns of the first.
 *
 * @param known How many are told apart already
 * @param alike What a name joins them by, for the message
 * @throws {RangeError} If they are more than a thousand
 */
export function noteMadeInside(known: number, alike: string): void {
  if (known >= MAX_MADE_INSIDE) {
    throw new RangeError(
      `rateLimit: more than ${MAX_MADE_INSIDE} different limiters were made inside requests; ` +
        `make them once, outside, or give them a name and the same ${alike}`,
    );
  }
  if (warned) return;
  warned = true;
  console.warn(
    "rateLimit: a limiter was made inside a request. It counts together with others of the same options and route; " +
      "make it once, outside, or give it a name",
  );
}

/**
 * Where in an application a request met a limiter: mount path of the application, and pattern of the route.
 *
 * It says only what the developer wrote: a client chooses what a pattern matches, and must not win a fresh count by it.
 *
 * @param req The request
 * @returns A text that is equal for the same place
 */
export function placeOf(req: object): string {
  const { app, route } = req as { app?: { mountpath?: unknown }; route?: { path?: unknown } };
  return JSON.stringify([String(app?.mountpath ?? ""), String(route?.path ?? "")]);
}

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

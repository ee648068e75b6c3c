import { noteMadeInside, placeOf } from "@sluice/sluice/limiting";
import { Limiter } from "../limiter/limiter.ts";
import { limiterOptionsOf } from "./http_options.ts";
import type { RequestLimiter } from "./request_limiter.ts";

/** Limiters made inside requests: by their store, then by options and place. */
const shared = new WeakMap<object, Map<string, Limiter>>();
/** Stands for the memory of this process. */
const MEMORY = {};

/**
 * The limiter that limiters made inside requests share. Each of them lives for one request only and would never count
 * past one. They are taken for the same if they have the same store and `name`, or else the same plain options and the
 * same place in the application.
 *
 * @param made The limiter as it was made
 * @param req The request it was made in
 * @returns The shared limiter
 * @throws {RangeError} If more than a thousand different ones are counting
 */
export function sharedLimiter<Req>(made: RequestLimiter<Req>, req: object): Limiter {
  const { options } = made;
  const home = options.store ?? MEMORY;
  let limiters = shared.get(home);
  if (limiters === undefined) shared.set(home, limiters = new Map());
  const plain = JSON.stringify(options, (key, value) => key === "store" || key === "timers" ? undefined : value);
  const identity = `${plain}${options.name === undefined ? placeOf(req) : ""}`;
  const known = limiters.get(identity);
  if (known !== undefined) return known;
  noteMadeInside(limiters.size, "options");
  const limiter = new Limiter(limiterOptionsOf(options));
  limiters.set(identity, limiter);
  return limiter;
}

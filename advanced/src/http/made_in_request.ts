import { isMadeInside, noteMadeInside, placeOf } from "@sluice/sluice/limiting";
import { Limiter } from "../limiter/limiter.ts";
import { MemoryStore } from "../stores/memory_store.ts";
import { limiterOptionsOf } from "./http_options.ts";
import type { RequestLimiter } from "./request_limiter.ts";

/** Limiters made inside requests: by their store, then by options and place. */
const shared = new WeakMap<object, Map<string, Limiter>>();
/** Stands for the memory of this process, and for stores in it that were made inside requests too. */
const MEMORY = {};

/**
 * The limiter that limiters made inside requests share. Each of them lives for one request only and would never count
 * past one. They are taken for the same if they have the same store, the same `name` or else the same place in the
 * application, and the same plain options, but for those that say no more than how an answer looks: a client may have
 * a say in them, and must not win a fresh count by it.
 *
 * @param made The limiter as it was made
 * @param req The request it was made in
 * @returns The shared limiter
 * @throws {RangeError} If more than a thousand different ones are counting
 */
export function sharedLimiter<Req>(made: RequestLimiter<Req>, req: object): Limiter {
  const { options } = made;
  const home = options.store === undefined || isMemoryOf(req, options.store) ? MEMORY : options.store;
  let limiters = shared.get(home);
  if (limiters === undefined) shared.set(home, limiters = new Map());
  const { store: _store, timers: _timers, message: _message, requestPropertyName: _property, ...counting } = options;
  const named = options.name ?? options.identifier;
  const identity = `${JSON.stringify(counting)}${named === undefined ? placeOf(req) : ""}`;
  const known = limiters.get(identity);
  if (known !== undefined) return known;
  noteMadeInside(limiters.size, "options");
  const limiter = new Limiter(limiterOptionsOf(options, made.caller), made.caller);
  limiters.set(identity, limiter);
  return limiter;
}

// such a store would forget with the request what it has counted
function isMemoryOf(req: object, store: object): boolean {
  return store instanceof MemoryStore && isMadeInside(store.sequence, req);
}

import { isMadeInRequest, MAX_MADE_IN_REQUESTS, noteMadeInRequest, routeLabel, warnOnce } from "@sluice/limiting";
import { Limiter } from "../limiter/limiter.ts";
import { leaveStore } from "../limiter/store_users.ts";
import { type CounterLocation, locationOf } from "../stores/counter_location.ts";
import { MemoryStore, sequenceKey } from "../stores/memory_store.ts";
import type { Store } from "../policy/store.ts";
import type { AnyCounter } from "../stores/counter_like.ts";
import { limiterOptionsOf } from "./http_options.ts";
import type { RequestLimiter } from "./request_limiter.ts";

/** Limiters created inside requests: by store, then by options and route. */
const shared = new WeakMap<object, Map<string, Limiter>>();
/** Represents this process's memory, including memory stores created inside requests. */
const MEMORY: CounterLocation = { home: {}, prefix: "" };

/**
 * Returns the limiter that limiters created inside requests share. Each such limiter exists for a single request, so it
 * could never count past one by itself. They share a limiter if their stores have the same counters, they have the same
 * options, and they have the same `name` or otherwise the same route. Options that only change how a response looks are
 * ignored: they may depend on the client, which must not get a fresh count by changing them.
 *
 * @param made The new limiter
 * @param req The request it was created in
 * @returns The shared limiter
 * @throws {RangeError} If more than a thousand different limiters are counting
 */
export function sharedLimiter<Req>(made: RequestLimiter<Req>, req: object): Limiter {
  const { options } = made;
  const { home, prefix } = options.store === undefined || isMemoryOf(req, options.store)
    ? MEMORY
    : locationOf(options.store);
  let limiters = shared.get(home);
  if (limiters === undefined) shared.set(home, limiters = new Map());
  const { store: _store, timers: _timers, message: _message, requestPropertyName: _property, ...rest } = options;
  const { validate: _validate, rules, ...counting } = rest;
  const named = options.name ?? options.identifier;
  const identity = `${JSON.stringify([counting, rules?.identity])}${
    named === undefined ? routeLabel(req) : ""
  }${prefix}`;
  const known = limiters.get(identity);
  // each tenant may have its own prefix, and its counts stay in the store anyway
  if (known === undefined && prefix !== "" && limiters.size >= MAX_MADE_IN_REQUESTS) return made.limiter;
  // this one is never used, nor closed
  leaveStore(made.limiter);
  if (known !== undefined) return known;
  noteMadeInRequest(named, limiters.size, "options");
  if (options.store !== undefined && home === options.store) noteOwnMemory(options.store);
  const limiter = new Limiter(limiterOptionsOf(options, made.caller), made.caller);
  limiters.set(identity, limiter);
  return limiter;
}

// such a store would lose its counts at the end of the request
function isMemoryOf(req: object, store: object): boolean {
  return store instanceof MemoryStore && isMadeInRequest(store[sequenceKey], req);
}

// an express-rate-limit store does not record when it was created; a store that counts elsewhere finds its counts again
function noteOwnMemory(store: Store | AnyCounter): void {
  const isOwn = "capabilities" in store ? store.capabilities.scope === "process" : store.localKeys === true;
  if (!isOwn || store instanceof MemoryStore) return;
  warnOnce(
    "ownMemory",
    () =>
      "rateLimit: a limiter was made inside a request, with a store that counts in memory. If the store was made there, " +
      "too, each request finds it empty, and none is ever refused: make it once, outside",
  );
}

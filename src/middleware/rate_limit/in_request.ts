import type { FrameworkRequest } from "../../request/framework_request.ts";
import { MAX_MADE_INSIDE, noteMadeInside, placeOf } from "./made_inside.ts";
import { MemoryStore } from "./memory_store.ts";
import type { CheckedRateLimit } from "./options.ts";

/** Limiters with the same plain options, and the stores of the places where requests met them. */
type Places = Map<string, MemoryStore>;

const shared = new Map<string, Places>();
/** Places told apart per set of options; more would mean that routes are made per request. */
const MAX_PLACES = 1000;
/** Where limiters count together once there are too many places. No path is equal to it. */
const ANYWHERE = "anywhere";

/**
 * The store that limiters made inside requests share.
 *
 * Each of them lives for one request only and would never count past one. They are taken for the same limiter if they
 * have the same `name` and window, or else the same plain options and the same place: mount path of the
 * application, and pattern of the route. Under two prefixes of `use` they count together, rather too much than too
 * little; a `name` tells them apart.
 *
 * @param options The limiter's options
 * @param req The request that met it
 * @returns The shared store
 * @throws {RangeError} If more than a thousand different limiters are counting
 */
export function sharedStore(options: CheckedRateLimit, req: FrameworkRequest): MemoryStore {
  const { name, windowMs, max, statusCode, headers, maxKeys, ipv6Subnet, missingKey } = options;
  const plain = name === undefined
    ? [windowMs, max, statusCode, headers, maxKeys, ipv6Subnet, missingKey]
    : [name, windowMs];
  const places = placesOf(JSON.stringify(plain), options);
  const place = name === undefined ? placeOf(req) : ANYWHERE;
  const known = places.get(place);
  if (known !== undefined) return known;
  const identity = places.size < MAX_PLACES ? place : ANYWHERE;
  const store = places.get(identity) ?? new MemoryStore(windowMs, maxKeys);
  places.set(identity, store);
  return store;
}

function placesOf(fingerprint: string, { clock }: CheckedRateLimit): Places {
  const known = shared.get(fingerprint);
  if (known !== undefined) return known;
  if (shared.size >= MAX_MADE_INSIDE) dropIdle(clock());
  noteMadeInside(shared.size, "window");
  const places: Places = new Map();
  shared.set(fingerprint, places);
  return places;
}

function dropIdle(now: number): void {
  for (const [fingerprint, places] of shared) {
    if ([...places.values()].every((store) => store.liveCount(now) === 0)) shared.delete(fingerprint);
  }
}

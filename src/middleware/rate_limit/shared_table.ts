import type { FrameworkRequest } from "../../request/framework_request.ts";
import { MAX_MADE_INSIDE, noteMadeInside, placeOf } from "../../../limiting/made_in_request.ts";
import { MemoryStore } from "./fixed_window_table.ts";
import type { CheckedRateLimit } from "./options.ts";

/** Stores of limiters with the same plain options, by the place where requests met them. */
type Places = Map<string, MemoryStore>;

const shared = new Map<string, Places>();
/** Most places for each set of options; more would mean that routes are made for each request. */
const MAX_PLACES = 1000;
/** Place where limiters count together if there are too many, or have a name. Equal to no real place. */
const ANYWHERE = "anywhere";

/**
 * The store that limiters made inside requests share.
 *
 * Each of them exists for only one request, and would never count beyond one. They count as the same limiter if they
 * have the same `name` and window or, without a name, the same plain options and place: the mount path of the
 * application and the pattern of the route. Below two prefixes of `use` they count together, which is too many rather
 * than too few; names separate them.
 *
 * @param options The limiter's options
 * @param req The request in which it was made
 * @returns The shared store
 * @throws {RangeError} If more than a thousand different limiters are in use
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

function placesOf(fingerprint: string, { clock, name }: CheckedRateLimit): Places {
  const known = shared.get(fingerprint);
  if (known !== undefined) return known;
  if (shared.size >= MAX_MADE_INSIDE) dropIdle(clock());
  noteMadeInside(name, shared.size, "window");
  const places: Places = new Map();
  shared.set(fingerprint, places);
  return places;
}

function dropIdle(now: number): void {
  for (const [fingerprint, places] of shared) {
    if ([...places.values()].every((store) => store.liveCount(now) === 0)) shared.delete(fingerprint);
  }
}

import { warnOnce } from "@sluice/limiting";
import type { Policy } from "../policy/policy.ts";
import type { Store } from "../policy/store.ts";
import { locationOf } from "../stores/counter_location.ts";
import { isInUse } from "./store_users.ts";

/** The first store that counted each limit: by its counters' location, then by prefix and limit. */
const counting = new WeakMap<object, Map<string, WeakRef<Store>>>();
/** Maximum limits remembered per location. A program with more creates them per client. */
const MOST = 1000;

/**
 * Warns if two limiters share counters although each has its own store: the stores keep counters in the same location,
 * and the limits have the same name.
 *
 * @param store The limiter's store
 * @param policies Its policies
 * @param caller Caller name for the message
 */
export function noteSameCounters(store: Store, policies: readonly Policy[], caller: string): void {
  const { home, prefix } = locationOf(store);
  if (home === store) return;
  let limits = counting.get(home);
  if (limits === undefined) counting.set(home, limits = new Map());
  for (const { name, algorithm } of policies) {
    const id = JSON.stringify([prefix, name, algorithm]);
    const former = limits.get(id)?.deref();
    if (former === store) continue;
    if (former !== undefined && isInUse(former)) warn(name, prefix, caller);
    else if (limits.size < MOST || limits.has(id)) limits.set(id, new WeakRef(store));
  }
}

function warn(name: string, prefix: string, caller: string): void {
  warnOnce(
    "sameCounters",
    () =>
      `${caller}: two limiters called "${name}" count together, because their stores are on one server with the same ` +
      `prefix, "${prefix}". Give each limiter a name of its own, or each store a prefix; if they are to be one limit, ` +
      "give both the same store",
  );
}

import { warnOnce } from "@sluice/limiting";
import type { Limiter } from "../limiter/limiter.ts";
import { noteSameCounters } from "../limiter/same_counters.ts";
import type { RateLimitOptions } from "./http_options.ts";

/** Default names in use, by store. */
const inUse = new WeakMap<object, Set<string>>();

/**
 * Warns about a second unnamed limiter on a store, and about a limiter with the same name on a different store with the
 * same counters. In each case, both limiters count as one limit.
 *
 * @param options Options for a limiter created outside requests
 * @param limiter The limiter
 */
export function noteDefaultNames<Req>(options: RateLimitOptions<Req>, { policies }: Limiter): void {
  const { store, rules, limits = rules?.rules.limits.limits ?? [options] } = options;
  if (store === undefined) return;
  if ("capabilities" in store) noteSameCounters(store, policies, "rateLimit");
  let names = inUse.get(store);
  if (names === undefined) inUse.set(store, names = new Set());
  for (const [i, { name }] of policies.entries()) {
    if (name === limits[i]!.name || name === options.identifier) continue;
    if (names.has(name)) warn(name);
    names.add(name);
  }
}

function warn(name: string): void {
  warnOnce(
    "defaultNames",
    () =>
      `rateLimit: two limiters on one store are both called "${name}", because neither has a name; they count ` +
      "together. Give each one with the option name",
  );
}

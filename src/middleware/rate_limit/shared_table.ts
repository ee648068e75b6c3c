import type { FrameworkRequest } from "../../request/framework_request.ts";
import { MAX_MADE_IN_REQUESTS, noteMadeInRequest, routeLabel } from "../../../limiting/made_in_request.ts";
import { FixedWindowTable } from "./fixed_window_table.ts";
import type { CheckedRateLimit } from "./options.ts";

/** Tables for limiters with the same plain options, by the label of the route where requests reached them. */
type TablesByRoute = Map<string, FixedWindowTable>;

const shared = new Map<string, TablesByRoute>();
/** Maximum number of routes per set of options; more would mean that each request creates routes. */
const MAX_ROUTES = 1000;
/** Label under which limiters count together if there are too many, or if they have a name. No route has this label. */
const ANYWHERE = "anywhere";

/**
 * Returns the table shared by limiters created inside requests.
 *
 * Each such limiter exists for a single request, so it could never count past one by itself. Two count as the same
 * limiter if they have the same `name` and window or, without a name, the same plain options and route: the
 * application's mount path and the route's pattern. Below two `use` prefixes, they count together, which overcounts
 * rather than undercounts; names separate them.
 *
 * @param options The limiter's options
 * @param req The request that created it
 * @returns The shared table
 * @throws {RangeError} If more than a thousand different limiters are in use
 */
export function sharedTable(options: CheckedRateLimit, req: FrameworkRequest): FixedWindowTable {
  const { name, windowMs, limit, statusCode, headers, maxKeys, ipv6Subnet, missingKey } = options;
  const plain = name === undefined
    ? [windowMs, limit, statusCode, headers, maxKeys, ipv6Subnet, missingKey]
    : [name, windowMs];
  const tables = tablesOf(JSON.stringify(plain), options);
  const label = name === undefined ? routeLabel(req) : ANYWHERE;
  const known = tables.get(label);
  if (known !== undefined) return known;
  const identity = tables.size < MAX_ROUTES ? label : ANYWHERE;
  const table = tables.get(identity) ?? new FixedWindowTable(windowMs, maxKeys);
  tables.set(identity, table);
  return table;
}

function tablesOf(fingerprint: string, { clock, name }: CheckedRateLimit): TablesByRoute {
  const known = shared.get(fingerprint);
  if (known !== undefined) return known;
  if (shared.size >= MAX_MADE_IN_REQUESTS) dropIdle(clock());
  noteMadeInRequest(name, shared.size, "window");
  const tables: TablesByRoute = new Map();
  shared.set(fingerprint, tables);
  return tables;
}

function dropIdle(now: number): void {
  for (const [fingerprint, tables] of shared) {
    if ([...tables.values()].every((table) => table.liveCount(now) === 0)) shared.delete(fingerprint);
  }
}

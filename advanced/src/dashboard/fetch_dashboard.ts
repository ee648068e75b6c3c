import { peerOf } from "@sluice/shared";
import { checkDashboardOptions, type DashboardOptions } from "./dashboard_options.ts";
import { DashboardServer } from "./dashboard_server.ts";

/** A dashboard as a Fetch handler. The platform's additional arguments are passed to `authorize`. */
// deno-lint-ignore no-explicit-any -- only the program knows the types of its platform's arguments
export type FetchDashboard = (request: Request, ...rest: any[]) => Promise<Response>;

/**
 * The same page as `dashboard`, as a Fetch handler. It responds at any path.
 *
 * @param options The limiters to show, and access rules; `authorize` gets the request and the platform's second
 * argument
 * @returns The handler; it rejects if `authorize` or the store fails
 * @throws {TypeError} If there are no limiters, or neither `secret` nor `authorize`
 * @throws {RangeError} If `secret` has fewer than 32 characters
 *
 * @example Protected by a secret
 * ```ts ignore
 * const page = fetchDashboard({ limiters: { api: limit }, secret: process.env.LIMITS_SECRET });
 * Deno.serve((request) => new URL(request.url).pathname === "/limits" ? page(request) : handler(request));
 * ```
 */
export function fetchDashboard(
  // deno-lint-ignore no-explicit-any -- only the program knows the types of its platform's arguments
  options: DashboardOptions<[request: Request, info?: any]>,
): FetchDashboard {
  checkDashboardOptions("fetchDashboard", options);
  const server = new DashboardServer(options);
  return async (request, info) => {
    const { origin, host, search } = new URL(request.url);
    const { status, headers, body } = await server.respond({
      method: request.method,
      search,
      origin,
      peer: peerOf(info, request).address,
      // requests created in the process have no Host header
      header: (name) => request.headers.get(name) ?? (name === "host" ? host : null),
      authorize: () => options.authorize!(request, info),
    });
    return new Response(request.method === "HEAD" ? null : body, { status, headers });
  };
}

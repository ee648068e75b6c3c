import type { AnyRequest, RequestLike, ResponseLike } from "../http/request_like.ts";
import { checkDashboardOptions, type DashboardOptions } from "./dashboard_options.ts";
import { DashboardServer } from "./dashboard_server.ts";

/**
 * A dashboard as middleware.
 *
 * @typeParam Req The request passed to `authorize`
 */
// deno-lint-ignore no-explicit-any -- middleware, whatever its option types
export interface DashboardMiddleware<Req = any> {
  /** Responds to requests for the dashboard. */
  (req: RequestLike, res: ResponseLike, next: (error?: unknown) => void): Promise<void>;
  /** Same as above. Frameworks that accept this signature infer the type of `authorize` from it. */
  (req: Req, res: ResponseLike, next: (error?: unknown) => void): Promise<void>;
}

/** The parts of Sluice and Express requests that are used. */
interface RoutedRequest {
  readonly method: string;
  readonly url: string;
  readonly protocol: string;
  readonly route?: unknown;
  readonly socket?: { readonly remoteAddress?: string | undefined } | null;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/**
 * A page that shows which keys each policy limits, their rates over time, and the store's health. It can also reset
 * keys. Middleware for Sluice and Express, for `app.use` with a path.
 *
 * The page needs no files or other hosts, and its `Content-Security-Policy` allows none. It requests its data every two
 * seconds while it is visible. All figures come from the process that responds. Keys are always shown as plain text.
 *
 * Access requires the `secret`, or approval by `authorize`, and a host in `hosts`: by default this machine. A reset is
 * a POST with a custom header, which only a same-origin page can send.
 *
 * @typeParam Req The request passed to `authorize`
 * @param options The limiters to show, and who may see them
 * @returns The middleware
 * @throws {TypeError} If there are no limiters, or neither `secret` nor `authorize`
 * @throws {RangeError} If `secret` has fewer than 32 characters
 *
 * @example For administrators
 * ```ts ignore
 * const hosts = ["admin.example.com"];
 * app.use("/limits", dashboard({ limiters: { api }, hosts, authorize: (req) => req.session.user?.isAdmin === true }));
 * ```
 */
export function dashboard<Req extends AnyRequest = AnyRequest>(
  options: DashboardOptions<[req: Req]>,
): DashboardMiddleware<Req> {
  checkDashboardOptions("dashboard", options);
  const server = new DashboardServer(options);

  return async function dashboard(req: RequestLike, res: ResponseLike, next: (error?: unknown) => void) {
    const { method, url, protocol, route, socket, headers } = req as unknown as RoutedRequest;
    const [path, search = ""] = url.split("?", 2);
    // there is nothing below its mount path; a route has already matched
    if (path !== "/" && route === undefined) return next();
    const header = (name: string): string | undefined => {
      const value = headers[name];
      return typeof value === "string" ? value : undefined;
    };
    try {
      const { status, headers: all, body } = await server.respond({
        method,
        search,
        origin: `${protocol}://${header("host")}`,
        peer: socket?.remoteAddress,
        header,
        authorize: () => options.authorize!(req as Req),
      });
      // authorize may have responded itself, such as with a redirect to a login
      if (res.headersSent || res.writableEnded) return;
      res.statusCode = status;
      for (const [name, value] of Object.entries(all)) res.setHeader(name, value);
      res.end(method === "HEAD" ? undefined : body);
    } catch (error) {
      // next treats undefined and two strings as directions, so throwing one would let the request through
      next(error instanceof Error ? error : new Error(`dashboard: authorize or a store threw ${String(error)}`));
    }
  };
}

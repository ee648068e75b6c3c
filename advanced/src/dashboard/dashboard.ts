import type { AnyRequest, RequestLike, ResponseLike } from "../http/request_like.ts";
import { checkDashboardOptions, type DashboardOptions } from "./dashboard_options.ts";
import { DashboardServer } from "./dashboard_server.ts";

/**
 * A dashboard as middleware.
 *
 * @typeParam Req The request that `authorize` gets
 */
// deno-lint-ignore no-explicit-any -- whatever its options are typed for, it is a middleware
export interface DashboardMiddleware<Req = any> {
  /** Responds to requests for the dashboard. */
  (req: RequestLike, res: ResponseLike, next: (error?: unknown) => void): Promise<void>;
  /** The same; where a framework takes it, the compiler types `authorize` by this. */
  (req: Req, res: ResponseLike, next: (error?: unknown) => void): Promise<void>;
}

/** What requests of Sluice and Express have. */
interface RoutedRequest {
  readonly method: string;
  readonly url: string;
  readonly protocol: string;
  readonly route?: unknown;
  readonly socket?: { readonly remoteAddress?: string | undefined } | null;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/**
 * A page that shows which keys are limited by which policy, the rates over time, and how the store is; it also resets
 * keys. Middleware of Sluice and Express, for `app.use` with a path.
 *
 * The page needs no file and no other host, and its `Content-Security-Policy` allows none. It asks for its data every two
 * seconds while it is looked at. All figures are those of the process that responds. Keys are shown as text, whatever
 * they are.
 *
 * Whoever knows `secret` may see it, or whomever `authorize` lets through, at a host of `hosts`: by default on this
 * machine. A reset is a POST with a header of its own, which a page of the same origin has to send.
 *
 * @typeParam Req The request that `authorize` gets
 * @param options What is shown, and who may see it
 * @returns The middleware
 * @throws {TypeError} If there are no limiters, or neither `secret` nor `authorize`
 * @throws {RangeError} If `secret` has less than 32 characters
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
    // below the path that it is mounted at there is nothing; a route has matched already
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
      // authorize may have responded itself, such as with a redirection to a login
      if (res.headersSent || res.writableEnded) return;
      res.statusCode = status;
      for (const [name, value] of Object.entries(all)) res.setHeader(name, value);
      res.end(method === "HEAD" ? undefined : body);
    } catch (error) {
      // next takes nothing, and two words, for a direction: whoever sends them would be let through
      next(error instanceof Error ? error : new Error(`dashboard: authorize or a store threw ${String(error)}`));
    }
  };
}

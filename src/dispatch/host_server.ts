import type { Exchange } from "../exchange/exchange.ts";
import type { FrameworkRequest } from "../request/framework_request.ts";
import type { FrameworkResponse } from "../response/framework_response.ts";

/** Key of the host server in the platform's second argument. */
export const hostServerKey: unique symbol = Symbol.for("sluice.host server");

/** The server around an application that handles only some of its requests: Node's `http`, or Express. */
export interface HostServer {
  /** Returns whether a request is the server's; any other one that a program passes to an application has no host. */
  isOf(request: Request): boolean;
  /** Whether it handles requests that no layer responds to. */
  readonly takesOver: boolean;
  /** Runs before the first layer: reports where the application is mounted, and hands over earlier changes. */
  enter(exchange: Exchange, req: FrameworkRequest, res: FrameworkResponse): void;
  /**
   * Runs, if it takes over, when no layer responded, or with the unhandled error.
   *
   * @returns Whether the server takes over; otherwise the application sends its own 404 or error page
   */
  leave(error: unknown): boolean;
}

/** A platform's second argument that refers to such a server. */
export interface Hosted {
  /** The server. */
  readonly [hostServerKey]?: HostServer;
}

/**
 * The `fetch` functions of applications as Sluice creates them. A server may pass a stand-in for a web request to
 * these; one that a program wraps, or another framework's, gets a real one.
 */
export const ownFetches: WeakSet<object> = new WeakSet();

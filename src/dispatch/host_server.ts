import type { Exchange } from "../exchange/exchange.ts";
import type { FrameworkRequest } from "../request/framework_request.ts";
import type { FrameworkResponse } from "../response/framework_response.ts";

/** Key of the method that finds the host server in the platform's second argument. */
export const hostServerKey: unique symbol = Symbol.for("sluice.host server");

/** The server around an application that handles only some of the server's requests: Node's `http`, or Express. */
export interface HostServer {
  /** Whether it handles requests that no layer responds to. */
  readonly takesOver: boolean;
  /** Runs before the first layer: reports the application's mount, and hands over earlier changes. */
  enter(exchange: Exchange, req: FrameworkRequest, res: FrameworkResponse): void;
  /**
   * Called if the server takes over: when no layer has responded, or with the unhandled error.
   *
   * @returns Whether the server takes over; otherwise the application sends its own 404 or error page
   */
  leave(error: unknown): boolean;
}

/** A platform's second argument that refers to a surrounding server. */
export interface Hosted {
  /** Returns a request's server, `null` for another request that a program passes with this argument. */
  [hostServerKey]?(request: Request): HostServer | null;
}

/**
 * The `fetch` functions that Sluice creates. A server may pass a stand-in for a web request to these; a function that a
 * program wraps, or a different framework's, gets a real request.
 */
export const ownFetches: WeakSet<object> = new WeakSet();

/** Key under which a stand-in for a web request holds the real one. */
export const webRequestKey: unique symbol = Symbol.for("sluice.request.web");

/** Key under which a stand-in holds the path and query as sent. */
export const originFormKey: unique symbol = Symbol.for("sluice.request.origin form");

/** A stand-in for a web request, from an adapter: it delays what takes longer than a whole response. */
export interface StandIn {
  /** The web request, created on demand. */
  readonly [webRequestKey]: Request;
  /**
   * Path and query as sent (RFC 9112 section 3.2.1), so that no URL is built to slice them from; `null` for any other
   * target, and with an invalid `Host`: then the URL decides.
   */
  readonly [originFormKey]: string | null;
}

/**
 * Returns the web request that programs get.
 *
 * @param delivered The request as the platform delivered it, perhaps a stand-in
 */
export function webRequestOf(delivered: Request): Request {
  return (delivered as Partial<StandIn>)[webRequestKey] ?? delivered;
}

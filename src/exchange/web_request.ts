/** Key under which a stand-in for a web request holds the real one. */
export const webRequestKey: unique symbol = Symbol.for("sluice.request.web");

/**
 * Returns the web request that programs get. On Node, the adapter delivers a cheaper stand-in until a program needs the
 * real one.
 *
 * @param delivered The request as the platform delivered it
 */
export function webRequestOf(delivered: Request): Request {
  return (delivered as { [webRequestKey]?: Request })[webRequestKey] ?? delivered;
}

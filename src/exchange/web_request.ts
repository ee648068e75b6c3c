/** Key under which what only stands for a web request has the real one. */
export const webRequestKey: unique symbol = Symbol.for("sluice.request.web");

/**
 * The web request that programs get: on Node the adapter delivers something that costs less, and stands for one until
 * somebody asks.
 *
 * @param delivered The request as the platform delivered it
 */
export function webRequestOf(delivered: Request): Request {
  return (delivered as { [webRequestKey]?: Request })[webRequestKey] ?? delivered;
}

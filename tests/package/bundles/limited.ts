/** A limiter over Durable Objects, as in a Worker. */
import { type DurableObjectNamespaceLike, DurableObjectStore, rateLimit } from "@sluice/rate-limit";

export { RateLimitObject } from "@sluice/rate-limit";

export default (namespace: DurableObjectNamespaceLike): unknown =>
  rateLimit({ limit: 10, store: new DurableObjectStore({ namespace }) });

/** A limiter over Durable Objects, as a Worker's program has it. */
import { type DurableObjectNamespaceLike, DurableObjectStore, rateLimit } from "@sluice/rate-limit";

export { RateLimitObject } from "@sluice/rate-limit";

export default (namespace: DurableObjectNamespaceLike): unknown =>
  rateLimit({ max: 10, store: new DurableObjectStore({ namespace }) });

const EXHAUSTED: unique symbol = /* @__PURE__ */ Symbol.for("sluice.exhausted-limits");

/**
 * When a limiter has units again, in ms of `performance`, for each request that consumed its last units. All copies of
 * this module share it, because limiters from this package and from `@sluice/rate-limit` may follow one another.
 */
function refilled(): WeakMap<object, number> {
  return (globalThis as { [EXHAUSTED]?: WeakMap<object, number> })[EXHAUSTED] ??= new WeakMap();
}

/**
 * Records that an admitted request left no units for a similar one. If a later limiter refuses it and the client
 * retries once that limiter admits it, this limiter would refuse the retry.
 *
 * @param req The request
 * @param waitMs Time until the limiter has units again, in ms
 */
export function noteExhausted(req: object, waitMs: number): void {
  const times = refilled();
  times.set(req, Math.max(times.get(req) ?? 0, performance.now() + waitMs));
}

/**
 * How long earlier limiters have no units for a request like this one.
 *
 * @param req The request
 * @returns ms; 0 if all limiters have units
 */
export function exhaustedFor(req: object): number {
  const at = refilled().get(req);
  return at === undefined ? 0 : Math.max(0, at - performance.now());
}

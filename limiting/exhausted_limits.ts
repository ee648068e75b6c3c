const EXHAUSTED: unique symbol = /* @__PURE__ */ Symbol.for("sluice.exhausted-limits");

/**
 * For requests that took the last units of a limiter: when that limiter has units again, in ms of `performance`. Shared
 * by all copies of this module: limiters of this package and of `@sluice/rate-limit` may be behind one another.
 */
function refilled(): WeakMap<object, number> {
  return (globalThis as { [EXHAUSTED]?: WeakMap<object, number> })[EXHAUSTED] ??= new WeakMap();
}

/**
 * Notes that an admitted request left nothing for another one like it. A limiter behind this one may refuse it, and a
 * client that came back as soon as that one admits it would be refused by this one.
 *
 * @param req The request
 * @param waitMs ms until the limiter has units again
 */
export function noteExhausted(req: object, waitMs: number): void {
  const times = refilled();
  times.set(req, Math.max(times.get(req) ?? 0, performance.now() + waitMs));
}

/**
 * How long limiters in front have nothing left for a request like this one.
 *
 * @param req The request
 * @returns ms, 0 when all have
 */
export function exhaustedFor(req: object): number {
  const at = refilled().get(req);
  return at === undefined ? 0 : Math.max(0, at - performance.now());
}

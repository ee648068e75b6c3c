import type { Decision } from "../limiter/decision.ts";

/** For requests that took the last units of a limiter: when that limiter has units again, in ms of `performance`. */
const refilled = new WeakMap<object, number>();

/**
 * Notes that an admitted request left nothing for another one like it. A limiter behind this one may refuse it, and a
 * client that came back as soon as that one admits it would be refused by this one.
 *
 * @param req The request
 * @param decision The decision that admitted it
 */
export function noteUsedUp(req: object, { takes, verdicts }: Decision): void {
  let wait = 0;
  for (let i = 0; i < takes.length; i++) {
    const { cost, policy, shadow } = takes[i]!;
    const { remaining, nextMs } = verdicts[i]!;
    // what counts requests in progress has room again once this one has ended
    if (remaining < cost && !shadow && policy.algorithm !== "concurrency") wait = Math.max(wait, nextMs);
  }
  if (wait > 0) refilled.set(req, Math.max(refilled.get(req) ?? 0, performance.now() + wait));
}

/**
 * How long limiters in front have nothing left for a request like this one.
 *
 * @param req The request
 * @returns ms, 0 when all have
 */
export function usedUpFor(req: object): number {
  const at = refilled.get(req);
  return at === undefined ? 0 : Math.max(0, at - performance.now());
}

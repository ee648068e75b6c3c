/** Random options for limiters, and simpler ones. */
import { ALGORITHM_NAMES, type LimiterOptions, type LimitOptions, type OnStoreFailure } from "../../../advanced/mod.ts";
import { LEASABLE } from "../../../advanced/src/wrappers/leases.ts";
import { oneOf, type Pick } from "../../../tests/support/random.ts";
import { randomShape } from "../limiter/random_shape.ts";

/** Which limits, and in front of which store. */
export interface MadeLimiter {
  readonly does: "make";
  /** Whether its store is outside the process: refusals are cached, decisions merged, and it can fail. */
  readonly isRemote: boolean;
  readonly options: LimiterOptions & { readonly limits: readonly LimitOptions[] };
}

const LIMITS = [0, 1, 1, 2, 3, 5, 7, 20];
const FAILURES: readonly OnStoreFailure[] = ["local", "open", "closed"];

/**
 * A limiter with one to three limits.
 *
 * @param pick Picks at random
 * @param windows Possible window lengths in ms
 */
export function randomLimiter(pick: Pick, windows: readonly number[]): MadeLimiter {
  const count = pick(3) > 0 ? 1 : 2 + pick(2);
  const limits = Array.from({ length: count }, (_, i) => randomLimit(pick, `limit ${i}`, windows));
  const [{ algorithm }] = limits as [LimitOptions];
  const leases = count === 1 && LEASABLE.includes(algorithm!) && pick(2) === 0 ? { leases: 2 + pick(10) } : {};
  const processes = pick(3) === 0 ? 2 : 1;
  const options = { limits, onStoreFailure: oneOf(pick, FAILURES), processes, denyCache: pick(4) > 0, ...leases };
  return { does: "make", isRemote: pick(3) > 0, options };
}

function randomLimit(pick: Pick, name: string, windows: readonly number[]): LimitOptions {
  const algorithm = oneOf(pick, ALGORITHM_NAMES);
  const windowMs = oneOf(pick, windows);
  const shape = randomShape(pick, algorithm);
  const shadow = pick(6) === 0 ? { shadow: true } : {};
  const block = pick(8) === 0 ? { block: { after: 1 + pick(3), forMs: 1 + pick(windowMs) } } : {};
  return { name, algorithm, limit: oneOf(pick, LIMITS), windowMs, ...shape, ...shadow, ...block };
}

/** The same limiter without one of its limits or options. */
export function* simplerLimiters(made: MadeLimiter): Generator<MadeLimiter> {
  const { options } = made;
  const { limits } = options;
  if (made.isRemote) yield { ...made, isRemote: false };
  for (const i of limits.length > 1 ? limits.keys() : []) {
    yield { ...made, options: { ...options, limits: limits.toSpliced(i, 1) } };
  }
  if (options.processes !== 1) yield { ...made, options: { ...options, processes: 1 } };
  for (const name of ["leases", "onStoreFailure", "denyCache"] as const) {
    if (options[name] !== undefined) yield { ...made, options: { ...options, [name]: undefined } };
  }
  for (const [i, limit] of limits.entries()) {
    for (const name of ["block", "shadow", "burst", "buckets", "align"] as const) {
      if (limit[name] === undefined) continue;
      yield { ...made, options: { ...options, limits: limits.with(i, { ...limit, [name]: undefined }) } };
    }
    if (limit.limit! > 1) {
      yield { ...made, options: { ...options, limits: limits.with(i, { ...limit, limit: limit.limit! - 1 }) } };
    }
  }
}

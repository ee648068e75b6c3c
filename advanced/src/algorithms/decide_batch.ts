import { capacityOf, refusesFreely } from "../policy/policy.ts";
import type { Take, Verdict } from "../policy/store.ts";
import type { Algorithm, Cells } from "./algorithm.ts";
import { blockedFor, countRefusals, refusalsLeft, shortenBlock } from "./block_state.ts";

/** What a store holds for one take: its algorithm, and the cells of its key. */
export interface TakeState {
  /** The algorithm of the policy. */
  readonly algorithm: Algorithm;
  /** The key's state. */
  readonly cells: Cells;
  /** The state behind the policy's `block`, `null` when it has none. */
  readonly block: Cells | null;
  /** Whether the cells are known to be of no longer window than the policy's. */
  readonly isOfThisWindow?: boolean;
}

/**
 * Decides a batch on states to which the caller has exclusive access: the one rule that every store follows.
 *
 * A state that was written by a longer window or block, before the policy was changed, is bounded to the present one:
 * what it holds counts as if it had been used now, at the latest. This writes, even if nothing is granted.
 *
 * Then every policy is asked how often its take fits; the minimum is granted to all. At last those that refused bear the
 * consequences (`onDenied`, `block`). With `onDenied: "free"` and no `block` a rejection writes nothing.
 *
 * @param takes The batch
 * @param states State of each take, in the same order
 * @param times How often the batch is requested
 * @param now The store's time in ms
 * @returns The verdicts, in the same order
 */
export function decideBatch(
  takes: readonly Take[],
  states: readonly TakeState[],
  times: number,
  now: number,
): Verdict[] {
  if (takes.length === 1) return [decideAlone(takes[0]!, states[0]!, times, now)];
  takes.forEach((take, i) => shorten(take, states[i]!, now));
  const fits = takes.map((take, i) => timesItFits(take, states[i]!, times, now));
  let granted = times;
  takes.forEach(({ shadow }, i) => {
    if (!shadow && fits[i]! < granted) granted = fits[i]!;
  });
  return takes.map((take, i) =>
    settle(take, states[i]!, Math.min(granted, fits[i]!), fits[i]! > granted ? 0 : times - fits[i]!, now)
  );
}

/** Decides a take that is alone in its batch. */
export function decideAlone(take: Take, state: TakeState, times: number, now: number): Verdict {
  const { policy, cost } = take;
  const { algorithm, cells } = state;
  shorten(take, state, now);
  if (algorithm.decide !== undefined && refusesFreely(policy)) return algorithm.decide(policy, cells, now, cost, times);
  const fits = timesItFits(take, state, times, now);
  return settle(take, state, fits, times - fits, now);
}

function shorten({ policy }: Take, { algorithm, cells, block, isOfThisWindow }: TakeState, now: number): void {
  if (isOfThisWindow !== true) algorithm.shorten?.(policy, cells, now);
  if (block !== null) shortenBlock(policy.block!, policy.windowMs, block, now);
}

function timesItFits(
  { policy, cost }: Take,
  { algorithm, cells, block }: TakeState,
  times: number,
  now: number,
): number {
  if (cost === 0) return times;
  if (block !== null && blockedFor(block, now) > 0) return 0;
  const room = algorithm.room(policy, cells, now);
  if (room >= cost * times) return times;
  return room < cost ? 0 : Math.floor(room / cost);
}

function settle(take: Take, state: TakeState, granted: number, refusals: number, now: number): Verdict {
  const { policy, cost } = take;
  const { algorithm, cells, block } = state;
  const units = granted * cost;
  let stamp = units > 0 ? algorithm.take(policy, cells, now, units) : 0;
  if (refusals > 0) stamp = refuse(take, state, refusals, now, stamp);
  const capacity = capacityOf(policy);
  const blocked = block === null ? 0 : blockedFor(block, now);
  const remaining = blocked > 0 ? 0 : Math.max(0, algorithm.room(policy, cells, now));
  let retryMs = 0;
  if (refusals > 0) retryMs = cost > capacity ? Infinity : Math.max(blocked, algorithm.wait(policy, cells, now, cost));
  return {
    granted: units,
    denied: refusals > 0,
    limit: capacity,
    remaining,
    retryMs,
    nextMs: remaining >= capacity ? 0 : Math.max(blocked, algorithm.wait(policy, cells, now, remaining + 1)),
    resetMs: Math.max(blocked, algorithm.reset(policy, cells, now)),
    blocked: blocked > 0,
    stamp,
  };
}

/** Applies the consequences of rejections, and returns the new stamp of what was granted. */
function refuse(
  { policy, cost }: Take,
  { algorithm, cells, block }: TakeState,
  refusals: number,
  now: number,
  stamp: number,
): number {
  if (block !== null && blockedFor(block, now) > 0) return stamp;
  const counted = block === null ? refusals : Math.min(refusals, refusalsLeft(policy.block!, block, now));
  let moved = stamp;
  if (policy.onDenied === "charge") {
    // usage is capped at twice the limit, so that no client is locked out for longer than about two windows
    const debt = Math.min(counted * cost, Math.max(0, capacityOf(policy) + algorithm.room(policy, cells, now)));
    if (debt > 0) algorithm.take(policy, cells, now, debt);
  } else if (policy.onDenied === "extend") moved = algorithm.extend(policy, cells, now);
  if (block !== null) countRefusals(policy.block!, policy.windowMs, block, now, counted);
  return stamp === 0 ? 0 : moved;
}

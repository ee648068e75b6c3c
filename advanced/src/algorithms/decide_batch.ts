import { capacityOf, hasDebts, type Policy, refusesFreely } from "../policy/policy.ts";
import type { Take, Verdict } from "../policy/store.ts";
import type { Algorithm, Cells } from "./algorithm.ts";
import { blockedFor, countRefusals, refusalsLeft, shortenBlock } from "./block_state.ts";

/** A store's state for one take: its algorithm, and its key's cells. */
export interface TakeState {
  readonly algorithm: Algorithm;
  /** The key's state. */
  readonly cells: Cells;
  /** The state of the policy's `block`, `null` if it has none. */
  readonly block: Cells | null;
  /** Whether the cells are known to have no debts, and no window longer than that of the policy. */
  readonly isOfThisWindow?: boolean;
}

/**
 * Decides a batch on states to which the caller has exclusive access: the rule that every store follows.
 *
 * If the policy used to have a longer window or block, the state is bounded to the current one: its units count as used
 * no later than now. This writes even if nothing is granted.
 *
 * Every policy then determines how often its take fits, and every take is granted the minimum. Finally, refusals take
 * effect (`onDenied`, `block`). With `onDenied: "free"` and no `block` a refusal writes nothing.
 *
 * @param takes The batch
 * @param states Each take's state, in the same order
 * @param times How often the batch is requested
 * @param now The store's time in ms, or each take's time if they use different clocks
 * @param by The latest time at which it takes effect, if that is unknown; grants count from then
 * @returns The verdicts, in the same order
 */
export function decideBatch(
  takes: readonly Take[],
  states: readonly TakeState[],
  times: number,
  now: number | readonly number[],
  by?: number,
): Verdict[] {
  const at = (i: number) => typeof now === "number" ? now : now[i]!;
  if (takes.length === 1) return [decideBy(takes[0]!, states[0]!, times, at(0), by ?? at(0))];
  takes.forEach((take, i) => update(take, states[i]!, at(i)));
  const fits = takes.map((take, i) => timesItFits(take, states[i]!, times, at(i)));
  let granted = times;
  takes.forEach(({ shadow }, i) => {
    if (!shadow && fits[i]! < granted) granted = fits[i]!;
  });
  return takes.map((take, i) =>
    conclude(
      take,
      states[i]!,
      Math.min(granted, fits[i]!),
      fits[i]! > granted ? 0 : times - fits[i]!,
      at(i),
      by ?? at(i),
    )
  );
}

/** Decides the only take in a batch. */
export function decideAlone(take: Take, state: TakeState, times: number, now: number): Verdict {
  const { policy, cost } = take;
  const { algorithm, cells } = state;
  update(take, state, now);
  if (algorithm.decide !== undefined && refusesFreely(policy)) return algorithm.decide(policy, cells, now, cost, times);
  const fits = timesItFits(take, state, times, now);
  return conclude(take, state, fits, times - fits, now, now);
}

/** The same if it takes effect at an unknown time between two times. */
export function decideBy(take: Take, state: TakeState, times: number, now: number, by: number): Verdict {
  if (by === now) return decideAlone(take, state, times, now);
  update(take, state, now);
  const fits = timesItFits(take, state, times, now);
  return conclude(take, state, fits, times - fits, now, by);
}

/**
 * Corrects a grant to its actual cost: the rule behind a store's `settle`.
 *
 * @param take The granted take
 * @param state Its state
 * @param stamp The stamp from its verdict
 * @param change Units to add, or, below 0, to refund
 * @param now The store's time in ms
 * @param by The latest time at which it takes effect
 * @returns The state afterwards, with the actual change in counted units as `granted`
 */
export function settleTake(
  take: Take,
  state: TakeState,
  stamp: number,
  change: number,
  now: number,
  by = now,
): Verdict {
  const { policy } = take;
  const { algorithm, cells } = state;
  update(take, state, now);
  let moved = 0;
  if (change > 0 && policy.limit > 0) {
    const room = algorithm.room(policy, cells, now);
    moved = Math.max(0, Math.min(change, room + (policy.maxDebt ?? 0)));
    const fits = algorithm.owe === undefined ? moved : Math.min(moved, Math.max(0, room));
    if (fits > 0) algorithm.take(policy, cells, now, fits, by);
    if (moved > fits) algorithm.owe!(policy, cells, now, moved - fits);
  } else if (change < 0 && algorithm.give(policy, cells, now, stamp, -change)) moved = change;
  return { ...conclude({ ...take, cost: 0 }, state, 0, 0, now, by), granted: moved };
}

/**
 * Refunds units, on a state to which the caller has exclusive access.
 *
 * @returns Whether anything changed
 */
export function giveTake(take: Take, state: TakeState, stamp: number, amount: number, now: number): boolean {
  return state.algorithm.give(take.policy, state.cells, now, stamp, amount);
}

function update({ policy }: Take, { algorithm, cells, block, isOfThisWindow }: TakeState, now: number): void {
  if (isOfThisWindow !== true) updateCells(policy, algorithm, cells, now);
  if (block !== null) shortenBlock(policy.block!, policy.windowMs, block, now);
}

function updateCells(policy: Policy, algorithm: Algorithm, cells: Cells, now: number): void {
  if (hasDebts(policy)) algorithm.pay?.(policy, cells, now);
  algorithm.shorten?.(policy, cells, now);
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

function conclude(
  take: Take,
  state: TakeState,
  granted: number,
  refusals: number,
  now: number,
  by: number,
): Verdict {
  const { policy, cost } = take;
  const { algorithm, cells, block } = state;
  const units = granted * cost;
  let stamp = units > 0 ? algorithm.take(policy, cells, now, units, by) : 0;
  // granted units count from then, and so do the reported waits
  const since = units > 0 ? by : now;
  if (refusals > 0) stamp = refuse(take, state, refusals, now, stamp);
  const capacity = capacityOf(policy);
  const blocked = block === null ? 0 : blockedFor(block, now);
  const remaining = blocked > 0 ? 0 : Math.max(0, algorithm.room(policy, cells, now));
  let retryAfterMs = 0;
  if (refusals > 0) {
    retryAfterMs = cost > capacity ? Infinity : Math.max(blocked, algorithm.wait(policy, cells, now, cost));
  }
  return {
    granted: units,
    denied: refusals > 0,
    limit: capacity,
    remaining,
    retryAfterMs,
    nextMs: remaining >= capacity ? 0 : Math.max(blocked, algorithm.wait(policy, cells, since, remaining + 1)),
    resetMs: Math.max(blocked, algorithm.reset(policy, cells, since)),
    blocked: blocked > 0,
    stamp,
  };
}

/** Applies the side effects of refusals. Returns the new stamp for the grant. */
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
    // capped at twice the limit, so that no client is locked out for much longer than two windows
    const debt = Math.min(counted * cost, Math.max(0, capacityOf(policy) + algorithm.room(policy, cells, now)));
    if (debt > 0) algorithm.take(policy, cells, now, debt);
  } else if (policy.onDenied === "extend") moved = algorithm.extend(policy, cells, now);
  if (block !== null) countRefusals(policy.block!, policy.windowMs, block, now, counted);
  return stamp === 0 ? 0 : moved;
}

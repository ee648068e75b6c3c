import { type CalendarWindow, usualMs, windowAt } from "../../policy/calendar_window.ts";
import { capacityOf, holdsSlots, type Policy } from "../../policy/policy.ts";
import type { Verdict } from "../../policy/store.ts";
import { ReferenceModel } from "../reference_model.ts";
import { advanceByCalendar, CALENDAR_WINDOWS } from "./calendar.ts";
import { type ContractRun, said } from "./contract_run.ts";
import { randomAdvance, randomCost, randomPolicy } from "./random_policy.ts";

const TRACE_LENGTH = 60;

/** A request counted by an estimate. */
interface Estimated {
  readonly at: number;
  readonly stamp: number;
  readonly modelStamp: number;
  /** The units counted so far, and when. */
  readonly counted: { at: number; units: number }[];
}

function sumOf(counted: Estimated["counted"]): number {
  return counted.reduce((sum, { units }) => sum + units, 0);
}

/**
 * The most units that an interval allows: those counted in it on time, without debts.
 *
 * @param policy The policy
 * @param ms The length of the interval, including both ends
 */
function roomIn(policy: Policy, ms: number): number {
  const { algorithm, limit, windowMs } = policy;
  const windows = Math.floor(ms / windowMs) + 1;
  switch (algorithm) {
    case "token-bucket":
      return capacityOf(policy) + Math.floor(ms * limit / windowMs);
    case "fixed-window":
    case "sliding-approximate":
      return (windows + 1) * limit;
    default:
      return windows * limit;
  }
}

/**
 * Settled estimates give the reference model's verdicts; the charge is the usage, unless that is impossible; and no
 * interval holds more than its allowance plus the debt.
 */
export async function settlesByWhatWasUsed(run: ContractRun, operations: number): Promise<void> {
  if (run.store.settle === undefined) return;
  for (const algorithm of run.traces(operations, TRACE_LENGTH)) {
    if (holdsSlots({ algorithm })) continue;
    const policy = await randomPolicy(run, algorithm, { leastLimit: 1, debts: true });
    await settleAlong(run, policy, (last) => randomAdvance(run, policy, last));
  }
}

/** The same in calendar windows, which a store may reject: later windows pay off debts, however long they are. */
export async function settlesByTheCalendar(run: ContractRun, operations: number): Promise<void> {
  if (run.store.settle === undefined) return;
  for (const algorithm of run.traces(operations, TRACE_LENGTH)) {
    if (algorithm !== "fixed-window") continue;
    const window = run.oneOf(CALENDAR_WINDOWS);
    const [limit, maxDebt] = [run.oneOf([1, 3, 10]), run.oneOf([0, 1, 5, 12])];
    const policy: Policy = { name: run.name(), algorithm, limit, windowMs: usualMs(window), window, maxDebt };
    run.begin(policy);
    if (!await run.serves(policy)) return;
    let step = 0;
    await settleAlong(run, policy, () => advanceByCalendar(run, policy, window, ++step));
  }
}

async function settleAlong(run: ContractRun, first: Policy, advance: (last: Verdict) => void): Promise<void> {
  const { pick, clock } = run;
  const { algorithm, maxDebt } = first;
  const model = new ReferenceModel();
  const key = run.name();
  // in one batch with a limit that has no debts, and never refuses
  const beside: Policy = { name: run.name(), algorithm, limit: 5000, windowMs: first.windowMs };
  const besides = new ReferenceModel();
  run.about(first, beside);
  const all: Estimated[] = [];
  const open: Estimated[] = [];
  let policy = first;
  let highest = policy.limit;
  let last = await run.take(policy, key, 0);
  for (let i = 0; i < TRACE_LENGTH; i++) {
    advance(last);
    const limit = changedLimit(run, policy);
    if (limit !== policy.limit) {
      // earlier windows paid off what fitted into the earlier limit
      await run.peek(policy, key);
      model.decide({ policy, key, cost: 0 }, clock.now);
      policy = { ...policy, limit };
      run.about(policy, beside);
      last = await run.take(policy, key, 0);
      const wanted = model.decide({ policy, key, cost: 0 }, clock.now);
      run.same(said(last), said(wanted), "a debt follows a changed limit as in the reference model");
      highest = Math.max(highest, limit);
    }
    const one = open[pick(open.length)];
    if (one === undefined || pick(2) === 0) {
      const cost = randomCost(run, last.remaining);
      const takes = [{ policy, key, cost }, { policy: beside, key, cost }];
      const verdicts = await run.batch(run.pick(5) === 0 ? takes : takes.slice(0, 1));
      last = verdicts[0]!;
      const wanted = model.decide({ policy, key, cost }, clock.now);
      if (verdicts.length > 1) {
        const its = besides.decide({ policy: beside, key, cost: last.granted }, clock.now);
        run.same(said(verdicts[1]!), said(its), "a limit without debts beside it knows nothing of them");
      }
      run.same(said(last), said(wanted), "a limit with debts decides as the reference model does");
      if (last.granted === 0) continue;
      const { now } = clock;
      const estimated = { at: now, stamp: last.stamp, modelStamp: wanted.stamp, counted: [{ at: now, units: cost }] };
      all.push(estimated);
      open.push(estimated);
      continue;
    }
    const counted = sumOf(one.counted);
    const used = run.oneOf([counted, counted + 1, counted + pick(30), leastOf(policy, one, clock.now, counted)]);
    const change = used - counted;
    if (change === 0) continue;
    const before = await run.peek(policy, key);
    const settled = await run.settle(policy, key, one.stamp, change);
    if (change < 0) {
      open.splice(open.indexOf(one), 1);
      if (one.at === clock.now) run.same(settled.granted, change, "less is given back in the ms it was taken");
      if (settled.granted !== 0) model.settle(policy, clock.now, one.modelStamp, change);
      one.counted[0]!.units += settled.granted;
    } else {
      const owed = model.settle(policy, clock.now, one.modelStamp, change);
      run.same(settled.granted, owed, "more is counted, up to the debt that is allowed");
      run.check(settled.remaining <= before.remaining, "more that is counted leaves no more", before, settled);
      if (owed > 0) one.counted.push({ at: clock.now, units: owed });
      // a request that has run into debt needs no more steps
      if (one.counted.length > 1) open.splice(open.indexOf(one), 1);
    }
    const wanted = model.decide({ policy, key, cost: 0 }, clock.now);
    run.same({ ...said(settled), granted: 0 }, said(wanted), "settling leaves what the reference model says");
    last = settled;
  }
  checkIntervals(run, { ...policy, limit: highest }, maxDebt!, all.flatMap(({ counted }) => counted));
}

// a window that counts debts, rather than times, owes what exceeds a lowered limit; for the other algorithms, the model
// applies the current limit to the past
function changedLimit({ pick }: ContractRun, { algorithm, limit }: Policy): number {
  if (pick(12) > 0) return limit;
  if (algorithm === "sliding-log") return 1 + pick(20);
  return algorithm === "fixed-window" || algorithm === "sliding-window" ? limit + pick(10) : limit;
}

// the model undoes grants completely, unlike windows and buckets that have moved on
function leastOf({ algorithm, align, window }: Policy, one: Estimated, now: number, counted: number): number {
  if (one.at === now) return 0;
  if (algorithm === "token-bucket") return counted;
  return algorithm === "fixed-window" && align !== "clock" && window === undefined ? 1 : 0;
}

function checkIntervals(run: ContractRun, policy: Policy, maxDebt: number, counted: Estimated["counted"]): void {
  const inOrder = counted.sort((a, b) => a.at - b.at);
  const { limit, window } = policy;
  const numbers = window === undefined ? null : windowNumbers(window, inOrder);
  for (let i = 0; i < inOrder.length; i++) {
    let sum = 0;
    for (let j = i; j < inOrder.length; j++) {
      sum += inOrder[j]!.units;
      const room = numbers === null
        ? roomIn(policy, inOrder[j]!.at - inOrder[i]!.at)
        : (numbers[j]! - numbers[i]! + 1) * limit;
      const most = room + maxDebt;
      run.check(sum <= most, "no interval holds more than there is room for, and the debt", most, sum);
    }
  }
}

/** The numbers of the calendar windows in which units were counted, starting with the first. */
function windowNumbers(window: CalendarWindow, inOrder: Estimated["counted"]): number[] {
  let end = windowAt(window, inOrder[0]?.at ?? 0).end;
  let number = 0;
  return inOrder.map(({ at }) => {
    for (; at >= end; end = windowAt(window, end).end) number++;
    return number;
  });
}

/** Owed units count as soon as a raised limit has room for them, and expire with the others. */
export async function aRaisedLimitHasRoomForDebts(run: ContractRun, operations: number): Promise<void> {
  if (run.store.settle === undefined) return;
  for (const algorithm of run.traces(operations, 10)) {
    if (holdsSlots({ algorithm })) continue;
    const [limit, owed, windowMs] = [1 + run.pick(3), 1 + run.pick(12), 1000];
    const policy: Policy = { name: run.name(), algorithm, limit, windowMs, maxDebt: 12 };
    const raised = { ...policy, limit: limit + owed + 2 + run.pick(3) };
    run.begin(policy, raised);
    const key = run.name();
    const { stamp } = await run.take(policy, key, limit);
    await run.settle(policy, key, stamp, owed);
    const takes = [await run.take(raised, key), await run.take(raised, key)];
    const left = raised.limit - limit - owed;
    run.same(takes.map(({ remaining }) => remaining), [left - 1, left - 2], "a raised limit keeps what is used");
    run.check(takes[1]!.resetMs <= 2 * windowMs, "a debt that fits is paid off in two windows", 2 * windowMs, takes[1]);
    for (const one of takes) {
      run.same(await run.give(raised, key, one.stamp, 1), true, "what a raised limit granted is given back");
    }
    run.same((await run.peek(raised, key)).remaining, left, "and was never taken");
    run.advance(2 * windowMs);
    run.same((await run.peek(raised, key)).remaining, raised.limit, "nothing is used once the debt is paid off");
  }
}

/** Requests that are settled concurrently count exactly the sum of their usage. */
export async function settledAtOnceCountTheSum(run: ContractRun, operations: number): Promise<void> {
  if (run.store.settle === undefined) return;
  for (const algorithm of run.capabilities.algorithms) {
    if (holdsSlots({ algorithm })) continue;
    const rounds = Math.max(1, Math.floor(operations / 500));
    for (let round = 0; round < rounds; round++) {
      const most = run.oneOf([6, 40]);
      const policy: Policy = { name: run.name(), algorithm, limit: 100, windowMs: 60_000, maxDebt: 2000 };
      run.begin(policy);
      const [key, twin] = [run.name(), run.name()];
      const takes = await Promise.all(Array.from({ length: 25 }, () => run.take(policy, key, 3)));
      const used = takes.map(() => run.pick(most));
      const settled = await Promise.all(takes.map(({ stamp }, i) => run.settle(policy, key, stamp, used[i]! - 3)));
      run.same(settled.map(({ granted }) => granted), used.map((one) => one - 3), "each is settled by what it used");
      const sum = used.reduce((a, b) => a + b, 0);
      const { stamp } = await run.take(policy, twin, 1);
      await run.settle(policy, twin, stamp, sum - 1);
      const [mine, its] = [await run.peek(policy, key), await run.peek(policy, twin)];
      run.same(mine.remaining, Math.max(0, 100 - sum), "what was used is counted, and nothing else");
      run.same(mine, its, "those settled at once leave what one leaves that used as much");
    }
  }
}

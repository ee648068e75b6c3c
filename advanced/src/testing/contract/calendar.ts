import { type CalendarWindow, usualMs, windowAt } from "../../policy/calendar_window.ts";
import type { Policy } from "../../policy/policy.ts";
import type { Take } from "../../policy/store.ts";
import { ReferenceModel } from "../reference_model.ts";
import { type ContractRun, said } from "./contract_run.ts";
import { randomCost } from "./random_policy.ts";

const TRACE_LENGTH = 60;

/** Windows with varying lengths. */
export const CALENDAR_WINDOWS: readonly CalendarWindow[] = [
  { every: "minute" },
  { every: "hour", timeZone: "Australia/Lord_Howe" },
  { every: "day", timeZone: "America/Santiago" },
  { every: "day", timeZone: "Europe/Berlin" },
  { every: "week", timeZone: "America/New_York", startsOn: "sunday" },
  { every: "month", timeZone: "Europe/Berlin", startsOn: 31 },
];

/** Calendar windows begin and end according to their time zone; a store may reject them. */
export async function windowsFollowTheCalendar(run: ContractRun, operations: number): Promise<void> {
  for (const algorithm of run.traces(operations, TRACE_LENGTH)) {
    if (algorithm !== "fixed-window") continue;
    const window = run.oneOf(CALENDAR_WINDOWS);
    const windowMs = usualMs(window);
    const policy: Policy = { name: run.name(), algorithm, limit: run.oneOf([1, 3, 10]), windowMs, window };
    run.begin(policy);
    if (!await run.serves(policy)) return;
    await follow(run, policy, window);
  }
}

async function follow(run: ContractRun, policy: Policy, window: CalendarWindow): Promise<void> {
  const { pick, clock } = run;
  const { algorithm, windowMs } = policy;
  const key = run.name();
  const [model, besides] = [new ReferenceModel(), new ReferenceModel()];
  // in one batch with a limit on a different kind of window, which never refuses
  const beside: Policy = { name: run.name(), algorithm, limit: 5000, windowMs };
  let last = await run.take(policy, key, 0);
  for (let i = 0; i < TRACE_LENGTH; i++) {
    advanceByCalendar(run, policy, window, i);
    const cost = randomCost(run, last.remaining);
    const takes: Take[] = [{ policy, key, cost }, { policy: beside, key, cost }];
    const verdicts = await run.batch(pick(4) === 0 ? takes : takes.slice(0, 1));
    last = verdicts[0]!;
    const wanted = model.decide({ policy, key, cost }, clock.now);
    run.same(said(last), said(wanted), "windows begin and end with the calendar's");
    if (verdicts.length < 2) continue;
    const its = besides.decide({ policy: beside, key, cost: last.granted }, clock.now);
    run.same(said(verdicts[1]!), said(its), "a window beside one of the calendar knows nothing of it");
  }
}

/**
 * Moves the clock, often to a window's exact boundary or not at all, and occasionally by ten windows.
 *
 * @param run The test
 * @param policy The policy
 * @param window Its windows
 * @param step The step's number
 */
export function advanceByCalendar(run: ContractRun, { windowMs }: Policy, window: CalendarWindow, step: number): void {
  const { pick, clock } = run;
  const left = windowAt(window, clock.now).end - clock.now;
  const ms = run.oneOf([0, 0, left, left - 1, pick(left), pick(windowMs), step % 20 === 0 ? 10 * windowMs : 1]);
  if (ms > 0) run.advance(ms);
}

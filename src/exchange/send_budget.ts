import { bytesOfSetting } from "../util/bytes_setting.ts";
import type { SettingValue } from "./app_like.ts";

/** Default of the setting `send budget`. */
const BUDGET = 128 * 1024 * 1024;

/** When it is full, connections are closed until this part of it is in use: to find them takes a look at all. */
const RELIEF = 7 / 8;

/** What holds bytes that wait for a client. */
export interface Holder {
  /** Bytes that it holds. */
  readonly heldBytes: number;
  /**
   * Lets go of all of them, and closes the connection.
   *
   * @param reason Why
   */
  evict(reason: Error): void;
}

/** All that waits in the process to be sent. What waits for several clients and is in memory once counts once. */
let used = 0;
const holders = new Set<Holder>();
/** Whether it was full, and has not been half empty since. */
let isReported = false;

/** Compiles the setting; `undefined` stands for the default. */
export const SEND_SETTING: readonly [string, (value: SettingValue) => unknown] = [
  "send budget",
  (value) => value === undefined ? undefined : bytesOfSetting("send budget", value),
];

/**
 * Most bytes that may wait to be sent in the process.
 *
 * @param settings Those of an application
 */
export function sendBudget(settings: Readonly<Record<string, SettingValue>>): number {
  return settings["send budget fn"] ?? BUDGET;
}

/** Counts bytes that begin to wait. */
export function beginHolding(bytes: number): void {
  used += bytes;
}

/** Counts bytes that wait no longer. */
export function endHolding(bytes: number): void {
  used -= bytes;
}

/** Notes that a holder holds nothing any more. */
export function leaveBudget(holder: Holder): void {
  holders.delete(holder);
}

/**
 * Notes that a holder has taken more. If that is more than the process has room for, those that hold most are evicted,
 * which may be this one.
 *
 * @param holder The holder
 * @param most Most bytes that may wait in the process
 * @param report Called with the reason for the first eviction, and for others only once there has been room again
 */
export function keepWithinBudget(holder: Holder, most: number, report: (reason: Error) => void): void {
  holders.add(holder);
  if (used <= most) {
    if (used <= most / 2) isReported = false;
    return;
  }
  const reason = new Error(
    `More than ${most} bytes waited for clients that read slowly ("send budget"): those with most of them are closed`,
  );
  const count = holders.size;
  for (const one of [...holders].sort((a, b) => b.heldBytes - a.heldBytes)) {
    if (used <= most * RELIEF) break;
    holders.delete(one);
    one.evict(reason);
  }
  if (isReported || holders.size === count) return;
  isReported = true;
  report(reason);
}

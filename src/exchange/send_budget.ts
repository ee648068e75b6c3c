import { bytesOfSetting } from "../util/bytes_setting.ts";
import type { SettingValue } from "./app_like.ts";

/** Default for the `send budget` setting. */
const BUDGET = 128 * 1024 * 1024;

/** Over budget, connections are closed until only this part is in use, because finding them visits every holder. */
const RELIEF = 7 / 8;

/** Holds bytes queued for a client. */
export interface Holder {
  /** Number of bytes it holds. */
  readonly heldBytes: number;
  /**
   * Discards the queued bytes and closes the connection.
   *
   * @param reason The reason
   */
  evict(reason: Error): void;
}

/** All bytes queued in the process. Bytes queued for several clients but held in memory once count once. */
let used = 0;
const holders = new Set<Holder>();
/** Whether the budget was exhausted and has not been half free since. */
let isReported = false;

/** Compiles the setting; `undefined` stands for the default. */
export const SEND_SETTING: readonly [string, (value: SettingValue) => unknown] = [
  "send budget",
  (value) => value === undefined ? undefined : bytesOfSetting("send budget", value),
];

/**
 * Returns the maximum number of bytes queued in the process.
 *
 * @param settings An application's settings
 */
export function sendBudget(settings: Readonly<Record<string, SettingValue>>): number {
  return settings["send budget fn"] ?? BUDGET;
}

/** Counts bytes that are newly queued. */
export function beginHolding(bytes: number): void {
  used += bytes;
}

/** Counts bytes that are no longer queued. */
export function endHolding(bytes: number): void {
  used -= bytes;
}

/** Removes a holder that has become empty. */
export function leaveBudget(holder: Holder): void {
  holders.delete(holder);
}

/**
 * Records that a holder has queued more. Above the budget, the holders with the most bytes are evicted, which may
 * include this one.
 *
 * @param holder The holder
 * @param most Maximum number of bytes queued in the process
 * @param report Called with the reason for the first eviction, and again only after the budget has recovered
 */
export function keepWithinBudget(holder: Holder, most: number, report: (reason: Error) => void): void {
  holders.add(holder);
  if (used <= most) {
    if (used <= most / 2) isReported = false;
    return;
  }
  const reason = new Error(
    `More than ${most} bytes were waiting for slow clients ("send budget"): the connections with the most are closed`,
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

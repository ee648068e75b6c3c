import { setImmediate as everythingElse } from "node:timers/promises";
import type { VirtualClock } from "../../../advanced/testing.ts";

/** Replies are read this often in virtual time, in ms. */
const STEP_MS = 5;
/** Time in which every late reply arrives, and the longest pause of the circuit breaker ends. */
const RECOVERY_MS = 15_000;
const RECOVERY_STEP_MS = 50;

/**
 * Lets virtual time pass, and everything that is due in it happen.
 *
 * @param clock The clock
 * @param ms How much time
 * @param stepMs How often replies are read, in ms
 */
export async function passTime(clock: VirtualClock, ms: number, stepMs: number = STEP_MS): Promise<void> {
  for (let left = ms; left > 0; left -= stepMs) {
    // nothing is due
    if (clock.pendingTimers === 0) return clock.advance(left);
    clock.advance(Math.min(left, stepMs));
    await everythingElse();
  }
}

/**
 * Lets enough time pass for a store to recover.
 *
 * @param clock The clock
 */
export async function passRecovery(clock: VirtualClock): Promise<void> {
  await passTime(clock, RECOVERY_MS, RECOVERY_STEP_MS);
}

import { assert, assertEquals } from "@std/assert";
import { lateRun, type LateSubject } from "./late_run.ts";

/**
 * Asserts that a store grants no more than it promises while messages are late by up to a second.
 *
 * @param subject The store
 * @param seed Where chance begins
 * @param processes Processes whose messages are late
 */
export async function assertNotLate(subject: LateSubject, seed: number, processes = 24): Promise<void> {
  const report = await lateRun(subject, { seed, forMs: 8000, mostMs: 1000, processes });
  assertEquals([report.excess, report.failures], [[], []], `seed ${seed}`);
  // otherwise there would be nothing that could have been too much
  assert(report.granted > 200 && report.grantedLate > 2 * processes, JSON.stringify(report));
}

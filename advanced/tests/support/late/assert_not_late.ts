import { assert, assertEquals } from "@std/assert";
import { lateRun, type LateSubject } from "./late_run.ts";

/**
 * Asserts that a store grants no more than it guarantees while messages are delayed by up to a second.
 *
 * @param subject The store
 * @param seed Seed for the random numbers
 * @param processes Number of processes with delayed messages
 */
export async function assertNotLate(subject: LateSubject, seed: number, processes = 24): Promise<void> {
  const report = await lateRun(subject, { seed, forMs: 8000, mostMs: 1000, processes });
  assertEquals([report.excess, report.failures], [[], []], `seed ${seed}`);
  // otherwise nothing could have been granted in excess
  assert(report.granted > 200 && report.grantedLate > 2 * processes, JSON.stringify(report));
}

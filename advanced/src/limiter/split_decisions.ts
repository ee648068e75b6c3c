import type { Take, Verdict } from "../policy/store.ts";
import type { DecidedBy } from "../wrappers/failure_policy.ts";
import { shareOf } from "../wrappers/share_of.ts";
import { Decision } from "./decision.ts";

/**
 * Splits a decision about several equal batches.
 *
 * @param batches The batches, which were decided together
 * @param verdicts The combined verdicts
 * @param by Where the decision came from
 * @returns One decision for each batch that was granted, and one for the first that was refused
 */
export function splitDecisions(
  batches: readonly (readonly Take[])[],
  verdicts: readonly Verdict[],
  by: DecidedBy,
): Decision[] {
  const [first] = batches as [readonly Take[]];
  if (batches.length === 1) return [new Decision(first, verdicts, by)];
  let granted = batches.length;
  let isRefused = false;
  verdicts.forEach((verdict, i) => {
    const { cost, shadow } = first[i]!;
    // a take that consumes nothing is always granted
    if (shadow || cost === 0) return;
    granted = Math.min(granted, Math.floor(verdict.granted / cost));
    isRefused ||= verdict.denied;
  });
  // a lease may have granted one without being asked about the rest
  const told = Math.max(1, granted + (isRefused ? 1 : 0));
  return batches.slice(0, told).map((takes, turn) => new Decision(takes, shareOf(takes, verdicts, turn), by));
}

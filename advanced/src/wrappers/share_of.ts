import { chargeOf, setCharge } from "../policy/charge.ts";
import type { Take, Verdict } from "../policy/store.ts";

/**
 * The verdicts for one of several equal batches that were decided together: the verdicts it would have got if the
 * batches had been decided in sequence.
 *
 * @param takes The batch
 * @param verdicts The combined verdicts
 * @param turn Its turn among them, from 0
 */
export function shareOf(takes: readonly Take[], verdicts: readonly Verdict[], turn: number): readonly Verdict[] {
  const isTold = verdicts.some(({ retryAfterMs }) => retryAfterMs > 0);
  return verdicts.map((verdict, i) => {
    const { policy, cost } = takes[i]!;
    if (cost === 0) return verdict;
    const granted = verdict.granted / cost;
    if (turn < granted) {
      const later = (granted - 1 - turn) * cost;
      const share = { ...verdict, granted: cost, denied: false, remaining: verdict.remaining + later, retryAfterMs: 0 };
      return policy.algorithm === "token-bucket" ? refilledInTurn(share, policy, turn * cost, later) : share;
    }
    // Refused by this policy, unless another policy refused and the units would still fit here. If the store returns no
    // retry time at all, its own flag counts.
    const refusal = { ...verdict, granted: 0, denied: isTold ? verdict.retryAfterMs > 0 : verdict.denied, stamp: 0 };
    const charge = chargeOf(verdict);
    if (charge !== undefined) setCharge(refusal, { ...charge, units: cost });
    return refusal;
  });
}

// a bucket refills unit by unit; rounded so that not too much is promised or refunded
function refilledInTurn(verdict: Verdict, { windowMs, limit }: Take["policy"], before: number, later: number): Verdict {
  return {
    ...verdict,
    resetMs: Math.max(0, verdict.resetMs - Math.floor(later * windowMs / limit)),
    stamp: verdict.stamp + Math.floor(before * windowMs / limit),
  };
}

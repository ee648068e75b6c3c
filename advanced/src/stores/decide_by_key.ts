import type { Awaitable, Take, Verdict } from "../policy/store.ts";

/**
 * Decides a batch whose keys cannot be decided atomically. All keys are decided concurrently, and grants are refunded
 * if another key granted less. Never grants more than an atomic batch would; until the refund, other requests may be
 * refused.
 *
 * @param takes The batch
 * @param times How often it is requested
 * @param decide Decides the takes on one key
 * @param give Refunds units
 * @returns The verdicts, in the takes' order
 */
export async function decideByKey(
  takes: readonly Take[],
  times: number,
  decide: (takes: readonly Take[], times: number) => Awaitable<readonly Verdict[]>,
  give: (take: Take, stamp: number, amount: number) => Awaitable<boolean>,
): Promise<readonly Verdict[]> {
  const parts = new Map<string, number[]>();
  takes.forEach(({ key }, i) => {
    const part = parts.get(key);
    if (part === undefined) parts.set(key, [i]);
    else part.push(i);
  });
  const verdicts: Verdict[] = [];
  const outcomes = await Promise.allSettled(
    Array.from(parts.values(), async (part) => {
      const decided = await decide(part.map((i) => takes[i]!), times);
      part.forEach((i, n) => verdicts[i] = decided[n]!);
    }),
  );
  const failed = outcomes.find((outcome) => outcome.status === "rejected");
  let granted = failed === undefined ? times : 0;
  takes.forEach(({ cost, shadow }, i) => {
    if (!shadow && cost > 0 && verdicts[i] !== undefined) granted = Math.min(granted, verdicts[i].granted / cost);
  });
  await Promise.all(takes.map(async (take, i) => {
    const verdict = verdicts[i];
    const surplus = (verdict?.granted ?? 0) - granted * take.cost;
    if (verdict === undefined || surplus <= 0) return;
    const given = await give(take, verdict.stamp, surplus);
    const remaining = verdict.remaining + (given ? surplus : 0);
    // this key had more left, so the refusal is not its own
    const waits = remaining >= verdict.limit ? { nextMs: 0, resetMs: 0 } : {};
    verdicts[i] = {
      ...verdict,
      ...waits,
      granted: verdict.granted - surplus,
      denied: false,
      remaining,
      retryAfterMs: 0,
    };
  }));
  if (failed !== undefined) throw failed.reason;
  return verdicts;
}

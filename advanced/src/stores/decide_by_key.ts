import type { Awaitable, Take, Verdict } from "../policy/store.ts";

/**
 * Decides a batch whose keys lie in places that can't be decided as one: each key's part at the same time, and what was
 * granted is given back when another part granted less. Never grants more than a batch decided as one; for a moment
 * others may be refused what is given back.
 *
 * @param takes The batch
 * @param times How often it is wanted
 * @param decide Decides the takes of one key
 * @param give Gives units back
 * @returns The verdicts, in the order of the takes
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
    // it had more than the others, so the refusal is not its own
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

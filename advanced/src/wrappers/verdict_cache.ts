import type { Take, Verdict } from "../policy/store.ts";

/** A store decorator that can decide without its store. */
export interface VerdictCache {
  /**
   * Decides a batch from memory alone.
   *
   * @param takes The batch
   * @returns The verdicts, `null` if they need the store
   */
  known(takes: readonly Take[]): readonly Verdict[] | null;
}

/**
 * Ages a verdict as if nothing else had happened.
 *
 * @param verdict The verdict
 * @param ms How much later
 */
export function aged(verdict: Verdict, ms: number): Verdict {
  const less = (wait: number) => Math.max(0, Math.ceil(wait - ms));
  return {
    ...verdict,
    retryAfterMs: less(verdict.retryAfterMs),
    nextMs: less(verdict.nextMs),
    resetMs: less(verdict.resetMs),
  };
}

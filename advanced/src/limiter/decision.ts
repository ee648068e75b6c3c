import type { Policy } from "../policy/policy.ts";
import type { Take, Verdict } from "../policy/store.ts";
import type { DecidedBy } from "../wrappers/failure_policy.ts";

/**
 * The decision about a request.
 *
 * @example What a decision says
 * ```ts
 * import { Limiter } from "@sluice/rate-limit";
 *
 * const limiter = new Limiter({ algorithm: "sliding-window", max: 1, windowMs: 1000 });
 * await limiter.check("client");
 * const { allowed, retryMs } = await limiter.check("client");
 * console.log(allowed, retryMs > 0); // false true
 * ```
 */
export class Decision {
  /** The verdicts, in the order of the limits. */
  readonly verdicts: readonly Verdict[];
  /** Whether the request may pass. */
  readonly allowed: boolean;
  /** Whether a shadow limit would have refused it. */
  readonly shadowDenied: boolean;
  /** Who decided. */
  readonly decidedBy: DecidedBy;
  /** What was demanded; needed by `refund`. */
  readonly takes: readonly Take[];
  /** Which of the takes have been given back, `null` for none. */
  given: boolean[] | null = null;

  /** Made by the limiter. */
  constructor(takes: readonly Take[], verdicts: readonly Verdict[], decidedBy: DecidedBy) {
    this.takes = takes;
    this.verdicts = verdicts;
    this.decidedBy = decidedBy;
    this.allowed = verdicts.every(({ denied }, i) => !denied || takes[i]!.shadow === true);
    this.shadowDenied = verdicts.some(({ denied }, i) => denied && takes[i]!.shadow === true);
  }

  /** The policies, in the order of the limiter's limits. */
  get policies(): readonly Policy[] {
    return this.takes.map(({ policy }) => policy);
  }

  /** The verdict with the smallest part of its limit left, and for longest: the one that matters to the client. */
  get tightest(): Verdict {
    let tightest = 0;
    for (let i = 1; i < this.verdicts.length; i++) {
      const less = this.#leftOf(tightest, i) - this.#leftOf(i, tightest);
      if (less > 0 || less === 0 && this.#waitOf(i) > this.#waitOf(tightest)) tightest = i;
    }
    return this.verdicts[tightest]!;
  }

  // remaining units relative to two limits, by cross-multiplication; a limit of 0 counts as having nothing left
  #leftOf(i: number, other: number): number {
    return this.verdicts[i]!.remaining * Math.max(1, this.verdicts[other]!.limit);
  }

  #waitOf(i: number): number {
    const { retryMs, nextMs } = this.verdicts[i]!;
    return this.takes[i]!.shadow ? 0 : Math.max(retryMs, nextMs);
  }

  /** ms until the same request may pass all limits that refused it; 0 if it passed, `Infinity` for never. */
  get retryMs(): number {
    let longest = 0;
    for (let i = 0; i < this.takes.length; i++) {
      if (!this.takes[i]!.shadow) longest = Math.max(longest, this.verdicts[i]!.retryMs);
    }
    return longest;
  }

  /** Units left by the tightest limit. */
  get remaining(): number {
    return this.tightest.remaining;
  }

  /** ms until the tightest limit is full again. */
  get resetMs(): number {
    return this.tightest.resetMs;
  }
}

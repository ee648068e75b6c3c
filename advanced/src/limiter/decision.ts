import type { Policy } from "../policy/policy.ts";
import type { Take, Verdict } from "../policy/store.ts";
import type { DecidedBy } from "../wrappers/failure_policy.ts";

/** What became of a request. */
export class Decision {
  /** The verdict of each. */
  readonly verdicts: readonly Verdict[];
  /** Whether the request may pass. */
  readonly allowed: boolean;
  /** Whether a limit in shadow refused. */
  readonly shadowDenied: boolean;
  /** Who decided. */
  readonly decidedBy: DecidedBy;
  /** What was asked for; `refund` needs it. */
  readonly takes: readonly Take[];
  /** Which of the takes were given back already, `null` for none. */
  given: boolean[] | null = null;

  /** Made by the limiter. */
  constructor(takes: readonly Take[], verdicts: readonly Verdict[], decidedBy: DecidedBy) {
    this.takes = takes;
    this.verdicts = verdicts;
    this.decidedBy = decidedBy;
    let allowed = true;
    let shadowDenied = false;
    for (let i = 0; i < takes.length; i++) {
      if (!verdicts[i]!.denied) continue;
      if (takes[i]!.shadow) shadowDenied = true;
      else allowed = false;
    }
    this.allowed = allowed;
    this.shadowDenied = shadowDenied;
  }

  /** The policies, in the order of the limiter's limits. */
  get policies(): readonly Policy[] {
    return this.takes.map(({ policy }) => policy);
  }

  /** The verdict that leaves least of its limit, and for longest: the one a client must mind. */
  get tightest(): Verdict {
    let tightest = 0;
    for (let i = 1; i < this.verdicts.length; i++) {
      const less = this.#leftOf(tightest, i) - this.#leftOf(i, tightest);
      if (less > 0 || less === 0 && this.#waitOf(i) > this.#waitOf(tightest)) tightest = i;
    }
    return this.verdicts[tightest]!;
  }

  // units left as parts of two limits at once; one of 0 leaves nothing, and not as much as any other
  #leftOf(i: number, other: number): number {
    return this.verdicts[i]!.remaining * Math.max(1, this.verdicts[other]!.limit);
  }

  #waitOf(i: number): number {
    const { retryMs, nextMs } = this.verdicts[i]!;
    return this.takes[i]!.shadow ? 0 : Math.max(retryMs, nextMs);
  }

  /** ms until the same request may pass, by every limit that refused it; 0 when it passed, `Infinity` for never. */
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

import { refuseMembers } from "@sluice/shared";
import type { Policy } from "../policy/policy.ts";
import type { Awaitable, Take, Verdict } from "../policy/store.ts";
import type { DecidedBy } from "../wrappers/failure_policy.ts";
import { settlementOf } from "./settlement.ts";

/**
 * The decision about a request.
 *
 * @example Read a decision
 * ```ts
 * import { Limiter } from "@sluice/rate-limit";
 *
 * const limiter = new Limiter({ algorithm: "sliding-window", limit: 1, windowMs: 1000 });
 * await limiter.consume("client");
 * const { allowed, retryAfterMs } = await limiter.consume("client");
 * console.log(allowed, retryAfterMs > 0); // false true
 * ```
 */
export class Decision {
  /** The verdicts, in the limits' order; `charge` and `settle` update them. */
  readonly verdicts: readonly Verdict[];
  /** Whether the request may pass. */
  readonly allowed: boolean;
  /** Whether a shadow limit would have refused it. */
  readonly shadowDenied: boolean;
  /** Where the decision came from. */
  readonly decidedBy: DecidedBy;
  /** The takes; needed by `refund`. */
  readonly takes: readonly Take[];
  /** Which of the takes have been refunded, `null` if no take has. */
  given: boolean[] | null = null;

  /** Called by the limiter. */
  constructor(takes: readonly Take[], verdicts: readonly Verdict[], decidedBy: DecidedBy) {
    this.takes = takes;
    this.verdicts = verdicts;
    this.decidedBy = decidedBy;
    this.allowed = verdicts.every(({ denied }, i) => !denied || takes[i]!.shadow === true);
    this.shadowDenied = verdicts.some(({ denied }, i) => denied && takes[i]!.shadow === true);
  }

  /** The policies, in the order of the limits. */
  get policies(): readonly Policy[] {
    return this.takes.map(({ policy }) => policy);
  }

  /**
   * The verdict that matters to the client: the one with the smallest share of its limit left, or among equals the
   * longest wait. Shadow limits are ignored unless there are no other limits.
   */
  get tightest(): Verdict {
    let tightest = 0;
    for (let i = 1; i < this.verdicts.length; i++) {
      const isShadow = this.takes[i]!.shadow === true;
      if (isShadow !== (this.takes[tightest]!.shadow === true)) {
        if (!isShadow) tightest = i;
        continue;
      }
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
    const { retryAfterMs, nextMs } = this.verdicts[i]!;
    return this.takes[i]!.shadow ? 0 : Math.max(retryAfterMs, nextMs);
  }

  /**
   * Time until the same request could pass all limits that refused it, in ms; 0 if it passed, `Infinity` if it never
   * can.
   */
  get retryAfterMs(): number {
    let longest = 0;
    for (let i = 0; i < this.takes.length; i++) {
      if (!this.takes[i]!.shadow) longest = Math.max(longest, this.verdicts[i]!.retryAfterMs);
    }
    return longest;
  }

  /**
   * The former name for {@linkcode Decision.retryAfterMs}.
   *
   * @deprecated Read `retryAfterMs`
   */
  get retryMs(): number {
    return this.retryAfterMs;
  }

  /** Units left on the tightest limit; `NaN` if unknown to the store. */
  get remaining(): number {
    return this.tightest.remaining;
  }

  /** Time until the tightest limit is full again, in ms. */
  get resetMs(): number {
    return this.tightest.resetMs;
  }

  /**
   * Charges units while the request runs, in addition to earlier calls. They use up the estimate first. Units beyond it
   * are counted, as a debt if they exceed the limit.
   *
   * Limits without `maxDebt` keep what they counted.
   *
   * @param units Units used since the last call
   * @returns Whether all used units are counted. `false` if a limit's `maxDebt` is reached, and the request should end;
   * if the store fails, or after `settle`
   * @throws {TypeError} If the decision was a refusal, or none of its limits has `maxDebt`
   * @throws {RangeError} If `units` is not an integer, or below 0
   *
   * @example End a response when its user has no tokens left
   * ```ts ignore
   * for await (const part of parts) {
   *   yield part.text;
   *   if (!await decision.charge(part.tokens)) break;
   * }
   * ```
   */
  charge(units: number): Awaitable<boolean> {
    return settlementOf(this, "charge").charge(units);
  }

  /**
   * Replaces the estimate with the actual cost, once. Unused units are refunded. Additional units are counted, as a
   * debt if they exceed the limit; later windows pay it off. `remaining`, `resetMs` and the verdicts are updated.
   *
   * Limits without `maxDebt` keep what they counted. Units in an expired window are not refunded.
   *
   * @param actual The request's total cost
   * @returns Whether exactly that is counted now. `false` if `maxDebt` allows no more, the refunded units' window has
   * expired, or the store fails. Also `false`, without any change, if it was already settled or refunded
   * @throws {TypeError} If the decision was a refusal, or none of its limits has `maxDebt`
   * @throws {RangeError} If `actual` is not an integer, below 0, or less than the units already charged
   *
   * @example Tokens from a language model
   * ```ts
   * import { Limiter } from "@sluice/rate-limit";
   *
   * const tokens = new Limiter({ algorithm: "token-bucket", limit: 10_000, windowMs: 60_000, maxDebt: 50_000 });
   *
   * async function ask(user: string, model: () => Promise<{ text: string; tokens: number }>): Promise<string | null> {
   *   const decision = await tokens.consume(user, { cost: 500 });
   *   if (!decision.allowed) return null;
   *   const { text, tokens: used } = await model();
   *   await decision.settle(used);
   *   return text;
   * }
   * ```
   */
  settle(actual: number): Awaitable<boolean> {
    return settlementOf(this, "settle").settle(actual);
  }
}

refuseMembers(Decision.prototype, "decision", {
  success: "read allowed",
  remainingPoints: "read remaining",
  msBeforeNext: "read retryAfterMs",
  resetTime: "read resetMs",
  limit: "read tightest",
  used: "read tightest",
  totalHits: "read tightest",
  consumedPoints: "read tightest",
  isFirstInDuration: "read tightest",
});

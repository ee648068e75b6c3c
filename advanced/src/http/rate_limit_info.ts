import type { Decision } from "../limiter/decision.ts";

/** What handlers read from `req.rateLimit`, by express-rate-limit's names. */
export class RateLimitInfo {
  readonly #clock: () => number;
  /** The decision behind it. */
  readonly decision: Decision;

  /** Made by the middleware. */
  constructor(decision: Decision, clock: () => number) {
    this.decision = decision;
    this.#clock = clock;
  }

  /** The most the tightest limit gives. */
  get limit(): number {
    return this.decision.tightest.limit;
  }

  /** Units of it that are used. */
  get used(): number {
    const { limit, remaining } = this.decision.tightest;
    return limit - remaining;
  }

  /** Units of it that are left. */
  get remaining(): number {
    return this.decision.tightest.remaining;
  }

  /** When it is full again; to be read at once, for it is told from the present time. */
  get resetTime(): Date {
    return new Date(this.#clock() + this.decision.tightest.resetMs);
  }

  /** The key, as the store has it. */
  get key(): string {
    return this.decision.takes[0]!.key;
  }

  /** What JSON shows: the names above, and not the decision, which tells how the limits are made. */
  toJSON(): object {
    const { limit, used, remaining, resetTime, key } = this;
    return { limit, used, remaining, resetTime, key };
  }
}

import type { Decision } from "../limiter/decision.ts";

/** What handlers read from `req.rateLimit`, by express-rate-limit's names. */
export class RateLimitInfo {
  /** The most the tightest limit gives. */
  readonly limit: number;
  /** Units of it that are used. */
  readonly used: number;
  /** Units of it that are left. */
  readonly remaining: number;
  /** When it is full again. */
  readonly resetTime: Date;
  /** The key, as the store has it. */
  readonly key: string;
  // copies and JSON show the names above, and not the decision, which tells how the limits are made
  readonly #decision: Decision;

  /** Made by the middleware. */
  constructor(decision: Decision, now: number) {
    const { limit, remaining, resetMs } = decision.tightest;
    this.limit = limit;
    this.used = limit - remaining;
    this.remaining = remaining;
    this.resetTime = new Date(now + resetMs);
    this.key = decision.takes[0]!.key;
    this.#decision = decision;
  }

  /** The same as `used`, by express-rate-limit's former name; copies and JSON leave it out there too. */
  get current(): number {
    return this.used;
  }

  /** The decision behind it. */
  get decision(): Decision {
    return this.#decision;
  }
}

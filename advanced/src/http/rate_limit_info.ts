import type { Decision } from "../limiter/decision.ts";

/**
 * Value of `req.rateLimit`, with express-rate-limit's names.
 *
 * @example What is left of a quota
 * ```ts
 * import { rateLimit } from "@sluice/rate-limit";
 * import sluice from "@sluice/sluice";
 *
 * const app = sluice();
 * app.use(rateLimit({ limit: 100 }));
 * app.get("/quota", (req, res) => res.json("rateLimit" in req ? req.rateLimit : null));
 * ```
 */
export class RateLimitInfo {
  /** The tightest limit. */
  readonly limit: number;
  /** Used units of it; `NaN` where the store cannot tell, and so is what remains. */
  readonly used: number;
  /** Remaining units of it. */
  readonly remaining: number;
  /** When it is full again. */
  readonly resetTime: Date;
  /** The key, as in the store. */
  readonly key: string;
  // private, so that copies and JSON do not include the decision, which shows how the limits are configured
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

  /** express-rate-limit's former name for `used`; not part of copies and JSON there either. */
  get current(): number {
    return this.used;
  }

  /** The decision behind it. */
  get decision(): Decision {
    return this.#decision;
  }

  /**
   * What the limiter in front has set, `null` if there is none.
   *
   * @internal
   */
  get earlier(): RateLimitInfo | null {
    return null;
  }
}

/** The same behind another limiter. */
export class LaterRateLimitInfo extends RateLimitInfo {
  readonly #earlier: RateLimitInfo;

  /** Made by the middleware. */
  constructor(decision: Decision, now: number, earlier: RateLimitInfo) {
    super(decision, now);
    this.#earlier = earlier;
  }

  override get earlier(): RateLimitInfo {
    return this.#earlier;
  }
}

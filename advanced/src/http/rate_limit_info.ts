import type { Decision } from "../limiter/decision.ts";

/**
 * The property that `rateLimit` adds to requests, for the `RequestExtras` of a Sluice program. Without it, Sluice's
 * requests have `rateLimit` without `decision`, and it may be missing.
 *
 * @example Its type, declared once
 * ```ts ignore
 * declare module "@sluice/sluice" {
 *   interface RequestExtras extends RateLimitExtras {}
 * }
 * ```
 */
export interface RateLimitExtras {
  /** The client's quota. */
  rateLimit: RateLimitInfo;
}

/**
 * Value of `req.rateLimit`, with express-rate-limit's names.
 *
 * @example Read the remaining quota
 * ```ts
 * import { rateLimit } from "@sluice/rate-limit";
 * import sluice from "@sluice/sluice";
 *
 * const app = sluice();
 * app.use(rateLimit({ limit: 100 }));
 * app.get("/quota", (req, res) => res.json({ left: req.rateLimit?.remaining }));
 * ```
 */
export class RateLimitInfo {
  /** The tightest limit. */
  readonly limit: number;
  /** Its used units. `NaN`, like `remaining`, if the store does not report them. */
  readonly used: number;
  /** Its remaining units. */
  readonly remaining: number;
  /** When it is full again. */
  readonly resetTime: Date;
  /** The key, as in the store. */
  readonly key: string;
  // private, so that copies and JSON omit the decision, which reveals how the limits are configured
  readonly #decision: Decision;

  /** Called by the middleware. */
  constructor(decision: Decision, now: number) {
    const { limit, remaining, resetMs } = decision.tightest;
    this.limit = limit;
    this.used = limit - remaining;
    this.remaining = remaining;
    this.resetTime = new Date(now + resetMs);
    this.key = decision.takes[0]!.key;
    this.#decision = decision;
  }

  /** express-rate-limit's former name for `used`. There, copies and JSON also omit it. */
  get current(): number {
    return this.used;
  }

  /** The underlying decision. */
  get decision(): Decision {
    return this.#decision;
  }

  /**
   * The info set by the previous limiter, `null` if there is none.
   *
   * @internal
   */
  get earlier(): RateLimitInfo | null {
    return null;
  }
}

/** A later limiter's info. */
export class LaterRateLimitInfo extends RateLimitInfo {
  readonly #earlier: RateLimitInfo;

  /** Called by the middleware. */
  constructor(decision: Decision, now: number, earlier: RateLimitInfo) {
    super(decision, now);
    this.#earlier = earlier;
  }

  override get earlier(): RateLimitInfo {
    return this.#earlier;
  }
}

import { describe, tell } from "@sluice/shared";
import type { Decision } from "../limiter/decision.ts";
import type { Limiter } from "../limiter/limiter.ts";
import { settlementOf } from "../limiter/settlement.ts";
import { chargeOf } from "../policy/charge.ts";
import { MAX_LIMIT } from "../policy/check_policy.ts";
import { hasDebts, holdsSlots, type Policy } from "../policy/policy.ts";
import type { Awaitable } from "../policy/store.ts";
import type { RateLimitOptions } from "./http_options.ts";
import { reporterOf } from "./reporter_of.ts";
import type { ResponseOf } from "./request_like.ts";

/** Calls the user's `costAfter`; `undefined` if there is none. */
export type CostOf = (() => Awaitable<number | undefined>) | undefined;

/**
 * Settles finished requests: frees slots, and refunds units or replaces them with the actual cost, according to the
 * options. Nothing here rejects: the response has already been sent, so no handler can receive an error.
 */
export class RequestOutcome<Req> {
  /** Whether a finished request may be refunded. */
  readonly refunds: boolean;
  /** Whether a request's actual cost replaces its estimate. */
  readonly settles: boolean;
  /** Whether requests hold slots until they end. */
  hasSlots: boolean;
  readonly #caller: string;
  readonly #options: RateLimitOptions<Req>;
  readonly #limiter: Limiter;

  /**
   * Creates an instance.
   *
   * @param caller Caller name for error messages
   * @param options The user's options
   * @param limiter The limiter
   * @throws {TypeError} If there is a `costAfter` and no limit that is settled
   */
  constructor(caller: string, options: RateLimitOptions<Req>, limiter: Limiter) {
    if (options.costAfter !== undefined && !limiter.policies.some(hasDebts)) {
      throw new TypeError(
        `${caller}: option costAfter is for limits with maxDebt; set it to how much a key may exceed the limit, 0 ` +
          "for not at all",
      );
    }
    this.#caller = caller;
    this.#options = options;
    this.#limiter = limiter;
    this.refunds = options.skipFailedRequests === true || options.skipSuccessfulRequests === true;
    this.settles = options.costAfter !== undefined;
    this.hasSlots = limiter.policies.some(holdsSlots);
  }

  /** Also handles other policies; requests in progress still settle under their own. */
  add(policies: readonly Policy[]): void {
    this.hasSlots ||= policies.some(holdsSlots);
  }

  /** Whether anything is left to do after responses. */
  get matters(): boolean {
    return this.refunds || this.settles || this.hasSlots;
  }

  /** Whether a request may be refunded: it was granted, or charged although refused. */
  mayGetBack({ allowed, verdicts }: Decision): boolean {
    return this.refunds && (allowed || verdicts.some((verdict) => chargeOf(verdict) !== undefined));
  }

  /** Charges a request's cost so far if it exceeds the estimate. The cost may still rise. */
  async left(req: Req, decision: Decision, costOf: NonNullable<CostOf>): Promise<void> {
    await this.#settle(req, decision, costOf, (cost) => settlementOf(decision, "charge").reach(cost));
  }

  /**
   * Settles a finished request.
   *
   * @param response The response; `null` if it was not received completely, so its success is unknown
   */
  async end(req: Req, decision: Decision, response: { statusCode: number } | null, costOf: CostOf): Promise<void> {
    if (this.hasSlots) await this.release(req, decision);
    if (this.refunds || costOf !== undefined) await this.finish(req, decision, response, costOf);
  }

  /** Frees a request's slots. */
  async release(req: Req, decision: Decision): Promise<void> {
    if (!decision.allowed || !this.hasSlots) return;
    try {
      await this.#limiter.release(decision);
    } catch (error) {
      this.#report(error, req);
    }
  }

  /** Refunds a request, or replaces its estimate with the actual cost. */
  async finish(req: Req, decision: Decision, response: { statusCode: number } | null, costOf: CostOf): Promise<void> {
    if (response !== null && this.mayGetBack(decision) && await this.#refund(req, decision, response)) return;
    if (costOf === undefined || !decision.allowed) return;
    await this.#settle(req, decision, costOf, (cost) => decision.settle(cost));
  }

  async #refund(req: Req, decision: Decision, response: { statusCode: number }): Promise<boolean> {
    const { skipFailedRequests, skipSuccessfulRequests, requestWasSuccessful } = this.#options;
    try {
      const success = requestWasSuccessful === undefined
        ? response.statusCode < 400
        : await requestWasSuccessful(req, response as ResponseOf<Req>);
      const isFree = success ? skipSuccessfulRequests : skipFailedRequests;
      return isFree === true && await this.#limiter.refund(decision);
    } catch (error) {
      this.#report(error, req);
      return false;
    }
  }

  async #settle(
    req: Req,
    decision: Decision,
    costOf: NonNullable<CostOf>,
    count: (cost: number) => Awaitable<boolean>,
  ): Promise<void> {
    // a limit that does not apply to the request has nothing to settle
    if (!decision.policies.some(hasDebts)) return;
    try {
      const cost = await costOf();
      // unknown, so the estimate stays
      if (cost === undefined) return;
      if (!Number.isInteger(cost) || cost < 0 || cost > MAX_LIMIT) {
        throw new RangeError(
          `${this.#caller}: costAfter must return an integer from 0 to ${MAX_LIMIT}, or undefined if it is not known, ` +
            `not ${describe(cost)}`,
        );
      }
      await count(cost);
    } catch (error) {
      this.#report(error, req);
    }
  }

  // an error must not crash the process
  #report(error: unknown, req: Req): void {
    if (this.#limiter.listenerCount("error") > 0) return void tell(this.#limiter, "error", error);
    const report = reporterOf(req, "request");
    if (report !== null) report(error);
    else console.error(`${this.#caller}: after the response to a request:`, error);
  }
}

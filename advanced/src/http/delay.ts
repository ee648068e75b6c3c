import { checkInteger, checkNames, type OptionNames, refuseOption } from "@sluice/limiting/core";
import { Decision } from "../limiter/decision.ts";
import type { Limiter } from "../limiter/limiter.ts";
import type { LimiterOptions } from "../limiter/limiter_options.ts";
import { capacityOf, holdsSlots, type Policy } from "../policy/policy.ts";
import { MAX_LIMIT } from "../policy/check_policy.ts";
import type { DelayOptions } from "./http_options.ts";

const NAMES: OptionNames<DelayOptions> = { from: true, maxMs: true };

/** Longest wait that may be allowed, in ms: an hour. */
const LONGEST_MS = 3_600_000;

/** Requests that wait, by their limiter: those made inside requests share one. */
const waiting = new WeakMap<Limiter, number>();

/** Lets requests wait: those that are refused until there is room for them, and admitted ones to keep to the rate. */
export class Delay {
  readonly #caller: string;
  readonly #limiter: Limiter;
  readonly #from: number;
  readonly #maxMs: number;
  readonly #most: number;

  /**
   * Creates an instance.
   *
   * @param caller Name of the caller for error messages
   * @param delay The option
   * @param options The others
   * @param limiter The limiter they made
   * @throws {TypeError} If it does not go together with the limits or the store
   * @throws {RangeError} If a number is out of range
   */
  constructor(
    caller: string,
    delay: DelayOptions,
    { maxWaiting = 1000 }: Pick<LimiterOptions, "maxWaiting">,
    limiter: Limiter,
  ) {
    if (typeof delay !== "object" || delay === null) refuseOption(caller, "delay", "an object { from, maxMs }", delay);
    checkNames(`${caller}, delay`, delay, NAMES);
    const { from, maxMs } = delay;
    checkInteger(caller, "delay.maxMs", maxMs, 1, LONGEST_MS);
    if (from !== undefined) checkInteger(caller, "delay.from", from, 0, MAX_LIMIT);
    this.#caller = caller;
    this.#limiter = limiter;
    this.#from = from ?? Infinity;
    this.#maxMs = maxMs;
    this.#most = maxWaiting;
    this.check(limiter.policies);
  }

  /**
   * Checks that requests can be delayed by policies.
   *
   * @throws {TypeError} If they can't
   */
  check(policies: readonly Policy[]): void {
    if (this.#from !== Infinity && policies.length > 1) {
      throw new TypeError(`${this.#caller}: option delay.from is for a single limit, not for limits; leave it out`);
    }
    if (this.#limiter.refusesFreely(policies)) return;
    throw new TypeError(
      `${this.#caller}: option delay is for limits whose refusals cost nothing, since who waits may be refused more than ` +
        "once; leave out onDenied and block, and use a store of this package",
    );
  }

  /**
   * How long a request has to wait at least.
   *
   * @param decision The decision about it
   * @returns ms; 0 if it need not wait, or would have to for too long
   */
  msOf(decision: Decision): number {
    if (decision.allowed) return Math.min(this.#maxMs, this.#spacing(decision));
    // those that keep to the rate would be overtaken
    if (this.#from !== Infinity) return 0;
    let ms = 1;
    for (const [i, { denied, retryMs }] of decision.verdicts.entries()) {
      const { shadow, policy } = decision.takes[i]!;
      if (!denied || shadow === true) continue;
      // a request in progress may end at any time
      ms = Math.max(ms, holdsSlots(policy) && retryMs !== Infinity ? 1 : retryMs);
    }
    return ms <= this.#maxMs ? ms : 0;
  }

  // as if what is used above had been used at the rate of the limit
  #spacing({ takes: [take], verdicts: [verdict] }: Decision): number {
    const { policy, shadow, cost } = take!;
    if (this.#from === Infinity || shadow === true || cost === 0 || holdsSlots(policy)) return 0;
    const above = capacityOf(policy) - verdict!.remaining - this.#from;
    return above <= 0 ? 0 : Math.ceil(above * policy.windowMs / Math.max(1, policy.limit));
  }

  /**
   * Lets a request wait that has to.
   *
   * @param decision The decision about it
   * @param signal Aborts when its client leaves
   * @returns The decision that holds then: a refusal if it still does not fit, or too many are waiting; `null` if the
   * client has left
   */
  async wait(decision: Decision, signal: AbortSignal): Promise<Decision | null> {
    const before = waiting.get(this.#limiter) ?? 0;
    if (before >= this.#most) return decision.allowed ? this.#refuse(decision) : decision;
    waiting.set(this.#limiter, before + 1);
    try {
      if (!decision.allowed) {
        // what fits at the last moment is granted yet
        return await this.#limiter.waitAfter(decision, { signal, timeoutMs: this.#maxMs + 1 });
      }
      await this.#limiter.pause(this.msOf(decision), signal);
    } catch {
      // not granted in time, or the limiter was closed
      if (!signal.aborted) return decision;
    } finally {
      waiting.set(this.#limiter, waiting.get(this.#limiter)! - 1);
    }
    if (!signal.aborted) return decision;
    if (decision.allowed) await this.#limiter.refund(decision);
    return null;
  }

  async #refuse(decision: Decision): Promise<Decision> {
    const retryMs = this.msOf(decision);
    await this.#limiter.refund(decision);
    this.#limiter.counters.limited++;
    const refusals = decision.verdicts.map((verdict) => ({ ...verdict, granted: 0, denied: true, retryMs }));
    return new Decision(decision.takes, refusals, decision.decidedBy);
  }
}

/** Status of a request whose client has left while it waited: nobody gets it, but logs do. */
export const CLIENT_LEFT = 499;

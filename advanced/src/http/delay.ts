import { checkInteger, checkNames, isThenable, type OptionNames, refuseOption } from "@sluice/shared";
import { Decision } from "../limiter/decision.ts";
import type { Limiter } from "../limiter/limiter.ts";
import type { LimiterOptions } from "../limiter/limiter_options.ts";
import { capacityOf, holdsSlots, type Policy } from "../policy/policy.ts";
import { MAX_LIMIT } from "../policy/check_policy.ts";
import type { Awaitable, Verdict } from "../policy/store.ts";
import type { DelayOptions } from "./http_options.ts";
import { pauseKey, refusesFreelyKey, waitAfterKey } from "../limiter/limiter_keys.ts";

const NAMES: OptionNames<DelayOptions> = { from: true, maxMs: true };

/** Maximum configurable wait, in ms: one hour. */
const LONGEST_MS = 3_600_000;

/** Waiting requests per limiter. Limiters created inside requests share a count. */
const waiting = new WeakMap<Limiter, number>();

/** Delays requests: refused requests until they fit, and admitted requests to keep to the rate. */
export class Delay {
  readonly #caller: string;
  readonly #limiter: Limiter;
  readonly #from: number;
  readonly #maxMs: number;
  readonly #most: number;

  /**
   * Creates an instance.
   *
   * @param caller Caller name for error messages
   * @param delay The option
   * @param options The other options
   * @param limiter The limiter created from them
   * @throws {TypeError} If it conflicts with the limits or the store
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
   * Checks that policies allow delays.
   *
   * @throws {TypeError} If they do not
   */
  check(policies: readonly Policy[]): void {
    if (this.#from !== Infinity && policies.length > 1) {
      throw new TypeError(`${this.#caller}: option delay.from is for a single limit, not for limits; leave it out`);
    }
    if (this.#limiter[refusesFreelyKey](policies)) return;
    throw new TypeError(
      `${this.#caller}: option delay is for limits whose refusals cost nothing, since a waiting request may be ` +
        "refused more than once; leave out onDenied and block, and use a store of this package",
    );
  }

  /**
   * Delays a request once, if necessary.
   *
   * @param asked Its decision, `null` if it is skipped; a promise if the store or the program is asynchronous
   * @param signalOf Returns a signal that aborts when the client disconnects; called only for a request that waits
   * @returns The final decision: a refusal if the request still does not fit or too many requests are waiting, or
   * `Disconnected` if the client disconnected. Synchronous if there is no wait
   */
  hold(asked: Awaitable<Decision | null>, signalOf: () => AbortSignal): Awaitable<Decision | null> {
    if (isThenable(asked)) return asked.then((decision) => this.#hold(decision, signalOf));
    return this.#hold(asked, signalOf);
  }

  #hold(decision: Decision | null, signalOf: () => AbortSignal): Awaitable<Decision | null> {
    if (decision === null) return null;
    const ms = this.#msOf(decision);
    return ms === 0 ? decision : this.#wait(decision, ms, signalOf());
  }

  /** The minimum wait in ms; 0 if the request need not wait, or would wait too long. */
  #msOf(decision: Decision): number {
    if (decision.allowed) return Math.min(this.#maxMs, this.#spacing(decision));
    // it would overtake requests that keep to the rate
    if (this.#from !== Infinity) return 0;
    let ms = 1;
    for (const [i, { denied, retryAfterMs }] of decision.verdicts.entries()) {
      const { shadow, policy } = decision.takes[i]!;
      if (!denied || shadow === true) continue;
      // a request in progress may end at any time
      ms = Math.max(ms, holdsSlots(policy) && retryAfterMs !== Infinity ? 1 : retryAfterMs);
    }
    return ms <= this.#maxMs ? ms : 0;
  }

  // as if the used units had been used at the limit's rate
  #spacing({ takes: [take], verdicts: [verdict] }: Decision): number {
    const { policy, shadow, cost } = take!;
    if (this.#from === Infinity || shadow === true || cost === 0 || holdsSlots(policy)) return 0;
    const unitMs = policy.windowMs / Math.max(1, policy.limit);
    // a bucket refills continuously; whole units would release requests late, and in pairs
    const usedMs = policy.algorithm === "token-bucket"
      ? verdict!.resetMs
      : (capacityOf(policy) - verdict!.remaining) * unitMs;
    return Math.max(0, Math.ceil(usedMs - this.#from * unitMs));
  }

  async #wait(decision: Decision, ms: number, signal: AbortSignal): Promise<Decision> {
    const before = waiting.get(this.#limiter) ?? 0;
    if (before >= this.#most) return decision.allowed ? this.#refuse(decision, ms) : decision;
    waiting.set(this.#limiter, before + 1);
    try {
      if (!decision.allowed) {
        // a request that fits at the last moment is granted
        return await this.#limiter[waitAfterKey](decision, { signal, timeoutMs: this.#maxMs + 1 });
      }
      await this.#limiter[pauseKey](decision, ms, signal);
    } catch {
      // not granted in time, or the limiter was closed
      if (!signal.aborted) return decision;
    } finally {
      waiting.set(this.#limiter, waiting.get(this.#limiter)! - 1);
    }
    if (!signal.aborted) return decision;
    if (decision.allowed) await this.#limiter.refund(decision);
    return new Disconnected(decision.takes, refused(decision, 0), decision.decidedBy);
  }

  async #refuse(decision: Decision, retryAfterMs: number): Promise<Decision> {
    await this.#limiter.refund(decision);
    this.#limiter.counters.limited++;
    return new Decision(decision.takes, refused(decision, retryAfterMs), decision.decidedBy);
  }
}

function refused({ verdicts }: Decision, retryAfterMs: number): Verdict[] {
  return verdicts.map((verdict) => ({ ...verdict, granted: 0, denied: true, retryAfterMs }));
}

/** Replaces the decision if the client disconnected during the wait. */
export class Disconnected extends Decision {}

/** Status if the client disconnected during the wait. Only logs show it. */
export const CLIENT_LEFT = 499;

import { checkInteger, LONGEST_TIMER_MS, refuseOption } from "@sluice/sluice/limiting";
import { capacityOf } from "../policy/policy.ts";
import type { Awaitable } from "../policy/store.ts";
import type { Timers } from "../wrappers/timers.ts";
import type { Decision } from "./decision.ts";

/** Number of recent refunds that are remembered for checks in flight. */
const RECENT = 64;

/** How a wait may end before its turn. */
interface Ending {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
}

/** The callers that wait for one key. */
interface Lane {
  /** Number of callers. */
  size: number;
  /** Settles when the last caller and all before it are done. */
  last: Promise<unknown>;
}

/**
 * Callers that wait for their turn: one lane for each key, first come, first served, up to a fixed number.
 *
 * Only the first caller of a lane asks the store; the others wait, so that a crowd does not ask over and over.
 */
export class WaitQueue {
  readonly #most: number;
  readonly #timers: Timers;
  readonly #lanes = new Map<string, Lane>();
  readonly #leaving = new Set<Leaving>();
  /** Callers that sleep until the time of their last rejection, by that rejection. */
  readonly #paused = new Map<Decision, () => void>();
  /** Recent refunds, `null` for a refund of everything: number `n` is at index `n % RECENT`. */
  readonly #recent: (Decision | null)[] = [];
  #returns = 0;
  #waiting = 0;
  #closed: DOMException | null = null;

  /**
   * Creates an instance.
   *
   * @param most Most callers at once
   * @param timers Timers
   */
  constructor(most: number, timers: Timers) {
    this.#most = most;
    this.#timers = timers;
  }

  /**
   * Waits in a lane until a check passes.
   *
   * @param key Names the lane
   * @param check Asks for the units
   * @param ending What may end the wait
   */
  async enter(key: string, check: () => Awaitable<Decision>, ending: Ending): Promise<Decision> {
    if (this.#closed !== null) throw this.#closed;
    const { timeoutMs, signal } = ending;
    if (timeoutMs !== undefined) checkInteger("limiter.waitFor", "timeoutMs", timeoutMs, 0, LONGEST_TIMER_MS);
    if (signal !== undefined && typeof signal?.throwIfAborted !== "function") {
      refuseOption("limiter.waitFor", "signal", "an AbortSignal", signal);
    }
    signal?.throwIfAborted();
    let denied: Decision | undefined;
    if (!this.#lanes.has(key)) {
      const asked = this.#ask(check);
      // no await for a synchronous answer, so that nobody can come in between
      denied = "then" in asked ? await asked : asked;
      if (denied.allowed) return denied;
      assertPossible(denied);
    }
    // where requests may end unnoticed, the remaining callers cannot be counted
    if (this.#waiting >= this.#most && !this.#timers.endWithRequest) {
      throw new RangeError(`limiter.waitFor: the queue is full (option maxWaiting: ${this.#most})`);
    }
    return await this.#wait(key, check, denied, this.#leaver(ending));
  }

  #leaver(ending: Ending): Leaving {
    const leaving = new Leaving(ending, this.#timers);
    this.#leaving.add(leaving);
    // the limiter was closed while the store decided
    if (this.#closed !== null) leaving.leave(this.#closed);
    return leaving;
  }

  async #wait(
    key: string,
    check: () => Awaitable<Decision>,
    denied: Decision | undefined,
    leaving: Leaving,
  ): Promise<Decision> {
    let lane = this.#lanes.get(key);
    const turn = lane === undefined ? this.#head(check, denied!, leaving) : this.#follow(lane.last, check, leaving);
    if (lane === undefined) this.#lanes.set(key, lane = { size: 0, last: Promise.resolve() });
    // a caller that leaves early must not let later ones overtake earlier ones
    lane.last = Promise.allSettled([lane.last, turn]);
    lane.size++;
    this.#waiting++;
    try {
      return await turn;
    } finally {
      this.#waiting--;
      leaving.forget();
      this.#leaving.delete(leaving);
      if (--lane.size === 0) this.#lanes.delete(key);
    }
  }

  async #follow(ahead: Promise<unknown>, check: () => Awaitable<Decision>, leaving: Leaving): Promise<Decision> {
    // on Workers a promise of an ended request is rejected
    const turn = this.#timers.endWithRequest ? ahead.catch(() => {}) : ahead;
    await Promise.race([turn, leaving.promise]);
    const decision = await this.#ask(check);
    return decision.allowed ? decision : await this.#head(check, decision, leaving);
  }

  async #head(check: () => Awaitable<Decision>, denied: Decision, leaving: Leaving): Promise<Decision> {
    for (let decision = denied;; decision = await this.#ask(check)) {
      if (decision.allowed) return decision;
      assertPossible(decision);
      await this.#pause(decision, leaving);
    }
  }

  // units may have been given back while a rejection was in flight; then the caller would sleep without being woken
  #ask(check: () => Awaitable<Decision>): Awaitable<Decision> {
    const before = this.#returns;
    const asked = check();
    if (!("then" in asked)) return asked;
    return asked.then((decision) => {
      return decision.allowed || !this.#mayBeFreed(decision, before) ? decision : this.#ask(check);
    });
  }

  #mayBeFreed(denied: Decision, before: number): boolean {
    if (this.#returns - before > RECENT) return true;
    for (let i = before; i < this.#returns; i++) if (frees(this.#recent[i % RECENT] ?? null, denied)) return true;
    return false;
  }

  async #pause(denied: Decision, leaving: Leaving): Promise<void> {
    let cancel = () => {};
    const over = new Promise<void>((resolve) => {
      cancel = this.#timers.start(resolve, Math.max(1, denied.retryMs));
      this.#paused.set(denied, resolve);
    });
    try {
      await Promise.race([over, leaving.promise]);
    } finally {
      cancel();
      this.#paused.delete(denied);
    }
  }

  /**
   * Wakes callers for which there may be units now.
   *
   * @param given The decision that was given back; `null` for everything
   */
  wake(given: Decision | null = null): void {
    this.#recent[this.#returns++ % RECENT] = given;
    for (const [denied, resolve] of this.#paused) if (frees(given, denied)) resolve();
  }

  /** Rejects all waiting callers. */
  close(): void {
    // no AbortController: on Workers it cannot be made outside of requests, where limiters are made
    this.#closed ??= new DOMException("The limiter was closed", "AbortError");
    for (const leaving of this.#leaving) leaving.leave(this.#closed);
  }
}

// if both have a counter in common; a refund of everything frees all
function frees(given: Decision | null, denied: Decision): boolean {
  return given === null ||
    denied.takes.some(({ policy, key }) =>
      given.takes.some((take) => take.policy.name === policy.name && take.key === key)
    );
}

function assertPossible({ retryMs, takes, verdicts }: Decision): void {
  if (retryMs !== Infinity) return;
  const { policy } = takes.find(({ shadow }, i) => !shadow && verdicts[i]!.retryMs === Infinity)!;
  throw new RangeError(
    `limiter.waitFor: the cost is more than the limit ever grants (${capacityOf(policy)}); ask for less at once`,
  );
}

/** What may end one caller's wait early: its signal, its timeout, or closing. */
class Leaving {
  /** Rejects when the wait ends early. */
  readonly promise: Promise<never>;
  /** Ends the wait. */
  readonly leave: (reason: unknown) => void;
  readonly #signal: AbortSignal | undefined;
  readonly #cancel: () => void;
  readonly #abort = (event: Event): void => this.leave((event.target as AbortSignal).reason);

  constructor({ signal, timeoutMs }: Ending, timers: Timers) {
    let leave: (reason: unknown) => void = () => {};
    // Node 20 has no Promise.withResolvers
    this.promise = new Promise((_, reject) => leave = reject);
    this.leave = leave;
    // at times nobody awaits it, and it must not become an unhandled rejection
    this.promise.catch(() => {});
    this.#signal = signal;
    if (signal?.aborted) leave(signal.reason);
    else signal?.addEventListener("abort", this.#abort);
    const late = () => leave(new DOMException(`limiter.waitFor: not granted within ${timeoutMs} ms`, "TimeoutError"));
    this.#cancel = timeoutMs === undefined ? () => {} : timers.start(late, timeoutMs);
  }

  forget(): void {
    this.#cancel();
    this.#signal?.removeEventListener("abort", this.#abort);
  }
}

import type { Awaitable } from "../stores/store.ts";
import type { Timers } from "../wrappers/timers.ts";
import type { Decision } from "./decision.ts";

/** How a wait may end before its turn. */
interface Ending {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
}

/**
 * Callers that wait for their turn: a lane for each key, first come first served, and never more than a fixed number.
 *
 * Only the first of a lane asks; the others wait for it, so that a crowd does not ask the store over and over.
 */
export class WaitQueue {
  readonly #most: number;
  readonly #timers: Timers;
  readonly #lanes = new Map<string, Promise<unknown>>();
  readonly #closing = new AbortController();
  #waiting = 0;

  /**
   * Makes it.
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
   * @param lane The lane
   * @param check Asks for the units
   * @param ending What may end the wait
   */
  async enter(lane: string, check: () => Awaitable<Decision>, ending: Ending): Promise<Decision> {
    const ahead = this.#lanes.get(lane);
    if (ahead === undefined) {
      const decision = await check();
      if (decision.allowed) return decision;
      assertPossible(decision);
    }
    if (this.#waiting >= this.#most) {
      throw new RangeError(`limiter.waitFor: ${this.#most} callers are waiting already (option maxWaiting)`);
    }
    this.#waiting++;
    const signals = [this.#closing.signal, ...ending.signal === undefined ? [] : [ending.signal]];
    const leaving = new Leaving(signals, ending.timeoutMs, this.#timers);
    const turn = this.#turn(this.#lanes.get(lane), check, leaving);
    const done = turn.catch(() => {});
    this.#lanes.set(lane, done);
    try {
      return await turn;
    } finally {
      this.#waiting--;
      leaving.forget();
      if (this.#lanes.get(lane) === done) this.#lanes.delete(lane);
    }
  }

  async #turn(
    ahead: Promise<unknown> | undefined,
    check: () => Awaitable<Decision>,
    leaving: Leaving,
  ): Promise<Decision> {
    if (ahead !== undefined) await Promise.race([ahead, leaving.promise]);
    for (;;) {
      leaving.throwIfLeft();
      const decision = await check();
      if (decision.allowed) return decision;
      assertPossible(decision);
      await this.#pause(decision.retryMs, leaving);
    }
  }

  async #pause(ms: number, leaving: Leaving): Promise<void> {
    let cancel = () => {};
    const over = new Promise<void>((resolve) => cancel = this.#timers.start(resolve, Math.max(1, ms)));
    try {
      await Promise.race([over, leaving.promise]);
    } finally {
      cancel();
    }
  }

  /** Rejects everybody who waits. */
  close(): void {
    this.#closing.abort(new DOMException("The limiter was closed", "AbortError"));
  }
}

function assertPossible(decision: Decision): void {
  if (decision.retryMs !== Infinity) return;
  const { limit } = decision.verdicts.find(({ retryMs }) => retryMs === Infinity)!;
  throw new RangeError(`limiter.waitFor: the cost is more than the limit ever grants (${limit}); ask for less at once`);
}

/** One caller's reasons to stop waiting. */
class Leaving {
  readonly promise: Promise<never>;
  readonly #signals: readonly AbortSignal[];
  readonly #cancel: () => void;
  readonly #abort: (event: Event) => void;
  #left: { reason: unknown } | null = null;

  constructor(signals: readonly AbortSignal[], timeoutMs: number | undefined, timers: Timers) {
    this.#signals = signals;
    let leave: (reason: unknown) => void = () => {};
    this.promise = new Promise((_, reject) => {
      leave = (reason) => {
        this.#left = { reason };
        reject(reason);
      };
    });
    // whoever does not wait at the moment must not be told by an unhandled rejection
    this.promise.catch(() => {});
    this.#abort = (event) => leave((event.target as AbortSignal).reason);
    for (const signal of signals) {
      if (signal.aborted) leave(signal.reason);
      else signal.addEventListener("abort", this.#abort);
    }
    const late = () => leave(new DOMException(`limiter.waitFor: not granted within ${timeoutMs} ms`, "TimeoutError"));
    this.#cancel = timeoutMs === undefined ? () => {} : timers.start(late, timeoutMs);
  }

  throwIfLeft(): void {
    if (this.#left !== null) throw this.#left.reason;
  }

  forget(): void {
    this.#cancel();
    for (const signal of this.#signals) signal.removeEventListener("abort", this.#abort);
  }
}

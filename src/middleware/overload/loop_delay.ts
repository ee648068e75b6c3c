import type { Threshold } from "./threshold.ts";

/** ms between two measurements: often enough to notice the end of an overload, too seldom to cost anything. */
const PAUSE_MS = 10;

/** Part of the time that an event loop with nothing left to do spends waiting, at the least. */
const IDLE_SHARE = 0.01;

/** What is measured of an event loop, with the functions of the runtime for it. */
export interface LoopClock {
  /** The time in ms. */
  now(): number;
  /** Runs something in the next turn of the event loop. */
  nextTurn(run: () => void): void;
  /** ms that the loop has waited for something to do so far; absent where the runtime does not tell. */
  readonly idleMs?: (() => number) | undefined;
}

/**
 * Measures how long a turn of the event loop takes, which is how long a request waits before this process looks at it;
 * and, where the runtime tells, how long the loop has had no moment of rest. That matters on Node, which accepts one
 * connection a turn: there requests wait in the kernel, and turns stay short.
 *
 * There is no timer. A request asks for a call in the next turn; until that call comes, every further request of the
 * same turn sees how much time has passed already. So nothing runs while no requests come, and a long turn is noticed
 * while it lasts, not after it.
 */
export class LoopDelay {
  /** How long the last turn took that was measured, in ms. */
  turnMs = 0;
  readonly #turn: readonly Threshold[];
  readonly #busy: readonly Threshold[];
  readonly #staleMs: number;
  /** When the measurement that is running began, -1 for none. */
  #began = -1;
  /** Requests in the turn that is being measured. */
  #requests = 0;
  #ended = Number.NEGATIVE_INFINITY;
  #rested = 0;
  #idleMs = 0;

  /**
   * @param turn Are told how long turns take
   * @param busy Are told how long the loop has had no rest
   * @param staleMs Age in ms at which a measurement says nothing any more, because requests have ceased to come
   */
  constructor(turn: readonly Threshold[], busy: readonly Threshold[], staleMs: number) {
    this.#turn = turn;
    this.#busy = busy;
    this.#staleMs = staleMs;
  }

  /**
   * Notes that a request has come.
   *
   * @param clock The clock
   */
  note(clock: LoopClock): void {
    const now = clock.now();
    if (this.#began >= 0) {
      this.#requests++;
      for (const threshold of this.#turn) threshold.raise(now - this.#began);
      return;
    }
    const pause = now - this.#ended;
    if (pause < PAUSE_MS) return;
    if (pause > this.#staleMs) this.#forget(clock, now);
    this.#began = now;
    this.#requests = 1;
    clock.nextTurn(() => this.#end(clock));
  }

  /**
   * Forgets what was measured if no request has come since for so long that it says nothing any more.
   *
   * @param clock The clock
   */
  forgetStale(clock: LoopClock): void {
    const now = clock.now();
    if (this.#began < 0 && now - this.#ended > this.#staleMs) this.#forget(clock, now);
  }

  #forget(clock: LoopClock, now: number): void {
    this.#idleMs = clock.idleMs?.() ?? 0;
    this.#rested = this.#ended = now;
    this.#settle(0, 0);
  }

  #end(clock: LoopClock): void {
    const now = clock.now();
    if (clock.idleMs !== undefined) {
      const idleMs = clock.idleMs();
      if (idleMs - this.#idleMs > (now - this.#ended) * IDLE_SHARE) this.#rested = now;
      this.#idleMs = idleMs;
    } else this.#rested = now;
    this.#settle(now - this.#began, now - this.#rested);
    this.#began = -1;
    this.#ended = now;
  }

  #settle(turnMs: number, busyMs: number): void {
    this.turnMs = turnMs;
    // a long turn with one request in it is a slow handler: nobody has waited
    for (const threshold of this.#turn) threshold.settle(this.#requests > 1 ? turnMs : 0);
    for (const threshold of this.#busy) threshold.settle(busyMs);
  }
}

import type { Threshold } from "./threshold.ts";

/** Interval between measurements, in ms: short enough to notice when an overload ends, long enough to cost nothing. */
const PAUSE_MS = 10;

/** Minimum share of time that an event loop with no work left spends waiting. */
const IDLE_SHARE = 0.01;

/** An event loop's clocks, provided by the runtime. */
export interface LoopClock {
  /** The time in ms. */
  now(): number;
  /** Runs a function on the next event loop turn. */
  nextTurn(run: () => void): void;
  /** Total ms the loop has waited for work; absent where the runtime does not report it. */
  readonly idleMs?: (() => number) | undefined;
}

/**
 * Measures how long an event loop turn takes, which is how long a request waits before this process sees it. Where the
 * runtime reports idle time, it also measures how long the loop has gone without idling. That matters on Node, which
 * accepts one connection per turn: requests wait in the kernel there, and turns stay short.
 *
 * There is no timer. A request schedules a call for the next turn; until that runs, every further request in the same
 * turn sees how much time has passed. So no code runs without requests, and a long turn is noticed while it lasts, not
 * afterwards.
 */
export class LoopDelay {
  /** Duration of the last measured turn, in ms. */
  turnMs = 0;
  readonly #turn: readonly Threshold[];
  readonly #busy: readonly Threshold[];
  readonly #staleMs: number;
  /** Start of the current measurement, or -1 if there is none. */
  #began = -1;
  /** Requests in the measured turn. */
  #requests = 0;
  #ended = Number.NEGATIVE_INFINITY;
  #rested = 0;
  #idleMs = 0;

  /**
   * @param turn Thresholds for turn duration
   * @param busy Thresholds for time without idling
   * @param staleMs Age in ms at which a measurement expires, because requests have stopped arriving
   */
  constructor(turn: readonly Threshold[], busy: readonly Threshold[], staleMs: number) {
    this.#turn = turn;
    this.#busy = busy;
    this.#staleMs = staleMs;
  }

  /**
   * Records that a request has arrived.
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
   * Discards the last measurement if no request has arrived for so long that it has expired.
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
    // a long turn with one request means a slow handler: no other request has waited
    for (const threshold of this.#turn) threshold.settle(this.#requests > 1 ? turnMs : 0);
    for (const threshold of this.#busy) threshold.settle(busyMs);
  }
}

import type { Timers } from "../wrappers/timers.ts";

/** A running timer. */
interface Started {
  readonly due: number;
  readonly fn: () => void;
}

/**
 * A clock that stands still until a test moves it, with timers that run when it moves past them.
 *
 * @example A minute passes at once
 * ```ts
 * import { Limiter, MemoryStore } from "@sluice/rate-limit";
 * import { VirtualClock } from "@sluice/rate-limit/testing";
 *
 * const clock = new VirtualClock();
 * const store = new MemoryStore({ clock: clock.read });
 * const limiter = new Limiter({ limit: 1, windowMs: 60_000, store, clock: clock.read, timers: clock.timers });
 * await limiter.consume("client");
 * clock.advance(60_000);
 * console.log((await limiter.consume("client")).allowed); // true
 * ```
 */
export class VirtualClock {
  #now: number;
  #elapsed = 0;
  #started: Started[] = [];

  /**
   * Creates an instance.
   *
   * @param start The initial time, in ms since 1970
   */
  constructor(start = 1_700_000_000_000) {
    this.#now = start;
  }

  /** Returns the current time. Pass this function as a clock. */
  readonly read: () => number = () => this.#now;

  /** Timers that follow this clock. Pass them as timers. */
  readonly timers: Timers = {
    now: () => this.#elapsed,
    start: (fn, ms) => {
      const timer = { due: this.#elapsed + ms, fn };
      this.#started.push(timer);
      return () => this.#started = this.#started.filter((one) => one !== timer);
    },
  };

  /** The current time. */
  get now(): number {
    return this.#now;
  }

  /** Number of timers that have not run yet. */
  get pendingTimers(): number {
    return this.#started.length;
  }

  /**
   * Moves the clock, and runs the timers that become due, in order.
   *
   * @param ms How far; below 0 to set the clock back, which runs no timers
   */
  advance(ms: number): void {
    if (ms < 0) {
      this.#now += ms;
      return;
    }
    const end = this.#elapsed + ms;
    for (;;) {
      const [next] = this.#started.filter(({ due }) => due <= end).sort((a, b) => a.due - b.due);
      if (next === undefined) break;
      this.#started = this.#started.filter((one) => one !== next);
      this.#move(Math.max(this.#elapsed, next.due));
      next.fn();
    }
    this.#move(end);
  }

  #move(elapsed: number): void {
    this.#now += elapsed - this.#elapsed;
    this.#elapsed = elapsed;
  }
}

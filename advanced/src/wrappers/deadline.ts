import type { Timers } from "./timers.ts";

/** Something that waits for its deadline. */
interface Waiting {
  readonly due: number;
  expire: (() => void) | null;
}

/** A timer that comes later than this, in ms, was kept waiting by the process itself. */
const LATE_MS = 10;

/**
 * One time budget for many things under way, with one timer for all of them: they began in a row, so they are due in a
 * row too. A timer for each of them would cost more than what they wait for; where timers end with the request in which
 * they were started, each has one all the same.
 */
export class Deadline {
  readonly #ms: number;
  readonly #timers: Timers;
  #queue: Waiting[] = [];
  #pending = 0;
  #stop: (() => void) | null = null;
  #wake = 0;
  #isExcused = false;

  /**
   * Makes it.
   *
   * @param ms The time budget in ms
   * @param timers Timers
   */
  constructor(ms: number, timers: Timers) {
    this.#ms = ms;
    this.#timers = timers;
  }

  /**
   * Runs a function when the time budget is used up.
   *
   * @param expire The function
   * @returns Cancels it
   */
  after(expire: () => void): () => void {
    // the timer of the first would not come for the others once its request is answered, or its client has left
    if (this.#timers.endWithRequest && this.#pending > 0) return new Deadline(this.#ms, this.#timers).after(expire);
    const now = this.#timers.now();
    const waiting: Waiting = { due: now + this.#ms, expire };
    this.#queue.push(waiting);
    this.#pending++;
    if (this.#stop === null) this.#tick(this.#ms, now);
    return () => {
      if (waiting.expire === null) return;
      waiting.expire = null;
      // nothing is left to wait for: no timer may keep the process alive
      if (--this.#pending === 0) this.#rest();
    };
  }

  #tick(ms: number, now: number): void {
    this.#wake = now + ms;
    this.#stop = this.#timers.start(() => this.#expire(), ms);
  }

  #rest(): void {
    this.#queue = [];
    this.#isExcused = false;
    this.#stop?.();
    this.#stop = null;
  }

  #expire(): void {
    // a timer may come a little early
    const now = this.#timers.now() + 1;
    // while the process was kept busy nobody read what may have come: the store gets that time, once
    const late = now - this.#wake;
    this.#isExcused = !this.#isExcused && late > LATE_MS;
    if (this.#isExcused) return this.#tick(Math.min(this.#ms, late), now);
    let done = 0;
    for (const waiting of this.#queue) {
      const { due, expire } = waiting;
      if (expire !== null && due > now) break;
      done++;
      if (expire === null) continue;
      waiting.expire = null;
      this.#pending--;
      expire();
    }
    if (this.#pending === 0) return this.#rest();
    this.#queue = this.#queue.slice(done);
    const then = this.#timers.now();
    this.#tick(Math.max(1, this.#queue[0]!.due - then), then);
  }
}

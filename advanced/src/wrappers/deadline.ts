import type { Timers } from "./timers.ts";

/** An operation with a deadline. */
interface Waiting {
  readonly due: number;
  expire: (() => void) | null;
}

/** If a timer is late by more than this many ms, the process itself was busy. */
const LATE_MS = 10;

/**
 * The same time limit for many operations, with one timer for all: they are due in the order in which they began. A
 * timer for each would cost more than the operation. Only where timers end with the request in which they were started,
 * each has its own.
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
   * Creates an instance.
   *
   * @param ms The time budget in ms
   * @param timers Timers
   */
  constructor(ms: number, timers: Timers) {
    this.#ms = ms;
    this.#timers = timers;
  }

  /**
   * Runs a function when the time limit is exceeded.
   *
   * @param expire The function
   * @returns A function that cancels it
   */
  after(expire: () => void): () => void {
    // the first operation's timer would end with its request, before the others are due
    if (this.#timers.endWithRequest && this.#pending > 0) return new Deadline(this.#ms, this.#timers).after(expire);
    const now = this.#timers.now();
    const waiting: Waiting = { due: now + this.#ms, expire };
    this.#queue.push(waiting);
    this.#pending++;
    if (this.#stop === null) this.#tick(this.#ms, now);
    return () => {
      if (waiting.expire === null) return;
      waiting.expire = null;
      // with nothing left to wait for, no timer may keep the process alive
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
    // timers may fire slightly early
    const now = this.#timers.now() + 1;
    // while the process was busy, answers may have arrived unread: the store gets that time in addition, once
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

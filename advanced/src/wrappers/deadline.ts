import type { Timers } from "./timers.ts";

/** An operation with a deadline. */
interface Waiting {
  /** When it is due, by the time that counts. */
  readonly due: number;
  expire: (() => void) | null;
}

/** A budget is counted in as many parts, so that a process that is late has had as many turns before it is over. */
const PARTS = 8;

/** Turns of a busy process take some ms; if a timer is late by more than this many, the process itself was late. */
const LATE_MS = 10;

/**
 * The same time limit for many operations, with one timer for all: they are due in the order in which they began. A
 * timer for each would cost more than the operation. Only where timers end with the request in which they were started,
 * each has its own.
 *
 * What counts is the time in which this process could have read an answer. It is measured in parts: a timer that fires
 * late, since the process computed, was throttled or had to wait for a processor, counts as if it had been punctual.
 * Commands are written, and answers read, between the turns; so in a late process an operation has had eight turns
 * before it is over, and one more, in which an answer is read that has arrived meanwhile.
 */
export class Deadline {
  readonly #ms: number;
  readonly #timers: Timers;
  #queue: Waiting[] = [];
  #pending = 0;
  #stop: (() => void) | null = null;
  /** The time that counts, when the present part began. */
  #counted = 0;
  /** When it began, and how long it takes if the process is punctual. */
  #begun = 0;
  #length = 0;

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
    if (this.#stop === null) this.#begin(Math.ceil(this.#ms / PARTS), now);
    const due = this.#counted + Math.min(now - this.#begun, this.#length) + this.#ms;
    const waiting: Waiting = { due, expire };
    this.#queue.push(waiting);
    this.#pending++;
    return () => {
      if (waiting.expire === null) return;
      waiting.expire = null;
      // with nothing left to wait for, no timer may keep the process alive
      if (--this.#pending === 0) this.#rest();
    };
  }

  #begin(ms: number, now: number): void {
    this.#begun = now;
    this.#length = ms;
    this.#stop = this.#timers.start(() => this.#turn(), ms);
  }

  #rest(): void {
    this.#queue = [];
    this.#stop?.();
    this.#stop = null;
    this.#counted = this.#length = 0;
  }

  #turn(): void {
    const before = this.#counted;
    const now = this.#timers.now();
    const late = now - this.#begun - this.#length;
    this.#counted += this.#length + (late > LATE_MS ? 0 : Math.max(0, late));
    // operations that begin meanwhile belong to the next part
    this.#begun = now;
    this.#length = 0;
    let done = 0;
    for (const waiting of this.#queue) {
      const { due, expire } = waiting;
      // what has become due in this part has the next turn to read its answer
      if (expire !== null && due > before) break;
      done++;
      if (expire === null) continue;
      waiting.expire = null;
      this.#pending--;
      expire();
    }
    if (this.#pending === 0) return this.#rest();
    this.#queue = this.#queue.slice(done);
    const left = this.#queue[0]!.due - this.#counted;
    this.#begin(Math.min(Math.ceil(this.#ms / PARTS), Math.max(0, left)), this.#timers.now());
  }
}

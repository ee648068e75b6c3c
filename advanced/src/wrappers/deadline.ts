import type { Timers } from "./timers.ts";

/** An operation with a deadline. */
interface Waiting {
  /** When it is due, in counted time. */
  readonly due: number;
  expire: (() => void) | null;
}

/** The timeout is counted in this many parts, so that a late process gets as many turns before the timeout. */
const PARTS = 8;

/** In a busy process, turns take some ms; a timer later than this means that the process itself was late. */
const LATE_MS = 10;

/**
 * One timeout for many operations, with a single timer: they are due in the order in which they began. A timer per
 * operation would cost more than the operation. Only where timers end with the request that started them does each
 * operation have its own.
 *
 * Only the time in which this process could have read a reply counts. It is measured in parts. A timer that fires late,
 * because the process was busy, throttled or waiting for a CPU, counts as punctual. Commands are written, and replies
 * read, between the turns. So in a late process an operation gets eight turns before it expires, and one more to read a
 * reply that has arrived by then.
 */
export class Deadline {
  readonly #ms: number;
  readonly #timers: Timers;
  #queue: Waiting[] = [];
  #pending = 0;
  #stop: (() => void) | null = null;
  /** The counted time at which the current part began. */
  #counted = 0;
  /** When the part began, and its length if the process is punctual. */
  #begun = 0;
  #length = 0;

  /**
   * Creates an instance.
   *
   * @param ms The timeout in ms
   * @param timers Timers
   */
  constructor(ms: number, timers: Timers) {
    this.#ms = ms;
    this.#timers = timers;
  }

  /**
   * Runs a function when the timeout expires.
   *
   * @param expire The function
   * @returns A function that cancels it
   */
  after(expire: () => void): () => void {
    // the first operation's timer would end with its request, before the other operations are due
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
      // with no operation left, no timer may keep the process alive
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
    // operations that begin from here on belong to the next part
    this.#begun = now;
    this.#length = 0;
    let done = 0;
    for (const waiting of this.#queue) {
      const { due, expire } = waiting;
      // an operation that became due in this part gets another turn to read its reply
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

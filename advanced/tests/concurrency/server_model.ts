/**
 * A model of a server: the M/M/c/∞ queue of Kleinrock, "Queueing Systems", volume 1, section 3.5. Requests come as a
 * Poisson process; `servers` of them are processed at once, each for an exponentially distributed time, and others wait
 * in order of arrival. Its capacity is `servers / meanMs`. Time is virtual, and chance has a seed.
 */
import { seededRandom } from "../../src/testing/seeded_random.ts";

/** What a server is like for a while. */
export interface Phase {
  readonly name: string;
  /** How long, in ms. */
  readonly forMs: number;
  /** Requests that it processes at once. */
  readonly servers: number;
  /** How long one takes, in ms, on average. */
  readonly meanMs: number;
  /** Requests that come, in each second. */
  readonly perSecond: number;
}

/** What came of it. */
export interface Outcome {
  readonly name: string;
  /** Requests a second that the server could process at most. */
  readonly capacity: number;
  /** Requests a second that it processed. */
  readonly throughput: number;
  /** Latency of admitted requests in ms, of which 99 % are below. */
  readonly p99: number;
  /** Mean limit that requests met. */
  readonly limit: number;
}

/** Decides about a request: what to call when it is over, `null` for a refusal. */
export type Admit = () => (() => void) | null;

/** The virtual clock, and the queue of what will happen. */
export class Model {
  /** The present time in ms. */
  now = 0;
  /** A heap by time. */
  readonly #events: { readonly at: number; readonly run: () => void }[] = [];
  readonly #random: () => number;
  readonly #waiting: (() => void)[] = [];
  #taken = 0;
  #busy = 0;
  #phase!: Phase;
  #admit!: Admit;
  #latencies: number[] = [];
  #hasBegun = false;

  constructor(seed: number) {
    const random = seededRandom(seed);
    this.#random = () => random(2 ** 32) / 2 ** 32;
  }

  /** Runs phases one after the other, and tells how each went. */
  run(phases: readonly Phase[], admit: Admit, limitNow: () => number): Outcome[] {
    return phases.map((phase) => {
      this.#phase = phase;
      this.#latencies = [];
      const limits = { sum: 0, count: 0 };
      this.#admit = () => {
        limits.sum += limitNow();
        limits.count++;
        return admit();
      };
      if (!this.#hasBegun) this.#arrive();
      this.#hasBegun = true;
      this.#runUntil(this.now + phase.forMs);
      const sorted = this.#latencies.sort((a, b) => a - b);
      return {
        name: phase.name,
        capacity: phase.servers / phase.meanMs * 1000,
        throughput: sorted.length / phase.forMs * 1000,
        p99: sorted[Math.floor(sorted.length * 0.99)] ?? 0,
        limit: limits.sum / limits.count,
      };
    });
  }

  #arrive(): void {
    this.#at(this.#exponential(1000 / this.#phase.perSecond), () => this.#arrive());
    const end = this.#admit();
    if (end === null) return;
    const began = this.now;
    const serve = () => {
      this.#busy++;
      this.#at(this.#exponential(this.#phase.meanMs), () => {
        this.#busy--;
        end();
        this.#latencies.push(this.now - began);
        // after the number of servers has been halved, some end without a successor
        while (this.#busy < this.#phase.servers && this.#taken < this.#waiting.length) this.#waiting[this.#taken++]!();
      });
    };
    if (this.#busy < this.#phase.servers) serve();
    else this.#waiting.push(serve);
  }

  #exponential(mean: number): number {
    return -mean * Math.log(1 - this.#random());
  }

  #runUntil(end: number): void {
    const events = this.#events;
    while (events[0]!.at < end) {
      const { at, run } = this.#pop();
      this.now = at;
      run();
    }
    this.now = end;
  }

  #at(afterMs: number, run: () => void): void {
    const events = this.#events;
    const event = { at: this.now + afterMs, run };
    let i = events.push(event) - 1;
    for (let parent = (i - 1) >> 1; i > 0 && events[parent]!.at > event.at; parent = (i - 1) >> 1) {
      events[i] = events[parent]!;
      i = parent;
    }
    events[i] = event;
  }

  #pop(): { readonly at: number; readonly run: () => void } {
    const events = this.#events;
    const [first] = events;
    const last = events.pop()!;
    if (events.length === 0) return first!;
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= events.length) break;
      if (child + 1 < events.length && events[child + 1]!.at < events[child]!.at) child++;
      if (events[child]!.at >= last.at) break;
      events[i] = events[child]!;
      i = child;
    }
    events[i] = last;
    return first!;
  }
}

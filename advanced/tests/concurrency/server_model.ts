/**
 * A model of a server: the M/M/c/∞ queue of Kleinrock, "Queueing Systems", volume 1, section 3.5. Requests come as a
 * Poisson process; `servers` of them are processed at once, each for an exponentially distributed time, and others wait
 * in order of arrival. Its capacity is `servers / meanMs`. Time is virtual, and chance has a seed.
 *
 * Both distributions can be others: those of {@linkcode SERVICES}, and those of {@linkcode ARRIVALS}.
 */
import { seededRandom } from "../../src/testing/seeded_random.ts";

/** A number from 0 to 1, 1 not included. */
type Uniform = () => number;

/** How long requests take, as parts of their mean. */
export const SERVICES = {
  constant: () => 1,
  exponential: (uniform: Uniform) => -Math.log(1 - uniform()),
  /** With a heavy tail: one in a hundred takes more than ten times the mean. */
  lognormal: (uniform: Uniform) => {
    const deviation = 1.5;
    const normal = Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
    return Math.exp(deviation * normal - deviation ** 2 / 2);
  },
  /** One in twenty takes ten times as long as the others. */
  bimodal: (uniform: Uniform) => (uniform() < 0.05 ? 10 : 1) / 1.45,
} as const;

/** How requests come: each by itself; in bursts, of which half of the time is without; from clients that wait for responses. */
export const ARRIVALS = ["poisson", "bursty", "closed"] as const;

/** Mean length of a burst, and of the time between two, in ms. */
const BURST_MS = 100;
/** For how long a client waits after a response, and after a refusal, in ms on average. */
const THINK_MS = 20;
const RETRY_MS = 100;

/** What of the model is not as usual. */
export interface ModelOptions {
  /** How long requests take, `"exponential"` by default. */
  readonly service?: keyof typeof SERVICES;
  /** How they come, `"poisson"` by default. */
  readonly arrivals?: typeof ARRIVALS[number];
}

/** What a server is like for a while. */
export interface Phase {
  readonly name: string;
  /** How long, in ms. */
  readonly forMs: number;
  /** Requests that it processes at once. */
  readonly servers: number;
  /** How long one takes, in ms, on average. */
  readonly meanMs: number;
  /** Requests that come, in each second; of clients that wait, as many as would send them if none had to. */
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
  readonly #random: Uniform;
  readonly #service: (uniform: Uniform) => number;
  readonly #arrivals: typeof ARRIVALS[number];
  readonly #waiting: (() => void)[] = [];
  #taken = 0;
  #busy = 0;
  #phase!: Phase;
  #admit!: Admit;
  #latencies: number[] = [];
  #hasBegun = false;
  #isBurst = true;
  #clients = 0;

  constructor(seed: number, { service = "exponential", arrivals = "poisson" }: ModelOptions = {}) {
    const random = seededRandom(seed);
    this.#random = () => random(2 ** 32) / 2 ** 32;
    this.#service = SERVICES[service];
    this.#arrivals = arrivals;
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
      this.#begin();
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

  #begin(): void {
    if (this.#arrivals === "closed") {
      for (; this.#clients < this.#wantedClients; this.#clients++) {
        this.#at(this.#exponential(THINK_MS), () => this.#ask());
      }
    } else if (!this.#hasBegun) {
      if (this.#arrivals === "bursty") this.#turn();
      this.#arrive();
    }
    this.#hasBegun = true;
  }

  get #wantedClients(): number {
    return Math.round(this.#phase.perSecond * (THINK_MS + 20) / 1000);
  }

  /** A client asks, and asks again when it has thought about the response, or has been refused for long enough. */
  #ask(): void {
    if (this.#clients > this.#wantedClients) return void this.#clients--;
    const again = (afterMs: number) => this.#at(this.#exponential(afterMs), () => this.#ask());
    if (!this.#request(() => again(THINK_MS))) again(RETRY_MS);
  }

  #turn(): void {
    this.#at(this.#exponential(BURST_MS), () => {
      this.#isBurst = !this.#isBurst;
      this.#turn();
    });
  }

  #arrive(): void {
    const often = this.#arrivals === "bursty" ? 2 : 1;
    this.#at(this.#exponential(1000 / this.#phase.perSecond / often), () => this.#arrive());
    if (this.#isBurst) this.#request(() => {});
  }

  /** Tells whether it was admitted. */
  #request(ended: () => void): boolean {
    const end = this.#admit();
    if (end === null) return false;
    const began = this.now;
    const serve = () => {
      this.#busy++;
      this.#at(this.#phase.meanMs * this.#service(this.#random), () => {
        this.#busy--;
        end();
        ended();
        this.#latencies.push(this.now - began);
        // after the number of servers has been halved, some end without a successor
        while (this.#busy < this.#phase.servers && this.#taken < this.#waiting.length) this.#waiting[this.#taken++]!();
      });
    };
    if (this.#busy < this.#phase.servers) serve();
    else this.#waiting.push(serve);
    return true;
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

/**
 * A server model: the M/M/c/∞ queue from Kleinrock, "Queueing Systems", volume 1, section 3.5. Requests arrive as a
 * Poisson process. The server processes `servers` of them at once, each for an exponentially distributed time. The
 * remaining requests wait in order of arrival. Its capacity is `servers / meanMs`. Time is virtual, and random numbers
 * are seeded.
 *
 * Other distributions are available: {@linkcode SERVICES} and {@linkcode ARRIVALS}.
 */
import { seededRandom } from "../../src/testing/seeded_random.ts";

/** A number from 0 (inclusive) to 1 (exclusive). */
type Uniform = () => number;

/** Service times, as multiples of their mean. */
export const SERVICES = {
  constant: () => 1,
  exponential: (uniform: Uniform) => -Math.log(1 - uniform()),
  /** Heavy-tailed: one in a hundred takes more than ten times the mean. */
  lognormal: (uniform: Uniform) => {
    const deviation = 1.5;
    const normal = Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
    return Math.exp(deviation * normal - deviation ** 2 / 2);
  },
  /** One in twenty takes ten times as long as the rest. */
  bimodal: (uniform: Uniform) => (uniform() < 0.05 ? 10 : 1) / 1.45,
} as const;

/** Arrivals: independent; in bursts that fill half of the time; or from clients that wait for responses. */
export const ARRIVALS = ["poisson", "bursty", "closed"] as const;

/** Mean burst length, and mean pause between two, in ms. */
const BURST_MS = 100;
/** How long a client waits after a response, and after a refusal, in ms on average. */
const THINK_MS = 20;
const RETRY_MS = 100;

/** Deviations from the default model. */
export interface ModelOptions {
  /** Service times, `"exponential"` by default. */
  readonly service?: keyof typeof SERVICES;
  /** Arrivals, `"poisson"` by default. */
  readonly arrivals?: typeof ARRIVALS[number];
}

/** The server's state and load for a while. */
export interface Phase {
  readonly name: string;
  /** Duration in ms. */
  readonly forMs: number;
  /** Requests the server processes at once. */
  readonly servers: number;
  /** Mean service time in ms. */
  readonly meanMs: number;
  /** Requests per second. With clients that wait for responses, the rate they would reach if no client had to wait. */
  readonly perSecond: number;
}

/** A phase's result. */
export interface Outcome {
  readonly name: string;
  /** Maximum number of requests per second the server could process. */
  readonly capacity: number;
  /** Requests per second it processed. */
  readonly throughput: number;
  /** The 99th percentile latency of admitted requests, in ms. */
  readonly p99: number;
  /** Mean limit when requests arrived. */
  readonly limit: number;
}

/** Decides whether to admit a request. Returns a function to call when the request ends, or `null` if it is refused. */
export type Admit = () => (() => void) | null;

/** The virtual clock and the event queue. */
export class Model {
  /** Current time in ms. */
  now = 0;
  /** A heap ordered by time. */
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

  /** Runs phases one after the other and returns each one's result. */
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

  /** A client sends a request. It sends the next one after its think time, or after its wait when refused. */
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

  /** Returns whether the request was admitted. */
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
        // after the number of servers is halved, some end without a successor
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

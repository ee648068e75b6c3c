import { LONGEST_TIMER_MS } from "../../util/units.ts";
import type { RuntimeSupport } from "../../exchange/runtime_support.ts";

/** Number of times that a wait is looked at before it is over: it lasts at most a thirtieth longer than it should. */
const LOOKS = 30;

/** By their duration in ms: most programs have one. */
const patiences = new Map<number, Patience>();

/**
 * One timer for all waits of the same duration. It counts how often it has fired rather than look at a clock: the time in
 * which this process was busy is not the client's fault.
 */
class Patience {
  readonly waits = new Set<BodyWait>();
  looks = 0;
  readonly #everyMs: number;
  #timer: ReturnType<typeof setTimeout> | null = null;
  /** Of the same kind as the timer: a test may install or remove fake timers in between. */
  #clear = clearTimeout;
  readonly #look = (): void => {
    this.looks++;
    this.#start();
    for (const wait of [...this.waits]) wait.look(this.looks);
  };

  constructor(ms: number) {
    this.#everyMs = Math.min(ms / LOOKS, LONGEST_TIMER_MS);
  }

  add(wait: BodyWait): void {
    this.waits.add(wait);
    if (this.#timer === null) this.#start();
  }

  delete(wait: BodyWait): void {
    // a timer would keep an idle process alive, and be reported by tests that look for leaks
    if (this.waits.delete(wait) && this.waits.size === 0) this.#stop();
  }

  #start(): void {
    this.#clear = globalThis.clearTimeout;
    this.#timer = globalThis.setTimeout(this.#look, this.#everyMs);
  }

  #stop(): void {
    const clear = this.#clear;
    try {
      if (this.#timer !== null) clear(this.#timer);
    } catch {
      // after a test has restored Deno's FakeTime its clearTimeout throws; the timer is gone by then
    }
    this.#timer = null;
  }
}

/** Learns that nothing came for too long. */
export interface Impatient {
  /** Runs, once, when it took longer; in the asynchronous context of any request. */
  expire(): void;
}

/** Waits for the bytes of one body. */
export class BodyWait {
  readonly #patience: Patience | null;
  readonly #owner: Impatient;
  /** The look at which the present wait began, `null` while nothing is awaited. */
  #since: number | null = null;

  /**
   * @param ms How long it may take until the next byte, 0 for any time
   * @param owner Is told when it took longer
   * @param support The runtime: on Workers a timer belongs to the request that set it, and ends with it
   */
  constructor(ms: number, owner: Impatient, support: Pick<RuntimeSupport, "endsWithResponse">) {
    this.#owner = owner;
    this.#patience = ms === 0 ? null : support.endsWithResponse ? new Patience(ms) : patienceOf(ms);
    this.#patience?.add(this);
    this.restart();
  }

  /** Notes that the next byte is awaited from now on. */
  restart(): void {
    this.#since = this.#patience?.looks ?? null;
  }

  /** Notes that nothing is awaited: whoever reads the body has not asked for more. */
  pause(): void {
    this.#since = null;
  }

  /** Ends it. */
  end(): void {
    this.#patience?.delete(this);
  }

  /** Compares with the number of looks so far. */
  look(looks: number): void {
    if (this.#since === null || looks - this.#since <= LOOKS) return;
    this.end();
    this.#owner.expire();
  }
}

function patienceOf(ms: number): Patience {
  let patience = patiences.get(ms);
  if (patience === undefined) patiences.set(ms, patience = new Patience(ms));
  return patience;
}

import { LONGEST_TIMER_MS } from "../../util/units.ts";
import type { RuntimeSupport } from "../../exchange/runtime_support.ts";

/** Number of checks before a wait is over: it lasts at most a thirtieth longer than it should. */
const LOOKS = 30;

/** Timers by duration in ms; most programs use only one. */
const patiences = new Map<number, Patience>();

/**
 * One timer for all waits with the same duration. It counts its own ticks instead of reading a clock: time in which
 * this process was busy is not the client's fault.
 */
class Patience {
  readonly waits = new Set<BodyWait>();
  looks = 0;
  readonly #everyMs: number;
  readonly #stays: boolean;
  #timer: ReturnType<typeof setTimeout> | null = null;
  /** Matches the timer's kind: a test may install or remove fake timers in between. */
  #clear = clearTimeout;
  readonly #look = (): void => {
    this.#timer = null;
    this.looks++;
    if (this.waits.size > 0) this.#start();
    for (const wait of [...this.waits]) wait.look(this.looks);
  };

  /**
   * @param ms How long each wait lasts
   * @param stays Whether the timer may outlast the waits, if it keeps no process alive
   */
  constructor(ms: number, stays: boolean) {
    this.#stays = stays;
    this.#everyMs = Math.min(ms / LOOKS, LONGEST_TIMER_MS);
  }

  add(wait: BodyWait): void {
    this.waits.add(wait);
    if (this.#clear !== globalThis.clearTimeout) this.#stop();
    if (this.#timer === null) this.#start();
  }

  delete(wait: BodyWait): void {
    // A timer would keep an idle process alive, and tests that look for leaks would report it. Node's and Bun's do
    // neither once they are unreferenced, and setting one for each body takes 3 % of a request.
    const stays = this.#stays && typeof this.#timer === "object";
    if (this.waits.delete(wait) && this.waits.size === 0 && !stays) this.#stop();
  }

  #start(): void {
    this.#clear = globalThis.clearTimeout;
    this.#timer = globalThis.setTimeout(this.#look, this.#everyMs);
    (this.#timer as { unref?(): void }).unref?.();
  }

  #stop(): void {
    const clear = this.#clear;
    try {
      if (this.#timer !== null) clear(this.#timer);
    } catch {
      // after a test has restored Deno's FakeTime, its clearTimeout throws; the timer no longer exists by then
    }
    this.#timer = null;
  }
}

/** Notified when no data has arrived for too long. */
export interface Impatient {
  /** Runs once, when the wait is over, in any request's asynchronous context. */
  expire(): void;
}

/** Waits for one body's bytes. */
export class BodyWait {
  readonly #patience: Patience | null;
  readonly #owner: Impatient;
  /** The check at which the current wait began; `null` while nothing is awaited. */
  #since: number | null = null;

  /**
   * @param ms Maximum time until the next byte, 0 for no limit
   * @param owner Notified when the time is over
   * @param support The runtime: on Workers a timer belongs to the request that set it and ends with it
   */
  constructor(ms: number, owner: Impatient, support: Pick<RuntimeSupport, "endsWithResponse">) {
    this.#owner = owner;
    this.#patience = ms === 0 ? null : support.endsWithResponse ? new Patience(ms, false) : patienceOf(ms);
    this.#patience?.add(this);
    this.restart();
  }

  /** Starts waiting for the next byte. */
  restart(): void {
    this.#since = this.#patience?.looks ?? null;
  }

  /** Stops waiting: the reader has not requested more. */
  pause(): void {
    this.#since = null;
  }

  /** Ends the wait. */
  end(): void {
    this.#patience?.delete(this);
  }

  /** Compares with the number of checks so far. */
  look(looks: number): void {
    if (this.#since === null || looks - this.#since <= LOOKS) return;
    this.end();
    this.#owner.expire();
  }
}

function patienceOf(ms: number): Patience {
  let patience = patiences.get(ms);
  if (patience === undefined) patiences.set(ms, patience = new Patience(ms, true));
  return patience;
}

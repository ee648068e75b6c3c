/** Actions of a heartbeat on its connection. */
export interface Pulse {
  /** Sends a ping. */
  ping(): void;
  /** Ends the connection, because the client did not answer. */
  lost(): void;
}

/** If a timer is late by more than this many ms, this process was busy, and the client may not be at fault. */
const LATE_MS = 20;

/** A timer that can be made not to keep the process alive. */
interface Timer {
  unref?(): void;
}

/**
 * Detects clients that are gone, where the runtime does not do so for each connection. A client that is silent for half
 * of the timeout gets a ping, and counts as lost if it is silent for the other half, too. Anything it sends is an
 * answer.
 */
export class Heartbeat {
  readonly #half: number;
  readonly #pulse: Pulse;
  readonly #now: () => number;
  #heard: number;
  #pinged = false;
  #spared = false;
  #timer: ReturnType<typeof setTimeout> | undefined = undefined;

  /**
   * Begins to listen.
   *
   * @param timeoutMs ms of silence after which a client counts as lost, 0 for never
   * @param pulse The actions
   * @param now The time in ms
   */
  constructor(timeoutMs: number, pulse: Pulse, now: () => number = () => performance.now()) {
    this.#half = timeoutMs / 2;
    this.#pulse = pulse;
    this.#now = now;
    this.#heard = now();
    if (timeoutMs > 0) this.#wait(this.#half);
  }

  /** Something came from the client. */
  heard(): void {
    this.#heard = this.#now();
    this.#pinged = this.#spared = false;
  }

  /** Stops. */
  stop(): void {
    clearTimeout(this.#timer);
  }

  #wait(ms: number): void {
    const due = this.#now() + ms;
    this.#timer = setTimeout(() => this.#look(due), ms);
    (this.#timer as unknown as Timer).unref?.();
  }

  #look(due: number): void {
    const now = this.#now();
    const left = this.#heard + this.#half - now;
    if (!this.#pinged) {
      // one timer for the whole time, instead of a new one for each message
      if (left > 0) return this.#wait(left);
      this.#pinged = true;
      this.#pulse.ping();
      return this.#wait(this.#half);
    }
    // messages that arrived while this process was busy have not been read yet: waits once more
    if (now - due > LATE_MS && !this.#spared) {
      this.#spared = true;
      return this.#wait(this.#half);
    }
    this.#pulse.lost();
  }
}

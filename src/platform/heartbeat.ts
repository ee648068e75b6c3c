/** What a heartbeat does to its connection. */
export interface Pulse {
  /** Sends a ping. */
  ping(): void;
  /** The client has left a ping unanswered: ends the connection. */
  lost(): void;
}

/** ms a timer may be late before it is clear that this process, and not the client, was slow. */
const LATE_MS = 20;

/** A timer of a runtime that lets the process end meanwhile. */
interface Timer {
  unref?(): void;
}

/**
 * Finds out that a client is gone, where the runtime does not do it for each connection: one that is silent for half of
 * the time gets a ping, and is lost when it is silent for the other half too. Whatever comes counts as an answer.
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
   * @param timeoutMs ms of silence after which a client is lost, 0 for never
   * @param pulse What to do
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
      // one timer for the whole time, not one for each message
      if (left > 0) return this.#wait(left);
      this.#pinged = true;
      this.#pulse.ping();
      return this.#wait(this.#half);
    }
    // what the client sent while this process was busy has not been read yet
    if (now - due > LATE_MS && !this.#spared) {
      this.#spared = true;
      return this.#wait(this.#half);
    }
    this.#pulse.lost();
  }
}

/** Actions of a heartbeat on its connection. */
export interface Pulse {
  /** Sends a ping. */
  ping(): void;
  /** Ends the connection, because the client did not respond. */
  lost(): void;
  /**
   * Tells what the client has taken so far, as a number that changes with it; `null` if nothing waits to be sent, or
   * the runtime does not tell.
   */
  taken(): number | null;
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
 * answer. But if it takes nothing for the whole timeout, it is lost whatever it sends: what waits for it would fill the
 * memory.
 */
export class Heartbeat {
  readonly #half: number;
  readonly #pulse: Pulse;
  readonly #now: () => number;
  #heard: number;
  #taken: number | null = null;
  /** When it last took something, or nothing was waiting. */
  #tookAt: number;
  #pinged = false;
  #isPaused = false;
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
    this.#heard = this.#tookAt = now();
    if (timeoutMs > 0) this.#wait(this.#half);
  }

  /** Something came from the client. */
  heard(): void {
    this.#heard = this.#now();
    this.#pinged = this.#spared = false;
  }

  /** Nothing is read from the client for the time being, so that it cannot be heard. */
  pause(): void {
    this.#isPaused = true;
  }

  /** It can be heard again. */
  resume(): void {
    this.#isPaused = false;
    this.heard();
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
    if (this.#isStuck(now, due)) return this.#pulse.lost();
    if (this.#isPaused) {
      // nobody reads the pong; but a client that has vanished is noticed
      this.#pulse.ping();
      return this.#wait(this.#half);
    }
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

  #isStuck(now: number, due: number): boolean {
    const taken = this.#pulse.taken();
    // if this process was busy, it may not have sent what the client would have taken
    if (taken === null || taken !== this.#taken || now - due > LATE_MS) {
      this.#taken = taken;
      this.#tookAt = now;
    }
    return now - this.#tookAt >= 2 * this.#half;
  }
}

import { type Linked, LinkedList } from "../../util/linked_list.ts";

/** A heartbeat's actions on its connection. */
export interface Pulse {
  /** Sends a ping. */
  ping(): void;
  /** Ends the connection because the client did not respond. */
  lost(): void;
  /**
   * Returns how much the client has read so far, as a number that changes with it; `null` if nothing is waiting to be
   * sent, or the runtime does not report it.
   */
  taken(): number | null;
}

/** If a timer is late by more than this many ms, this process was busy, and the client may not be at fault. */
const LATE_MS = 20;

/** Number of checks in half a timeout: a ping is late by at most a sixteenth of that time. */
const LOOKS = 16;

/** The time in whole ms: V8 boxes fractions, and each connection keeps three. */
const monotonic = (): number => Math.floor(performance.now());

/** A timer that need not keep the process alive. */
interface Timer {
  unref?(): void;
}

/** One timer for all connections with the same timeout: separate timers would use about 0.3 kB each. */
class Ticker {
  /** Half the timeout in ms. */
  readonly half: number;
  readonly #everyMs: number;
  readonly #members = new LinkedList<Heartbeat>();
  #count = 0;
  #timer: ReturnType<typeof setInterval> | undefined = undefined;
  #lookedAt = 0;

  constructor(half: number) {
    this.half = half;
    this.#everyMs = Math.max(1, half / LOOKS);
  }

  /** Starts checking a heartbeat. */
  add(member: Heartbeat): void {
    this.#members.add(member);
    if (this.#count++ > 0) return;
    running.set(this.half, this);
    this.#lookedAt = monotonic();
    this.#timer = setInterval(() => this.#look(), this.#everyMs);
    (this.#timer as unknown as Timer).unref?.();
  }

  /** Stops checking a heartbeat. */
  delete(member: Heartbeat): void {
    this.#members.delete(member);
    if (--this.#count > 0) return;
    running.delete(this.half);
    clearInterval(this.#timer);
  }

  #look(): void {
    const now = monotonic();
    const isLate = now - this.#lookedAt - this.#everyMs > LATE_MS;
    this.#lookedAt = now;
    for (const member of this.#members) member.look(now, isLate);
  }
}

/** The tickers that have members, by half the timeout. */
const running = new Map<number, Ticker>();

/**
 * Detects disconnected clients if the runtime does not do so per connection. A client that is silent for half the
 * timeout gets a ping, and counts as lost if it stays silent for the other half. Anything it sends counts as a
 * response. But a client that reads nothing for the whole timeout is lost whatever it sends: the data waiting for it
 * would fill the memory.
 */
export class Heartbeat implements Linked<Heartbeat> {
  before: Heartbeat | null = null;
  after: Heartbeat | null = null;
  readonly #pulse: Pulse;
  /** `null` if the client never counts as lost, or no longer does. */
  #ticker: Ticker | null = null;
  #heard: number;
  #taken: number | null = null;
  /** When the client last read data, or when nothing was waiting. */
  #tookAt: number;
  #pinged = false;
  #isPaused = false;
  #spared = false;
  /** When the next check is due. */
  #due = 0;

  /**
   * Starts the heartbeat.
   *
   * @param timeoutMs Idle time before a client counts as lost, in ms; 0 means never
   * @param pulse The actions
   */
  constructor(timeoutMs: number, pulse: Pulse) {
    this.#pulse = pulse;
    this.#heard = this.#tookAt = monotonic();
    if (timeoutMs <= 0) return;
    const half = timeoutMs / 2;
    this.#due = this.#heard + half;
    this.#ticker = running.get(half) ?? new Ticker(half);
    this.#ticker.add(this);
  }

  /** Records that data arrived from the client. */
  heard(): void {
    this.#heard = monotonic();
    this.#pinged = this.#spared = false;
  }

  /** Suspends the silence check while nothing is read from the client. */
  pause(): void {
    this.#isPaused = true;
  }

  /** Resumes once the client can be heard again. */
  resume(): void {
    this.#isPaused = false;
    this.heard();
  }

  /** Stops. */
  stop(): void {
    this.#ticker?.delete(this);
    this.#ticker = null;
  }

  /**
   * Called by the timer.
   *
   * @param now The time in ms
   * @param isLate Whether the timer is late
   *
   * @internal
   */
  look(now: number, isLate: boolean): void {
    if (this.#ticker === null || now < this.#due) return;
    const { half } = this.#ticker;
    this.#due = now + half;
    if (this.#isStuck(now, isLate, half)) return this.#lose();
    // the pong is not read, but a vanished client is detected
    if (this.#isPaused) return this.#pulse.ping();
    if (!this.#pinged) {
      const silentUntil = this.#heard + half;
      if (silentUntil > now) return void (this.#due = silentUntil);
      this.#pinged = true;
      return this.#pulse.ping();
    }
    // messages that arrived while this process was busy have not been read yet, so it waits once more
    if (isLate && !this.#spared) return void (this.#spared = true);
    this.#lose();
  }

  #lose(): void {
    this.stop();
    this.#pulse.lost();
  }

  #isStuck(now: number, isLate: boolean, half: number): boolean {
    const taken = this.#pulse.taken();
    // if this process was busy, it may not have sent data that the client would have read
    if (taken === null || taken !== this.#taken || isLate) {
      this.#taken = taken;
      this.#tookAt = now;
    }
    return now - this.#tookAt >= 2 * half;
  }
}

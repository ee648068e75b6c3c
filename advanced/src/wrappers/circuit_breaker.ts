/** Failures in a row that open the breaker. */
const FAILURES = 5;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;

/**
 * Stops calling a failing store: after five failures in a row, for about half a second at first, later for up to about
 * ten seconds. Then one decision is let through as a probe, and its outcome decides.
 *
 * Pauses vary randomly by half their length, so that processes do not all return at once.
 */
export class CircuitBreaker {
  readonly #clock: () => number;
  readonly #opened: () => void;
  readonly #patienceMs: number;
  #failures = 0;
  #pause = FIRST_PAUSE_MS;
  #closedUntil = 0;
  #probing = false;
  #probedUntil = 0;
  #open = false;

  /**
   * Creates an instance.
   *
   * @param clock The current time in ms
   * @param opened Called each time the breaker opens
   * @param patienceMs How long a probe may take, in ms; on Workers it ends with its request
   */
  constructor(clock: () => number, opened: () => void, patienceMs = Infinity) {
    this.#clock = clock;
    this.#opened = opened;
    this.#patienceMs = patienceMs;
  }

  get isOpen(): boolean {
    return this.#open;
  }

  /** Whether the store may be called now. After a pause, only the first caller gets `true`. */
  mayAsk(): boolean {
    if (!this.#open) return true;
    const now = this.#clock();
    if (now < (this.#probing ? this.#probedUntil : this.#closedUntil)) return false;
    this.#probedUntil = now + this.#patienceMs;
    return this.#probing = true;
  }

  /** Records a reply. */
  succeeded(): void {
    this.#failures = 0;
    this.#pause = FIRST_PAUSE_MS;
    this.#open = this.#probing = false;
  }

  /** Records a failure. */
  failed(): void {
    this.#failures++;
    if (this.#open && !this.#probing) return;
    if (!this.#open && this.#failures < FAILURES) return;
    if (!this.#open) this.#opened();
    else this.#pause = Math.min(LONGEST_PAUSE_MS, this.#pause * 2);
    this.#open = true;
    this.#probing = false;
    this.#closedUntil = this.#clock() + this.#pause * (0.75 + Math.random() / 2);
  }
}

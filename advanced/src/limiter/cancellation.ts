import type { Timers } from "../wrappers/timers.ts";

/** A signal and a timeout, either of which may end a wait early. */
export interface Ending {
  /** Ends the wait on abort. */
  readonly signal?: AbortSignal | undefined;
  /** Maximum wait in ms. */
  readonly timeoutMs?: number | undefined;
}

/** Ends one caller's wait early: on its signal, its timeout, or closing. */
export class Cancellation {
  /** Rejects when the wait ends early. */
  readonly promise: Promise<never>;
  /** Whether it has ended. */
  isCancelled = false;
  /** Ends the wait. */
  readonly cancel: (reason: unknown) => void;
  readonly #signal: AbortSignal | undefined;
  readonly #cancel: () => void;
  readonly #abort = (event: Event): void => this.cancel((event.target as AbortSignal).reason);

  /**
   * Creates an instance.
   *
   * @param ending Its signal and timeout
   * @param timers Timers
   */
  constructor({ signal, timeoutMs }: Ending, timers: Timers) {
    let cancel: (reason: unknown) => void = () => {};
    // Node 20 has no Promise.withResolvers
    this.promise = new Promise((_, reject) => cancel = reject);
    this.cancel = (reason) => {
      this.isCancelled = true;
      cancel(reason);
    };
    // it is not always awaited, and must not become an unhandled rejection
    this.promise.catch(() => {});
    this.#signal = signal;
    if (signal?.aborted) this.cancel(signal.reason);
    else signal?.addEventListener("abort", this.#abort);
    const late = () => this.cancel(tooLate(timeoutMs));
    this.#cancel = timeoutMs === undefined ? () => {} : timers.start(late, Math.ceil(timeoutMs));
  }

  /** Stops listening and timing. */
  forget(): void {
    this.#cancel();
    this.#signal?.removeEventListener("abort", this.#abort);
  }
}

/** The error for a wait that takes too long, or would, in which case it contains the minimum wait. */
export function tooLate(timeoutMs: number | undefined, leastMs?: number): DOMException {
  const why = leastMs === undefined ? "" : `: it takes at least ${leastMs} ms more, unless units are refunded`;
  return new DOMException(`limiter.waitFor: not granted within ${timeoutMs} ms${why}`, "TimeoutError");
}

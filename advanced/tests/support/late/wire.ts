import type { Pick } from "../../../../tests/support/random.ts";

/** Real time in ms since 1970, with fractions; it never goes back. */
export function realTime(): number {
  return performance.timeOrigin + performance.now();
}

/** The wire between a process and its database: delays messages randomly in both directions. */
export class Wire {
  /** Maximum message delay in ms. */
  mostMs = 0;
  /** When the last message reached the database, in real time. */
  sent = 0;
  /** When the last reply left the database. */
  replied = 0;
  readonly #pick: Pick;

  /** @param pick Selects the delay of each message */
  constructor(pick: Pick) {
    this.#pick = pick;
  }

  /** Waits for the delay of one message. */
  async late(): Promise<void> {
    const ms = this.#pick(this.mostMs + 1);
    if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
  }

  /** Delays a message to the database. */
  async out(): Promise<void> {
    await this.late();
    this.sent = realTime();
  }

  /** Delays a reply from the database. */
  async back(): Promise<void> {
    this.replied = realTime();
    await this.late();
  }

  /**
   * Sends a message and returns the reply.
   *
   * @param send Calls the database
   */
  async pass<T>(send: () => T | PromiseLike<T>): Promise<T> {
    await this.out();
    const reply = await send();
    await this.back();
    return reply;
  }
}

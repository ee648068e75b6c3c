import type { Pick } from "../../../../tests/support/random.ts";

/** The real time, in ms since 1970 with fractions, which never goes back. */
export function realTime(): number {
  return performance.timeOrigin + performance.now();
}

/** What is between a process and its database: messages are late either way, by chance. */
export class Wire {
  /** Most ms by which a message is late. */
  mostMs = 0;
  /** When the last message arrived at the database, as real time. */
  sent = 0;
  /** When the last reply left it. */
  replied = 0;
  readonly #pick: Pick;

  /** @param pick By how much each message is late */
  constructor(pick: Pick) {
    this.#pick = pick;
  }

  /** Waits as long as a message takes. */
  async late(): Promise<void> {
    const ms = this.#pick(this.mostMs + 1);
    if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
  }

  /** A message to the database. */
  async out(): Promise<void> {
    await this.late();
    this.sent = realTime();
  }

  /** A reply of the database. */
  async back(): Promise<void> {
    this.replied = realTime();
    await this.late();
  }

  /**
   * Sends a message and returns the reply.
   *
   * @param send Asks the database
   */
  async pass<T>(send: () => T | PromiseLike<T>): Promise<T> {
    await this.out();
    const reply = await send();
    await this.back();
    return reply;
  }
}

import { warnOnce } from "@sluice/limiting";
import type { Decision } from "./decision.ts";

/** Time in which a program reads a decision, in ms. */
const READING_MS = 1000;

/** Unread refusals in a row before the warning. */
const MOST_UNREAD = 2;

/**
 * Notices a program that expects a refusal to be a rejection, as in rate-limiter-flexible: it never reads one, so its
 * limit stops no client. Watches one refusal at a time, until the first is read.
 */
export class UnreadRefusals {
  #isOver = false;
  #unread = 0;
  #watchedSince = Number.NEGATIVE_INFINITY;

  /**
   * Watches a refusal.
   *
   * @param decision The refusal
   * @param clock A clock in ms; only differences matter
   */
  watch(decision: Decision, clock: () => number): void {
    if (this.#isOver) return;
    const now = clock();
    if (now - this.#watchedSince < READING_MS) return;
    if (this.#unread++ === MOST_UNREAD) {
      this.#isOver = true;
      return warnOnce(
        "unreadRefusals",
        () =>
          "limiter.consume: no code has read the last refusals. consume does not reject a refused request, as " +
          "rate-limiter-flexible does: write if (!(await limiter.consume(key)).allowed) …",
      );
    }
    this.#watchedSince = now;
    // everything else about a decision is derived from the verdicts
    for (const name of ["allowed", "verdicts"] as const) {
      const value = decision[name];
      const get = () => {
        this.#isOver = true;
        return value;
      };
      Object.defineProperty(decision, name, { configurable: true, enumerable: true, get });
    }
  }
}

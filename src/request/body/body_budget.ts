import { overBudget } from "./body_errors.ts";

/** Bytes of all bodies being read in the process, as far as they have come. */
let held = 0;

/** Of these, bytes that were announced for bodies which the runtime reads in one go; they may not have come yet. */
let announced = 0;

/**
 * Part of the budget that announcements may take: a client that announces a body costs itself nothing, and must not keep
 * out those who send one. Beyond that, bodies are read chunk by chunk, and count as they come.
 */
const ANNOUNCED_SHARE = 1 / 4;

/** The part of the process's budget that one body takes until it has been parsed. */
export class Holding {
  readonly #budget: number;
  #bytes = 0;
  #announced = 0;

  /** @param budget Most bytes of all bodies of the process */
  constructor(budget: number) {
    this.#budget = budget;
  }

  /**
   * Takes room for bytes that have come.
   *
   * @param bytes How many
   * @throws {HttpError} 503 if there is not so much
   */
  take(bytes: number): void {
    if (held + bytes > this.#budget) throw overBudget(this.#budget);
    held += bytes;
    this.#bytes += bytes;
  }

  /**
   * Takes room for a body that was announced, if there is some for announcements.
   *
   * @param bytes Its length
   * @returns Whether there was
   * @throws {HttpError} 503 if there is no room at all
   */
  takeAnnounced(bytes: number): boolean {
    if (announced + bytes > this.#budget * ANNOUNCED_SHARE) return false;
    this.take(bytes);
    announced += bytes;
    this.#announced = bytes;
    return true;
  }

  /** Gives everything back; a second time it does nothing. */
  release(): void {
    held -= this.#bytes;
    announced -= this.#announced;
    this.#bytes = this.#announced = 0;
  }
}

import { type Evictable, FairBudget, Reservation } from "../../util/fair_budget.ts";
import { overBudget, tooSlow } from "./body_errors.ts";

/** All bodies being read in the process, as far as they have come. */
const budget = new FairBudget();

/** Of these, bytes that were announced for bodies which the runtime reads in one go; they may not have come yet. */
let announced = 0;

/**
 * Part of the budget that announcements may take: a client that announces a body costs itself nothing, and must not keep
 * out those who send one. Beyond that, bodies are read chunk by chunk, and count as they come.
 */
const ANNOUNCED_SHARE = 1 / 4;

/** The part of the process's budget that one body takes until it has been parsed. */
export class Holding {
  readonly #most: number;
  readonly #reservation: Reservation;
  #announced = 0;

  /**
   * @param most Most bytes of all bodies of the process
   * @param body Is evicted when others need its room and it comes slowest
   */
  constructor(most: number, body: Evictable) {
    this.#most = most;
    this.#reservation = new Reservation(budget, body);
  }

  /**
   * Takes room for bytes that have come. Bodies that come more slowly are ended if there is too little.
   *
   * @param bytes How many
   * @throws {HttpError} 503 if there is not so much, 408 if this body comes slowest
   */
  take(bytes: number): void {
    const outcome = this.#reservation.take(bytes, this.#most);
    if (outcome !== "taken") throw outcome === "full" ? overBudget(this.#most) : tooSlow(this.#most);
  }

  /**
   * Takes room for a body that was announced, if there is some for announcements.
   *
   * @param bytes Its length
   * @returns Whether there was
   * @throws {HttpError} 503 if there is no room at all
   */
  takeAnnounced(bytes: number): boolean {
    if (announced + bytes > this.#most * ANNOUNCED_SHARE) return false;
    this.take(bytes);
    announced += bytes;
    this.#announced = bytes;
    return true;
  }

  /** Keeps the room until `release`: all of the body has come. */
  settle(): void {
    this.#reservation.settle();
  }

  /** Gives everything back; a second time it does nothing. */
  release(): void {
    this.#reservation.release();
    announced -= this.#announced;
    this.#announced = 0;
  }
}

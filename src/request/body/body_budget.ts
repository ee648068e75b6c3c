import { type Evictable, FairBudget, Reservation } from "../../util/fair_budget.ts";
import { overBudget, tooSlow } from "./body_errors.ts";

/** All bodies being read in the process; only bytes that have arrived count. */
const budget = new FairBudget();

/** Bytes in `budget` announced for bodies that the runtime reads in one go; they may not have arrived yet. */
let announced = 0;

/**
 * The budget's share for announcements: announcing a body costs a client nothing, and must not keep out clients that
 * send one. Beyond this share, bodies are read chunk by chunk and count as they arrive.
 */
const ANNOUNCED_SHARE = 1 / 4;

/** The share of the process's budget that one body holds until it has been parsed. */
export class Holding {
  readonly #most: number;
  readonly #reservation: Reservation;
  #announced = 0;

  /**
   * @param most Maximum bytes for all bodies in the process
   * @param body Evicted if other bodies need its space and it is the slowest
   */
  constructor(most: number, body: Evictable) {
    this.#most = most;
    this.#reservation = new Reservation(budget, body);
  }

  /**
   * Reserves space for bytes that have arrived. If there is too little, slower bodies are ended.
   *
   * @param bytes Number of bytes
   * @throws {HttpError} 503 if there is not enough, 408 if this body is the slowest
   */
  take(bytes: number): void {
    const outcome = this.#reservation.take(bytes, this.#most);
    if (outcome !== "taken") throw outcome === "full" ? overBudget(this.#most) : tooSlow(this.#most);
  }

  /**
   * Reserves space for an announced body if the share for announcements allows it.
   *
   * @param bytes Its length
   * @returns Whether the share allows it
   * @throws {HttpError} 503 if the budget is used up
   */
  takeAnnounced(bytes: number): boolean {
    if (announced + bytes > this.#most * ANNOUNCED_SHARE) return false;
    this.take(bytes);
    announced += bytes;
    this.#announced = bytes;
    return true;
  }

  /** Keeps the space until `release`: the whole body has arrived. */
  settle(): void {
    this.#reservation.settle();
  }

  /** Frees everything; further calls do nothing. */
  release(): void {
    this.#reservation.release();
    announced -= this.#announced;
    this.#announced = 0;
  }
}

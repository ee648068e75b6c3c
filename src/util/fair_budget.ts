import { type Linked, LinkedList } from "./linked_list.ts";

/** How long a reservation is young, in ms: until then, its speed means nothing. */
const YOUNG_MS = 2000;
/** A counting period in ms; speed covers the current and the previous period. */
const PERIOD_MS = 1000;
/** Bytes per ms at which a reservation is steady and not evicted: 64 KiB per second, half of 1 Mbit/s. */
const STEADY = 64 * 1024 / 1000;
/** Maximum bytes in a small reservation, and the part of the budget reserved for small ones. */
const SMALL_BYTES = 256 * 1024;
const SMALL_SHARE = 1 / 8;

/** Bytes shared by many reservations. When they are used up, the slowest reservation is evicted first. */
export class FairBudget {
  /** Bytes in use. */
  used = 0;
  /** The reservations that may be evicted, in starting order. */
  readonly open: LinkedList<Reservation> = new LinkedList();
}

/** A receiver of bytes. */
export interface Evictable {
  /** Stops receiving, because other receivers need the space and this receiver is the slowest. */
  evict(): void;
}

/** One receiver's share of a budget. */
export class Reservation implements Linked<Reservation> {
  before: Reservation | null = null;
  after: Reservation | null = null;
  readonly #budget: FairBudget;
  readonly #receiver: Evictable;
  #bytes = 0;
  /** When the first bytes arrived, and when the current period began. */
  #bornAt = 0;
  #periodAt = 0;
  /** Bytes in the current and the previous period. */
  #recent = 0;
  #before = 0;

  /**
   * @param budget The budget
   * @param receiver Evicted if it is the slowest
   */
  constructor(budget: FairBudget, receiver: Evictable) {
    this.#budget = budget;
    this.#receiver = receiver;
  }

  /**
   * Takes bytes that have arrived. If too few are left, the slowest reservations are evicted.
   *
   * @param bytes Number of bytes
   * @param most Bytes in the whole budget
   * @returns `"taken"`; `"slowest"` if this reservation itself would be evicted; `"full"` if none can be evicted
   */
  take(bytes: number, most: number): "taken" | "slowest" | "full" {
    const now = performance.now();
    const budget = this.#budget;
    const held = this.#bytes;
    if (held === 0) this.#bornAt = this.#periodAt = now;
    const isLarge = budget.used > held && held + bytes > SMALL_BYTES;
    const limit = isLarge ? most * (1 - SMALL_SHARE) : most;
    while (budget.used + bytes > limit) {
      const evicted = held + bytes > limit ? undefined : this.#evictable(now);
      if (evicted === undefined) return "full";
      if (evicted === this) return "slowest";
      evicted.#receiver.evict();
      evicted.release();
    }
    if (held === 0) budget.open.add(this);
    budget.used += bytes;
    this.#bytes += bytes;
    this.#turn(now);
    this.#recent += bytes;
    return "taken";
  }

  // The slowest one. If all are steady or young, an older one may continue at the cost of the largest young one.
  #evictable(now: number): Reservation | undefined {
    let slowest: Reservation | undefined;
    let largest: Reservation | undefined;
    let lowest = STEADY;
    let most = 0;
    for (const one of this.#budget.open) {
      const isYoung = one.#isYoung(now);
      const speed = one.#speed(now);
      if (isYoung && one.#bytes > most) {
        most = one.#bytes;
        largest = one;
      } else if (!isYoung && speed < lowest) {
        lowest = speed;
        slowest = one;
      }
    }
    return slowest ?? (this.#isYoung(now) ? undefined : largest);
  }

  #isYoung(now: number): boolean {
    return now - this.#bornAt < YOUNG_MS;
  }

  #speed(now: number): number {
    this.#turn(now);
    return (this.#before + this.#recent) / (PERIOD_MS + now - this.#periodAt);
  }

  #turn(now: number): void {
    const periods = Math.floor((now - this.#periodAt) / PERIOD_MS);
    if (periods === 0) return;
    this.#periodAt += periods * PERIOD_MS;
    this.#before = periods === 1 ? this.#recent : 0;
    this.#recent = 0;
  }

  /** Keeps its bytes until `release` and can no longer be evicted: everything has arrived. */
  settle(): void {
    this.#budget.open.delete(this);
  }

  /** Frees all bytes; further calls do nothing. */
  release(): void {
    this.settle();
    this.#budget.used -= this.#bytes;
    this.#bytes = 0;
  }
}

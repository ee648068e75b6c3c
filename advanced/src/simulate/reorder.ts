interface Timed {
  readonly ms: number;
}

/**
 * Sorts nearly sorted items: servers write a line when a request has ended, and some log the time it began. An item
 * older than all held items comes out too late and is counted.
 */
export class Reorder<T extends Timed> {
  /** Items that came after a later one, and were moved before it. */
  outOfOrder = 0;
  /** Items that came after a later one had already been passed on. */
  late = 0;
  readonly #held: T[] = [];
  readonly #most: number;
  readonly #out: (one: T) => void;
  #first = 0;
  #latest = -Infinity;

  /**
   * Creates an instance.
   *
   * @param most Maximum number held
   * @param out Receives them in order
   */
  constructor(most: number, out: (one: T) => void) {
    this.#most = most;
    this.#out = out;
  }

  /** Adds an item, and passes one on if too many are held. */
  push(one: T): void {
    const held = this.#held;
    let at = held.length;
    held.push(one);
    // equal times keep their order
    while (at > this.#first && held[at - 1]!.ms > one.ms) {
      held[at] = held[at - 1]!;
      at--;
    }
    held[at] = one;
    if (one.ms < this.#latest) this.late++;
    else if (at < held.length - 1) this.outOfOrder++;
    if (held.length - this.#first > this.#most) this.#give();
  }

  #give(): void {
    const one = this.#held[this.#first++]!;
    this.#latest = Math.max(this.#latest, one.ms);
    this.#out(one);
    if (this.#first <= this.#most) return;
    this.#held.splice(0, this.#first);
    this.#first = 0;
  }

  /** Passes on all held items. */
  end(): void {
    while (this.#first < this.#held.length) this.#give();
  }
}

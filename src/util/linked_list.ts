/** What can be a member of one {@linkcode LinkedList} at a time. */
export interface Linked<T> {
  /** The member before it, `null` for none; set by the list. */
  before: T | null;
  /** The member after it, `null` for none; set by the list. */
  after: T | null;
}

/**
 * Members in the order in which they were added, each of which can leave at any time.
 *
 * For what comes and goes with every request. A `Set` that new objects enter and leave all the time costs V8 a
 * microsecond for each of them: it is copied whenever enough have left, and lives in the old generation.
 *
 * @typeParam T The members; they have the list's links
 */
export class LinkedList<T extends Linked<T>> {
  #first: T | null = null;
  #last: T | null = null;

  /**
   * Adds a member at the end.
   *
   * @param member It is in no list yet
   */
  add(member: T): void {
    member.before = this.#last;
    if (this.#last === null) this.#first = member;
    else this.#last.after = member;
    this.#last = member;
  }

  /**
   * Removes a member; no effect if it has left already.
   *
   * @param member It is in no other list
   */
  delete(member: T): void {
    const { before, after } = member;
    if (before === null && this.#first !== member) return;
    if (before === null) this.#first = after;
    else before.after = after;
    if (after === null) this.#last = before;
    else after.before = before;
    // a member that is kept elsewhere must not keep those that follow it
    member.before = member.after = null;
  }

  /** The members, oldest first; some may leave meanwhile, but not the one that comes next. */
  *[Symbol.iterator](): Generator<T, void, undefined> {
    for (let member = this.#first; member !== null;) {
      const { after }: T = member;
      yield member;
      member = after;
    }
  }
}

/** An object that can be a member of one {@linkcode LinkedList} at a time. */
export interface Linked<T> {
  /** The member before it, or `null` if there is none; set by the list. */
  before: T | null;
  /** The member after it, or `null` if there is none; set by the list. */
  after: T | null;
}

/**
 * Members in the order in which they were added, each removable at any time.
 *
 * For objects that come and go with every request. A `Set` with constant additions and removals costs V8 a microsecond
 * per object: V8 copies it whenever enough objects have been removed, and keeps it in the old generation.
 *
 * @typeParam T The members; they have the list's links
 */
export class LinkedList<T extends Linked<T>> {
  #first: T | null = null;
  #last: T | null = null;

  /**
   * Adds a member at the end.
   *
   * @param member Must not be in a list
   */
  add(member: T): void {
    member.before = this.#last;
    if (this.#last === null) this.#first = member;
    else this.#last.after = member;
    this.#last = member;
  }

  /**
   * Removes a member; no effect if it was already removed.
   *
   * @param member Must not be in another list
   */
  delete(member: T): void {
    const { before, after } = member;
    if (before === null && this.#first !== member) return;
    if (before === null) this.#first = after;
    else before.after = after;
    if (after === null) this.#last = before;
    else after.before = before;
    // a removed member that is still referenced must not retain those after it
    member.before = member.after = null;
  }

  /** Whether there are no members. */
  get isEmpty(): boolean {
    return this.#first === null;
  }

  /** The members, oldest first; during the iteration some may be removed, but not the next one. */
  *[Symbol.iterator](): Generator<T, void, undefined> {
    for (let member = this.#first; member !== null;) {
      const { after }: T = member;
      yield member;
      member = after;
    }
  }
}

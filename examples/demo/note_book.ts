/** A note. */
export interface Note {
  /** Number of the note, from 1. */
  id: number;
  /** Its content. */
  text: string;
}

/** Maximum number of notes; the oldest are removed first. */
const MOST = 100;

/** The notes of the demo, in memory. */
export class NoteBook {
  readonly #notes: Note[] = [];
  #next = 1;

  /** @param texts The initial notes */
  constructor(texts: readonly string[] = []) {
    for (const text of texts) this.add(text);
  }

  /** Every note, newest first. */
  all(): Note[] {
    return this.#notes.toReversed();
  }

  /** One note. */
  find(id: number): Note | undefined {
    return this.#notes.find((note) => note.id === id);
  }

  /** Adds a note of at most 280 characters. */
  add(text: string): Note {
    const note = { id: this.#next++, text: text.slice(0, 280) };
    this.#notes.push(note);
    if (this.#notes.length > MOST) this.#notes.shift();
    return note;
  }
}

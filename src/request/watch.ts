import type { ClientWatch } from "./app_face.ts";

/**
 * ms in which most requests are answered. Who waits for longer is watched after one to two times as much, which is soon
 * enough for whoever wants to know that a client has left.
 */
const PATIENCE_MS = 20;

/**
 * Hears that the client of a request has left, until the exchange is over. Runtimes keep their listeners for longer: on
 * Deno, V8 comes to make them in the old generation, and all of the request would survive with what they call.
 */
export class Watch implements ClientWatch {
  #left: (() => void) | null;
  #listen: (() => void) | null = null;

  /** @param left Runs when the client has left */
  constructor(left: () => void) {
    this.#left = left;
  }

  /** Notes that the client has left. */
  hear(): void {
    this.#left?.();
  }

  /**
   * Begins to listen in a while, if the exchange is not over by then.
   *
   * @param listen Begins to listen
   */
  listenLater(listen: () => void): void {
    this.#listen = listen;
    younger.add(this);
    // one timer for all, for setting one costs too
    stopTimer ??= startTimer();
  }

  /** Begins to listen, unless the exchange is over. */
  begin(): void {
    this.#listen?.();
  }

  /** Notes that the exchange is over. */
  end(): void {
    this.#left = null;
    if (this.#listen === null) return;
    this.#listen = null;
    if (!younger.delete(this)) older.delete(this);
    // a timer would keep a program that has nothing left to do, and be found by a test that looks for what is left
    if (younger.size + older.size === 0) endTimer();
  }
}

let younger = new Set<Watch>();
let older = new Set<Watch>();
/** Stops the timer, while there is one. */
let stopTimer: (() => void) | null = null;

// a test's fake timers may come or go in between, and would stop somebody else's
function startTimer(): () => void {
  const { setTimeout, clearTimeout } = globalThis;
  const timer = setTimeout(promote, PATIENCE_MS);
  return () => {
    try {
      clearTimeout(timer);
    } catch {
      // those of Deno's FakeTime throw once it is over, and so is the timer
    }
  };
}

function endTimer(): void {
  stopTimer?.();
  stopTimer = null;
}

/** Begins to listen for all who wait, as before a server cuts them: they hear of it then, and no timer is left behind. */
export function listenNow(): void {
  const due = [...older, ...younger];
  older.clear();
  younger.clear();
  endTimer();
  for (const watch of due) watch.begin();
}

function promote(): void {
  const due = older;
  older = younger;
  younger = new Set();
  stopTimer = older.size > 0 ? startTimer() : null;
  for (const watch of due) watch.begin();
}

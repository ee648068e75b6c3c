import type { ClientWatch } from "./runtime_support.ts";

/**
 * ms in which most requests are answered. The others begin to listen after one to two times this long, which is early
 * enough to notice that a client is gone.
 */
const PATIENCE_MS = 20;

/**
 * Waits for the client of a request to disconnect, until the exchange is over. Runtimes keep listeners for longer than
 * that: on Deno, V8 comes to allocate them in the old generation, and they would keep all of the request alive. So they
 * only hold a watch, which lets go of the request.
 */
export class DisconnectWatch implements ClientWatch {
  #left: (() => void) | null;
  #listen: (() => void) | null = null;

  /** @param left Runs when the client is gone */
  constructor(left: () => void) {
    this.#left = left;
  }

  /** Notes that the client is gone. */
  hear(): void {
    this.#left?.();
  }

  /**
   * Begins to listen after a while, unless the exchange is over by then.
   *
   * @param listen Begins to listen
   */
  listenLater(listen: () => void): void {
    this.#listen = listen;
    younger.add(this);
    // one timer for all, because setting one has a cost, too
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
    // a timer would keep an idle process alive, and be reported by tests that look for leaks
    if (younger.size + older.size === 0) endTimer();
  }
}

let younger = new Set<DisconnectWatch>();
let older = new Set<DisconnectWatch>();
/** Stops the timer, while there is one. */
let stopTimer: (() => void) | null = null;

// both of one kind: a test may install or remove fake timers in between, whose clearTimeout would stop another timer
function startTimer(): () => void {
  const { setTimeout, clearTimeout } = globalThis;
  const timer = setTimeout(promote, PATIENCE_MS);
  return () => {
    try {
      clearTimeout(timer);
    } catch {
      // after a test has restored Deno's FakeTime its clearTimeout throws; the timer is gone by then
    }
  };
}

function endTimer(): void {
  stopTimer?.();
  stopTimer = null;
}

/** Makes all of them listen now, before a server cuts its connections: they notice it then, and no timer is left. */
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

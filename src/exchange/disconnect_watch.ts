import type { ClientWatch } from "./runtime_support.ts";

/**
 * ms within which most requests get their response. Other requests start listening after one to two times that delay,
 * early enough to notice a disconnect.
 */
const PATIENCE_MS = 20;

/**
 * Waits for a request's client to disconnect, until the exchange is over. Runtimes keep listeners for longer: on Deno,
 * V8 eventually allocates them in the old generation, where they would retain the whole request. So they hold only a
 * watch, which drops its reference to the request.
 */
export class DisconnectWatch implements ClientWatch {
  #left: (() => void) | null;
  #listen: (() => void) | null = null;

  /** @param left Runs when the client has disconnected */
  constructor(left: () => void) {
    this.#left = left;
  }

  /** Called when the client has disconnected. */
  hear(): void {
    this.#left?.();
  }

  /**
   * Starts listening after a delay, unless the exchange is over by then.
   *
   * @param listen Starts listening
   */
  listenLater(listen: () => void): void {
    this.#listen = listen;
    younger.add(this);
    // one timer for all requests, because setting a timer also has a cost
    stopTimer ??= startTimer();
  }

  /** Starts listening, unless the exchange is over. */
  begin(): void {
    this.#listen?.();
  }

  /** Called when the exchange is over. */
  end(): void {
    this.#left = null;
    if (this.#listen === null) return;
    this.#listen = null;
    if (!younger.delete(this)) older.delete(this);
    // a timer would keep an idle process alive, and tests that check for leaks would report it
    if (younger.size + older.size === 0) endTimer();
  }
}

let younger = new Set<DisconnectWatch>();
let older = new Set<DisconnectWatch>();
/** Stops the timer, while there is one. */
let stopTimer: (() => void) | null = null;

// both functions from one clock: if a test installs or removes fake timers in between, clearTimeout would stop a
// different timer
function startTimer(): () => void {
  const { setTimeout, clearTimeout } = globalThis;
  const timer = setTimeout(promote, PATIENCE_MS);
  return () => {
    try {
      clearTimeout(timer);
    } catch {
      // once a test has restored Deno's FakeTime, its clearTimeout throws; the timer no longer exists by then
    }
  };
}

function endTimer(): void {
  stopTimer?.();
  stopTimer = null;
}

/** Starts all listeners before a server cuts its connections: they notice the cut, and no timer remains. */
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

import { type EndingResponse, type RequestEnd, type WatchedResponse, whenOver } from "./when_over.ts";

/**
 * How long, in ms, a handler is assumed to keep working after its client disconnects if nothing reports its end: some
 * handlers wait for the disconnect and then never end the response.
 */
const ABANDONED_MS = 60_000;

/**
 * Reports when counted requests are over: once their handlers are done, even if their clients disconnected earlier. A
 * response that has begun is over when the client disconnects, because streaming handlers stop then. There is no timer:
 * call `expire` before reading the count.
 */
export class RequestsInProgress {
  readonly #clock: () => number;
  /** Disconnect times of clients whose handlers may still be working; oldest first. */
  readonly #abandoned: Abandoned = new Map();

  /** @param clock The current time in ms */
  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /**
   * Watches a request.
   *
   * @param res Its response
   * @param ended Called once when it is over; its argument is whether the response was sent
   */
  watch(res: EndingResponse, ended: (isComplete: boolean) => void): void {
    whenOver(res, new RequestInProgress(this.#abandoned, this.#clock, ended));
  }

  /** Ends requests whose clients disconnected a minute ago or earlier. */
  expire(): void {
    if (this.#abandoned.size === 0) return;
    const now = this.#clock();
    for (const [watched, since] of this.#abandoned) {
      if (now - since < ABANDONED_MS) return;
      watched.end(false);
    }
  }
}

type Abandoned = Map<WatchedResponse, number>;

class RequestInProgress implements RequestEnd {
  readonly #abandoned: Abandoned;
  readonly #clock: () => number;
  readonly #ended: (isComplete: boolean) => void;

  constructor(abandoned: Abandoned, clock: () => number, ended: (isComplete: boolean) => void) {
    this.#abandoned = abandoned;
    this.#clock = clock;
    this.#ended = ended;
  }

  left(watched: WatchedResponse): void {
    this.#abandoned.set(watched, this.#clock());
  }

  begun(watched: WatchedResponse): void {
    watched.end(false);
  }

  over(isComplete: boolean, watched: WatchedResponse): void {
    if (!isComplete) this.#abandoned.delete(watched);
    this.#ended(isComplete);
  }
}

import { type EndingResponse, type RequestEnd, type WatchedResponse, whenOver } from "./when_over.ts";

/**
 * For how long a handler is believed to be at work after its client has left, in ms, if nothing tells that it has ended:
 * some wait for the client to leave, and then end nothing.
 */
const ABANDONED_MS = 60_000;

/**
 * Tells when requests that are counted while they are in progress are over: their handlers are done, whether or not their
 * clients have left before. Responses that had begun are over when the client leaves, since handlers of streams stop then.
 * There is no timer: whoever counts calls `expire` before the count matters.
 */
export class RequestsInProgress {
  readonly #clock: () => number;
  /** When responses were left whose handlers may be at work yet; oldest first. */
  readonly #abandoned: Abandoned = new Map();

  /** @param clock The present time in ms */
  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /**
   * Watches a request.
   *
   * @param res Its response
   * @param ended Called once when it is over, with whether the response was sent
   */
  watch(res: EndingResponse, ended: (isComplete: boolean) => void): void {
    whenOver(res, new RequestInProgress(this.#abandoned, this.#clock, ended));
  }

  /** Ends requests whose clients have left a minute ago. */
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

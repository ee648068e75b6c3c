import { type EndingResponse, type RequestEnd, whenOver } from "./when_over.ts";

/**
 * For how long a handler is believed to be at work after its client has left, in ms, if nothing tells that it has ended:
 * some wait for the client to leave, and then end nothing.
 */
export const ABANDONED_MS = 60_000;

/**
 * Tells when requests that are counted while they are in progress are over: their handlers are done, whether or not their
 * clients have left before. Responses that had begun are over when the client leaves, since handlers of streams stop then.
 * There is no timer: whoever counts calls `expire` before the count matters.
 */
export class RequestsInProgress {
  readonly #clock: () => number;
  /** When requests were left whose handlers may be at work yet; oldest first. */
  readonly #abandoned = new Map<RequestInProgress, number>();

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
    whenOver(res, new RequestInProgress(this, ended));
  }

  /** The client of a request has left. */
  abandon(request: RequestInProgress): void {
    this.#abandoned.set(request, this.#clock());
  }

  /** It is over. */
  forget(request: RequestInProgress): void {
    this.#abandoned.delete(request);
  }

  /** Ends requests whose clients have left a minute ago. */
  expire(): void {
    if (this.#abandoned.size === 0) return;
    const now = this.#clock();
    for (const [request, since] of this.#abandoned) {
      if (now - since < ABANDONED_MS) return;
      request.over(false);
    }
  }
}

class RequestInProgress implements RequestEnd {
  readonly #all: RequestsInProgress;
  #ended: ((isComplete: boolean) => void) | null;

  constructor(all: RequestsInProgress, ended: (isComplete: boolean) => void) {
    this.#all = all;
    this.#ended = ended;
  }

  left(): void {
    this.#all.abandon(this);
  }

  begun(): void {
    this.over(false);
  }

  over(isComplete: boolean): void {
    const ended = this.#ended;
    if (ended === null) return;
    this.#ended = null;
    if (!isComplete) this.#all.forget(this);
    ended(isComplete);
  }
}

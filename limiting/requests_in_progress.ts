import { type EndingResponse, whenOver } from "./when_over.ts";

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
  /** When requests were left whose handlers may be at work yet, by what ends them; oldest first. */
  readonly #abandoned = new Map<() => void, number>();

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
    let isOver = false;
    const end = (isComplete: boolean): void => {
      if (isOver) return;
      isOver = true;
      ended(isComplete);
    };
    const abandon = (): void => end(false);
    whenOver(res, {
      left: () => void this.#abandoned.set(abandon, this.#clock()),
      begun: () => {
        this.#abandoned.delete(abandon);
        abandon();
      },
      over: (isComplete) => {
        this.#abandoned.delete(abandon);
        end(isComplete);
      },
    });
  }

  /** Ends requests whose clients have left a minute ago. */
  expire(): void {
    if (this.#abandoned.size === 0) return;
    const now = this.#clock();
    for (const [abandon, since] of this.#abandoned) {
      if (now - since < ABANDONED_MS) return;
      this.#abandoned.delete(abandon);
      abandon();
    }
  }
}

import { isThenable } from "../http/is_thenable.ts";
import { listenNow } from "../request/watch.ts";
import type { FetchHandler } from "./platform.ts";

/** Requests after which those that still wait are looked at. */
const SWEEP_EVERY = 512;

/** The requests that wait for their handler, on runtimes that cannot cut them once they have begun to shut down. */
export class Unanswered {
  readonly #waiting = new Map<(response: Response) => void, Request>();
  readonly #watched = new Set<(response: Response) => void>();
  #passed = 0;
  #over = false;

  /**
   * A handler whose requests are known while they wait.
   *
   * @param handler The handler
   */
  watch(handler: FetchHandler): FetchHandler {
    return (request, info) => {
      // over a connection that was kept alive
      if (this.#over) return unavailable();
      // all of them count, so that those who wait are looked at although nobody else has to
      if (++this.#passed >= SWEEP_EVERY) this.#sweep();
      const answer = handler(request, info);
      return isThenable(answer) ? this.#cuttable(request, answer) : answer;
    };
  }

  #cuttable(request: Request, answer: PromiseLike<Response>): Promise<Response> {
    return new Promise((resolve, reject) => {
      this.#waiting.set(resolve, request);
      const isAwaited = (): boolean => this.#waiting.delete(resolve) || this.#watched.delete(resolve);
      answer.then((response) => {
        if (isAwaited()) resolve(response);
        // it comes too late, and what its body is read from, a file for one, must not be kept open
        else response.body?.cancel().catch(() => {});
      }, (error) => {
        isAwaited();
        reject(error);
      });
    });
  }

  // A handler that never answers would be kept after its client has gone. Asking every request for its signal would cost
  // more than answering it, so only those are asked that have waited while many others came.
  #sweep(): void {
    this.#passed = 0;
    for (const [answer, request] of this.#waiting) {
      this.#watched.add(answer);
      // 499 is what proxies write down for a client that left; nobody reads it
      const leave = () => void (this.#watched.delete(answer) && answer(new Response(null, { status: 499 })));
      // Deno aborts the signal of a request that becomes a WebSocket, too, whose answer is about to come
      request.signal.addEventListener("abort", () => void setTimeout(leave, 0), { once: true });
    }
    this.#waiting.clear();
  }

  /**
   * Answers all of them with 503, and whoever comes now.
   *
   * @returns Whether there were any
   */
  abort(): boolean {
    this.#over = true;
    const found = this.#waiting.size + this.#watched.size > 0;
    listenNow();
    for (const answer of [...this.#waiting.keys(), ...this.#watched]) answer(unavailable());
    this.#waiting.clear();
    this.#watched.clear();
    return found;
  }
}

function unavailable(): Response {
  return new Response("Service Unavailable", { status: 503, headers: { "connection": "close" } });
}

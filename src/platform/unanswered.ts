import { isThenable } from "../http/is_thenable.ts";
import { listenNow } from "../request/watch.ts";
import type { AppFetch } from "./platform.ts";

/** After this many requests, those that are still waiting are checked. */
const SWEEP_EVERY = 512;

/** Requests waiting for their handlers, on runtimes that cannot cut connections once they shut down. */
export class Unanswered {
  readonly #waiting = new Map<(response: Response) => void, Request>();
  readonly #watched = new Map<(response: Response) => void, Request>();
  #passed = 0;
  #over = false;

  /**
   * Wraps a handler to keep track of its waiting requests.
   *
   * @param handler The handler
   */
  watch(handler: AppFetch): AppFetch {
    return (request, info) => {
      // a further request on a connection that was kept alive
      if (this.#over) return unavailable();
      // all requests count, so that waiting ones are checked even if all others are answered synchronously
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
        // too late; the source of the body, such as a file, must not stay open
        else response.body?.cancel().catch(() => {});
      }, (error) => {
        isAwaited();
        reject(error);
      });
    });
  }

  // A handler that never answers would be kept even when its client is gone. Reading the signal of every request would
  // cost more than answering, so it is read only for requests that have waited while many others came.
  #sweep(): void {
    this.#passed = 0;
    for (const [answer, request] of this.#waiting) {
      this.#watched.set(answer, request);
      // 499 is what proxies log for a client that disconnected; nobody receives it
      const leave = () => void (this.#watched.delete(answer) && answer(new Response(null, { status: 499 })));
      // Deno also aborts the signal of a request that becomes a WebSocket, just before its response
      request.signal.addEventListener("abort", () => void setTimeout(leave, 0), { once: true });
    }
    this.#waiting.clear();
  }

  /**
   * Answers all of them, and all further requests, with 503.
   *
   * @returns Whether any were waiting
   */
  abort(): boolean {
    this.#over = true;
    const all = [...this.#waiting, ...this.#watched];
    this.#waiting.clear();
    this.#watched.clear();
    listenNow();
    for (const [answer, { signal }] of all) {
      // Bun would not abort the signal, and Deno only when it has freed the request: reading it then ends the process
      signal.dispatchEvent(new Event("abort"));
      answer(unavailable());
    }
    return all.length > 0;
  }
}

function unavailable(): Response {
  return new Response("Service Unavailable", { status: 503, headers: { "connection": "close" } });
}

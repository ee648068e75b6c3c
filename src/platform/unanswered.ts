import type { FetchHandler } from "./platform.ts";

/** The requests that wait for their handler, on runtimes that cannot cut them once they have begun to shut down. */
export class Unanswered {
  readonly #waiting = new Set<(response: Response) => void>();

  /**
   * A handler whose requests are known while they wait.
   *
   * @param handler The handler
   */
  watch(handler: FetchHandler): FetchHandler {
    return (request, info) => {
      const answer = handler(request, info);
      return answer instanceof Response ? answer : this.#cuttable(answer);
    };
  }

  #cuttable(answer: Promise<Response>): Promise<Response> {
    return new Promise((resolve, reject) => {
      this.#waiting.add(resolve);
      answer.finally(() => this.#waiting.delete(resolve)).then(resolve, reject);
    });
  }

  /** Answers all of them with 503. */
  abort(): void {
    for (const answer of this.#waiting) {
      answer(new Response("Service Unavailable", { status: 503, headers: { "connection": "close" } }));
    }
  }
}

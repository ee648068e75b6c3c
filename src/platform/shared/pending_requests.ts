import { isThenable } from "../../util/is_thenable.ts";
import { cutAll, isPromised, mayReadBodies, receivedBy } from "../../exchange/pending_exchanges.ts";
import { listenNow } from "../../exchange/disconnect_watch.ts";
import type { AppFetch } from "./platform.ts";

/** Requests that a server waits for, on runtimes that cannot cut connections after starting to shut down. */
export class PendingRequests {
  /** Requests to a handler that wraps the application and creates its own promises. */
  readonly #wrapped = new Map<Request, (response: Response) => void>();
  #over = false;

  /**
   * Wraps a handler so that it can be cut.
   *
   * @param handler The handler
   */
  watch(handler: AppFetch): AppFetch {
    return (request, info) => {
      // another request on a keep-alive connection
      if (this.#over) return unavailable();
      const result = receivedBy(this, handler, request, info);
      return isThenable(result) && !isPromised(result) ? this.#cuttable(request, result) : result;
    };
  }

  #cuttable(request: Request, result: PromiseLike<Response>): Promise<Response> {
    return new Promise((resolve, reject) => {
      this.#wrapped.set(request, resolve);
      result.then((response) => {
        if (this.#wrapped.delete(request)) resolve(response);
        // too late; the body's source, such as a file, must not stay open
        else response.body?.cancel().catch(() => {});
      }, (error) => {
        this.#wrapped.delete(request);
        reject(error);
      });
    });
  }

  /**
   * Whether a request body may still be arriving.
   *
   * @param app The server's application
   */
  mayReadBodies(app: object): boolean {
    return mayReadBodies(app, this, this.#wrapped.keys());
  }

  /**
   * Responds with 503 to all requests waiting for their handlers, and to all later ones.
   *
   * @returns The requests that were waiting
   */
  abort(): ReadonlySet<Request> {
    this.#over = true;
    const wrapped = [...this.#wrapped];
    this.#wrapped.clear();
    listenNow();
    // first: their handlers may continue, and must still find the data that the runtime releases with the response
    const requests = new Set(wrapped.map(([request]) => request));
    for (const request of cutAll(this, requests, unavailable)) requests.add(request);
    for (const [, resolve] of wrapped) resolve(unavailable());
    return requests;
  }
}

function unavailable(): Response {
  return new Response("Service Unavailable", { status: 503, headers: { "connection": "close" } });
}

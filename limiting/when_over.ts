/** What is needed of a response; Sluice's, Express's and Node's fit. */
export interface EndingResponse {
  /** Status of the response. */
  readonly statusCode: number;
  /** Whether the headers have been sent. */
  readonly headersSent: boolean;
  /** Whether the response has been ended. */
  readonly writableEnded?: boolean;
  /** Whether all of it has been sent. */
  readonly writableFinished?: boolean;
  /** Whether the response is over, complete or not. */
  readonly closed?: boolean;
  /** Whether the connection is gone. */
  readonly destroyed?: boolean;
  /** Ends the response. */
  end(...args: never[]): unknown;
  /** Adds a listener. */
  on(event: "finish" | "close" | "pipe", listener: () => void): unknown;
}

/** Is told what becomes of a request. */
export interface RequestEnd {
  /** The client has left, and the handler, as far as one can tell, is still at work. */
  left(watched: WatchedResponse): void;
  /**
   * The client has left, and the response has begun, before or after that. Handlers that stream mostly stop when the
   * client leaves, and end nothing: `over` may never be called.
   */
  begun(watched: WatchedResponse): void;
  /**
   * The request is over; called once.
   *
   * @param isComplete Whether its response was sent
   */
  over(isComplete: boolean, watched: WatchedResponse): void;
}

/** Methods of a response that begin it, and that end it. */
const BEGINNING = ["writeHead", "flushHeaders", "write"] as const;
const ENDING = ["end", "destroy"] as const;

/**
 * Tells when a request is over: when its response has been sent, or, if its client has left before, when its handler
 * ends the response all the same. To leave costs a client nothing, and the handler goes on; so whatever counts requests
 * in progress, or what they cost, must not take the client's end for the handler's.
 *
 * @param res The response
 * @param listener Is told, at once if the client has left already, which is not announced again
 */
export function whenOver(res: EndingResponse, listener: RequestEnd): WatchedResponse {
  const watched = new WatchedResponse(res, listener);
  res.on("finish", () => watched.end(true));
  res.on("close", () => watched.leave());
  if (res.closed || res.destroyed) watched.leave();
  return watched;
}

/** A response whose end is waited for. */
export class WatchedResponse {
  readonly #res: EndingResponse;
  readonly #listener: RequestEnd;
  #hasLeft = false;
  #hasBegun = false;
  #isHandled = false;
  #isOver = false;

  /** Made by {@linkcode whenOver}. */
  constructor(res: EndingResponse, listener: RequestEnd) {
    this.#res = res;
    this.#listener = listener;
  }

  /** The handlers are done, as some frameworks know: a client that has left, or leaves after that, leaves nobody at work. */
  handled(): void {
    this.#isHandled = true;
    if (this.#hasLeft) this.end(false);
  }

  /** The request is over, or taken for it; only the first call counts. */
  end(isComplete: boolean): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#listener.over(isComplete, this);
  }

  /** The client has left, or its response is complete. */
  leave(): void {
    if (this.#isOver || this.#hasLeft) return;
    const res = this.#res;
    // a WebSocket ends with its connection
    if (this.#isHandled || res.writableEnded || res.statusCode === 101) return this.end(res.writableFinished === true);
    this.#hasLeft = true;
    this.#listener.left(this);
    // no event tells what is done with a response that nobody gets
    for (const method of ENDING) after(res, method, () => this.end(false));
    if (res.headersSent) return this.#begin();
    for (const method of BEGINNING) after(res, method, () => this.#begin());
    res.on("pipe", () => this.#begin());
  }

  #begin(): void {
    if (this.#isOver || this.#hasBegun) return;
    this.#hasBegun = true;
    this.#listener.begun(this);
  }
}

/** Calls something after each call of a method. */
function after(res: EndingResponse, method: (typeof BEGINNING | typeof ENDING)[number], called: () => void): void {
  const methods = res as unknown as Record<string, ((...args: unknown[]) => unknown) | undefined>;
  const { [method]: own } = methods;
  if (own === undefined) return;
  methods[method] = function (...args: unknown[]): unknown {
    try {
      return own.apply(this, args);
    } finally {
      called();
    }
  };
}

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
  /** The connection; `null` while earlier requests on it wait for their responses. */
  readonly socket?: EndingSocket | null | undefined;
  /** Gives it the connection; only responses of Node's servers have this. */
  readonly assignSocket?: unknown;
  /** The request. */
  readonly req?: EndingRequest | undefined;
  /** The stream of an HTTP/2 response, whose socket carries other requests, too. */
  readonly stream?: { readonly destroyed?: boolean } | null | undefined;
  /** Ends the response. */
  end(...args: never[]): unknown;
  /** Adds a listener. */
  on(event: "finish" | "close" | "pipe", listener: () => void): unknown;
}

/** What is needed of a connection. */
interface EndingSocket {
  /** Whether it is closed. */
  readonly destroyed?: boolean;
  /** Whether the client has closed its side. */
  readonly readableEnded?: boolean;
  /** The error that closed it. */
  readonly errored?: object | null;
  /** The idle time in ms after which its server closes it; 0 or `undefined` for none. */
  readonly timeout?: number | undefined;
}

/** What is needed of a request. */
interface EndingRequest {
  /** Whether the client disconnected. */
  readonly aborted?: boolean;
  /** Adds a listener. */
  on(event: "close", listener: () => void): unknown;
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

/** Methods of a response that begin it. */
const BEGINNING = ["writeHead", "flushHeaders", "write"] as const;

/**
 * Reports when a request is over: when its handler has ended the response. The handler sends it, destroys it, or destroys
 * the request or its connection. A client that disconnects ends nothing: disconnecting is free, and the handler goes on.
 * Everything that counts requests in progress, or what they cost, uses this definition.
 *
 * Who closed the connection is known from Node's interface. Node itself never calls `destroy` of a response, and its
 * socket shows whether the client closed its side or the connection failed. Deno, Bun and Sluice show the same.
 *
 * @param res The response
 * @param listener Called at once if the client has disconnected already, which no event announces again
 */
export function whenOver(res: EndingResponse, listener: RequestEnd): WatchedResponse {
  // Behind a response that waits on the same connection. Only Node's are given their sockets, and to ask others is dear.
  const queued = res.assignSocket !== undefined && res.socket === null ? res.req : undefined;
  const watched = new WatchedResponse(res, listener, queued);
  // HTTP/2 of Node also emits `finish` for a response that its client has reset
  res.on("finish", () => res.writableEnded === false ? watched.leave() : watched.end(true));
  res.on("close", () => watched.leave());
  after(res, "destroy", () => watched.destroyed());
  if (res.closed || res.destroyed || res.stream?.destroyed || queued?.aborted) watched.leave();
  // Node does not close a queued response if its client disconnects
  else queued?.on("close", () => void (queued.aborted && watched.leave()));
  return watched;
}

/** A response whose end is waited for. */
export class WatchedResponse {
  readonly #res: EndingResponse;
  readonly #listener: RequestEnd;
  readonly #queued: EndingRequest | undefined;
  #hasLeft = false;
  #hasBegun = false;
  #isHandled = false;
  #isOver = false;

  /** Made by {@linkcode whenOver}. */
  constructor(res: EndingResponse, listener: RequestEnd, queued?: EndingRequest) {
    this.#queued = queued;
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

  /** The response was destroyed: by the program, or, behind another one, by Bun because its client has left. */
  destroyed(): void {
    if (this.#queued?.aborted && !this.#hasLeft) this.leave();
    else this.end(isComplete(this.#res));
  }

  /** The client has left, or its response is complete. */
  leave(): void {
    if (this.#isOver || this.#hasLeft) return;
    const res = this.#res;
    // a WebSocket ends with its connection
    if (this.#isHandled || res.writableEnded || res.statusCode === 101 || this.#isClosedHere()) {
      return this.end(isComplete(res));
    }
    this.#hasLeft = true;
    this.#listener.left(this);
    // no event tells what is done with a response that nobody gets
    after(res, "end", () => this.end(false));
    if (res.headersSent) return this.#begin();
    for (const method of BEGINNING) after(res, method, () => this.#begin());
    res.on("pipe", () => this.#begin());
  }

  // Whether the program closed the connection, as `req.destroy()` and Express's page for an error after the headers do.
  // The client did not close its side, and what failed is not the connection or the parser, whose errors have a code. A
  // server with an idle timeout may have closed it, while the handler was at work.
  #isClosedHere(): boolean {
    const { socket, stream } = this.#res;
    // a connection of HTTP/2, or one with a queue, is not that of one request
    if (stream || this.#queued || !socket?.destroyed) return false;
    const { errored, readableEnded, timeout } = socket;
    // the system's errors have codes: then the client closed it
    return readableEnded === false && (errored as { code?: unknown } | null)?.code === undefined && !timeout;
  }

  #begin(): void {
    if (this.#isOver || this.#hasBegun) return;
    this.#hasBegun = true;
    this.#listener.begun(this);
  }
}

// HTTP/2 of Node says that a response which its client has reset is finished
function isComplete({ writableEnded, writableFinished }: EndingResponse): boolean {
  return writableEnded === true && writableFinished === true;
}

/** Calls something after each call of a method. */
function after(res: EndingResponse, method: (typeof BEGINNING)[number] | "end" | "destroy", called: () => void): void {
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

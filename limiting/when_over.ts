/** The parts of a response used here; Sluice's, Express's and Node's fit. */
export interface EndingResponse {
  /** The status. */
  readonly statusCode: number;
  /** Whether the headers have been sent. */
  readonly headersSent: boolean;
  /** Whether the response has ended. */
  readonly writableEnded?: boolean;
  /** Whether the whole response has been sent. */
  readonly writableFinished?: boolean;
  /** Whether the response is over, complete or not. */
  readonly closed?: boolean;
  /** Whether the connection is closed. */
  readonly destroyed?: boolean;
  /** The connection; `null` while earlier requests on it await their responses. */
  readonly socket?: EndingSocket | null | undefined;
  /** Assigns the connection; only Node's servers' responses have this. */
  readonly assignSocket?: unknown;
  /** The request. */
  readonly req?: EndingRequest | undefined;
  /** The stream of an HTTP/2 response; its socket also carries other requests. */
  readonly stream?: { readonly destroyed?: boolean } | null | undefined;
  /** Ends the response. */
  end(...args: never[]): unknown;
  /** Adds a listener. */
  on(event: "finish" | "close" | "pipe" | "unpipe", listener: () => void): unknown;
}

/** The parts of a connection used here. */
interface EndingSocket {
  /** Whether it is closed. */
  readonly destroyed?: boolean;
  /** Whether the client has closed its side. */
  readonly readableEnded?: boolean;
  /** The error that closed it. */
  readonly errored?: object | null;
  /** Idle time before the server closes the connection, in ms; 0 or `undefined` means no limit. */
  readonly timeout?: number | undefined;
}

/** The parts of a request used here. */
interface EndingRequest {
  /** Whether the client disconnected. */
  readonly aborted?: boolean;
  /** Adds a listener. */
  on(event: "close", listener: () => void): unknown;
}

/** Callbacks for how a request ends. */
export interface RequestEnd {
  /** The client disconnected while the handler is still working, as far as can be detected. */
  left(watched: WatchedResponse): void;
  /**
   * The client disconnected and the response has begun, in either order. Streaming handlers usually stop on a
   * disconnect and end nothing, so `over` may never be called.
   */
  begun(watched: WatchedResponse): void;
  /**
   * The request is over; called once.
   *
   * @param isComplete Whether its response was sent
   */
  over(isComplete: boolean, watched: WatchedResponse): void;
}

/** Methods that begin a response. */
const BEGINNING = ["writeHead", "flushHeaders", "write"] as const;

/**
 * Reports when a request is over: once its handler has sent or destroyed the response, or destroyed the request or its
 * connection. A disconnect ends nothing: disconnecting is free, and the handler continues. Everything that counts
 * requests in progress or their cost uses this definition.
 *
 * Node's API shows which side closed the connection. Node itself never calls `destroy` on a response, and its
 * socket shows whether the client closed its side or the connection failed. Deno, Bun and Sluice show the same.
 *
 * @param res The response
 * @param listener Called at once if the client has already disconnected, because no event will report that
 */
export function whenOver(res: EndingResponse, listener: RequestEnd): WatchedResponse {
  // A response queued behind another on the connection. Only Node assigns sockets; checking other responses is slow.
  const queued = res.assignSocket !== undefined && res.socket === null ? res.req : undefined;
  const watched = new WatchedResponse(res, listener, queued);
  // Node's HTTP/2 also emits `finish` for a response that the client reset
  res.on("finish", () => res.writableEnded === false ? watched.disconnect() : watched.end(true));
  res.on("close", () => watched.disconnect());
  after(res, "destroy", () => watched.destroyed());
  if (res.closed || res.destroyed || res.stream?.destroyed || queued?.aborted) watched.disconnect();
  // Node does not close a queued response when its client disconnects
  else queued?.on("close", () => void (queued.aborted && watched.disconnect()));
  return watched;
}

/** A response being watched for its end. */
export class WatchedResponse {
  readonly #res: EndingResponse;
  readonly #listener: RequestEnd;
  readonly #queued: EndingRequest | undefined;
  #isDisconnected = false;
  #hasBegun = false;
  #isHandled = false;
  #isOver = false;

  /** Created by {@linkcode whenOver}. */
  constructor(res: EndingResponse, listener: RequestEnd, queued?: EndingRequest) {
    this.#queued = queued;
    this.#res = res;
    this.#listener = listener;
  }

  /** The handlers are done, if the framework reports it: no handler is working after a later disconnect. */
  handled(): void {
    this.#isHandled = true;
    if (this.#isDisconnected) this.end(false);
  }

  /** The request is over, or counts as over; only the first call counts. */
  end(isComplete: boolean): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#listener.over(isComplete, this);
  }

  /** The response was destroyed, by the program or, if queued, by Bun because its client disconnected. */
  destroyed(): void {
    if (this.#queued?.aborted && !this.#isDisconnected) this.disconnect();
    else this.end(isComplete(this.#res));
  }

  /** The client disconnected, or its response is complete. */
  disconnect(): void {
    if (this.#isOver || this.#isDisconnected) return;
    const res = this.#res;
    // a WebSocket ends with its connection
    if (this.#isHandled || res.writableEnded || res.statusCode === 101 || this.#isClosedHere()) {
      return this.end(isComplete(res));
    }
    this.#isDisconnected = true;
    this.#listener.left(this);
    // no event reports what happens to a response that no client receives
    after(res, "end", () => this.end(false));
    if (res.headersSent) return this.#begin();
    for (const method of BEGINNING) after(res, method, () => this.#begin());
    res.on("pipe", () => this.#begin());
    // a source that was piped before the disconnect and has not written yet
    res.on("unpipe", () => this.#begin());
  }

  // Whether the program closed the connection, like `req.destroy()` or Express's error page after the headers. If so,
  // the client did not close its side, and the error, if any, has no code, unlike connection and parser errors. A
  // server with an idle timeout may have closed it while the handler was working.
  #isClosedHere(): boolean {
    const { socket, stream } = this.#res;
    // an HTTP/2 connection, or one with a queue, does not belong to one request
    if (stream || this.#queued || !socket?.destroyed) return false;
    const { errored, readableEnded, timeout } = socket;
    // system errors have codes: then the client closed it
    return readableEnded === false && (errored as { code?: unknown } | null)?.code === undefined && !timeout;
  }

  #begin(): void {
    if (this.#isOver || this.#hasBegun) return;
    this.#hasBegun = true;
    this.#listener.begun(this);
  }
}

// Node's HTTP/2 reports a response that the client reset as finished
function isComplete({ writableEnded, writableFinished }: EndingResponse): boolean {
  return writableEnded === true && writableFinished === true;
}

/** Calls a function after each call to a method. */
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

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
  left(): void;
  /**
   * The client has left, and the response has begun, before or after that. Handlers that stream mostly stop when the
   * client leaves, and end nothing: `over` may never be called.
   */
  begun(): void;
  /**
   * The request is over; called once.
   *
   * @param isComplete Whether its response was sent
   */
  over(isComplete: boolean): void;
}

/** Methods of a response that begin it, and that end it. */
const BEGINNING = ["writeHead", "flushHeaders", "write"] as const;
const ENDING = ["end", "destroy"] as const;

/**
 * Tells when a request is over: when its response has been sent, or, if its client has left before, when its handler
 * ends the response all the same. To leave costs a client nothing, and the handler goes on; so whatever counts requests
 * in progress, or what they cost, must not take the client's end for the handler's.
 *
 * No event tells what is done with a response that nobody gets, so its methods are replaced then.
 *
 * @param res The response
 * @param listener Is told, at once if the client has left already, which is not announced again
 * @returns To be called where a framework knows that its handlers are done: a client that has left, or leaves after that,
 * leaves nobody at work
 */
export function whenOver(res: EndingResponse, listener: RequestEnd): () => void {
  let hasLeft = false;
  let hasBegun = false;
  let isHandled = false;
  let isOver = false;
  const end = (isComplete: boolean): void => {
    if (isOver) return;
    isOver = true;
    listener.over(isComplete);
  };
  const begin = (): void => {
    if (isOver || hasBegun) return;
    hasBegun = true;
    listener.begun();
  };
  const leave = (): void => {
    if (isOver || hasLeft) return;
    // a WebSocket ends with its connection
    if (isHandled || res.writableEnded || res.statusCode === 101) return end(res.writableFinished === true);
    hasLeft = true;
    listener.left();
    for (const method of ENDING) after(res, method, () => end(false));
    if (res.headersSent) return begin();
    for (const method of BEGINNING) after(res, method, begin);
    res.on("pipe", begin);
  };
  res.on("finish", () => end(true));
  res.on("close", leave);
  if (res.closed || res.destroyed) leave();
  return () => {
    isHandled = true;
    if (hasLeft) end(false);
  };
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

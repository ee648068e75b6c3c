import { mayHaveBody } from "../http/request_as_sent.ts";
import { isThenable } from "../util/is_thenable.ts";
import { type Linked, LinkedList } from "../util/linked_list.ts";
import { listenNow } from "./disconnect_watch.ts";

/** An exchange with a response that a server waits for. */
export interface Waiter {
  /** Its sequence number, in arrival order. */
  readonly sequence: number;
  /** The web request. */
  readonly target: { readonly request: Request };
  /** Starts watching for a disconnect. */
  watch(): void;
  /** Ends it with a response that its handler did not send. */
  abort(response: Response): void;
}

/**
 * Time before a handler counts as slow, in ms. Watching for a disconnect has a cost on every runtime, and most handlers
 * have responded by then.
 */
const SLOW_MS = 1000;

/** Requests between two clock checks. */
export const LOOK_EVERY = 512;

/** Entry for an exchange that a server waits for. */
export class Waiting implements Linked<Waiting> {
  /** The exchange. */
  readonly waiter: Waiter;
  /** The server that received it, if that may be closed. */
  readonly server: object | null;
  before: Waiting | null = null;
  after: Waiting | null = null;

  /**
   * @param waiter The exchange
   * @param server The server that received it, if that may be closed
   */
  constructor(waiter: Waiter, server: object | null) {
    this.waiter = waiter;
    this.server = server;
  }
}

/** The waiting exchanges, oldest first. */
const waiting = new LinkedList<Waiting>();

/**
 * Request bodies still being read, perhaps after the response, with the applications that received the requests.
 * Entries remain until the exchange is over.
 */
export const readings = new Map<{ readonly busy: boolean }, object>();

/** The time of the last check, and the sequence number of the last request at that time. */
let lookedAt = 0;
let lastThen = 0;

/** The server passing on a request in this tick. */
let receiver: object | null = null;
/** Promise of the exchange that started waiting in this tick. */
let promised: unknown = null;

/**
 * Records that a server waits for an exchange's response.
 *
 * @param waiter The exchange
 * @param promise The promise that the server gets until then
 * @returns The entry, for `endWaiting`
 */
export function beginWaiting(waiter: Waiter, promise: Promise<Response>): Waiting {
  const begun = new Waiting(waiter, receiver);
  waiting.add(begun);
  notePromised(promise);
  return begun;
}

/**
 * Records that a server gets a promise that settles in this tick, so there is nothing to cut.
 *
 * @param promise The promise
 */
export function notePromised(promise: Promise<Response>): void {
  if (receiver !== null) promised = promise;
}

/**
 * Records that there is a response.
 *
 * @param ended The value returned by `beginWaiting`
 */
export function endWaiting(ended: Waiting): void {
  waiting.delete(ended);
}

/**
 * Called for one in {@linkcode LOOK_EVERY} requests; looks for slow handlers. Otherwise their clients' disconnects
 * would go unnoticed, and a server would keep their requests until they have responded. It needs no timer, because
 * without further requests no more memory is kept.
 *
 * @param sequence The request's number
 */
export function lookAround(sequence: number): void {
  const now = Date.now();
  // also true if the clock was set back
  if (Math.abs(now - lookedAt) < SLOW_MS) return;
  for (const { waiter } of waiting) {
    if (waiter.sequence > lastThen) break;
    waiter.watch();
  }
  lookedAt = now;
  lastThen = sequence;
}

/** A program's handler for requests: `app.fetch`, or a function around it. */
type Handler = (request: Request, info?: unknown) => Response | Promise<Response>;

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
  watch(handler: Handler): Handler {
    return (request, info) => {
      // another request on a keep-alive connection
      if (this.#over) return unavailable();
      receiver = this;
      promised = null;
      try {
        const result = handler(request, info);
        // an exchange's own promise settles when the exchange is cut
        return isThenable(result) && result !== promised ? this.#cuttable(request, result) : result;
      } finally {
        receiver = null;
        promised = null;
      }
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
   * Returns whether a request body may still arrive: it is being read, or its handler has not responded and may read
   * it.
   *
   * @param app The server's application
   */
  mayReadBodies(app: object): boolean {
    for (const [{ busy }, owner] of readings) if (busy && owner === app) return true;
    for (const { method } of this.#wrapped.keys()) if (mayHaveBody(method)) return true;
    for (const one of waiting) if (one.server === this && mayHaveBody(one.waiter.target.request.method)) return true;
    return false;
  }

  /**
   * Responds with 503 to all requests waiting for their handlers, and to all later ones.
   *
   * @returns The requests that were waiting
   */
  abort(): ReadonlySet<Request> {
    this.#over = true;
    const wrapped = new Map(this.#wrapped);
    this.#wrapped.clear();
    listenNow();
    const requests = new Set(wrapped.keys());
    const isOwn = ({ server, waiter }: Waiting) => server === this || requests.has(waiter.target.request);
    // first: their handlers may continue, and must still find the data that the runtime releases with the response
    for (const { waiter } of [...waiting].filter(isOwn)) {
      waiter.abort(unavailable());
      requests.add(waiter.target.request);
    }
    for (const resolve of wrapped.values()) resolve(unavailable());
    return requests;
  }
}

function unavailable(): Response {
  return new Response("Service Unavailable", { status: 503, headers: { "connection": "close" } });
}

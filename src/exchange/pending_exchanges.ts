import { mayHaveBody } from "../http/request_as_sent.ts";
import { type Linked, LinkedList } from "../util/linked_list.ts";

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
 * Passes on a request so its exchange can be attributed to a server.
 *
 * @param server The server
 * @param handler Handles the request
 * @param request The request
 * @param info The platform's second argument
 * @returns The handler's return value
 */
export function receivedBy<T>(
  server: object,
  handler: (request: Request, info: unknown) => T,
  request: Request,
  info: unknown,
): T {
  receiver = server;
  promised = null;
  try {
    return handler(request, info);
  } finally {
    receiver = null;
  }
}

/**
 * Returns whether the value returned by `receivedBy` is an exchange's own promise, which settles when the exchange is
 * cut. A program may have wrapped `app.fetch`.
 *
 * @param result The return value
 */
export function isPromised(result: unknown): boolean {
  const isOwn = result === promised;
  promised = null;
  return isOwn;
}

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

/**
 * Returns whether a request body may still arrive: it is being read, or its handler has not responded and may read it.
 *
 * @param app The server's application
 * @param server The server that received the request
 * @param requests Requests that it passed on another way
 */
export function mayReadBodies(app: object, server: object, requests: Iterable<Request>): boolean {
  for (const [{ busy }, owner] of readings) if (busy && owner === app) return true;
  for (const { method } of requests) if (mayHaveBody(method)) return true;
  for (const one of waiting) if (one.server === server && mayHaveBody(one.waiter.target.request.method)) return true;
  return false;
}

/**
 * Ends a server's exchanges that wait for their handlers.
 *
 * @param server The server
 * @param requests Requests that it passed on another way
 * @param response Creates the response for each
 * @returns Their requests
 */
export function cutAll(server: object, requests: ReadonlySet<Request>, response: () => Response): Request[] {
  const own = [...waiting].filter((one) => one.server === server || requests.has(one.waiter.target.request));
  for (const { waiter } of own) waiter.abort(response());
  return own.map(({ waiter }) => waiter.target.request);
}

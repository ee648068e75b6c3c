import { mayHaveBody } from "../http/request_as_sent.ts";
import { type Linked, LinkedList } from "../util/linked_list.ts";

/** An exchange for whose response a server waits. */
export interface Waiter {
  /** Its number in the order in which requests came. */
  readonly sequence: number;
  /** The web request. */
  readonly target: { readonly request: Request };
  /** Begins to notice that the client leaves. */
  watch(): void;
  /** Ends it with a response that its handler has not given. */
  leave(response: Response): void;
}

/**
 * ms after which a handler is slow. Noticing that a client leaves costs something on every runtime, and most handlers
 * have responded by then.
 */
const SLOW_MS = 1000;

/** Requests between two looks at the clock. */
export const LOOK_EVERY = 512;

/** That a server waits for an exchange. */
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

/** What waits, oldest first. */
const waiting = new LinkedList<Waiting>();

/**
 * Bodies of requests that are being read while there may be a response already, until their exchanges are over, with the
 * applications that the requests came to.
 */
export const readings = new Map<{ readonly busy: boolean }, object>();

/** When those that wait were last looked at, and the number of the last request that had come by then. */
let lookedAt = 0;
let lastThen = 0;

/** The server that passes on a request in this very turn. */
let receiver: object | null = null;
/** The promise of the exchange that began to wait in this turn. */
let promised: unknown = null;

/**
 * Passes on a request so that its exchange is known to be that of a server.
 *
 * @param server The server
 * @param handler Handles the request
 * @param request The request
 * @param info The platform's second argument
 * @returns What the handler returned
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
 * Tells whether what `receivedBy` returned is an exchange's own promise, so that cutting the exchange settles it. A
 * program may have wrapped `app.fetch`.
 *
 * @param result What it returned
 */
export function isPromised(result: unknown): boolean {
  const isOwn = result === promised;
  promised = null;
  return isOwn;
}

/**
 * Notes that a server waits for the response of an exchange.
 *
 * @param waiter The exchange
 * @param promise What the server gets meanwhile
 * @returns For `endWaiting`
 */
export function beginWaiting(waiter: Waiter, promise: Promise<Response>): Waiting {
  const begun = new Waiting(waiter, receiver);
  waiting.add(begun);
  notePromised(promise);
  return begun;
}

/**
 * Notes that a server gets a promise that is settled in this very turn, so that nothing has to be cut.
 *
 * @param promise The promise
 */
export function notePromised(promise: Promise<Response>): void {
  if (receiver !== null) promised = promise;
}

/**
 * Notes that there is a response.
 *
 * @param ended What `beginWaiting` returned
 */
export function endWaiting(ended: Waiting): void {
  waiting.delete(ended);
}

/**
 * Called for one in {@linkcode LOOK_EVERY} requests, this looks for handlers that are slow: their clients may leave
 * without anybody's noticing, and a server would keep their requests until they have responded. It needs no timer,
 * because as long as no further requests come nothing more is kept.
 *
 * @param sequence Number of the request
 */
export function lookAround(sequence: number): void {
  const now = Date.now();
  // a clock that was set back counts as well
  if (Math.abs(now - lookedAt) < SLOW_MS) return;
  for (const { waiter } of waiting) {
    if (waiter.sequence > lastThen) break;
    waiter.watch();
  }
  lookedAt = now;
  lastThen = sequence;
}

/**
 * Whether the body of a request may be on its way: somebody reads it, or its handler has not responded, and may read it.
 *
 * @param app The application of the server
 * @param server The server that received the request
 * @param requests Requests that it passed on otherwise
 */
export function mayReadBodies(app: object, server: object, requests: Iterable<Request>): boolean {
  for (const [{ busy }, owner] of readings) if (busy && owner === app) return true;
  for (const { method } of requests) if (mayHaveBody(method)) return true;
  for (const one of waiting) if (one.server === server && mayHaveBody(one.waiter.target.request.method)) return true;
  return false;
}

/**
 * Ends the exchanges of a server that wait for their handlers.
 *
 * @param server The server
 * @param requests Requests that it passed on otherwise
 * @param response Makes the response for each
 * @returns Their requests
 */
export function cutAll(server: object, requests: ReadonlySet<Request>, response: () => Response): Request[] {
  const own = [...waiting].filter((one) => one.server === server || requests.has(one.waiter.target.request));
  for (const { waiter } of own) waiter.leave(response());
  return own.map(({ waiter }) => waiter.target.request);
}

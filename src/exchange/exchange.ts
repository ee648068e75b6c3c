import { expectPeers, peers } from "../util/expected_peers.ts";
import { captureContext } from "../util/async_context.ts";
import { deferred } from "../util/deferred.ts";
import { expectError } from "../util/expected_errors.ts";
import { created } from "../util/sequence.ts";
import { type AppLike, backgroundKey } from "./app_like.ts";
import { deliveredKey, type OpenStream } from "./open_streams.ts";
import { closings, lastOfConnection } from "./closing.ts";
import { type ExchangeEvent, type ExchangeState, STATES } from "./exchange_state.ts";
import { type InjectedRequest, type Peer, peerKey } from "./peer.ts";
import { Target } from "./target.ts";
import {
  beginWaiting,
  endWaiting,
  LOOK_EVERY,
  lookAround,
  notePromised,
  readings,
  type Waiter,
  type Waiting,
} from "./pending_requests.ts";
import { DisconnectWatch } from "./disconnect_watch.ts";
import { runtimeKey } from "../util/runtime_key.ts";

/** The runtime's own timer, not a test's fake one, which does not delay Node's events either. */
const { queueMicrotask } = globalThis;

/** Microtasks within which a finished handler's promise settles, even when wrapped in another promise. */
const SETTLING_MICROTASKS = 4;

/** Key under which a request keeps its exchange. */
export const exchangeKey: unique symbol = Symbol("sluice.exchange");

/**
 * Returns the exchange behind a request.
 *
 * @param req Any request object
 * @returns Its exchange, `null` if Sluice did not create the request
 */
export function exchangeOf(req: unknown): Exchange | null {
  return (req as { [exchangeKey]?: Exchange } | null | undefined)?.[exchangeKey] ?? null;
}

/**
 * Returns the exchange behind a request or a response, for a method that requires one.
 *
 * @param object The request or response
 * @param caller Name of the method for error messages
 * @throws {TypeError} If there is no exchange, because the object was created from a prototype alone
 */
export function exchangeFor(object: unknown, caller: string): Exchange {
  const exchange = exchangeOf(object);
  if (exchange !== null) return exchange;
  throw new TypeError(
    `${caller} needs a client's request, which objects made by Object.create(app.${
      caller.startsWith("res.") ? "response" : "request"
    }) lack: replace it, or call app.fetch`,
  );
}

/**
 * Bodies that a web response accepts; `null` means no body.
 *
 * @internal
 */
export type WebBody = string | Uint8Array<ArrayBuffer> | Blob | ReadableStream<Uint8Array> | null;

/**
 * Creates a web response.
 *
 * @param body The body, or `null` if there is none
 * @param status Status
 * @param statusText Reason phrase, empty for the usual one
 * @param head Header names and values in turn, one pair per line
 * @throws {TypeError} If a web response cannot carry the reason phrase or a header
 *
 * @internal
 */
export type Respond = (body: WebBody, status: number, statusText: string, head: string[]) => Response;

/**
 * Reads a request's body; see `ReadableBody`.
 *
 * @internal
 */
export interface BodyReading {
  /** Number of chunks read so far. */
  readonly taken: number;
  /** Whether a reader waits for more. */
  readonly busy: boolean;
  /** Called when the response is complete. */
  responded(): void;
  /** Discards the rest of the body, unless it is being read. */
  drop(): void;
  /** Returns a copy of the body for a parser that also reads it; `null` if it is too late for that. */
  beside(): ReadableStream<Uint8Array<ArrayBuffer>> | null;
}

/** Listener lists are copies of this, not literals; `Emitter` explains why. */
const NOBODY: readonly (() => void)[] = [];

type Deliver = (response: Response) => void;

/** Cold fields, created when first needed: listeners, a disconnect watch, a body being streamed. */
class ColdFields {
  onEnd: (() => void)[] | null = null;
  onAbort: (() => void)[] | null = null;
  /** Runs the end listeners in the right async context if that matters. */
  inContext: ((run: () => void) => void) | null = null;
  streaming: OpenStream | null = null;
  reading: BodyReading | null = null;
  context: unknown = undefined;
  /** Detects a disconnect, once there are listeners for it. */
  watch: DisconnectWatch | null = null;
  /** Whether the body was read to its end and is empty. */
  emptied = false;
  /** Notifies a platform waiting for the handlers once they have all settled. */
  handlersEnded: (() => void) | null = null;
  peer: Peer | null = null;
  /** The entry for a server that waits for the response. */
  waiting: Waiting | null = null;
  failure: Failure | null = null;
}

/** An error that a mounted application did not handle, with that application. */
interface Failure {
  readonly error: unknown;
  readonly app: AppLike;
}

/**
 * One request and its one response.
 *
 * @internal
 */
export class Exchange implements Waiter {
  /** The requested target. */
  readonly target: Target;
  /** The platform's second argument; not inspected until the peer is needed. */
  readonly info: unknown;
  /** The application handling the request; changes while a mounted application runs. */
  app: AppLike;
  /** Creates the web response, where the platform has a faster way than the runtime's class. */
  respond: Respond | null = null;
  /** Sequence number of this request, in creation order. */
  readonly sequence: number = ++created.last;
  /** The response, or before that the function that passes it to a waiting platform. */
  #response: Response | Deliver | null = null;
  /** Whether the platform had to wait for the response. */
  #wasAwaited = false;
  /** Number of handlers with unsettled promises. */
  #handlers = 0;
  #coldFields: ColdFields | null = null;
  #state: ExchangeState = "open";

  /**
   * Starts an exchange.
   *
   * @param request The web request
   * @param info The platform's second argument: peer address, server, environment
   * @param context The platform's third argument: on Workers, it waits for background work
   * @param app The application that received it
   */
  constructor(request: Request, info: unknown, context: unknown, app: AppLike) {
    this.target = new Target(request);
    this.info = info;
    this.app = app;
    if (context !== undefined) this.#keepContext(context);
    if (this.sequence % LOOK_EVERY === 0) lookAround(this.sequence);
  }

  #keepContext(context: unknown): void {
    this.#ensureColdFields.context = context;
  }

  get #ensureColdFields(): ColdFields {
    return this.#coldFields ??= new ColdFields();
  }

  /** The platform's third argument: on Workers, it waits for background work. */
  get context(): unknown {
    return this.#coldFields?.context;
  }

  /** The other end of the connection. */
  get peer(): Peer {
    expectPeers();
    return this.#peer;
  }

  get #peer(): Peer {
    return this.#ensureColdFields.peer ??= this.#findPeer();
  }

  #findPeer(): Peer {
    const { request } = this.target;
    const peer = this.app[runtimeKey].peerOf(this.info, request);
    return peer.address ? peer : (request as InjectedRequest)[peerKey] ?? peer;
  }

  /** Whether the request came over TLS. */
  get encrypted(): boolean {
    const { request } = this.target;
    return this.app[runtimeKey].isEncrypted?.(request, this.info) ?? request.url.startsWith("https:");
  }

  /** Whether the client disconnected before the response was complete. */
  get aborted(): boolean {
    return STATES[this.#state].isAborted;
  }

  /** Whether the body was read to its end and is empty: a web request without bytes never counts as used. */
  get emptied(): boolean {
    return this.#coldFields?.emptied ?? false;
  }

  set emptied(value: boolean) {
    this.#ensureColdFields.emptied = value;
  }

  /** Whether the request body was cut off before the response was complete. */
  get broken(): boolean {
    return this.#state === "lost";
  }

  /** Whether the server's side, not the client, broke off the exchange. */
  get isBrokenOff(): boolean {
    return this.#state === "brokenOff" || this.#state === "unanswered";
  }

  /** Whether the server's side broke off the exchange before there was a response. */
  get isWithoutResponse(): boolean {
    return this.#state === "unanswered";
  }

  /** Whether the whole response has been passed to the platform. */
  get finished(): boolean {
    return this.#state === "finished";
  }

  get #isOver(): boolean {
    return STATES[this.#state].isOver;
  }

  #enter(event: ExchangeEvent): boolean {
    const next = STATES[this.#state].after[event];
    if (next === undefined) return false;
    this.#state = next;
    return true;
  }

  /** Called when the response's last byte has been passed to the platform. */
  finish(): void {
    if (this.finished) return;
    const isEnd = this.#enter("finish");
    const coldFields = this.#coldFields;
    if (coldFields === null) return;
    coldFields.reading?.responded();
    if (isEnd) this.#runEnd();
  }

  /** Reads the body as a Node stream, and discards the rest of it after the response. */
  get reading(): BodyReading | null {
    return this.#coldFields?.reading ?? null;
  }

  set reading(reading: BodyReading) {
    this.#ensureColdFields.reading = reading;
    if (!this.#isOver) readings.set(reading, this.app);
  }

  /**
   * Called when the client has disconnected or the server is closing; no effect once the response is complete. The
   * handler may continue.
   *
   * @param response Response for the platform, if there is none yet; omitted where the platform needs none
   */
  abort(response?: Response): void {
    const isNeeded = response !== undefined && this.response === null;
    // before the platform releases it with this response
    if (isNeeded) this.#keepRequest();
    this.#endAborted("abort");
    if (isNeeded && this.response === null) this.settle(response);
  }

  #endAborted(event: "abort" | "lose" | "breakOff" | "breakOffFirst"): void {
    if (!this.#enter(event)) return;
    const coldFields = this.#coldFields;
    if (coldFields === null) return;
    const { onAbort } = coldFields;
    coldFields.onAbort = null;
    onAbort?.forEach((listener) => this.#runListener(listener));
    this.#runEnd();
  }

  #runEnd(): void {
    const coldFields = this.#coldFields;
    if (coldFields === null) return;
    coldFields.watch?.end();
    if (coldFields.reading !== null) readings.delete(coldFields.reading);
    if (coldFields.streaming !== null) this.#endSilence();
    if (coldFields.onEnd === null) return;
    const left = coldFields.onEnd;
    coldFields.onEnd = null;
    const run = (): void => {
      for (const listener of left) this.#runListener(listener);
    };
    // later, because listeners may read the response, which the platform gets only after this tick
    if (coldFields.inContext === null) queueMicrotask(run);
    else coldFields.inContext(run);
  }

  // listeners on requests, responses and sockets report the program's errors themselves, with the request
  #runListener(listener: () => void): void {
    try {
      listener();
    } catch (error) {
      this.app.reportError(error, { phase: "listener" });
    }
  }

  /** Makes the end listeners run in the current async context, as on Node, not in the platform's. */
  endInThisContext(): void {
    if (this.#coldFields?.onEnd) this.#coldFields.inContext = captureContext();
  }

  /** Whether there are listeners for the end or for a disconnect. */
  get hasListeners(): boolean {
    const coldFields = this.#coldFields;
    return coldFields !== null && (coldFields.onEnd !== null || coldFields.onAbort !== null);
  }

  /** Runs a listener when the exchange ends in any way; `first` is for the response's listeners, as in Node. */
  onEnd(listener: () => void, first = false): void {
    if (this.response !== null) this.#keep();
    if (this.#isOver) return queueMicrotask(listener);
    const coldFields = this.#ensureColdFields;
    const present = coldFields.onEnd ?? NOBODY;
    coldFields.onEnd = present.toSpliced(first ? 0 : present.length, 0, listener);
    if (this.#lasting) this.#watch();
  }

  /** Runs a listener when the client disconnects before the response is complete. */
  onAbort(listener: () => void): void {
    if (this.aborted) return listener();
    if (this.finished) return;
    const coldFields = this.#ensureColdFields;
    const present = coldFields.onAbort ?? NOBODY;
    coldFields.onAbort = present.toSpliced(present.length, 0, listener);
    if (this.#lasting) this.#watch();
  }

  /**
   * Like {@linkcode onAbort}, but the listener never runs within this call, which may itself detect the disconnect.
   * Node emits nothing while a listener is being added: npm's on-finished would throw.
   */
  onAbortLater(listener: () => void): void {
    let isAdded = false;
    this.onAbort(() => isAdded ? listener() : queueMicrotask(listener));
    isAdded = true;
  }

  /** Whether the platform waits for the response, because there was none on the tick in which the request arrived. */
  get awaited(): boolean {
    return typeof this.#response === "function";
  }

  get #lasting(): boolean {
    return this.awaited || this.streaming !== null;
  }

  // The signal is not read until there are listeners and the response takes time: on Deno, reading it costs more than a
  // whole request, and Deno warns about it. No disconnect can be noticed within one tick.
  #watch(): void {
    const coldFields = this.#coldFields;
    if (coldFields === null || coldFields.watch !== null || !this.hasListeners) return;
    const watch = coldFields.watch = new DisconnectWatch(() => this.#hearAbort());
    const { [runtimeKey]: runtime } = this.app;
    if (runtime.watchClient === undefined) return this.#listen(watch);
    runtime.watchClient(this.target.request, watch, () => this.#listen(watch));
  }

  /** Starts watching for a disconnect even without listeners, because a slow handler may never respond. */
  watch(): void {
    const coldFields = this.#ensureColdFields;
    if (coldFields.watch === null) this.#listen(coldFields.watch = new DisconnectWatch(() => this.#hearAbort()));
  }

  #listen(watch: DisconnectWatch): void {
    // listeners may read the request, which the platform may release with a different response
    this.#keepRequest();
    const { request } = this.target;
    if (this.app[runtimeKey].onAbort?.(request, watch)) return;
    const { signal } = request;
    if (!signal.aborted) listenTo(signal, watch);
    else if (this.#response === null && this.#state === "open") this.abort();
    else this.#hearAbort();
  }

  /**
   * Called when readers find that the body was cut off: the client has disconnected, or sent invalid HTTP. As on Node,
   * this ends the exchange. But on Deno, and for in-process requests, the client may still be connected. Then the
   * handler may respond in this tick; otherwise the client gets 400, which Node's and Bun's servers send themselves.
   */
  lose(): void {
    if (this.#isOver) return;
    this.#keepRequest();
    this.#endAborted("lose");
    setTimeout(() => {
      if (this.response === null) this.settle(new Response(null, { status: 400, headers: { "connection": "close" } }));
      // Deno would wait for the rest of a response that has begun, and keep the connection open
      this.streaming?.destroy(brokenOff());
    }, 0);
  }

  // Deno aborts the signal of a request that becomes a WebSocket, although the client is still connected
  #hearAbort(): void {
    if (this.#state === "upgrading" || this.response?.status === 101) return;
    // Bun notifies the body's reader after the signal, in the same tick; a truncated body gets 400
    if (this.response === null && this.target.request.bodyUsed) {
      return void setTimeout(() => this.#isOver || this.disconnect(), 0);
    }
    if (this.response !== null || !asksForUpgrade(this)) return this.disconnect();
    // a handler that calls Deno.upgradeWebSocket itself is about to respond
    setTimeout(() => this.response?.status === 101 || this.disconnect(), 0);
  }

  /**
   * Called when the client has disconnected, or no longer waits for this response. Without a response, the platform
   * would wait for the handler forever, and Deno would keep the connection open.
   */
  disconnect(): void {
    // a response without a body is complete with its head
    const { response } = this;
    if (response !== null && (this.target.isHead || response.body === null)) return;
    // nor does Deno's server wait for the end of a body with an announced length
    if (this.streaming?.[deliveredKey]) return;
    // proxies log 499 for a client that disconnected; it is never sent
    this.abort(new Response(null, { status: 499 }));
  }

  /** The response, once there is one. */
  get response(): Response | null {
    return typeof this.#response === "function" ? null : this.#response;
  }

  /**
   * Settles the exchange. Only the first call counts.
   *
   * @param given The response
   * @returns Whether it was the first
   */
  settle(given: Response): boolean {
    const deliver = this.#response;
    if (deliver !== null && typeof deliver !== "function") return false;
    const response = closings > 0 && this.#isLast ? lastOfConnection(given) : given;
    this.#response = response;
    if (this.hasListeners || (this.#isHandled && !this.#isSettling)) this.#keep();
    if (deliver === null) return true;
    if (this.#coldFields?.waiting) endWaiting(this.#coldFields.waiting);
    if (this.streaming === null) this.#endSilence();
    if (this.#isHeldBack) this.#release(() => deliver(response));
    else deliver(response);
    return true;
  }

  /**
   * Settles the exchange with a complete response, which ends it.
   *
   * @param response The response
   * @returns Whether it was the first
   */
  settleWhole(response: Response): boolean {
    const isFirst = this.settle(response);
    this.finish();
    return isFirst;
  }

  get #isLast(): boolean {
    return this.app.isClosing && this.app[runtimeKey].keepsConnections === true;
  }

  /** Whether a handler's promise has not settled yet. */
  get #isHandled(): boolean {
    return this.#handlers > 0;
  }

  // Whether the platform releases the request with the response. A body being written has already begun, regardless of
  // its handler.
  get #waitsForHandlers(): boolean {
    return this.app[runtimeKey].keepHeaders !== undefined && this.streaming === null;
  }

  get #isSettling(): boolean {
    return this.#isHandled && this.#waitsForHandlers;
  }

  /** Whether the runtime would drop a body being read, even the part that has arrived, with the response. */
  get #isReading(): boolean {
    return this.#coldFields !== null && this.#coldFields.reading !== null && this.#coldFields.reading.busy &&
      this.app[runtimeKey].dropsBodies === true;
  }

  get #isHeldBack(): boolean {
    return this.#isSettling || this.#isReading;
  }

  #release(pass: () => void): void {
    const passOn = (): void => this.#isReading ? this.app[runtimeKey].nextTurn(pass) : pass();
    if (this.#isSettling) this.#afterHandlers(passOn);
    else passOn();
  }

  // Most handlers have nothing left to do once they have responded, and their promises settle some microtasks later.
  // Waiting for those is cheaper than keeping data that the other handlers may still read.
  #afterHandlers(pass: () => void): void {
    let left = SETTLING_MICROTASKS;
    const look = (): void => {
      if (this.#isHandled && left-- > 0) return queueMicrotask(look);
      if (this.#isHandled) this.#keep();
      pass();
    };
    queueMicrotask(look);
  }

  /**
   * Settles the exchange with the response that turns the request into a WebSocket. The exchange ends with the
   * connection, and the connection's owner reports that. Does nothing if the exchange is over, as when the client has
   * disconnected.
   *
   * @param accept Accepts the WebSocket and returns the response
   * @throws Errors from `accept`
   */
  upgrade(accept: () => Response): void {
    if (!this.#enter("upgrade")) return;
    try {
      this.settle(accept());
    } catch (error) {
      this.#enter("decline");
      throw error;
    }
  }

  /** Called when the current application, a mounted one, passes on an error it did not handle. */
  noteFailure(error: unknown): void {
    const coldFields = this.#ensureColdFields;
    // the innermost application counts
    if (coldFields.failure?.error !== error) coldFields.failure = { error, app: this.app };
  }

  /** Returns the application that an error came from; its listeners get the error first. */
  appOf(error: unknown): AppLike {
    const failure = this.#coldFields?.failure;
    return failure && failure.error === error ? failure.app : this.app;
  }

  /** Called when a handler returned a promise, and may continue after the response. */
  handlerBegan(): void {
    this.#handlers++;
    // the response may already be on its way if no handler was pending when it was given
    const isPassed = this.#wasAwaited && this.#handlers === 1;
    if (this.response !== null && (isPassed || !this.#waitsForHandlers)) this.#keep();
  }

  /** Called when a handler's promise has settled. */
  handlerEnded(): void {
    if (--this.#handlers > 0 || !this.#coldFields?.handlersEnded) return;
    this.#coldFields.handlersEnded();
    this.#coldFields.handlersEnded = null;
  }

  // On Node, a request can be read after its response. Other platforms release unread parts by then, so the request is
  // read here if a remaining listener or handler may need it. Some platforms would also stop the handler.
  #keep(): void {
    this.#keepRequest(peers.expected || !this.app[runtimeKey].forgetsPeer);
    if (this.#handlers === 0 || this.#coldFields?.handlersEnded) return;
    const ended = this.goOn();
    if (ended !== null) this.#ensureColdFields.handlersEnded = ended;
  }

  /**
   * Makes the platform wait for work that continues after the response, where it would otherwise stop that work, as
   * Workers do.
   *
   * @returns A function to call when the work is over; `null` where the platform need not wait
   */
  goOn(): (() => void) | null {
    if (!this.app[runtimeKey].endsWithResponse) return null;
    const { promise, resolve } = deferred();
    this.app[backgroundKey](promise, this.info, this.context);
    return resolve;
  }

  #keepRequest(withPeer = true): void {
    this.app[runtimeKey].keepHeaders?.(this.target.request);
    if (withPeer) void this.#peer;
  }

  /** The body being streamed, which `breakOff` has to cut. */
  get streaming(): OpenStream | null {
    return this.#coldFields?.streaming ?? null;
  }

  set streaming(body: OpenStream | null) {
    this.#ensureColdFields.streaming = body;
    if (body === null) return;
    this.app[runtimeKey].allowSilence?.(this.target.request, this.info);
    this.#watch();
  }

  #endSilence(): void {
    this.app[runtimeKey].endSilence?.(this.target.request, this.info, this.aborted);
  }

  /**
   * Breaks off the exchange from the server's side. A response that has begun is cut. If there is none, the platform
   * gets one with a body that fails at once: the connection cannot be closed here, and the client must not keep
   * waiting.
   *
   * @param error The reason
   */
  breakOff(error?: Error): void {
    if (this.#isOver) return;
    const isFirst = this.response === null;
    // a client that checks only the status must not see a success
    if (isFirst) this.settle(new Response(brokenBody(), { status: 500 }));
    this.#endAborted(isFirst ? "breakOffFirst" : "breakOff");
    this.streaming?.destroy(error ?? brokenOff());
  }

  /**
   * Returns the response to the platform.
   *
   * @returns The response; a promise if there is none yet, or if the platform would release the request while a handler
   * may still need it
   */
  settled(): Response | Promise<Response> {
    const { response } = this;
    if (response === null) return this.#later();
    return this.#isHeldBack ? this.#soon(response) : response;
  }

  #soon(response: Response): Promise<Response> {
    const promise = new Promise<Response>((resolve) => this.#release(() => resolve(response)));
    notePromised(promise);
    return promise;
  }

  // a separate method, because otherwise every request would allocate a closure's variables
  #later(): Promise<Response> {
    const { app: { [runtimeKey]: runtime }, target: { request }, info } = this;
    runtime.allowSilence?.(request, info);
    this.#wasAwaited = true;
    const promise = new Promise<Response>((resolve) => {
      this.#response = resolve;
      this.#watch();
    });
    if (runtime.forgetsPeer && peers.expected) void this.#peer;
    if (runtime.awaits?.(request, info)) this.#ensureColdFields.waiting = beginWaiting(this, promise);
    return promise;
  }
}

// a separate function, because a closure keeps all enclosing variables alive
function listenTo(signal: AbortSignal, watch: DisconnectWatch): void {
  signal.addEventListener("abort", () => watch.hear(), { once: true });
}

// If other code, such as a deadline, responded before the headers were read, they may have been released.
function asksForUpgrade({ app, target }: Exchange): boolean {
  try {
    return app[runtimeKey].header(target.request, "upgrade") !== null;
  } catch {
    return false;
  }
}

function brokenBody(): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull(controller) {
      const error = brokenOff();
      expectError(error, "skip");
      controller.error(error);
    },
  }, { highWaterMark: 0 });
}

function brokenOff(): Error {
  return new Error("The response was cut off");
}

import { coded } from "../../util/coded_error.ts";
import { describe } from "../../util/error_text.ts";
import { assertHeaderValue, assertReason, checkedHeaderKey } from "../../http/header_values.ts";
import { makeAssignable } from "../../util/assignable.ts";
import { isEmitter, listenedTo, listenerFailed, runningOnce, tell } from "../../util/emitter.ts";
import type { EmitterMethods, EventName, Listener } from "../../util/emitter_methods.ts";
import { originalOf } from "../../util/original_object.ts";
import { statusText } from "../../http/status_text.ts";
import { type AppLike, openStreamsKey } from "../../exchange/app_like.ts";
import { deliveredKey, type OpenStream, piecesKey } from "../../exchange/open_streams.ts";
import { given } from "../../exchange/derived_object.ts";
import { type Exchange, exchangeFor, exchangeKey, exchangeOf } from "../../exchange/exchange.ts";
import type { ErrorPhase } from "../../exchange/error_context.ts";
import { callGuarded } from "../../exchange/call_guarded.ts";
import { failListener } from "../../exchange/fail_listener.ts";
import type { RequestSocket } from "../../request/node/request_socket.ts";
import { sendBudget } from "../../exchange/send_budget.ts";
import { defaultApp } from "../../exchange/default_app.ts";
import type { NodeHttp } from "../../exchange/runtime_support.ts";
import { BodyStream, type BodyStreamEvents, clientAborted, HIGH_WATER_MARK } from "../web/body_stream.ts";
import { type Chunk, chunkBytes } from "../../util/chunk_bytes.ts";
import { lengthOf, mayHaveContent } from "../web/framing.ts";
import {
  assertOpen,
  type HeaderInit,
  HeaderMethods,
  outgoingKey,
  sentHeadersKey,
  sentLengthKey,
  setGiven,
} from "./header_methods.ts";
import type { HeaderValue, OutgoingHeaders } from "../web/outgoing_headers.ts";
import { type ResponseState, responseStateKey } from "./response_state.ts";
import { type BodySource, pour, StreamedBody } from "../web/streamed_body.ts";
import { runtimeKey } from "../../util/runtime_key.ts";

/** Key of the method that ends a response in one piece, even if middleware has replaced `send`. */
export const endWholeKey: unique symbol = Symbol("sluice.end whole");

/** Key of the method that lets the platform send a body. */
export const handOverKey: unique symbol = Symbol("sluice.hand over");

/** Key of the method that responds with a complete web response. */
export const passOnKey: unique symbol = Symbol("sluice.pass on");

/** Key of the method that streams a body, even if middleware has replaced `send`. */
export const streamKey: unique symbol = Symbol("sluice.stream");

/** Key of the method that reports that a body sent by the platform has failed. */
export const bodyFailedKey: unique symbol = Symbol("sluice.body failed");

/** How long a pipe into a bodiless response may continue after other writers have run out of time, in ms. */
const UNSEEN_PIPE_MS = 60_000;

/** Headers about the body, removed from responses that may not have one. */
const OF_BODY = ["Content-Type", "Content-Length", "Transfer-Encoding"];

/** Set on a response when a stream is piped into it. */
const piped: unique symbol = Symbol("piped");

/** Called once a chunk has been passed on. */
export type WriteCallback = (error?: Error | null) => void;

/** Called when the response is complete; the second form, as in Node's types, accepts a promise's `resolve`. */
export type EndCallback = WriteCallback | (() => void);

/**
 * The API of Node's `http.ServerResponse`, producing exactly one web `Response`.
 *
 * Ending the response in one piece settles the exchange synchronously. Otherwise the first `write()` settles it with a
 * stream, which applies back-pressure.
 */
export abstract class OutgoingMessage extends HeaderMethods {
  /**
   * The response's state.
   *
   * @internal
   */
  abstract get [responseStateKey](): ResponseState;

  /**
   * This response's exchange; missing on objects created from a prototype alone.
   *
   * @internal
   */
  abstract readonly [exchangeKey]: Exchange;

  // set on few responses; a field would exist on all
  declare private [piped]: boolean | undefined;

  /** Status of the response. */
  abstract statusCode: number;

  /** Whether `end()` was called. */
  get writableEnded(): boolean {
    // loggers recognize an aborted response by this; on Node, a file ends the response only after its last chunk
    const isCut = exchangeOf(this)?.aborted && this[exchangeKey].streaming instanceof StreamedBody;
    return !isCut && this[responseStateKey].ended;
  }

  /** Node's older name for {@linkcode OutgoingMessage.writableEnded}. */
  get finished(): boolean {
    return this.writableEnded;
  }

  /** Whether the whole response has been passed to the platform. */
  get writableFinished(): boolean {
    return exchangeOf(this)?.finished ?? false;
  }

  /**
   * Always `true`, as on Node: its `stream.finished` would count a closed response that is not writable as complete.
   * To learn whether more may be written, read `writableEnded` and `destroyed`.
   */
  get writable(): boolean {
    return true;
  }

  /** Written bytes that wait for the client, excluding those that the platform has accepted. */
  get writableLength(): number {
    return this[responseStateKey].stream?.heldBytes ?? 0;
  }

  /** Bytes that may wait before `write()` returns `false`. */
  get writableHighWaterMark(): number {
    return HIGH_WATER_MARK;
  }

  /** Whether `write()` has returned `false` and `drain` has not been emitted yet. */
  get writableNeedDrain(): boolean {
    return !this[responseStateKey].ended && (this[responseStateKey].stream?.needsDrain ?? false);
  }

  /** Whether the exchange is over: the client disconnected or got its response. */
  get destroyed(): boolean {
    const exchange = exchangeOf(this);
    if (exchange === null) return false;
    const { ending } = this[responseStateKey];
    // as on Node, still false while `finish` listeners run
    return exchange.aborted || (exchange.finished && ending !== "awaited");
  }

  /** The same as {@linkcode OutgoingMessage.destroyed}: on Node, both become true with `close`. */
  get closed(): boolean {
    return this.destroyed;
  }

  /** The connection: the part of Node's socket that middleware uses. */
  get socket(): RequestSocket {
    return requestOf(this)?.socket as RequestSocket;
  }

  /** Node's older name for {@linkcode OutgoingMessage.socket}. */
  get connection(): RequestSocket {
    return this.socket;
  }

  /** Reason phrase; empty for the standard phrase until the headers are sent, then that phrase. */
  get statusMessage(): string {
    const { reason, sentStatus } = this[responseStateKey];
    return reason || (sentStatus === 0 ? "" : statusText(sentStatus) ?? "unknown");
  }

  set statusMessage(reason: string) {
    this[responseStateKey].reason = reason;
  }

  /**
   * The headers set so far.
   *
   * @internal
   */
  get [outgoingKey](): OutgoingHeaders {
    return this[responseStateKey].headers;
  }

  /**
   * Length of the sent body, `undefined` if it is not shown.
   *
   * @internal
   */
  get [sentLengthKey](): string | undefined {
    const { shown } = this[responseStateKey];
    const length = shown === null || this[outgoingKey].has("transfer-encoding") ? -1 : lengthOf(shown);
    return length < 0 ? undefined : String(length);
  }

  /**
   * The response's additional headers, from the 404 page or from a `Response` that a handler returned.
   *
   * @internal
   */
  get [sentHeadersKey](): Record<string, HeaderValue> {
    const headers = this[responseStateKey].hasOthers ? exchangeOf(this)?.response?.headers : undefined;
    if (headers === undefined) return {};
    const cookies = headers.getSetCookie();
    return { ...Object.fromEntries(headers), ...cookies.length > 0 && { "set-cookie": cookies } };
  }

  /**
   * Commits the status and headers. They are sent with the first byte of the body.
   *
   * @param status Status
   * @param reason Reason phrase, or the headers
   * @param headers Headers to add to those already set
   * @throws {Error} If the headers have already been sent (`ERR_HTTP_HEADERS_SENT`)
   */
  writeHead(status: number, reason?: string | HeaderInit, headers?: HeaderInit): this {
    assertOpen(this, "res.writeHead", "write");
    // Node accepts strings of digits and drops fractions
    const code = status | 0;
    if (code < 100 || code > 999) {
      const error = new RangeError(`res.writeHead expects a status from 100 to 999, not ${String(status)}`);
      throw coded("ERR_HTTP_INVALID_STATUS_CODE", error);
    }
    this.statusCode = code;
    if (typeof reason === "string") {
      assertReason("res.writeHead", reason);
      this[responseStateKey].reason = reason;
    }
    setGiven(this, typeof reason === "string" ? headers : reason ?? headers);
    this[responseStateKey].sentStatus = code;
    return this;
  }

  /**
   * Alias of `writeHead`, as in Node.
   *
   * @param status Status
   * @param reason Reason phrase, or the headers
   * @param headers Headers to add to those already set
   */
  writeHeader(status: number, reason?: string | HeaderInit, headers?: HeaderInit): this {
    return this.writeHead(status, reason, headers);
  }

  /** Sends the status and headers now, ahead of the body. */
  flushHeaders(): void {
    const { ended, stream } = this[responseStateKey];
    if (stream === null && !ended && !exchangeFor(this, "res.flushHeaders").aborted) startStream(this);
  }

  /**
   * Writes part of the body; the first write sends the headers.
   *
   * @param chunk A string or bytes
   * @param encoding Encoding of a string, or the callback
   * @param callback Called once the chunk has been passed on
   * @returns Whether more may be written right away; otherwise wait for `drain`
   */
  write(chunk: Chunk, encoding?: string | WriteCallback | null, callback?: WriteCallback | null): boolean {
    const exchange = exchangeFor(this, "res.write");
    const done = guarded(this, callbackOf(encoding) ?? callbackOf(callback));
    const bytes = chunkBytes("res.write", chunk, encodingOf(encoding));
    const state = this[responseStateKey];
    if (state.ended) {
      complain(this, done);
      return false;
    }
    if (exchange.aborted) {
      if (done !== undefined) queueMicrotask(() => done(clientAborted()));
      return false;
    }
    if (state.stream === null) startStream(this);
    if (done === undefined) return state.stream!.write(bytes);
    // A copy: after the callback, the caller may reuse the memory while the platform is still reading it. (A slice of a
    // Buffer would share the memory.)
    return state.stream!.write(typeof chunk === "string" ? bytes : new Uint8Array(bytes), done);
  }

  /**
   * Ends the response, optionally with a last chunk. Without an earlier `write()` it is sent in one piece.
   *
   * @param chunk A string or bytes, or the callback
   * @param encoding Encoding of a string, or the callback
   * @param callback Called when the response is complete
   */
  end(
    chunk?: Chunk | null | EndCallback,
    encoding?: string | EndCallback | null,
    callback?: EndCallback | null,
  ): this {
    exchangeFor(this, "res.end");
    const done = guarded(this, callbackOf(chunk) ?? callbackOf(encoding) ?? callbackOf(callback));
    // hooks around end() may pass `false` for no chunk
    const last = typeof chunk === "function" ? null : chunk || null;
    if (this[responseStateKey].ended) endAgain(this, last, done);
    else {
      if (done !== undefined) whenFinished(this, done);
      endWith(this, last, encodingOf(encoding));
    }
    return this;
  }

  /**
   * Responds with a body that is read at the client's pace.
   *
   * If middleware has replaced `write` or `end` (compression, sessions), it gets every chunk instead.
   *
   * @param source The body
   */
  [streamKey](source: BodySource): void {
    const state = this[responseStateKey];
    if (this.write !== plain.write || this.end !== plain.end) {
      void pour(source, this, exchangeOf(this), (error) => report(this, error, "response"));
      return;
    }
    const exchange = exchangeFor(this, "res.write");
    implicitHead(this);
    const { app } = exchange;
    const { [openStreamsKey]: openStreams } = app;
    const body = new StreamedBody(
      source,
      {
        finish: () => {
          openStreams.delete(body);
          exchange.finish();
        },
        abort: () => {
          openStreams.delete(body);
          exchange.abort();
        },
        fail: (error) => {
          openStreams.delete(body);
          this[bodyFailedKey](error);
          exchange.abort();
        },
        leftOpen: (error) => report(this, error, "response"),
      },
      app[runtimeKey].nextTurn,
      announcedLength(state),
    );
    openStreams.set(body, exchange.info);
    exchange.streaming = body;
    let isTaken: boolean;
    try {
      isTaken = state.settle(exchange, body.stream, this.statusCode);
    } catch (error) {
      // a web response cannot carry the status or a header; an error handler may still respond without this body
      forgetStream(exchange, body);
      body.giveUp();
      throw error;
    }
    state.ended = true;
    exchange.endInThisContext();
    if (isTaken && !exchange.aborted) return;
    exchange.finish();
    // nothing of it is sent
    body.stream.cancel().catch((error) => report(this, error, "response"));
  }

  /** Reports that the body being sent has failed; some runtimes also report that. */
  [bodyFailedKey](error: unknown): void {
    const { app, target } = this[exchangeKey];
    const isTold = app[runtimeKey].tellsOfBodies?.(target.request) ?? false;
    app.reportError(error, { req: requestOf(this), phase: "response", isTold });
  }

  /** Reports an error thrown by a listener, which would crash the process on Node. */
  override [listenerFailed](error: unknown): void {
    failListener(appOf(this), requestOf(this), error);
  }

  /**
   * Responds with a body that the platform sends itself: a `Blob`, or a file as a stream or bytes.
   *
   * @param body The body
   */
  [handOverKey](body: Blob | ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer>): void {
    const isReplaced = this.write !== plain.write || this.end !== plain.end;
    if (body instanceof Uint8Array) {
      if (!isReplaced) return void this.end(body);
      // small files pass through the hooks like large ones, as in Express
      this.write(nodeBytes(this, body));
      return void this.end();
    }
    if (isReplaced) return this[streamKey](body instanceof Blob ? body.stream() : body);
    implicitHead(this);
    const state = this[responseStateKey];
    let isTaken = false;
    try {
      isTaken = state.settleWhole(exchangeFor(this, "res.send"), body, this.statusCode);
      if (body instanceof Blob) state.shown = body;
    } finally {
      // the body is not sent, or the client disconnected
      if (!isTaken && !(body instanceof Blob)) body.cancel().catch((error) => report(this, error, "response"));
    }
  }

  /**
   * Responds with a complete web response, unchanged.
   *
   * @param response The response
   *
   * @internal
   */
  [passOnKey](response: Response): void {
    exchangeFor(this, "returning a Response");
    this.statusCode = response.status;
    // the client may have disconnected; the body's source must not stay open
    if (!this[responseStateKey].take(this[exchangeKey], response)) {
      response.body?.cancel().catch((error) => report(this, error, "response"));
    }
    const { app, info, target } = this[exchangeKey];
    // its body may be a stream; checking would be expensive
    app[runtimeKey].allowSilence?.(target.request, info);
  }

  /**
   * Ends the response in one piece, with its whole body. As in Express, middleware that has replaced methods sees the
   * length in the headers and gets the body as a `Buffer`, or no body for HEAD.
   *
   * @param body The body, or `null` if there is none
   * @param isPage Whether it is one of the framework's own pages, which Express passes as a string
   */
  [endWholeKey](body: string | Uint8Array<ArrayBuffer> | null, isPage: boolean = false): void {
    const exchange = exchangeOf(this);
    const { statusCode } = this;
    const mayBeSent = mayHaveContent(statusCode);
    const sent = mayBeSent ? body : null;
    if (statusCode === 205) {
      this.setHeader("Content-Length", "0");
      this.removeHeader("Transfer-Encoding");
    } else if (!mayBeSent) { for (const name of OF_BODY) this.removeHeader(name); }
    if (exchange === null || isPatched(this)) {
      const length = sent === null || this.hasHeader("Transfer-Encoding") ? -1 : lengthOf(sent);
      // Express itself sets the error page's length, as a number
      const isSet = isPage && this.getHeader("Content-Length") === length;
      if (length >= 0 && !isSet) this.setHeader("Content-Length", String(length));
      if (sent === null || (exchange?.target ?? requestOf(this))?.method === "HEAD") this.end();
      else if (isPage || this.end === plain.end) this.end(sent, "utf8");
      else this.end(nodeBytes(this, sent));
      return;
    }
    const state = this[responseStateKey];
    if (state.ended || state.stream !== null) return void this.end(sent);
    state.settleWhole(exchange, sent === "" && !exchange.target.isHead ? null : sent, statusCode);
    state.shown = sent;
  }

  /** Node's internal name for the sent headers, read by some middleware and by Node's own `setHeader`. */
  get _header(): string | null {
    const exchange = exchangeOf(this);
    const { sentStatus } = this[responseStateKey];
    if (!isShown && exchange !== null) show(exchange.app[runtimeKey].nodeHttp());
    return sentStatus === 0 ? null : `HTTP/1.1 ${sentStatus}`;
  }

  /** Node's internal flag for whether a body is allowed, read by middleware that buffers one. */
  get _hasBody(): boolean {
    const { sentStatus } = this[responseStateKey];
    return !exchangeOf(this)?.target.isHead && mayHaveContent(sentStatus || 200);
  }

  /** Called by Node's own `setHeader`. */
  _isLenientHeaderValidation(): boolean {
    return false;
  }

  /** Node's internal `writeHead` with the current status, called by some middleware. */
  _implicitHeader(): void {
    this.writeHead(this.statusCode);
  }

  /**
   * Sets the time within which the response must begin. When it runs out, `timeout` is emitted; without a listener, the
   * response is aborted. A response that has begun is unaffected: the platform handles idle connections.
   *
   * @param ms The time in ms; 0 means no limit
   * @param callback Listens for `timeout`
   */
  setTimeout(ms: number, callback?: () => void): this {
    if (callback !== undefined) this.on("timeout", callback);
    given(this.socket, "res.setTimeout", "res.req").setTimeout(ms);
    return this;
  }

  /** Does nothing: small chunks are batched anyway. */
  cork(): void {}

  /** The counterpart of {@linkcode OutgoingMessage.cork}. */
  uncork(): void {}

  /**
   * Accepted but not sent: a web response has no trailers.
   *
   * @param headers The trailers
   * @throws {TypeError} If a name is not a token (`ERR_INVALID_HTTP_TOKEN`), or a value is not allowed
   * (`ERR_INVALID_CHAR`)
   */
  addTrailers(headers: HeaderInit): void {
    const given = Array.isArray(headers) ? headers as [string, string][] : Object.entries(headers);
    for (const [name, value] of given) {
      checkedHeaderKey("res.addTrailers", name);
      for (const one of [value].flat()) assertHeaderValue("res.addTrailers", name, `${one}`);
    }
  }

  /**
   * Sends a `103 Early Hints` before the response, on Node. Elsewhere nothing is sent, because a request has only one
   * web response; the callback still runs.
   *
   * @throws {TypeError} If the hints are not an object (`ERR_INVALID_ARG_TYPE`), or their `link` is invalid
   * (`ERR_INVALID_ARG_VALUE`)
   */
  writeEarlyHints(hints: Record<string, string | string[]>, callback?: () => void): void {
    assertHints(hints);
    inform(this, "writeEarlyHints", [hints], callback);
  }

  /** Does the same with `100 Continue`, which the platform itself sends to a client that expects it. */
  writeContinue(callback?: () => void): void {
    inform(this, "writeContinue", [], callback);
  }

  /** Does the same with `102 Processing`. */
  writeProcessing(callback?: () => void): void {
    inform(this, "writeProcessing", [], callback);
  }

  /**
   * Number of pieces that the client has requested from a streamed body, for internal use.
   *
   * @internal
   */
  get [piecesKey](): number | null {
    return this[responseStateKey].stream?.pieces ?? null;
  }

  /**
   * Whether the client has all the bytes announced in the head, for internal use.
   *
   * @internal
   */
  get [deliveredKey](): boolean {
    return this[responseStateKey].stream?.isDelivered ?? false;
  }

  /** Aborts the response: a body that has begun is cut; a response that has not begun fails. */
  destroy(error?: Error): this {
    const exchange = exchangeOf(this);
    if (exchange === null) return this;
    const { stream } = this[responseStateKey];
    exchange.app[openStreamsKey].delete(originalOf<OutgoingMessage>(this));
    if (stream !== null) stream.destroy(error ?? new Error("The response was cut off"));
    exchange.breakOff(error);
    return this;
  }

  /** Calls an event's listeners. */
  override emit(event: EventName, ...args: unknown[]): boolean {
    if (event === "pipe") {
      originalOf<OutgoingMessage>(this)[piped] = true;
      watchPipe(this, args[0]);
    }
    return super.emit(event, ...args);
  }

  /** Adds a listener that runs once. */
  override once(event: EventName, listener: Listener): this {
    // Node's once calls on, which compression replaces to redirect `drain` listeners
    return this.on === plain.on ? super.once(event, listener) : this.on(event, runningOnce(this, event, listener));
  }

  /** Adds a listener that runs once, before the others. */
  override prependOnceListener(event: EventName, listener: Listener): this {
    return this.prependListener === plain.prependListener
      ? super.prependOnceListener(event, listener)
      : this.prependListener(event, runningOnce(this, event, listener));
  }

  /**
   * Emits `finish` when the response is complete, and `close` when the exchange is over. It also calls listeners added
   * later: on Node, both events wait for the microtasks that follow `end()`.
   */
  override [listenedTo](event: EventName): void {
    const exchange = exchangeOf(this);
    if (exchange === null) return;
    const state = this[responseStateKey];
    if (state.ending === "awaited" || (event !== "finish" && event !== "close")) return;
    if (state.ending === "unwatched") state.ending = "awaited";
    const original = originalOf<OutgoingMessage>(this);
    exchange.onEnd(() => {
      if (exchange.finished) tell(original, "finish");
      state.ending = "told";
      tell(original, "close");
      // ensures that only listeners added later are called again
      original.removeAllListeners("finish").removeAllListeners("close");
    }, true);
  }
}

// plain fields on Node: some programs set `res.finished` to signal that they have responded, and mocks define their own
makeAssignable(OutgoingMessage.prototype, [
  ...["finished", "socket", "connection", "destroyed", "writable"],
  ...["_header", "_hasBody"],
]);

const plain = OutgoingMessage.prototype;

/**
 * Whether middleware has replaced a method that sends or sets headers, which must then be called as on Node.
 *
 * @param message The response
 */
export function isPatched(message: OutgoingMessage): boolean {
  return message.end !== plain.end || message.write !== plain.write || message.writeHead !== plain.writeHead ||
    message.setHeader !== plain.setHeader;
}

/** Whether the key under which Node's own `setHeader` looks for headers is defined. */
let isShown = false;

// only Node's own response can send informational responses first
function inform(res: OutgoingMessage, name: string, args: readonly unknown[], callback?: () => void): void {
  const done = callback === undefined ? undefined : guarded(res, callback);
  const nodes = (exchangeOf(res)?.info as { res?: Record<string, unknown> } | null | undefined)?.res;
  const send = nodes?.["headersSent"] === false && !res.headersSent ? nodes[name] : undefined;
  if (typeof send === "function") send.call(nodes, ...args, done);
  else if (done !== undefined) queueMicrotask(done);
}

// npm's cookies calls that setHeader on responses, as does Koa, whose applications can be mounted
function show(http: NodeHttp | undefined): void {
  isShown = true;
  if (http === undefined) return;
  // Node sets this symbol on every response but does not export it
  const key = Object.getOwnPropertySymbols(new http.OutgoingMessage()).find((key) => key.description === "kOutHeaders");
  if (key === undefined) return;
  Object.defineProperty(plain, key, {
    get(this: OutgoingMessage) {
      const set = (_: object, _key: unknown, [name, value]: [string, HeaderValue]): boolean => {
        this.setHeader(name, value);
        return true;
      };
      return new Proxy({}, { set });
    },
  });
}

// Node emits the error even without a listener, which crashes the process; here, it is reported instead
function complain(message: OutgoingMessage, done: WriteCallback | undefined): void {
  const error = streamError("ERR_STREAM_WRITE_AFTER_END", "res.write or res.end got a chunk after res.end");
  queueMicrotask(() => {
    done?.(error);
    if (message.listenerCount("error") > 0) tell(message, "error", error);
  });
  if (done === undefined && message.listenerCount("error") === 0) report(message, error, "response");
}

// a response without a body may finish long before the handler ends it
function whenFinished(message: OutgoingMessage, callback: WriteCallback): void {
  if (message[exchangeKey].finished) queueMicrotask(callback);
  else message.once("finish", callback);
}

function endAgain(message: OutgoingMessage, chunk: Chunk | null, done: WriteCallback | undefined): void {
  // hooks around end() may pass a chunk on again when a response is aborted
  if (chunk && !message[exchangeKey].aborted) return complain(message, done);
  const error = streamError("ERR_STREAM_ALREADY_FINISHED", "res.end was called after the response was complete");
  if (done !== undefined) queueMicrotask(() => done(error));
}

function endWith(message: OutgoingMessage, chunk: Chunk | null, encoding: string | undefined): void {
  const body = chunk === null || (typeof chunk === "string" && isUtf8(encoding))
    ? chunk
    : chunkBytes("res.end", chunk, encoding);
  const state = message[responseStateKey];
  // a hook on writeHead may have started a stream
  if (state.stream === null) implicitHead(message);
  if (state.stream === null) {
    state.settleWhole(message[exchangeKey], body as string | Uint8Array<ArrayBuffer> | null, message.statusCode);
    return;
  }
  if (body !== null) state.stream.write(chunkBytes("res.end", body));
  state.ended = true;
  message[exchangeKey].endInThisContext();
  state.stream.end();
}

// middleware that replaced a method expects Buffers
function nodeBytes(message: OutgoingMessage, chunk: string | Uint8Array): Uint8Array {
  return appOf(message)[runtimeKey].nodeBytes(chunkBytes("A body", chunk));
}

// middleware such as on-headers replaces writeHead to be called before the headers are sent
function implicitHead(message: OutgoingMessage): void {
  if (message[responseStateKey].sentStatus !== 0 || message.writeHead === plain.writeHead) return;
  message.writeHead(message.statusCode);
}

/** Handles a response body's events. */
class StreamEvents implements BodyStreamEvents {
  readonly #message: OutgoingMessage;
  readonly #exchange: Exchange;
  readonly #openStreams: Pick<AppLike[typeof openStreamsKey], "delete">;

  constructor(message: OutgoingMessage, exchange: Exchange) {
    this.#message = message;
    this.#exchange = exchange;
    this.#openStreams = exchange.app[openStreamsKey];
  }

  get budget(): number {
    return sendBudget(this.#exchange.app.settings);
  }

  drain(): void {
    tell(this.#message, "drain");
  }

  finish(): void {
    this.#forget();
    this.#exchange.finish();
  }

  abort(): void {
    this.#forget();
    this.#exchange.abort();
  }

  evict(reason: Error): void {
    originalOf(this.#message).destroy(reason);
  }

  report(reason: Error): void {
    this.#exchange.app.reportError(reason, { phase: "response" });
  }

  // removes it from its original list: while a mounted application runs, the exchange has a different one
  #forget(): void {
    this.#openStreams.delete(originalOf(this.#message));
  }
}

function startStream(message: OutgoingMessage): void {
  implicitHead(message);
  const state = message[responseStateKey];
  if (state.stream !== null) return;
  const exchange = message[exchangeKey];
  const original = originalOf(message);
  const { [openStreamsKey]: openStreams } = exchange.app;
  openStreams.set(original, exchange.info);
  exchange.streaming = original;
  const stream = state.stream = new BodyStream(
    new StreamEvents(message, exchange),
    exchange.app[runtimeKey].nextTurn,
    announcedLength(state),
  );
  let isTaken: boolean;
  try {
    isTaken = state.settle(exchange, stream.readable, message.statusCode);
  } catch (error) {
    // otherwise all later writes would go to this stream, even this error's page
    state.stream = null;
    forgetStream(exchange, original);
    throw error;
  }
  if (isTaken) return;
  // no body is sent, so there is nothing to cut
  openStreams.delete(original);
  const giveUp = (): void => message[piped] ? endPipeLater(exchange) : exchange.finish();
  const isTheEnd = exchange.aborted || exchange.app[runtimeKey].endsWithResponse;
  stream.discard(isTheEnd ? null : giveUp);
  if (isTheEnd) queueMicrotask(giveUp);
}

function announcedLength({ headers }: ResponseState): number {
  const length = headers.framed ? headers.get("content-length") : undefined;
  return length === undefined ? Infinity : Number(length);
}

// A pipe should end by itself: if its destination closes first, its source, such as a file, stays open. But some pipes
// never end, such as a radio stream's, and a disconnect during a HEAD goes unnoticed.
function endPipeLater(exchange: Exchange): void {
  const timer = setTimeout(() => exchange.abort(), UNSEEN_PIPE_MS);
  exchange.onEnd(() => clearTimeout(timer));
}

function forgetStream(exchange: Exchange, stream: OpenStream): void {
  exchange.app[openStreamsKey].delete(stream);
  exchange.streaming = null;
}

// Without an `error` listener, a failing Node stream crashes the process. While the pipe lasts and the program has no
// listener of its own, the error is reported and the response cut, because the client would wait for the rest. A
// finished response also ends the pipe; if the stream failed after that, a client could crash the process.
function watchPipe(message: OutgoingMessage, source: unknown): void {
  const { on, off, listenerCount } = (source ?? {}) as Partial<EmitterMethods>;
  // our emitters ignore errors without a listener: any client can disconnect
  if (isEmitter(source) || !on || !off || !listenerCount) return;
  const stream = source as EmitterMethods;
  const failed = (error: unknown): void => {
    if (stream.listenerCount("error") > 1) return;
    message[bodyFailedKey](error);
    message.destroy(error instanceof Error ? error : undefined);
  };
  const unpiped = (other: unknown): void => {
    if (other !== stream || message.destroyed) return;
    stream.off("error", failed);
    message.off("unpipe", unpiped);
  };
  stream.on("error", failed);
  message.on("unpipe", unpiped);
}

function report(message: OutgoingMessage, error: unknown, phase: ErrorPhase): void {
  appOf(message).reportError(error, { req: requestOf(message), phase });
}

function appOf(message: OutgoingMessage): AppLike {
  return exchangeOf(message)?.app ?? defaultApp();
}

function requestOf(message: OutgoingMessage): { readonly method: string; readonly socket: unknown } | undefined {
  return (message as unknown as { req?: { method: string; socket: unknown } }).req;
}

// an error thrown by a callback would go uncaught
function guarded<C extends WriteCallback | (() => void)>(message: OutgoingMessage, callback: C): C;
function guarded(message: OutgoingMessage, callback: WriteCallback | undefined): WriteCallback | undefined;
function guarded(message: OutgoingMessage, callback: WriteCallback | undefined): WriteCallback | undefined {
  if (callback === undefined) return undefined;
  const exchange = exchangeOf(message);
  if (exchange === null) return callback;
  const req = requestOf(message);
  const reporter = { reportError: (failure: unknown) => failListener(exchange.app, req, failure) };
  return (error) => callGuarded(reporter, { phase: "listener" }, () => callback(error));
}

// callers pass their arguments on, and as in Node, null counts as none
function callbackOf(given: unknown): WriteCallback | undefined {
  return typeof given === "function" ? given as WriteCallback : undefined;
}

/** A link in Node's format for early hints: a target, and parameters (RFC 8288 section 3). */
const LINK = /^<[^>]*>(?:[ \t]*;[ \t]*[^;" \t]+(?:="[^;" \t]*"|=[^;" \t]*)?)*$/;

function assertHints(hints: unknown): void {
  if (typeof hints !== "object" || hints === null || Array.isArray(hints)) {
    const error = new TypeError(`res.writeEarlyHints expects an object of headers, not ${describe(hints)}`);
    throw coded("ERR_INVALID_ARG_TYPE", error);
  }
  const link = (hints as { link?: unknown }).link ?? [];
  if ([link].flat().every((one) => typeof one === "string" && LINK.test(one))) return;
  const error = new TypeError(
    `res.writeEarlyHints expects links such as "</a.css>; rel=preload", not ${describe(link)}`,
  );
  throw coded("ERR_INVALID_ARG_VALUE", error);
}

// as in Node, any falsy value counts as none
function encodingOf(given: unknown): string | undefined {
  if (!given || typeof given === "function") return undefined;
  return typeof given === "string" ? given : describe(given);
}

function isUtf8(encoding: string | undefined): boolean {
  return encoding === undefined || encoding === "utf8" || encoding === "utf-8";
}

function streamError(code: string, message: string): Error {
  return coded(code, new Error(message));
}

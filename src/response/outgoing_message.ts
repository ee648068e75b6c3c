import { listenedTo, runningOnce } from "../http/emitter.ts";
import type { EventName, Listener } from "../http/emitter_methods.ts";
import { statusText } from "../http/status_text.ts";
import type { Exchange } from "../request/exchange.ts";
import type { SocketFace } from "../request/socket_face.ts";
import { BodyStream, clientLeft } from "./body_stream.ts";
import { type Chunk, chunkBytes } from "./chunk_bytes.ts";
import { frame, lengthOf, mayHaveContent } from "./framing.ts";
import { type HeaderInit, HeaderMethods } from "./header_methods.ts";
import { type HeaderValue, OutgoingHeaders } from "./outgoing_headers.ts";
import { type BodySource, pour, StreamedBody } from "./streamed_body.ts";
import { type WebBody, webResponse } from "./web_response.ts";

/** Key under which a response shows the body it was ended with, for platforms that would have to stream it otherwise. */
export const wholeBodyKey: unique symbol = Symbol.for("sluice.whole body");

/** Key of the method that ends an answer in one piece, whatever a middleware has made of `send`. */
export const endWholeKey: unique symbol = Symbol("sluice.end whole");

/** Key of the method that leaves the sending of a body to the platform. */
export const handOverKey: unique symbol = Symbol("sluice.hand over");

/** Key of the method that streams a body, whatever a middleware has made of `send`. */
export const streamKey: unique symbol = Symbol("sluice.stream");

/** Where a response notes that a stream is piped into it. */
const piped: unique symbol = Symbol("piped");

/** Runs when a chunk was taken, or when the response is complete. */
export type WriteCallback = (error?: Error | null) => void;

/**
 * The face of Node's `http.ServerResponse`, ending as exactly one web `Response`.
 *
 * An answer that is ended in one piece settles the exchange at once and synchronously. The first `write()` settles it
 * with a stream instead, which then honours the client's pace.
 */
export class OutgoingMessage extends HeaderMethods {
  #exchange: Exchange;
  #headers: OutgoingHeaders = new OutgoingHeaders();
  /** The status that the headers are out with, 0 while all of it may still be changed. */
  #sentStatus = 0;
  #ended = false;
  #stream: BodyStream | null = null;
  #body: WebBody | JsonBody = null;
  #watched = false;
  #reason = "";
  /** Whether Node's own `setHeader` finds the headers. */
  static #isShown = false;
  // few responses have it, and a field would be made for all
  declare private [piped]: boolean | undefined;

  /** Status of the answer. */
  statusCode = 200;

  /**
   * Wraps an exchange; the framework does this for every request.
   *
   * @param exchange The exchange this response answers
   */
  constructor(exchange: Exchange) {
    super();
    this.#exchange = exchange;
  }

  /** The body of an answer that was ended in one piece, `null` for none and for streams. */
  get [wholeBodyKey](): string | Uint8Array<ArrayBuffer> | null {
    const body = this.#wholeBody;
    return typeof body === "string" || body instanceof Uint8Array ? body : null;
  }

  get #wholeBody(): WebBody {
    return this.#body instanceof JsonBody ? this.#body = this.#body.text : this.#body;
  }

  /** Whether the status and headers are out, so that they can't be changed any more. */
  get headersSent(): boolean {
    return this.#sentStatus !== 0;
  }

  /** Whether `end()` was called. */
  get writableEnded(): boolean {
    return this.#ended;
  }

  /** Node's older name of {@linkcode OutgoingMessage.writableEnded}. */
  get finished(): boolean {
    return this.#ended;
  }

  /** Whether the last byte was handed to the platform. */
  get writableFinished(): boolean {
    return this.#exchange.finished;
  }

  /** Whether more may be written. */
  get writable(): boolean {
    return !this.#ended && !this.#exchange.aborted;
  }

  /** Whether the client has left. */
  get destroyed(): boolean {
    return this.#exchange.aborted;
  }

  /** Whether the exchange is over. */
  get closed(): boolean {
    return this.#exchange.aborted || this.#exchange.finished;
  }

  /** The connection, as far as middleware may look at it. */
  get socket(): SocketFace {
    return (this as unknown as { req: { socket: SocketFace } }).req.socket;
  }

  /** Node's older name of {@linkcode OutgoingMessage.socket}. */
  get connection(): SocketFace {
    return this.socket;
  }

  /** Reason phrase; empty for the usual one, which it is once the headers are out. */
  get statusMessage(): string {
    return this.#reason || (this.#sentStatus === 0 ? "" : statusText(this.#sentStatus) ?? "unknown");
  }

  set statusMessage(reason: string) {
    this.#reason = reason;
  }

  /** The headers that were set, for the framework's own use. */
  protected get outgoing(): OutgoingHeaders {
    return this.#headers;
  }

  /** The length that the platform writes, `undefined` where it is not known. */
  protected get sentLength(): string | undefined {
    const length = this.#body === null ? -1 : lengthOf(this.#wholeBody);
    return length < 0 ? undefined : String(length);
  }

  /** What the answer has beside them: the page for 404, and a `Response` that a handler returned, have their own. */
  protected get sentHeaders(): Record<string, HeaderValue> {
    const headers = this.#exchange.response?.headers;
    if (headers === undefined) return {};
    const cookies = headers.getSetCookie();
    return { ...Object.fromEntries(headers), ...cookies.length > 0 && { "set-cookie": cookies } };
  }

  /**
   * Fixes status and headers. They leave with the first byte of the body.
   *
   * @param status Status
   * @param reason Reason phrase, or the headers
   * @param headers Headers to set on top of the present ones
   * @throws {Error} If the headers are out already (`ERR_HTTP_HEADERS_SENT`)
   */
  writeHead(status: number, reason?: string | HeaderInit, headers?: HeaderInit): this {
    this.assertOpen("res.writeHead");
    // Node takes a text of digits as well, and leaves a fraction away
    const code = status | 0;
    if (code < 100 || code > 999) {
      throw new RangeError(`res.writeHead takes a status from 100 to 999, not ${status}`);
    }
    this.statusCode = code;
    if (typeof reason === "string") this.#reason = reason;
    this.setGiven(typeof reason === "string" ? headers : reason ?? headers);
    this.#sentStatus = code;
    return this;
  }

  /** Sends status and headers now, before there is a body. */
  flushHeaders(): void {
    if (this.#stream === null && !this.#ended && !this.#exchange.aborted) this.#startStream();
  }

  /**
   * Writes a part of the body; the first one sends the headers.
   *
   * @param chunk Text or bytes
   * @param encoding Encoding of a text, or the callback
   * @param callback Runs when the chunk was taken
   * @returns Whether more may be written at once; otherwise wait for `drain`
   */
  write(chunk: Chunk, encoding?: string | WriteCallback | null, callback?: WriteCallback | null): boolean {
    const done = callbackOf(encoding) ?? callbackOf(callback);
    const bytes = chunkBytes("res.write", chunk, typeof encoding === "string" ? encoding : undefined);
    if (this.#ended) {
      this.#complain(done);
      return false;
    }
    if (this.#exchange.aborted) {
      if (done !== undefined) queueMicrotask(() => done(clientLeft()));
      return false;
    }
    if (this.#stream === null) this.#startStream();
    if (done === undefined) return this.#stream!.write(bytes);
    // Who waits for a chunk may then use its memory again, which the platform may still be reading. The slice of a Buffer
    // would be the same memory.
    return this.#stream!.write(typeof chunk === "string" ? bytes : new Uint8Array(bytes), done);
  }

  // Node emits the error even where nobody listens, which ends the process
  #complain(done: WriteCallback | undefined): void {
    const error = streamError("ERR_STREAM_WRITE_AFTER_END", "res.write or res.end got a chunk after res.end");
    queueMicrotask(() => {
      done?.(error);
      if (this.listenerCount("error") > 0) this.emit("error", error);
    });
    if (done === undefined && this.listenerCount("error") === 0) this.#exchange.app.logError(error);
  }

  /**
   * Ends the answer, with a last chunk if one is given. Without an earlier `write()` it is sent in one piece.
   *
   * @param chunk Text or bytes, or the callback
   * @param encoding Encoding of a text, or the callback
   * @param callback Runs when the answer is complete
   */
  end(
    chunk?: Chunk | null | WriteCallback,
    encoding?: string | WriteCallback | null,
    callback?: WriteCallback | null,
  ): this {
    if (typeof chunk === "function") return this.end(undefined, undefined, chunk);
    if (typeof encoding === "function") return this.end(chunk, undefined, encoding);
    const done = callbackOf(callback);
    if (this.#ended) return this.#endAgain(chunk, done);
    if (done !== undefined) this.#whenFinished(done);
    // a hook around end() may have taken a chunk away with `false`
    this.#endWith(chunk || null, encoding ?? undefined);
    return this;
  }

  // the head of an answer without a body may have left long before its handler ends it
  #whenFinished(callback: WriteCallback): void {
    if (this.#exchange.finished) queueMicrotask(callback);
    else this.once("finish", callback);
  }

  #endAgain(chunk: Chunk | null | undefined, callback: WriteCallback | undefined): this {
    // a hook around end() may pass on a chunk that it has already sent, for an answer that is broken off
    if (chunk && !this.#exchange.aborted) {
      this.#complain(callback);
      return this;
    }
    const error = streamError("ERR_STREAM_ALREADY_FINISHED", "res.end was called after the answer was complete");
    if (callback !== undefined) queueMicrotask(() => callback(error));
    return this;
  }

  #endWith(chunk: Chunk | null, encoding: string | undefined): void {
    const body = chunk === null || (typeof chunk === "string" && isUtf8(encoding))
      ? chunk
      : chunkBytes("res.end", chunk, encoding);
    if (this.#stream !== null) {
      if (body !== null) this.#stream.write(chunkBytes("res.end", body));
      this.#ended = true;
      this.#exchange.endsHere();
      return this.#stream.end();
    }
    this.#implicitHead();
    // a hook on writeHead may have begun to stream
    if (this.#stream !== null) return this.#endWith(chunk, encoding);
    this.#settle(body as string | Uint8Array<ArrayBuffer> | null);
    this.#ended = true;
    this.#exchange.finish();
  }

  /**
   * Answers with a body that is read as the client takes it.
   *
   * A middleware that replaced `write` or `end` (compression, sessions) gets every chunk instead.
   *
   * @param source The body
   */
  [streamKey](source: BodySource): void {
    if (this.write !== plain.write || this.end !== plain.end) {
      void pour(source, this, this.#exchange);
      return;
    }
    this.#implicitHead();
    const exchange = this.#exchange;
    const { app } = exchange;
    const body = new StreamedBody(source, {
      finish: () => {
        app.openStreams.delete(body);
        exchange.finish();
      },
      leave: () => {
        app.openStreams.delete(body);
        exchange.abandon();
      },
      fail: (error) => {
        app.openStreams.delete(body);
        app.logError(error);
        exchange.abandon();
      },
    });
    app.openStreams.add(body);
    exchange.streaming = body;
    const isTaken = this.#settle(body.stream);
    this.#ended = true;
    exchange.endsHere();
    if (isTaken && !exchange.aborted) return;
    exchange.finish();
    // nothing of it may be sent; a source that fails while it is given up has nobody left to tell
    body.stream.cancel().catch(() => {});
  }

  /**
   * Answers with a body that the platform sends by itself: a `Blob`, or a file as a stream or as all its bytes.
   *
   * @param body The body
   */
  [handOverKey](body: Blob | ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer>): void {
    const isReplaced = this.write !== plain.write || this.end !== plain.end;
    if (body instanceof Uint8Array) {
      if (!isReplaced) return void this.end(body);
      // a small file is piped as a large one is
      this.write(this.#nodeBytes(body));
      return void this.end();
    }
    if (isReplaced) return this[streamKey](body instanceof Blob ? body.stream() : body);
    this.#implicitHead();
    const isTaken = this.#settle(body);
    this.#ended = true;
    this.#exchange.finish();
    if (isTaken || body instanceof Blob) return;
    // nothing of it may be sent, or the client has left; a file that fails to close has nobody left to tell
    body.cancel().catch(() => {});
  }

  /**
   * Answers with a finished web response, as it is.
   *
   * @param response The answer
   * @param text Its body, where that is known
   */
  protected adopt(response: Response, text: string | null = null): void {
    this.statusCode = response.status;
    // a handler may answer a client that has left; what its body comes from must not be kept open
    if (!this.#take(response, text)) response.body?.cancel().catch(() => {});
  }

  /**
   * Answers with a value that the runtime itself has made JSON of.
   *
   * @param response The answer
   * @param value The value
   */
  protected adoptJson(response: Response, value: unknown): void {
    this.#take(response, new JsonBody(value));
  }

  // whether it is the answer the client gets
  #take(response: Response, body: string | JsonBody | null): boolean {
    this.#body = body;
    this.#sentStatus = response.status;
    this.#ended = true;
    const first = this.#exchange.settle(response);
    this.#exchange.finish();
    return first;
  }

  // who replaced a method that sends gathers Buffers
  #nodeBytes(chunk: string | Uint8Array): Uint8Array {
    return this.#exchange.app.runtimeFace.nodeBytes(chunkBytes("A body", chunk));
  }

  /** Whether a middleware replaced a method that sends, and must see what it would have seen on Node. */
  protected get hooked(): boolean {
    return this.end !== plain.end || this.write !== plain.write || this.writeHead !== plain.writeHead;
  }

  /** Whether no header was set and no method replaced, so that an answer can be made at one go. */
  get untouched(): boolean {
    return this.#headers.bare && this.#headers.contentType === undefined && !this.hooked;
  }

  /**
   * Ends the answer in one piece, with a body that is known to be whole. As in Express, who replaced a method that sends
   * finds its length in the headers, gets no body of an answer to HEAD, and what was sent as a `Buffer`.
   *
   * @param body The body, `null` for none
   * @param isPage Whether it is a page of the framework's own, which Express ends with as a text
   */
  [endWholeKey](body: string | Uint8Array<ArrayBuffer> | null, isPage: boolean = false): void {
    if (this.hooked) {
      if (body !== null && !this.hasHeader("Transfer-Encoding")) {
        this.setHeader("Content-Length", String(lengthOf(body)));
      }
      if (body === null || this.#exchange.method === "HEAD") this.end();
      else if (isPage || this.end === plain.end) this.end(body, "utf8");
      else this.end(this.#nodeBytes(body));
    } else if (this.#ended || this.#stream !== null) {
      this.end(body);
    } else {
      this.#settle(body === "" ? null : body);
      this.#ended = true;
      this.#exchange.finish();
    }
  }

  // middleware such as on-headers replaces writeHead to learn when the headers are about to leave
  #implicitHead(): void {
    if (this.#sentStatus !== 0 || this.writeHead === plain.writeHead) return;
    this.writeHead(this.statusCode);
  }

  #startStream(): void {
    this.#implicitHead();
    if (this.#stream !== null) return;
    const exchange = this.#exchange;
    const { openStreams } = exchange.app;
    openStreams.add(this);
    exchange.streaming = this;
    this.#stream = new BodyStream({
      drain: () => void this.emit("drain"),
      finish: () => {
        openStreams.delete(this);
        exchange.finish();
      },
      leave: () => {
        openStreams.delete(this);
        exchange.abandon();
      },
    });
    if (this.#settle(this.#stream.readable)) return;
    this.#stream.discard();
    // there is nothing to cut
    openStreams.delete(this);
    // The client has all it will get, and may leave without anybody being told. But a pipe is left to end by itself: where
    // its destination closes first, it leaves its source open, a file for one.
    queueMicrotask(() => this[piped] || exchange.finish());
  }

  // whether the client gets the body, which is for whoever makes it as it is taken to know
  #settle(body: WebBody): boolean {
    const exchange = this.#exchange;
    const headers = this.#headers;
    const status = this.#sentStatus || this.statusCode;
    const isHead = exchange.method === "HEAD";
    const framed = headers.framed || isHead || !mayHaveContent(status)
      ? frame(status, isHead, headers, body, exchange.app)
      : body;
    const reason = !this.#reason || this.#reason === statusText(status) ? "" : this.#reason;
    let isFirst: boolean;
    try {
      isFirst = exchange.settle(webResponse(status, reason, headers, framed, exchange.app));
    } catch (error) {
      // nothing has left yet, so an error handler may still answer
      this.#sentStatus = 0;
      throw error;
    }
    this.#body = framed;
    this.#sentStatus = status;
    return isFirst && framed !== null && !isHead;
  }

  /**
   * Refuses what comes too late.
   *
   * @param method The caller's name for the error message
   * @throws {Error} If the headers are out already (`ERR_HTTP_HEADERS_SENT`)
   */
  protected assertOpen(method: string): void {
    if (this.#sentStatus === 0) return;
    throw streamError(
      "ERR_HTTP_HEADERS_SENT",
      `${method}: cannot set headers after they are sent to the client; the answer was given already`,
    );
  }

  /** Node's name for "the headers are out", which some middleware reads, and Node's own `setHeader` first of all. */
  get _header(): string | null {
    if (!OutgoingMessage.#isShown) OutgoingMessage.#show(this.#exchange.app.runtimeFace.nodeHeadersKey());
    return this.#sentStatus === 0 ? null : `HTTP/1.1 ${this.#sentStatus}`;
  }

  /** Node's name for "a body may be sent", which middleware reads that gathers one. */
  get _hasBody(): boolean {
    return this.#exchange.method !== "HEAD" && mayHaveContent(this.#sentStatus || 200);
  }

  // npm's cookies sets headers by that setHeader, and with it Koa, whose applications can be mounted
  static #show(key: symbol | undefined): void {
    OutgoingMessage.#isShown = true;
    if (key === undefined) return;
    Object.defineProperty(OutgoingMessage.prototype, key, {
      get(this: OutgoingMessage) {
        const set = (_: object, _key: unknown, [name, value]: [string, HeaderValue]): boolean => {
          this.setHeader(name, value);
          return true;
        };
        return new Proxy({}, { set });
      },
    });
  }

  /** Asked by Node's own `setHeader`. */
  _isLenientHeaderValidation(): boolean {
    return false;
  }

  /** Node's internal way to fix the headers, which some middleware calls. */
  _implicitHeader(): void {
    this.writeHead(this.statusCode);
  }

  /**
   * Sets the time in which the answer has to begin: then the listeners of `timeout` are called, or where there are none it
   * is broken off. An answer under way is left alone: idle connections are the platform's business.
   *
   * @param ms The time; 0 for none
   * @param callback Listens for `timeout`
   */
  setTimeout(ms: number, callback?: () => void): this {
    if (callback !== undefined) this.on("timeout", callback);
    this.socket.setTimeout(ms);
    return this;
  }

  /** Accepted for programs that gather small chunks; the platform does so by itself. */
  cork(): void {}

  /** The counterpart of {@linkcode OutgoingMessage.cork}. */
  uncork(): void {}

  /** Accepted and not sent, for no web response has trailers. */
  addTrailers(_headers: HeaderInit): void {}

  /** Accepted and not sent, for there is one web response to a request; the callback runs. */
  writeEarlyHints(_hints: Record<string, string | string[]>, callback?: () => void): void {
    if (callback !== undefined) queueMicrotask(callback);
  }

  /** Breaks the answer off: a started body is cut, and an answer that has not begun is refused. */
  destroy(error?: Error): this {
    this.#ended = true;
    this.#exchange.app.openStreams.delete(this);
    if (this.#stream !== null) this.#stream.destroy(error ?? new Error("The answer was broken off"));
    this.#exchange.breakOff(error);
    return this;
  }

  /** Calls the listeners of an event. */
  override emit(event: EventName, ...args: unknown[]): boolean {
    if (event === "pipe") this[piped] = true;
    return super.emit(event, ...args);
  }

  /** Adds a listener that runs once. */
  override once(event: EventName, listener: Listener): this {
    // Node's once goes by way of on, which compression replaces for those who wait for "drain"
    return this.on === plain.on ? super.once(event, listener) : this.on(event, runningOnce(this, event, listener));
  }

  /** Adds a listener that runs once, in front of the others. */
  override prependOnceListener(event: EventName, listener: Listener): this {
    return this.prependListener === plain.prependListener
      ? super.prependOnceListener(event, listener)
      : this.prependListener(event, runningOnce(this, event, listener));
  }

  /** Has `finish` come when the answer is complete, and `close` when the exchange is over. */
  override [listenedTo](event: EventName): void {
    if (this.#watched || (event !== "finish" && event !== "close")) return;
    this.#watched = true;
    const exchange = this.#exchange;
    exchange.onEnd(() => {
      if (exchange.finished) this.emit("finish");
      this.emit("close");
    }, true);
  }
}

/** What the runtime has made JSON of; few ask for the text, or its length, afterwards. */
class JsonBody {
  readonly #value: unknown;

  constructor(value: unknown) {
    this.#value = value;
  }

  get text(): string {
    return JSON.stringify(this.#value);
  }
}

const plain = OutgoingMessage.prototype;

// callers pass on what they were given, and null counts for nothing as in Node
function callbackOf(given: unknown): WriteCallback | undefined {
  return typeof given === "function" ? given as WriteCallback : undefined;
}

function isUtf8(encoding: string | undefined): boolean {
  return encoding === undefined || encoding === "utf8" || encoding === "utf-8";
}

function streamError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

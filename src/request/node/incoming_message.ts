import { asciiLowerCase } from "../../util/ascii.ts";
import { assignIfDerived, assignOwn, makeAssignable } from "../../util/assignable.ts";
import { Emitter, listenedTo, listenerFailed, tell } from "../../util/emitter.ts";
import type { EventName } from "../../util/emitter_methods.ts";
import { isHeaderName } from "../../http/header_values.ts";
import { isOriginal, originalKey, originalOf } from "../../util/original_object.ts";
import { type Exchange, exchangeFor, exchangeKey, exchangeOf } from "../../exchange/exchange.ts";
import { type HeaderRecord, headerRecord, type HeaderVisit } from "./header_record.ts";
import { failListener } from "../../exchange/fail_listener.ts";
import type { Peer } from "../../exchange/peer.ts";
import type { Destination } from "./body_pipes.ts";
import { given } from "../../exchange/derived_object.ts";
import { connectionReset } from "../body/body_errors.ts";
import { bodyOf, hasBody, isBodyRead } from "../body/request_body.ts";
import { ReadableBody } from "./readable_body.ts";
import { RequestState, requestStateKey } from "./request_state.ts";
import { RequestSocket, type Timed } from "./request_socket.ts";
import { webRequestOf } from "../../exchange/web_request.ts";
import { runtimeKey } from "../../util/runtime_key.ts";

/** Key of the method that reads one header, for internal use. */
export const readHeaderKey: unique symbol = Symbol("sluice.header");

/**
 * A web `Request` with the API of Node's `http.IncomingMessage`, so Express middleware runs unmodified.
 *
 * Everything is created on first use: reading one header of a web request costs more than the rest of a dispatch.
 */
export abstract class IncomingMessage extends Emitter {
  /**
   * The exchange, for internal use.
   *
   * @internal
   */
  abstract readonly [exchangeKey]: Exchange;

  /**
   * State of the Node API, created on first use.
   *
   * @internal
   */
  abstract [requestStateKey]: RequestState | null;

  /** HTTP version; always "1.1" except on Node, because no other runtime reports the real one. */
  declare readonly httpVersion: string;
  /** Major HTTP version; see `httpVersion`. */
  declare readonly httpVersionMajor: number;
  /** Minor HTTP version; see `httpVersion`. */
  declare readonly httpVersionMinor: number;

  static {
    Object.assign(this.prototype, { httpVersion: "1.1", httpVersionMajor: 1, httpVersionMinor: 1 });
  }

  /** The web request as the platform delivered it. */
  get request(): Request {
    const request = exchangeOf(this)?.target.request;
    return (request === undefined ? undefined : webRequestOf(request)) as Request;
  }

  /**
   * The platform's second argument: `Deno.ServeHandlerInfo`, Bun's server, a Worker's `env`, Netlify's and Vercel's
   * `context`, or a `NodeInfo`, `LambdaInfo` or `FastlyInfo` from Sluice's entry points.
   */
  get info(): unknown {
    return exchangeOf(this)?.info;
  }

  /** HTTP method in capitals; assign it to override (`method-override`). */
  get method(): string {
    return exchangeOf(this)?.target.method as string;
  }

  set method(value: string) {
    if (!assignIfDerived(this, "method", value)) this[exchangeKey].target.overrideMethod(value);
  }

  /** Path and query below the mount point; if assigned, the following layers match the new URL. */
  get url(): string {
    return exchangeOf(this)?.target.url as string;
  }

  set url(value: string) {
    if (!assignIfDerived(this, "url", value)) this[exchangeKey].target.url = value;
  }

  /**
   * Headers by lower-case name. `req.get()` sees changes made here. For an in-process request, `Host` comes from its
   * URL, and its body is announced as chunked.
   */
  get headers(): HeaderRecord {
    const state = stateOf(this);
    const exchange = exchangeOf(this);
    if (exchange === null) return state.headers ??= {};
    if (state.headers === null) {
      const { request } = exchange.target;
      state.headers = exchange.app[runtimeKey].headers?.(request) ?? null;
      if (state.headers !== null) return state.headers;
      const received = copied(this, "req.headers", headerRecord);
      if (received !== undefined && received["host"] === undefined) announceBody(received, exchange);
      state.headers = received ?? {};
      state.headers["host"] ??= authorityOf(request.url);
    }
    return state.headers;
  }

  set headers(value: HeaderRecord) {
    if (!assignIfDerived(this, "headers", value)) stateOf(this).headers = value;
  }

  /** Alternating header names and values, like Node's `rawHeaders`; as received, if the runtime preserves that. */
  get rawHeaders(): string[] {
    const list: string[] = [];
    copied(this, "req.rawHeaders", (visit) => visit((value, name) => list.push(name, value)));
    return list;
  }

  /** Lists of values by lower-case header name, like Node's `headersDistinct`, unless the runtime has joined them. */
  get headersDistinct(): Record<string, string[]> {
    const lists: Record<string, string[]> = Object.create(null);
    copied(
      this,
      "req.headersDistinct",
      (visit) => visit((value, name) => (lists[asciiLowerCase(name)] ??= []).push(value)),
    );
    const { host } = this.headers;
    if (host !== undefined) lists["host"] ??= [host];
    return lists;
  }

  /**
   * Reads one header without copying the rest.
   *
   * @param name Header name, case-insensitive
   * @returns The value, `undefined` if the header is absent
   *
   * @internal
   */
  [readHeaderKey](name: string): string | undefined {
    // derived requests may have their own headers
    if (this[originalKey] !== this) return this.headers?.[asciiLowerCase(name)] as string | undefined;
    // through the public property, because validators may redefine it with defaults filled in
    if (this[requestStateKey]?.headers) return this.headers[asciiLowerCase(name)] as string | undefined;
    let value: string | null = null;
    try {
      const { app, target: { request } } = this[exchangeKey];
      value = isKept(this) ? request.headers.get(name) : app[runtimeKey].header(request, name);
    } catch (cause) {
      // an invalid name cannot be a header's, so this is not an error
      if (isHeaderName(name)) assertLate(this, `req.get(${JSON.stringify(name)})`, cause);
    }
    if (value !== null) return value;
    return name.length === 4 && asciiLowerCase(name) === "host"
      ? authorityOf(this[exchangeKey].target.request.url)
      : undefined;
  }

  /** Headers after a chunked body, on Node once the body has ended; other runtimes report no trailers. */
  get trailers(): Record<string, string> {
    return nodesTrailers(this)?.trailers ?? {};
  }

  /** Alternating trailer names and values; see {@linkcode IncomingMessage.trailers}. */
  get rawTrailers(): string[] {
    return nodesTrailers(this)?.rawTrailers ?? [];
  }

  /** Lists of trailer values by lower-case name; see {@linkcode IncomingMessage.trailers}. */
  get trailersDistinct(): Record<string, string[]> {
    return nodesTrailers(this)?.trailersDistinct ?? Object.create(null);
  }

  /** The other end of the connection. */
  get peer(): Peer {
    return exchangeOf(this)?.peer as Peer;
  }

  /** The connection: the part of Node's socket that middleware uses. */
  get socket(): RequestSocket {
    const exchange = exchangeOf(this);
    if (exchange === null) return undefined as unknown as RequestSocket;
    return stateOf(this).socket ??= new RequestSocket(exchange, originalOf(this) as unknown as Timed);
  }

  /** Node's older name for {@linkcode IncomingMessage.socket}. */
  get connection(): RequestSocket {
    return this.socket;
  }

  /**
   * Aborts only when the client disconnects before the response is complete; Deno's own `request.signal` also aborts
   * after every normal response.
   */
  get signal(): AbortSignal {
    const state = stateOf(this);
    if (state.leaving === null) {
      const leaving = state.leaving = new AbortController();
      exchangeOf(this)?.onAbort(() =>
        leaving.abort(new DOMException("The client closed the connection", "AbortError"))
      );
    }
    return state.leaving.signal;
  }

  /** Whether the client disconnected before the response was complete. */
  get aborted(): boolean {
    return exchangeOf(this)?.aborted ?? false;
  }

  /** The same as {@linkcode IncomingMessage.aborted}, under Node's newer name. */
  get readableAborted(): boolean {
    return this.aborted;
  }

  /** Whether no more data will come: the client disconnected, the response is complete, or the body was read. */
  get destroyed(): boolean {
    const exchange = exchangeOf(this);
    const readable = readableIn(this);
    return (exchange?.aborted ?? false) || (readable?.destroyed ?? isOver(exchange));
  }

  /** Why the body's end will not come: the client disconnected, or the body failed or was destroyed; otherwise `null`. */
  get errored(): Error | null {
    const failure = readableIn(this)?.failure as Error | undefined;
    return failure ?? (this.aborted && !this.readableEnded ? connectionReset() : null);
  }

  /** Whether `close` was emitted, or would have been on Node, where fully reading a body closes the request. */
  get closed(): boolean {
    const exchange = exchangeOf(this);
    const readable = readableIn(this);
    return (exchange?.aborted ?? false) || (readable?.closed ?? (isOver(exchange) || this.readableEnded));
  }

  /** Whether the whole body has been received. */
  get complete(): boolean {
    const readable = readableIn(this);
    if (readable?.reader.broken) return false;
    const exchange = exchangeOf(this);
    if (exchange === null) return false;
    return readable?.reader.received || bodyOf(exchange.target.request) === null || this.readableEnded;
  }

  /** Whether the body was read to its end, by a parser or as a stream, or can no longer be read after the response. */
  get readableEnded(): boolean {
    const exchange = exchangeOf(this);
    return exchange !== null &&
      (readableIn(this)?.hasEnded() ?? (exchange.finished || isBodyRead(exchange)));
  }

  /** Whether part of the body was read, so it can no longer be read as a whole. */
  get readableDidRead(): boolean {
    const exchange = exchangeOf(this);
    return (readableIn(this)?.taken ?? 0) > 0 || (exchange !== null && isBodyRead(exchange));
  }

  /** Size of the data waiting for `read()`: bytes, or characters once an encoding is set. */
  get readableLength(): number {
    return readableIn(this)?.length ?? 0;
  }

  /** Whether the body is flowing; `null` before it is read. */
  get readableFlowing(): boolean | null {
    return readableIn(this)?.flowing ?? null;
  }

  /** The encoding set by `setEncoding`, or `null` if there is none. */
  get readableEncoding(): string | null {
    return readableIn(this)?.reader.encoding ?? null;
  }

  /** Bytes that Node would buffer. */
  get readableHighWaterMark(): number {
    return 65536;
  }

  /** Always `false`: chunks are bytes or strings. */
  get readableObjectMode(): boolean {
    return false;
  }

  /** Node's internal stream state, by which `Readable.toWeb` and others recognize a stream. */
  get _readableState(): Record<string, unknown> | undefined {
    if (exchangeOf(this) === null) return undefined;
    const { readableEncoding: encoding, readableEnded: endEmitted, readableLength: length, errored } = this;
    const ended = endEmitted || (readableIn(this)?.reader.received ?? false);
    const closed = endEmitted || this.destroyed;
    return { encoding, ended, endEmitted, length, errored, closed, autoDestroy: true, emitClose: true };
  }

  /** Starts reading the body for the first `data` or `readable` listener, as in Node. */
  override [listenedTo](event: EventName, first: boolean): void {
    // a test that created it from the prototype emits everything itself
    if (exchangeOf(this) === null) return;
    // if the body is not read, `end` comes after the response
    if (event === "end") stateOf(this).endAwaited ||= !this.readableEnded;
    if (event === "end" || event === "close" || event === "aborted" || event === "error") {
      return announceEnd(originalOf<IncomingMessage>(this));
    }
    // as in Node, prepended listeners do not start the flow
    if (first) return;
    if (event === "data") readableOf(this, "req.on").listen();
    else if (event === "readable") readableOf(this, "req.on").announce();
  }

  /** Reports an error thrown by a listener, which would crash the process on Node. */
  override [listenerFailed](error: unknown): void {
    const exchange = exchangeOf(this);
    if (exchange === null) throw error;
    failListener(exchange.app, this, error);
  }

  /** Whether there may be more to read. */
  get readable(): boolean {
    return exchangeOf(this) !== null && !this.readableEnded &&
      readableIn(this)?.ended !== true;
  }

  /**
   * The next chunk, for `readable` listeners.
   *
   * @param size Number of bytes, or characters once an encoding is set; by default, everything that has arrived
   * @returns The chunk; `null` if not enough has arrived yet, or no more will come
   */
  read(size?: number): Uint8Array | string | null {
    return readableOf(this, "req.read").read(size);
  }

  /**
   * Puts a chunk back in front of the unread data.
   *
   * @param chunk Bytes or a string
   * @param encoding Node's name for the string's encoding, UTF-8 by default
   */
  unshift(chunk: Uint8Array | string, encoding?: string): void {
    readableOf(this, "req.unshift").unshift(chunk, encoding);
  }

  /** Starts or continues the flow of `data` events. */
  resume(): this {
    readableOf(this, "req.resume").resume();
    return this;
  }

  /** Pauses the flow of `data` events. */
  pause(): this {
    readableOf(this, "req.pause").pause();
    return this;
  }

  /** Whether the flow is paused. */
  isPaused(): boolean {
    return readableIn(this)?.held ?? false;
  }

  /**
   * Makes `data` events carry strings.
   *
   * @param encoding Node's name for an encoding, or the web's label for a charset
   * @throws {TypeError} If it is unknown
   */
  setEncoding(encoding = "utf8"): this {
    readableOf(this, "req.setEncoding").setEncoding(encoding);
    return this;
  }

  /** Pipes the body to a writable with back-pressure and ends it unless `end` is `false`. */
  pipe<T extends Destination>(destination: T, options: { end?: boolean } = {}): T {
    return readableOf(this, "req.pipe").pipe(destination, options);
  }

  /** Stops piping to the given writable, or to all of them. */
  unpipe(destination?: Destination): this {
    readableOf(this, "req.unpipe").unpipe(destination);
    return this;
  }

  /**
   * Sets the time within which a response must begin; see {@linkcode RequestSocket.setTimeout}.
   *
   * @param ms The time in ms; 0 means no limit
   * @param listener Listens for `timeout`, which a request emits while its body is still arriving
   */
  setTimeout(ms: number, listener?: () => void): this {
    if (listener !== undefined) this.on("timeout", listener);
    given(this.socket, "req.setTimeout", "req.socket").setTimeout(ms);
    return this;
  }

  /**
   * Stops reading the body and, unless it was read to its end, closes the connection, as in Node. After a failed
   * `pipeline()` from `node:stream`, which destroys its source, the handler can still respond.
   */
  destroy(error?: Error): this {
    const exchange = exchangeOf(this);
    if (exchange === null) return this;
    const readable = readableOf(this, "req.destroy");
    const breaksOff = !readable.ended && !stateOf(this).detached;
    readable.destroy(error);
    if (breaksOff) exchange.breakOff(error);
    return this;
  }

  /** The body's chunks as they arrive: bytes, or strings once an encoding is set. */
  // deno-lint-ignore no-explicit-any -- as in Node's types, which cannot know the encoding
  [Symbol.asyncIterator](): AsyncIterableIterator<any> {
    return readableOf(this, "for await (… of req)").chunks();
  }

  /**
   * The chunks as they arrive, for loops that may stop before the body ends.
   *
   * @param options `destroyOnReturn: false` keeps the rest of the body readable
   */
  // deno-lint-ignore no-explicit-any -- as above
  iterator(options: { destroyOnReturn?: boolean } = {}): AsyncIterableIterator<any> {
    return readableOf(this, "req.iterator").chunks(options.destroyOnReturn === false);
  }

  /** All the body's chunks. */
  // deno-lint-ignore no-explicit-any -- as above
  async toArray(): Promise<any[]> {
    const chunks = [];
    for await (const chunk of this) chunks.push(chunk);
    return chunks;
  }
}

// Node's oldest name for the socket, used to read certificates; Node's types also lack it
Object.defineProperty(IncomingMessage.prototype, "client", {
  get(this: IncomingMessage) {
    return this.socket;
  },
  configurable: true,
});

// Programs and packages may store their own values under these names: Express lacks the first four, and the others are
// plain fields on Node. `req.connection = await pool.getConnection()` is common.
makeAssignable(IncomingMessage.prototype, [
  ...["request", "info", "peer", "signal"],
  ...["client", "connection", "complete", "aborted", "rawHeaders", "headersDistinct"],
  ...["destroyed", "readable", "_readableState"],
  ...["trailers", "rawTrailers", "trailersDistinct"],
]);

// tests that create a request from the prototype assign either name, as on Node
Object.defineProperty(IncomingMessage.prototype, "connection", {
  ...Object.getOwnPropertyDescriptor(IncomingMessage.prototype, "connection"),
  set(this: IncomingMessage, value: RequestSocket) {
    assignOwn(this, exchangeOf(this) === null ? "socket" : "connection", value);
  },
});

// Before pipeline() destroys a server's request, which it recognizes by two private fields, it removes the socket to
// keep the connection open. All other code can still use the socket.
Object.defineProperty(IncomingMessage.prototype, "socket", {
  ...Object.getOwnPropertyDescriptor(IncomingMessage.prototype, "socket"),
  set(this: IncomingMessage, value: unknown) {
    if (value === null && isOriginal(this)) stateOf(this).detached = true;
    else assignOwn(this, "socket", value);
  },
});
Object.assign(IncomingMessage.prototype, { _consuming: false, _dumped: false });

/** The part of Node's request that has the trailers. */
interface Trailers {
  readonly trailers: Record<string, string>;
  readonly rawTrailers: string[];
  readonly trailersDistinct: Record<string, string[]>;
}

function nodesTrailers(message: IncomingMessage): Trailers | undefined {
  const req = (exchangeOf(message)?.info as { req?: Trailers } | null | undefined)?.req;
  return Array.isArray(req?.rawTrailers) ? req : undefined;
}

function stateOf(message: IncomingMessage): RequestState {
  return originalOf(message)[requestStateKey] ??= new RequestState();
}

// Whether the headers were copied because the client disconnected. Deno may be releasing the original on this very
// tick, and reading it then crashes the process.
function isKept(message: IncomingMessage): boolean {
  const { aborted, app } = message[exchangeKey];
  return aborted && app[runtimeKey].keepHeaders !== undefined;
}

function copied<T>(message: IncomingMessage, what: string, copy: (visit: HeaderVisit) => T): T | undefined {
  if (exchangeOf(message) === null) return undefined;
  const { app, target: { request } } = message[exchangeKey];
  try {
    if (isKept(message)) return copy((visitor) => request.headers.forEach(visitor));
    return copy((visitor) => app[runtimeKey].visitHeaders(request, visitor));
  } catch (cause) {
    assertLate(message, what, cause);
  }
}

// Callers this late are mostly loggers, and nothing would catch an error thrown there. Nor must a handler fail halfway
// if code around the application, such as a deadline, has already responded.
function assertLate(message: IncomingMessage, what: string, cause: unknown): void {
  const { app, awaited } = message[exchangeKey];
  if (awaited) message[exchangeKey].disconnect();
  else if (message[exchangeKey].response === null) throw cause;
  const advice = "read it before the response, in a listener of res, or in a handler whose promise has not settled";
  const late = new Error(`${what} came after the runtime had released the headers: ${advice}`, { cause });
  app.reportError(late, { req: message, phase: "listener" });
}

function readableOf(message: IncomingMessage, caller: string): ReadableBody {
  const exchange = exchangeFor(message, caller);
  const state = stateOf(message);
  if (state.readable !== null) return state.readable;
  const readable = state.readable = new ReadableBody(exchange, originalOf(message));
  // nothing comes after `close`
  if (state.closed) readable.ended = readable.destroyed = readable.closed = true;
  return readable;
}

// the body as a stream, if it is in use as one
function readableIn(message: IncomingMessage): ReadableBody | null {
  return originalOf(message)[requestStateKey]?.readable ?? null;
}

function isOver(exchange: Exchange | null): boolean {
  return exchange !== null && (exchange.aborted || exchange.finished);
}

function announceEnd(message: IncomingMessage): void {
  const state = stateOf(message);
  if (state.announced) return;
  state.announced = true;
  let wasRead = false;
  message[exchangeKey].onAbort(() => {
    // on the next tick, Deno closes the request, and its body then counts as used
    wasRead = message.readableEnded;
  });
  message[exchangeKey].onAbortLater(() => tell(message, "aborted"));
  message[exchangeKey].onEnd(() => {
    if (message.aborted) tellOfCut(message, state.readable, wasRead);
    if (state.readable !== null) return state.readable.closeWithExchange(state.endAwaited);
    // the body has not been read
    state.closed = true;
    if (!message.aborted && state.endAwaited) tell(message, "end");
    tell(message, "close");
  });
}

function tellOfCut(message: IncomingMessage, readable: ReadableBody | null, wasRead: boolean): void {
  if (readable?.reader.begun) readable.cut();
  else if (!wasRead && message.listenerCount("error") > 0) tell(message, "error", connectionReset());
}

// A request made in process or over HTTP/2 has only the headers that its creator set. npm's parsers look for a body
// only if one is announced.
function announceBody(headers: HeaderRecord, exchange: Exchange): void {
  if (headers["content-length"] === undefined && hasBody(exchange)) headers["transfer-encoding"] ??= "chunked";
}

function authorityOf(url: string): string | undefined {
  // on Bun, the URL of a request without a valid Host
  if (url.startsWith("/")) return undefined;
  const start = url.indexOf("://") + 3;
  const end = url.slice(start).search(/[/?#]/);
  const authority = end === -1 ? url.slice(start) : url.slice(start, start + end);
  return authority.slice(authority.lastIndexOf("@") + 1) || undefined;
}

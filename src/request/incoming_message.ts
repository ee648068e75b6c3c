import { Emitter, listenedTo } from "../http/emitter.ts";
import type { EventName } from "../http/emitter_methods.ts";
import { isHeaderName } from "../http/header_values.ts";
import { type Exchange, exchangeKey } from "./exchange.ts";
import { type HeaderRecord, headerRecord, type HeaderVisit } from "./header_record.ts";
import type { Peer } from "./peer.ts";
import { bodyOf, connectionReset, type Destination, ReadableFace } from "./readable_face.ts";
import { RequestState } from "./request_state.ts";
import { SocketFace, type Timed } from "./socket_face.ts";

/**
 * A web `Request` with the face of Node's `http.IncomingMessage`, so that Express middleware runs unmodified.
 *
 * Everything is made on first touch: reading one header of a web request costs more than the rest of a dispatch.
 */
export class IncomingMessage extends Emitter {
  readonly #exchange: Exchange;
  #state: RequestState | null = null;

  /** Major and minor version together; "1.1" where the platform does not tell the real one, as only Node does. */
  declare readonly httpVersion: string;
  /** Major version of HTTP, as far as middleware cares. */
  declare readonly httpVersionMajor: number;
  /** Minor version of HTTP, as far as middleware cares. */
  declare readonly httpVersionMinor: number;

  static {
    Object.assign(this.prototype, { httpVersion: "1.1", httpVersionMajor: 1, httpVersionMinor: 1 });
  }

  /**
   * Wraps an exchange; the framework does this for every request.
   *
   * @param exchange The exchange this request belongs to
   */
  constructor(exchange: Exchange) {
    super();
    this.#exchange = exchange;
  }

  get #made(): RequestState {
    return this.#state ??= new RequestState();
  }

  /** The exchange, for the framework's own use. */
  get [exchangeKey](): Exchange {
    return this.#exchange;
  }

  /** The web request as the platform delivered it. */
  get request(): Request {
    return this.#exchange.request;
  }

  /** What the platform passed beside the request: `Deno.ServeHandlerInfo`, a Bun server, a Worker's `env`. */
  get info(): unknown {
    return this.#exchange.info;
  }

  /** HTTP method in capitals; assign it to override (`method-override`). */
  get method(): string {
    return this.#exchange.method;
  }

  set method(value: string) {
    this.#exchange.method = value;
  }

  /** Path and query below the mount point; rewriting it re-matches the layers that follow. */
  get url(): string {
    return this.#exchange.url;
  }

  set url(value: string) {
    this.#exchange.url = value;
  }

  /**
   * Headers by lower-case name; changes made here are what `req.get()` reads afterwards.
   * The `Host` of a request made in process is taken from its URL.
   */
  get headers(): HeaderRecord {
    const state = this.#made;
    if (state.headers === null) {
      state.headers = this.#copied("req.headers", headerRecord) ?? {};
      state.headers["host"] ??= authorityOf(this.request.url);
    }
    return state.headers;
  }

  set headers(value: HeaderRecord) {
    this.#made.headers = value;
  }

  /** Header names and values in turn, as Node's `rawHeaders`: as they came, where the runtime keeps that. */
  get rawHeaders(): string[] {
    const list: string[] = [];
    this.#copied("req.rawHeaders", (visit) => visit((value, name) => list.push(name, value)));
    return list;
  }

  /** Headers by lower-case name, each with a list, as Node's `headersDistinct`, unless the runtime has joined them. */
  get headersDistinct(): Record<string, string[]> {
    const lists: Record<string, string[]> = Object.create(null);
    this.#copied(
      "req.headersDistinct",
      (visit) => visit((value, name) => (lists[name.toLowerCase()] ??= []).push(value)),
    );
    const { host } = this.headers;
    if (host !== undefined) lists["host"] ??= [host];
    return lists;
  }

  #copied<T>(what: string, copy: (visit: HeaderVisit) => T): T | undefined {
    const { app, request } = this.#exchange;
    try {
      return copy((visitor) => app.runtimeFace.visitHeaders(request, visitor));
    } catch (cause) {
      this.#assertLate(what, cause);
    }
  }

  // who asks so late is mostly about to write a line of a log, and nobody is left to catch what is thrown there
  #assertLate(what: string, cause: unknown): void {
    const { app, response } = this.#exchange;
    if (response === null) throw cause;
    const advice = "read it before the answer, in a listener of res, or in a handler whose promise has not settled";
    app.logError(new Error(`${what} came when the runtime had taken the headers back: ${advice}`, { cause }));
  }

  /**
   * Reads one header without copying the others.
   *
   * @param name Header name, in any case
   * @returns The value, `undefined` when the header is absent
   */
  protected lookupHeader(name: string): string | undefined {
    // by its public name, for a validator may have defined that anew, with defaults in it
    if (this.#state !== null && this.#state.headers !== null) return this.headers[name.toLowerCase()];
    let value: string | null = null;
    try {
      const { app, request } = this.#exchange;
      value = app.runtimeFace.header(request, name);
    } catch (cause) {
      // no request has a header of a name that none can have
      if (isHeaderName(name)) this.#assertLate(`req.get(${JSON.stringify(name)})`, cause);
    }
    if (value !== null) return value;
    return name.length === 4 && name.toLowerCase() === "host" ? authorityOf(this.request.url) : undefined;
  }

  /** The other end of the connection. */
  get peer(): Peer {
    return this.#exchange.peer;
  }

  /** The connection, as far as middleware may look at it. */
  get socket(): SocketFace {
    return this.#made.socket ??= new SocketFace(this.#exchange, this.peer, this as unknown as Timed);
  }

  /** Node's older name of {@linkcode IncomingMessage.socket}. */
  get connection(): SocketFace {
    return this.socket;
  }

  /**
   * Aborts when the client leaves before the answer is complete, and only then: Deno's own `request.signal` also
   * fires after every normal answer.
   */
  get signal(): AbortSignal {
    const state = this.#made;
    if (state.leaving === null) {
      const leaving = state.leaving = new AbortController();
      this.#exchange.onLeave(() => leaving.abort(new DOMException("The client closed the connection", "AbortError")));
    }
    return state.leaving.signal;
  }

  /** Whether the client left before the answer was complete. */
  get aborted(): boolean {
    return this.#exchange.aborted;
  }

  /** Whether the client left before the answer was complete, by Node's newer name. */
  get readableAborted(): boolean {
    return this.aborted;
  }

  /** Whether nothing more will come: the client has left, the answer is complete, or a stream of the body is over. */
  get destroyed(): boolean {
    return this.#exchange.aborted || this.#exchange.finished || (this.#state?.readable?.ended ?? false);
  }

  /** Whether the body has been received to its end. */
  get complete(): boolean {
    if (this.#state?.readable?.broken) return false;
    return bodyOf(this.request) === null || this.readableEnded;
  }

  /** Whether the body was read to its end, by a body parser, as a stream, or by nobody at all before the answer. */
  get readableEnded(): boolean {
    return this.#state?.readable?.ended ?? (this.#exchange.finished || this.request.bodyUsed);
  }

  /** What waits for `read()`, in bytes, or in characters once there is an encoding. */
  get readableLength(): number {
    return this.#state?.readable?.length ?? 0;
  }

  /** Whether the body flows, `null` before anybody reads it. */
  get readableFlowing(): boolean | null {
    return this.#state?.readable?.flowing ?? null;
  }

  /** The encoding that was set. */
  get readableEncoding(): string | null {
    return this.#state?.readable?.encoding ?? null;
  }

  /** What Node would keep of a body. */
  get readableHighWaterMark(): number {
    return 65536;
  }

  /** Chunks are bytes or text. */
  get readableObjectMode(): boolean {
    return false;
  }

  /** Node's record of a stream, by which `Readable.toWeb` and others know one. */
  get _readableState(): Record<string, unknown> {
    const { readableEncoding: encoding, readableEnded: ended, readableLength: length } = this;
    const closed = ended || this.destroyed;
    return { encoding, ended, endEmitted: ended, length, closed, autoDestroy: true, emitClose: true };
  }

  get #stream(): ReadableFace {
    return this.#made.readable ??= new ReadableFace(this.#exchange, this);
  }

  /** Starts reading the body for the first listener for `data` or `readable`, as in Node. */
  override [listenedTo](event: EventName, first: boolean): void {
    // of a body that nobody reads it comes behind the answer
    if (event === "end") this.#made.endAwaited ||= !this.readableEnded;
    if (event === "end" || event === "close" || event === "aborted" || event === "error") return this.#announceEnd();
    // as in Node, what is put in front of the others begins nothing
    if (first) return;
    if (event === "data") this.#stream.listen();
    else if (event === "readable") this.#stream.offer();
  }

  #announceEnd(): void {
    const state = this.#made;
    if (state.announced) return;
    state.announced = true;
    this.#exchange.onLeave(() => this.emit("aborted"));
    this.#exchange.onEnd(() => {
      this.#tellOfBody(state);
      this.emit("close");
    });
  }

  #tellOfBody({ endAwaited, readable }: RequestState): void {
    if (!this.aborted) return void (endAwaited && readable === null && this.emit("end"));
    if (readable !== null) readable.cut();
    else if (!this.readableEnded && this.listenerCount("error") > 0) this.emit("error", connectionReset());
  }

  /** Whether there may be more to read. */
  get readable(): boolean {
    return !this.readableEnded;
  }

  /**
   * The next chunk, for listeners for `readable`; its size is the sender's affair.
   *
   * @returns The chunk; `null` where none is there yet, or none will come
   */
  read(): Uint8Array | string | null {
    return this.#stream.read();
  }

  /** Starts or continues the flow of `data` events. */
  resume(): this {
    this.#stream.resume();
    return this;
  }

  /** Holds the flow of `data` events back. */
  pause(): this {
    this.#stream.pause();
    return this;
  }

  /** Whether `pause` holds the flow back. */
  isPaused(): boolean {
    return this.#state?.readable?.held ?? false;
  }

  /** Makes `data` events carry strings. Only UTF-8 is known to the core. */
  setEncoding(encoding: string): this {
    this.#stream.setEncoding(encoding);
    return this;
  }

  /** Sends the body to a writable, waiting for its `drain`, and ends it unless told otherwise. */
  pipe<T extends Destination>(destination: T, options: { end?: boolean } = {}): T {
    return this.#stream.pipe(destination, options);
  }

  /** Stops sending the body to a writable. */
  unpipe(destination?: Destination): this {
    this.#stream.unpipe(destination);
    return this;
  }

  /**
   * Sets the time in which an answer has to begin, as {@linkcode SocketFace.setTimeout}.
   *
   * @param ms The time; 0 for none
   * @param listener Listens for `timeout`, which comes to a request whose body is still coming
   */
  setTimeout(ms: number, listener?: () => void): this {
    if (listener !== undefined) this.on("timeout", listener);
    this.socket.setTimeout(ms);
    return this;
  }

  /** Gives the body up, and with a body that was not read to its end the whole exchange, as in Node. */
  destroy(error?: Error): this {
    const unread = !this.readableEnded;
    this.#stream.destroy(error);
    if (unread) this.#exchange.breakOff(error);
    return this;
  }

  /** Chunks of the body as they arrive: bytes, or text once there is an encoding. */
  // deno-lint-ignore no-explicit-any -- as Node's types have it, for the encoding is not known to them
  [Symbol.asyncIterator](): AsyncIterableIterator<any> {
    return this.#stream.chunks();
  }

  /**
   * The chunks as they arrive, for loops that may end before the body does.
   *
   * @param options With `destroyOnReturn: false` what is left of the body stays
   */
  // deno-lint-ignore no-explicit-any -- as above
  iterator(options: { destroyOnReturn?: boolean } = {}): AsyncIterableIterator<any> {
    return this.#stream.chunks(options.destroyOnReturn === false);
  }

  /** All chunks of the body. */
  // deno-lint-ignore no-explicit-any -- as above
  async toArray(): Promise<any[]> {
    const chunks = [];
    for await (const chunk of this) chunks.push(chunk);
    return chunks;
  }
}

function authorityOf(url: string): string | undefined {
  // Bun's of a request without a proper Host
  if (url.startsWith("/")) return undefined;
  const start = url.indexOf("://") + 3;
  const end = url.slice(start).search(/[/?#]/);
  const authority = end === -1 ? url.slice(start) : url.slice(start, start + end);
  return authority.slice(authority.lastIndexOf("@") + 1) || undefined;
}

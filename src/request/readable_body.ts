import { type Decoder, decoderOf } from "../http/encodings.ts";
import type { Emitter } from "../http/emitter.ts";
import type { BodyReading } from "./app_like.ts";
import { BodyPipes, type Destination } from "./body_pipes.ts";
import type { Exchange } from "./exchange.ts";

/** ms that a body may stay unread after the response: as long as Node's server keeps such a connection. */
export const UNREAD_BODY_MS = 5000;

/** A chunk as Node would emit it: a `Buffer` where the runtime has one, or text once an encoding is set. */
export type ShownChunk = Uint8Array | string;

/**
 * The API of Node's readable streams on the body of a web request: `data`, `readable`, `end` and `error` events, pause,
 * resume, read and pipe. It takes one reader on first use, and buffers no more than one chunk.
 */
export class ReadableBody implements BodyReading {
  /** Whether the body was read to its end, or nothing more will come of it. */
  ended = false;
  /** Whether all of the body has arrived; listeners for `readable` run once more then, before `end`. */
  received = false;
  /** Whether the body was cut off before its end. */
  broken = false;
  /** Whether `close` was emitted. */
  closed = false;
  readonly #exchange: Exchange;
  readonly #request: Request;
  readonly #emitter: Emitter;
  #reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>> | null = null;
  #flowing = false;
  #reading = false;
  /** Whether `pause` was called: then adding a listener does not start the flow. */
  held = false;
  /** The encoding that was set. */
  encoding: string | null = null;
  /** Whether chunks are kept for `read`, as they are once somebody listens for `readable`. */
  #offering = false;
  #offered: ShownChunk | null = null;
  #decoder: Decoder | null = null;
  /** Number of chunks read so far. */
  taken = 0;
  #bytes = 0;
  /** Whether a loop over the chunks has left the rest to be read. */
  #isLeft = false;
  #dropTimer: ReturnType<typeof setTimeout> | undefined = undefined;
  /** A second reader, beside the listeners. */
  #beside: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>> | null = null;
  #pipes: BodyPipes | null = null;

  /**
   * @param exchange The exchange whose body is read
   * @param emitter Emits the events
   */
  constructor(exchange: Exchange, emitter: Emitter) {
    this.#exchange = exchange;
    this.#request = exchange.target.request;
    this.#emitter = emitter;
    // pause() and setEncoding() come here, too, after a parser has read the body
    this.isOver();
  }

  /** Whether the body flows, `null` before anybody reads it. */
  get flowing(): boolean | null {
    return this.#flowing || (this.held || this.#offering ? false : null);
  }

  /** Starts the flow for a listener of `data`, unless it is paused or `read()` is in use. */
  listen(): void {
    if (!this.held && !this.#isOffering) this.resume();
  }

  // as in Node, listeners of `readable` hold up the flow, and a program that has called `read()` by itself does not
  get #isOffering(): boolean {
    return this.#offering && this.#emitter.listenerCount("readable") > 0;
  }

  /** Starts or continues the flow. No chunk is emitted before the present turn of the event loop is over. */
  resume(): void {
    this.held = false;
    this.#flowing = true;
    clearTimeout(this.#dropTimer);
    if (this.#reading || this.isOver()) return;
    this.#reading = true;
    this.#take();
    this.afterTicks(() => this.#pump());
  }

  // Gets the reader in this turn already: the handler may answer in it, and after that Deno hides a body that nobody
  // has begun to read, even that there was one. Whether somebody else reads it is found out later.
  #take(): void {
    if (this.#reader !== null) return;
    const body = bodyOf(this.#request);
    if (body !== null && !body.locked) this.#hold(body);
  }

  #hold(body: ReadableStream<Uint8Array<ArrayBuffer>>): void {
    this.#reader = body.getReader();
    this.#exchange.reading = this;
  }

  /**
   * Runs something behind what was given to Node's `process.nextTick`, which within a promise is later than any
   * microtask: http-proxy changes the headers it forwards in such a turn, and the end of a body would have sent them.
   */
  afterTicks(start: () => void): void {
    this.#exchange.app.runtimeSupport.nextTurn(start);
  }

  /** Whether nothing more will come: a body that a parser or `req.text()` has read counts as read to its end. */
  isOver(): boolean {
    if (this.#reader === null && this.#request.bodyUsed && !this.#isLeft) this.ended = true;
    return this.ended;
  }

  /** Pauses the flow after the present chunk. */
  pause(): void {
    this.held = true;
    this.#flowing = false;
    if (this.#exchange.finished) this.answered();
  }

  /** Makes chunks strings. */
  setEncoding(encoding: string): void {
    this.#decoder = decoderOf("req.setEncoding", encoding);
    this.encoding = encoding;
  }

  async #pump(): Promise<void> {
    try {
      while (this.#flowing) {
        const chunk = this.#offered ?? await this.#next();
        this.#offered = null;
        if (chunk === null) return this.ended ? undefined : this.#finish();
        this.#emitter.emit("data", chunk);
      }
    } catch (error) {
      this.#throwLater(error);
    } finally {
      this.#reading = false;
    }
  }

  /** Fetches a chunk for `read`, and emits `readable` when it has arrived. */
  offer(): void {
    if (this.#offering) return;
    this.#offering = true;
    if (this.isOver()) return;
    this.#take();
    void this.#offerNext();
  }

  async #offerNext(): Promise<void> {
    try {
      const chunk = await this.#next();
      if (this.ended) return;
      if (this.#flowing && !this.#isOffering && chunk !== null) return void this.#emitter.emit("data", chunk);
      this.#offered = chunk;
      this.#emitter.emit("readable");
      if (chunk === null) this.#finish();
    } catch (error) {
      this.#throwLater(error);
    }
  }

  /** Length of the chunk that waits for `read`. */
  get length(): number {
    return this.#offered?.length ?? 0;
  }

  /** The chunk that waits, `null` for none; the next one is announced by `readable`. */
  read(): ShownChunk | null {
    this.offer();
    const chunk = this.#offered;
    if (chunk === null) return null;
    this.#offered = null;
    if (this.#emitter.listenerCount("data") > 0) this.#emitter.emit("data", chunk);
    void this.#offerNext();
    return chunk;
  }

  /**
   * The chunks in turn; none if the body has been read.
   *
   * @param keepsRest Whether the rest stays readable when the caller stops before the end
   */
  async *chunks(keepsRest = false): AsyncGenerator<ShownChunk> {
    if (this.isOver()) return;
    // throws here if somebody else reads it; that is no broken body
    const chunks = bodyOf(this.#request)?.[Symbol.asyncIterator]({ preventCancel: keepsRest }) ?? null;
    let isLeft = keepsRest;
    try {
      if (chunks !== null) {
        const length = this.#declaredLength();
        for await (const chunk of chunks) {
          // Deno delivers an empty body as one empty chunk
          if (chunk.length > 0) yield this.#shown(chunk);
        }
        this.#assertWhole(length);
      }
      isLeft = false;
      const rest = this.#decoder?.decode();
      if (rest) yield rest;
      if (!this.ended) this.#end();
    } catch (error) {
      isLeft = false;
      throw this.#break(error);
    } finally {
      this.#isLeft = isLeft;
      this.ended ||= !isLeft;
    }
  }

  // when a client resets an upload over HTTP/2, Deno ends the body as if it were complete
  #assertWhole(length: number): void {
    if (this.#bytes >= length) return;
    // a parser beside the listeners checks the length itself
    this.#beside?.close();
    this.#beside = null;
    throw new Error(`${this.#bytes} bytes came of a body of ${length}`);
  }

  #declaredLength(): number {
    try {
      return Number(this.#exchange.app.runtimeSupport.header(this.#request, "content-length"));
    } catch {
      // the response has been sent, and Deno has released the headers with it
      return 0;
    }
  }

  // `null` at the end, or after a failure, which is emitted here
  async #next(): Promise<ShownChunk | null> {
    try {
      const body = this.#reader === null ? bodyOf(this.#request) : null;
      if (body !== null) this.#hold(body);
    } catch (error) {
      this.#fail(error);
      return null;
    }
    try {
      for (;;) {
        const { value } = await this.#reader?.read() ?? { value: undefined };
        this.taken++;
        if (value === undefined) {
          if (this.#reader !== null) this.#assertWhole(this.#declaredLength());
          this.received = true;
          return null;
        }
        if (value.length === 0) continue;
        this.#beside?.enqueue(value);
        return this.#shown(value);
      }
    } catch (error) {
      const failure = this.#break(error);
      if (!this.ended) this.#fail(failure);
      return null;
    }
  }

  #shown(chunk: Uint8Array<ArrayBuffer>): ShownChunk {
    this.#bytes += chunk.length;
    return this.#decoder?.decode(chunk, { stream: true }) ?? this.#exchange.app.runtimeSupport.nodeBytes(chunk);
  }

  // each runtime has its own error for a client that is gone; handlers expect Node's
  #break(cause?: unknown): Error {
    this.broken = true;
    this.#exchange.lost();
    return connectionReset(cause);
  }

  /** Fails the present reading because the client is gone: some runtimes tell only after the request was closed. */
  cut(): void {
    if (this.#reader === null || this.ended) return;
    this.#fail(this.#break());
    // Deno would never settle the pending read, and keep the request with it
    this.#reader.cancel().catch(() => {});
  }

  // the error of a listener; as in Node, it ends the process unless there is a listener for errors
  #throwLater(error: unknown): void {
    this.ended = true;
    this.#emitter.emit("error", error);
  }

  // unlike other streams, Node's requests ignore errors without listeners: any client can disconnect
  #fail(error: unknown): void {
    this.ended = true;
    this.#beside?.error(error);
    if (this.#emitter.listenerCount("error") > 0) this.#emitter.emit("error", error);
  }

  #finish(): void {
    this.ended = true;
    this.#beside?.close();
    const rest = this.#decoder?.decode();
    if (rest) this.#emitter.emit("data", rest);
    this.#end();
  }

  // As in Node, reading a body to its end closes the request, before the response: handlers may wait for `close` to
  // answer.
  #end(): void {
    this.ended = true;
    this.#emitter.emit("end");
    if (!this.#exchange.finished) this.afterTicks(() => this.close());
  }

  /** Emits `close`, once. */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.#emitter.emit("close");
  }

  /** A copy of the bytes that listeners get; `null` if the first chunk is gone, or there is a copy already. */
  beside(): ReadableStream<Uint8Array<ArrayBuffer>> | null {
    if (this.#reader === null || this.ended || this.#beside !== null) return null;
    const first = this.taken === 1 && typeof this.#offered !== "string" ? this.#offered : null;
    if (this.taken > 0 && first === null) return null;
    const copy = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (controller) => void (this.#beside = controller),
      cancel: () => void (this.#beside = null),
    });
    if (first !== null) this.#beside!.enqueue(new Uint8Array(first));
    // nobody else may be there to take the chunks
    this.listen();
    return copy;
  }

  /** Sends every chunk to a destination, pausing while it is full, until one of the two has ended. */
  pipe<T extends Destination>(destination: T, options: { end?: boolean }): T {
    this.#pipes ??= new BodyPipes(this.#emitter, this);
    return this.#pipes.add(destination, options);
  }

  /** Stops sending chunks to one destination, or to all. */
  unpipe(destination?: Destination): void {
    this.#pipes?.remove(destination);
  }

  /**
   * Discards the rest of the body unless somebody goes on reading: otherwise the connection would never get to its next
   * request, and on Deno never close. Readers that have paused it get some time to continue.
   */
  answered(): void {
    if (this.#reader === null || this.ended || this.#flowing) return;
    const isHeard = this.#emitter.listenerCount("data") + this.#emitter.listenerCount("readable") > 0;
    if (!isHeard) return this.drop();
    const before = this.taken;
    clearTimeout(this.#dropTimer);
    this.#dropTimer = setTimeout(() => before === this.taken ? this.drop() : this.answered(), UNREAD_BODY_MS);
  }

  /** Discards the rest of a body that nobody is reading at the moment. */
  drop(): void {
    clearTimeout(this.#dropTimer);
    if (this.#reader === null || this.ended || this.#flowing) return;
    this.ended = true;
    this.#reader.cancel().catch(() => {});
  }

  /** Cancels the body. */
  destroy(error?: Error): void {
    if (this.ended) return;
    this.ended = true;
    this.#flowing = false;
    const given = this.#reader === null ? bodyOf(this.#request)?.cancel(error) : this.#reader.cancel(error);
    // a body that somebody else is reading cannot be cancelled here; its reader gets the error
    given?.catch(() => {});
    if (error !== undefined) this.#fail(error);
  }
}

/**
 * The error for a client that is gone, as in Node.
 *
 * @param cause The runtime's error, if there is one
 */
export function connectionReset(cause?: unknown): Error {
  return Object.assign(new Error("aborted", { cause }), { code: "ECONNRESET" });
}

/**
 * The body of a request, `null` if there is none. After the response, Deno throws on access to the request; a handler
 * that asks so late must not end the process.
 *
 * @param request The request
 */
export function bodyOf(request: Request): ReadableStream<Uint8Array<ArrayBuffer>> | null {
  try {
    return request.body;
  } catch {
    return null;
  }
}

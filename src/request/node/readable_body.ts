import { joinedBytes } from "../../util/chunk_bytes.ts";
import { type Emitter, listenerFailed, tell } from "../../util/emitter.ts";
import { decoderOf, textBytes } from "../../util/encodings.ts";
import { BodyPipes, type Destination } from "./body_pipes.ts";
import { connectionReset } from "../body/body_errors.ts";
import { BodyReader, type ShownChunk } from "./body_reader.ts";
import { UNREAD_BODY_MS } from "../body/body_settings.ts";
import type { BodyReading, Exchange } from "../../exchange/exchange.ts";
import { runtimeKey } from "../../util/runtime_key.ts";

/** The request that owns the body. */
interface Responding {
  readonly res: {
    statusCode: number;
    readonly headersSent: boolean;
    setHeader(name: string, value: string): unknown;
    end(): unknown;
  };
}

/**
 * The API of Node's readable streams on a web request body: `data`, `readable`, `end` and `error` events, pause,
 * resume, read and pipe. It acquires a reader on first use and buffers at most one chunk.
 */
export class ReadableBody implements BodyReading {
  /** Whether the body was fully read, or no more of it will come. */
  ended = false;
  /** Why the end never came: the body failed or was destroyed; `undefined` if neither. */
  failure: unknown = undefined;
  /** Whether `close` was emitted. */
  closed = false;
  /** Whether it was destroyed: by its caller, by a failure, or after its end, like Node's. */
  destroyed = false;
  /** Whether `end` was emitted. */
  #hasTold = false;
  /** The error passed to `destroy`, to be emitted before `close`. */
  #untold: Error | undefined = undefined;
  readonly #exchange: Exchange;
  readonly #emitter: Emitter;
  /** Reads the chunks. */
  readonly reader: BodyReader;
  #flowing = false;
  /** Whether `end` comes on the next tick, unless the body is paused first. */
  #ending = false;
  #reading = false;
  /** Whether `pause` was called; if so, adding a listener does not start the flow. */
  held = false;
  /** Whether chunks are kept for `read`, as they are once `readable` has a listener. */
  #offering = false;
  #offered: ShownChunk | null = null;
  /** Whether a chunk is being fetched for `read`. */
  #fetching = false;
  /** The loops over the chunks, in starting order, each with its wake-up function. */
  readonly #loops = new Map<symbol, () => void>();
  #dropTimer: ReturnType<typeof setTimeout> | undefined = undefined;
  #pipes: BodyPipes | null = null;
  /** Called when no more data will come, if the platform waits for that. */
  #release: (() => void) | null = null;

  /**
   * @param exchange The body's exchange
   * @param emitter Emits the events
   */
  constructor(exchange: Exchange, emitter: Emitter) {
    this.#exchange = exchange;
    this.#emitter = emitter;
    this.reader = new BodyReader(exchange);
    // pause() and setEncoding() also get here after a parser has read the body
    this.isOver();
  }

  /** Number of chunks read so far. */
  get taken(): number {
    return this.reader.taken;
  }

  /** Whether the body is flowing; `null` before it is read. */
  get flowing(): boolean | null {
    return this.#flowing || (this.held || this.#offering ? false : null);
  }

  /** Starts the flow for a `data` listener, unless it is paused or `read()` is in use. */
  listen(): void {
    if (!this.held && !this.#isOffering) this.resume();
  }

  // as in Node, `readable` listeners and loops hold up the flow, but a program's own `read()` calls do not
  get #isOffering(): boolean {
    return this.#offering && (this.#loops.size > 0 || this.#emitter.listenerCount("readable") > 0);
  }

  /** Starts or continues the flow. No chunk is emitted on the current tick of the event loop. */
  resume(): void {
    this.held = false;
    this.#flowing = !this.#isOffering;
    clearTimeout(this.#dropTimer);
    if (!this.#flowing || this.#reading || this.isOver()) return;
    this.#reading = true;
    this.#take();
    this.nextTurn(() => this.#pump());
  }

  #take(): void {
    if (this.reader.take()) this.#exchange.reading = this;
  }

  // throws if another reader has the body
  #begin(): void {
    if (this.reader.begin()) this.#exchange.reading = this;
  }

  /**
   * Runs a function after Node's `process.nextTick` callbacks, which within a promise run after all microtasks.
   * http-proxy still changes forwarded headers in such a callback; ending the body earlier would send them.
   */
  nextTurn(start: () => void): void {
    this.#exchange.app[runtimeKey].nextTurn(start);
  }

  /** Whether no more data will come: a body that a parser or `req.text()` has read counts as fully read. */
  isOver(): boolean {
    if (this.reader.isUsed) this.ended = true;
    return this.ended;
  }

  /** Pauses the flow after the current chunk. */
  pause(): void {
    this.held = true;
    this.#flowing = false;
    if (this.#exchange.finished) this.responded();
  }

  /** Whether it ended like a fully read body. */
  hasEnded(): boolean {
    return this.isOver() && this.failure === undefined;
  }

  /** Turns chunks into strings. */
  setEncoding(encoding: string): void {
    this.#offered = this.reader.setEncoding(encoding, this.#offered);
  }

  async #pump(): Promise<void> {
    try {
      while (this.#flowing) {
        const chunk = this.#offered ?? await this.#next();
        if (this.ended) return;
        // paused since then, or `read` is now in use
        if (!this.#flowing) {
          this.#reading = false;
          return this.#keep(chunk);
        }
        this.#offered = null;
        if (chunk === null) return this.#finishLater();
        this.#emitter.emit("data", chunk);
      }
      this.#reading = false;
      if (this.#isOffering) this.#offerNext();
    } catch (error) {
      this.#throwLater(error);
    }
  }

  // waits for actions that the last chunk's listeners started: formidable pauses the body while it opens a file
  #finishLater(): void {
    this.#ending = true;
    this.nextTurn(() => {
      this.#ending = false;
      if (this.ended) return;
      if (this.#flowing) return this.#finish();
      this.#reading = false;
      this.#keep(null);
    });
  }

  /** Serves a new `readable` listener. As in Node, `pause` no longer counts once the last such listener is removed. */
  announce(): void {
    this.offer();
    this.#flowing = this.held = false;
    if (this.#offered !== null) this.#announceLater();
  }

  /** Fetches a chunk for `read` and emits `readable` when it has arrived. */
  offer(): void {
    if (this.#offering) return;
    this.#offering = true;
    if (this.isOver()) return;
    this.#take();
    this.#offerNext();
  }

  #offerNext(): void {
    if (!this.#fetching && !this.#reading && !this.ended) void this.#fetch();
  }

  async #fetch(): Promise<void> {
    this.#fetching = true;
    try {
      const chunk = await this.#next();
      this.#fetching = false;
      if (this.ended) return;
      if (this.#flowing && chunk !== null) return void this.#emitter.emit("data", chunk);
      this.#keep(chunk);
    } catch (error) {
      this.#throwLater(error);
    }
  }

  // keeps a chunk for `read`; `null` is the end, which comes after everything has been read
  #keep(chunk: ShownChunk | null): void {
    if (chunk !== null) this.#offered = this.#joined(this.#offered, chunk);
    if (!this.#offering) return;
    this.#announce();
    if (chunk === null && this.#offered === null) this.#finish();
    else this.#flowAgain();
  }

  // once the last `readable` listener or the last loop has ended
  #flowAgain(): void {
    if (!this.ended && !this.held && !this.#isOffering && this.#emitter.listenerCount("data") > 0) this.resume();
  }

  #announceLater(): void {
    this.nextTurn(() => this.#offered === null || this.#announce());
  }

  #announce(): void {
    tell(this.#emitter, "readable");
    this.#wake();
  }

  #joined(first: ShownChunk | null, second: ShownChunk | null): ShownChunk | null {
    if (first === null || second === null) return first ?? second;
    if (typeof first === "string" || typeof second === "string") return `${first}${second}`;
    const bytes = joinedBytes([first, second]) as Uint8Array<ArrayBuffer>;
    return this.#exchange.app[runtimeKey].nodeBytes(bytes);
  }

  #wake(): void {
    for (const wake of this.#loops.values()) wake();
  }

  /** Whether the body is being read or has a waiting reader. */
  get busy(): boolean {
    return !this.ended && (this.#flowing || this.#fetching || this.#ending || this.#loops.size > 0);
  }

  /** Length of the chunk waiting for `read`. */
  get length(): number {
    return this.#offered?.length ?? 0;
  }

  /**
   * The waiting data, or `null` if there is none; `readable` announces more.
   *
   * @param size Number of bytes, or characters once an encoding is set: returns nothing until that many have arrived or
   * the body has ended
   */
  read(size?: number): ShownChunk | null {
    this.offer();
    const waiting = this.#offered;
    const lacks = waiting === null || (size !== undefined && size > waiting.length);
    if (lacks && (waiting === null || !this.reader.received)) {
      this.#offerNext();
      return null;
    }
    if (size === 0) return null;
    const chunk = size === undefined || lacks ? waiting : waiting.slice(0, size);
    this.#offered = chunk.length === waiting.length ? null : waiting.slice(chunk.length);
    if (this.#emitter.listenerCount("data") > 0) this.#emitter.emit("data", chunk);
    // a loop may stop here
    if (this.#offered === null && this.#loops.size === 0) this.#offerNext();
    return chunk;
  }

  /**
   * Puts a chunk back in front of the unread data.
   *
   * @param chunk Bytes or a string
   * @param encoding Node's name for the string's encoding
   */
  unshift(chunk: ShownChunk, encoding?: string): void {
    if (chunk.length === 0 || this.isOver()) return;
    this.#take();
    const bytes = typeof chunk === "string"
      ? textBytes("req.unshift", chunk, encoding)
      : chunk as Uint8Array<ArrayBuffer>;
    // a separate decoder, because the body's may be waiting for the rest of a character
    const shown = this.reader.encoding === null
      ? this.#exchange.app[runtimeKey].nodeBytes(bytes)
      : decoderOf("req.unshift", this.reader.encoding).decode(bytes);
    this.#offered = this.#joined(shown, this.#offered);
    if (this.#isOffering) this.#announceLater();
  }

  /**
   * The chunks in order; none if the body has been read. A missing end is an error: the chunks so far must not be
   * mistaken for the whole body.
   *
   * @param keepsRest Whether the rest stays readable if the caller stops early
   */
  async *chunks(keepsRest = false): AsyncGenerator<ShownChunk> {
    if (this.failure !== undefined) throw this.failure;
    // Deno drops the body when the client disconnects, and then it looks as if it had been read
    if (this.#exchange.aborted && !this.reader.received) throw connectionReset();
    if (this.isOver()) return;
    this.#begin();
    const loop = Symbol();
    this.#loops.set(loop, () => {});
    this.#flowing = this.held = false;
    try {
      for (;;) {
        const chunk = this.read();
        if (chunk !== null) yield chunk;
        else if (this.failure !== undefined) throw this.failure;
        else if (this.ended) return;
        else await new Promise<void>((resolve) => void this.#loops.set(loop, resolve));
      }
    } finally {
      this.#loops.delete(loop);
      if (keepsRest) this.#flowAgain();
      else this.destroy();
    }
  }

  // `null` at the end, or after a failure, which this method emits
  async #next(): Promise<ShownChunk | null> {
    try {
      this.#begin();
      return await this.reader.next();
    } catch (error) {
      if (!this.ended) this.#fail(error);
      return null;
    }
  }

  /** Fails the current read because the client disconnected: some runtimes report it after closing the request. */
  cut(): void {
    if (this.ended) return;
    this.#fail(this.reader.cut());
    // Deno would never settle the pending read, and would keep the request in memory with it
    this.reader.cancel();
  }

  // An error thrown by a listener. As in Node, nothing follows it; there, it crashes the process.
  #throwLater(error: unknown): void {
    this.ended = true;
    this.failure = error;
    this.#release?.();
    this.#wake();
    // otherwise Deno would keep the connection open until the rest is read
    this.reader.cancel();
    this.#tell(error);
    this.#emitter[listenerFailed]?.(error);
  }

  #fail(error: unknown): void {
    const isOver = this.#exchange.finished;
    // unread data is discarded; some runtimes do so themselves on the response
    if (isOver && !this.#isTaken && !this.reader.late) return this.#finish();
    const isHeard = this.#loops.size > 0 || this.#emitter.listenerCount("error") > 0;
    this.#giveUp(error);
    this.#tell(error);
    if (this.reader.late && !isHeard) this.#respondLate(error as Error);
    if (isOver) this.nextTurn(() => this.close());
  }

  // whether any reader wants the chunks
  get #isTaken(): boolean {
    const emitter = this.#emitter;
    return this.#loops.size > 0 || emitter.listenerCount("data") + emitter.listenerCount("readable") > 0;
  }

  // no other code would respond: a handler waiting for the end of the body would wait forever
  #respondLate(error: Error): void {
    const { res } = this.#emitter as unknown as Responding;
    if (res.headersSent) return this.#exchange.breakOff(error);
    res.statusCode = 408;
    res.setHeader("Connection", "close");
    res.end();
  }

  #giveUp(error: unknown): void {
    this.ended = this.destroyed = true;
    this.failure = error;
    this.#wake();
    this.reader.fail(error);
  }

  // unlike other streams, Node's requests ignore errors without listeners: any client can disconnect
  #tell(error: unknown): void {
    if (this.#emitter.listenerCount("error") > 0) tell(this.#emitter, "error", error);
  }

  #finish(): void {
    this.reader.finish();
    this.#end();
    this.#wake();
    // as in Node, fully reading a body closes the request before the response: handlers may wait for `close` to respond
    this.nextTurn(() => this.close());
  }

  #end(): void {
    this.ended = this.#hasTold = true;
    tell(this.#emitter, "end");
    this.destroyed = true;
  }

  /**
   * Emits `close` because the exchange is over, after an unread body's `end`. If the body is being read or paused, both
   * events come at its end.
   *
   * @param endAwaited Whether `end` has a listener
   */
  closeWithExchange(endAwaited: boolean): void {
    if (this.#exchange.aborted) return this.close();
    if (this.busy || (this.reader.begun && !this.ended)) {
      this.#release = this.#exchange.goOn();
      return;
    }
    if (endAwaited && !this.#hasTold && this.failure === undefined) this.#end();
    this.close();
  }

  /** Emits `close`, once. */
  close(): void {
    if (this.closed) return;
    this.closed = this.destroyed = true;
    this.#release?.();
    if (this.#untold !== undefined) this.#tell(this.#untold);
    tell(this.#emitter, "close");
  }

  /** A copy of the bytes that listeners get; `null` if the first chunk is lost, or there already is a copy. */
  beside(): ReadableStream<Uint8Array<ArrayBuffer>> | null {
    const copy = this.ended ? null : this.reader.beside(this.#offered);
    // there may be no other listener to read the chunks
    if (copy !== null) this.listen();
    return copy;
  }

  /** Sends every chunk to a destination, pausing while it is full, until either side ends. */
  pipe<T extends Destination>(destination: T, options: { end?: boolean }): T {
    this.#pipes ??= new BodyPipes(this.#emitter, this);
    return this.#pipes.add(destination, options);
  }

  /** Stops sending chunks to one destination or to all of them. */
  unpipe(destination?: Destination): void {
    this.#pipes?.remove(destination);
  }

  /**
   * Discards the rest of the body unless it is still being read: otherwise the connection would never reach its next
   * request, and on Deno never close. Readers that have paused the body get some time to continue.
   */
  responded(): void {
    if (!this.reader.begun || this.ended || this.#flowing || this.#loops.size > 0) return;
    if (!this.#isTaken) return this.drop();
    const before = this.taken;
    clearTimeout(this.#dropTimer);
    this.#dropTimer = setTimeout(() => before === this.taken ? this.drop() : this.responded(), UNREAD_BODY_MS);
  }

  /** Discards the rest of a body that is not currently being read. */
  drop(): void {
    clearTimeout(this.#dropTimer);
    if (!this.reader.begun || this.ended || this.#flowing) return;
    this.ended = true;
    this.reader.cancel();
    if (this.#exchange.finished) this.nextTurn(() => this.close());
  }

  /** Cancels the body. As in Node, the events come on the next tick, once the caller has handled the error. */
  destroy(error?: Error): void {
    if (this.ended) return;
    this.#flowing = false;
    this.#giveUp(error ?? prematureClose());
    this.reader.cancel(error);
    this.#untold = error;
    this.nextTurn(() => this.close());
  }
}

function prematureClose(): Error {
  return Object.assign(new Error("Premature close"), { code: "ERR_STREAM_PREMATURE_CLOSE" });
}

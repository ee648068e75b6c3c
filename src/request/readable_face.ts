import { type Decoder, decoderOf } from "../http/encodings.ts";
import type { Emitter } from "../http/emitter.ts";
import type { BodyReading } from "./app_face.ts";
import { BodyPipes, type Destination } from "./body_pipes.ts";
import type { Exchange } from "./exchange.ts";

/** ms that a body may be left lying after the answer: as long as a server of Node's keeps such a connection. */
export const UNREAD_BODY_MS = 5000;

/** A chunk as Node shows it: a `Buffer` where the runtime has one, or text once there is an encoding. */
export type ShownChunk = Uint8Array | string;

/**
 * Node's readable stream over the body of a web request: `data`, `readable`, `end` and `error` events, pause, resume,
 * read and pipe. One reader, taken on first use; nothing is buffered beyond the chunk under way.
 */
export class ReadableFace implements BodyReading {
  /** Whether the body was read to its end, or nothing more will come of it. */
  ended = false;
  /** Whether all of the body has come; listeners for `readable` are told so once more before its end. */
  received = false;
  /** Whether the body broke off before its end. */
  broken = false;
  /** Whether `close` was emitted. */
  closed = false;
  readonly #exchange: Exchange;
  readonly #request: Request;
  readonly #emitter: Emitter;
  #reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>> | null = null;
  #flowing = false;
  #reading = false;
  /** Whether `pause` was called: a listener alone does not start the flow then. */
  held = false;
  /** The encoding that was set. */
  encoding: string | null = null;
  /** Whether chunks wait for `read`, as they do once somebody listens for `readable`. */
  #offering = false;
  #offered: ShownChunk | null = null;
  #decoder: Decoder | null = null;
  /** Chunks that were taken until now. */
  taken = 0;
  #bytes = 0;
  /** Whether a loop over the chunks has left some of them to be read. */
  #isLeft = false;
  #dropTimer: ReturnType<typeof setTimeout> | undefined = undefined;
  /** Who reads beside the listeners. */
  #beside: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>> | null = null;
  #pipes: BodyPipes | null = null;

  /**
   * @param exchange The exchange whose request's body is read
   * @param emitter Where the events appear
   */
  constructor(exchange: Exchange, emitter: Emitter) {
    this.#exchange = exchange;
    this.#request = exchange.target.request;
    this.#emitter = emitter;
  }

  /** Whether the body flows, `null` before anybody reads it. */
  get flowing(): boolean | null {
    return this.#flowing || (this.held || this.#offering ? false : null);
  }

  /** Starts the flow for a listener for `data`, unless it is held back or read by hand. */
  listen(): void {
    if (!this.held && !this.#offering) this.resume();
  }

  /** Starts or continues the flow. The first chunk never comes before the caller's turn is over. */
  resume(): void {
    this.held = false;
    this.#flowing = true;
    clearTimeout(this.#dropTimer);
    if (this.#reading || this.isOver()) return;
    this.#reading = true;
    this.#take();
    this.afterTicks(() => this.#pump());
  }

  // In this turn already, for a handler may answer in it, and of a body that nobody reads by then Deno shows nothing any
  // more, not even that there was one. That somebody else reads it is found out when it is read.
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
    this.#exchange.app.runtimeFace.nextTurn(start);
  }

  /** Whether nothing more will come: a body that a parser or `req.text()` has read counts as read to its end. */
  isOver(): boolean {
    if (this.#reader === null && this.#request.bodyUsed && !this.#isLeft) this.ended = true;
    return this.ended;
  }

  /** Holds the flow back after the chunk under way. */
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
        const chunk = await this.#next();
        if (chunk === null) return this.ended ? undefined : this.#finish();
        this.#emitter.emit("data", chunk);
      }
    } catch (error) {
      this.#throwLater(error);
    } finally {
      this.#reading = false;
    }
  }

  /** Fetches a chunk for `read`, and tells the listeners for `readable` when it is there. */
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
      this.#offered = chunk;
      this.#emitter.emit("readable");
      if (chunk === null) this.#finish();
    } catch (error) {
      this.#throwLater(error);
    }
  }

  /** The size of the chunk that waits. */
  get length(): number {
    return this.#offered?.length ?? 0;
  }

  /** The chunk that waits, `null` for none; more come with the next `readable`. */
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
   * The chunks in turn, none of a body that has been read.
   *
   * @param keepsRest Whether what is left stays where whoever asks for the chunks stops in the middle
   */
  async *chunks(keepsRest = false): AsyncGenerator<ShownChunk> {
    if (this.isOver()) return;
    // fails here where somebody else reads it, and then nothing is broken
    const chunks = bodyOf(this.#request)?.[Symbol.asyncIterator]({ preventCancel: keepsRest }) ?? null;
    let isLeft = keepsRest;
    try {
      if (chunks !== null) {
        const length = this.#declaredLength();
        for await (const chunk of chunks) {
          // Deno has one empty chunk for an empty body
          if (chunk.length > 0) yield this.#shown(chunk);
        }
        // Deno takes it for the end of an upload that a client of HTTP/2 takes it back; listeners hear that it has left
        if (this.#bytes < length) throw new Error(`${this.#bytes} bytes came of a body of ${length}`);
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

  #declaredLength(): number {
    try {
      return Number(this.#exchange.app.runtimeFace.header(this.#request, "content-length"));
    } catch {
      // the answer is out, and the headers have been taken back with it
      return 0;
    }
  }

  // `null` at the end, and where nothing more will come, of which those who listen are told here
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
        this.received = value === undefined;
        if (value === undefined) return null;
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
    return this.#decoder?.decode(chunk, { stream: true }) ?? this.#exchange.app.runtimeFace.nodeBytes(chunk);
  }

  // runtimes have errors of their own for a sender that has left; handlers know Node's
  #break(cause?: unknown): Error {
    this.broken = true;
    this.#exchange.lost();
    return connectionReset(cause);
  }

  /** Fails whoever is reading when the sender has left: some runtimes say so only after the request was closed. */
  cut(): void {
    if (this.#reader !== null && !this.ended) this.#fail(this.#break());
  }

  // a listener's own; as in Node, it ends the process unless somebody listens for errors
  #throwLater(error: unknown): void {
    this.ended = true;
    this.#emitter.emit("error", error);
  }

  // unlike other streams, a request of Node's keeps the error to itself where nobody listens: any client can leave
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

  // As in Node, a body that was read to its end closes the request, whenever the answer comes: it may wait for that.
  #end(): void {
    this.ended = true;
    this.#emitter.emit("end");
    if (!this.#exchange.finished) this.afterTicks(() => this.close());
  }

  /** Tells that nothing more will come, once. */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.#emitter.emit("close");
  }

  /** The bytes as the listeners get them, `null` where it is too late for the first or somebody has them already. */
  beside(): ReadableStream<Uint8Array<ArrayBuffer>> | null {
    if (this.#reader === null || this.taken > 0 || this.ended || this.#beside !== null) return null;
    return new ReadableStream({
      start: (controller) => void (this.#beside = controller),
      cancel: () => void (this.#beside = null),
    });
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
   * Throws away what is left of the body unless somebody goes on reading: the connection would never get to its next
   * request, and on Deno never close. Who holds it back may still want the rest, and has some time to go on with it.
   */
  answered(): void {
    if (this.#reader === null || this.ended || this.#flowing) return;
    const isHeard = this.#emitter.listenerCount("data") + this.#emitter.listenerCount("readable") > 0;
    if (!isHeard) return this.drop();
    const before = this.taken;
    clearTimeout(this.#dropTimer);
    this.#dropTimer = setTimeout(() => before === this.taken ? this.drop() : this.answered(), UNREAD_BODY_MS);
  }

  /** Throws away what is left of a body that nobody reads at the moment. */
  drop(): void {
    clearTimeout(this.#dropTimer);
    if (this.#reader === null || this.ended || this.#flowing) return;
    this.ended = true;
    this.#reader.cancel().catch(() => {});
  }

  /** Gives the body up and tells the sender so. */
  destroy(error?: Error): void {
    if (this.ended) return;
    this.ended = true;
    this.#flowing = false;
    const given = this.#reader === null ? bodyOf(this.#request)?.cancel(error) : this.#reader.cancel(error);
    // a body that somebody else is reading cannot be cancelled from here; its reader sees the error itself
    given?.catch(() => {});
    if (error !== undefined) this.#fail(error);
  }
}

/**
 * The error for a sender that has left.
 *
 * @param cause What the runtime said, if anything
 */
export function connectionReset(cause?: unknown): Error {
  return Object.assign(new Error("aborted", { cause }), { code: "ECONNRESET" });
}

/**
 * The body of a request, `null` where there is none, or none any more: Deno shows nothing of a request once its answer
 * has gone, and whoever asks so late must not end the process.
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

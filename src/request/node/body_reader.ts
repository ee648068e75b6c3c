import { type Decoder, decoderOf } from "../../util/encodings.ts";
import { connectionReset, timedOut } from "../body/body_errors.ts";
import { BodyWait } from "../body/body_wait.ts";
import { bodyTimeout } from "../body/body_settings.ts";
import { bodyOf, hasBody } from "../body/request_body.ts";
import type { Exchange } from "../../exchange/exchange.ts";
import { runtimeKey } from "../../util/runtime_key.ts";

/** A chunk as Node would emit it: a `Buffer` if the runtime has one, or a string once an encoding is set. */
export type ShownChunk = Uint8Array | string;

/** Reads a web request body chunk by chunk and detects when it was cut off. */
export class BodyReader {
  /** Number of chunks read so far. */
  taken = 0;
  /** Whether the whole body has arrived. */
  received = false;
  /** Whether the body was cut off before its end. */
  broken = false;
  /** The encoding set by `setEncoding`. */
  encoding: string | null = null;
  readonly #exchange: Exchange;
  readonly #request: Request;
  #reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>> | null = null;
  #decoder: Decoder | null = null;
  #bytes = 0;
  /** A second reader, which gets the same bytes. */
  #beside: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>> | null = null;
  #wait: BodyWait | null = null;
  /** The error for a client that stopped sending. */
  #late: Error | null = null;

  /** @param exchange The body's exchange */
  constructor(exchange: Exchange) {
    this.#exchange = exchange;
    this.#request = exchange.target.request;
  }

  /** Whether reading has begun. */
  get begun(): boolean {
    return this.#reader !== null;
  }

  /** Whether the client sent nothing for too long. */
  get late(): boolean {
    return this.#late !== null;
  }

  /** Whether a parser or `req.text()` has read the body. If there is no body, only `end` remains to be emitted. */
  get isUsed(): boolean {
    return this.#reader === null && this.#request.bodyUsed && hasBody(this.#exchange);
  }

  /**
   * Starts reading, unless there is no body, or another reader has it, which `next` reports.
   *
   * The handler may respond on this tick. After that, Deno hides a body that was not being read, and even the fact that
   * there was one.
   *
   * @returns Whether reading has started now
   */
  take(): boolean {
    return this.#unheld()?.locked === false && this.begin();
  }

  /**
   * Starts reading, unless there is no body.
   *
   * @returns Whether reading has started now
   * @throws {TypeError} If another reader has it
   */
  begin(): boolean {
    const body = this.#unheld();
    if (body === null) return false;
    this.#reader = body.getReader();
    this.#beginToWait();
    return true;
  }

  #beginToWait(): void {
    const { settings, [runtimeKey]: runtime } = this.#exchange.app;
    this.#wait = new BodyWait(bodyTimeout(settings), this, runtime);
    // until a chunk is requested
    this.#wait.pause();
  }

  /** Ends the pending read, because no data has arrived for too long. */
  expire(): void {
    this.#late = timedOut(bodyTimeout(this.#exchange.app.settings));
    this.cancel(this.#late);
  }

  #unheld(): ReadableStream<Uint8Array<ArrayBuffer>> | null {
    return this.#reader === null && hasBody(this.#exchange) ? bodyOf(this.#request) : null;
  }

  /**
   * The next chunk, `null` at the end.
   *
   * @throws {Error} If the client disconnected (`ECONNRESET`)
   * @throws {HttpError} 408 if it sent nothing for too long
   */
  async next(): Promise<ShownChunk | null> {
    try {
      for (;;) {
        this.#wait?.restart();
        const { value } = await this.#reader?.read() ?? { value: undefined };
        this.#wait?.pause();
        this.taken++;
        if (this.#late !== null) throw this.#late;
        if (value === undefined) return this.#rest();
        // Deno delivers an empty body as a single empty chunk
        if (value.length === 0) continue;
        this.#beside?.enqueue(value);
        return this.#shown(value);
      }
    } catch (error) {
      this.#wait?.end();
      // Workers fail a pending read that is cancelled
      throw this.#late === null ? this.cut(error) : this.#stalled(this.#late);
    }
  }

  // not lost: the client is still connected and gets the response
  #stalled(error: Error): Error {
    this.broken = true;
    return error;
  }

  // the decoder's remaining characters, or `null` if there are none
  #rest(): string | null {
    if (this.#reader !== null) this.#assertWhole(this.#declaredLength());
    this.#wait?.end();
    this.received = true;
    if (this.#bytes === 0) this.#exchange.emptied = true;
    return this.#decoder?.decode() || null;
  }

  #shown(chunk: Uint8Array<ArrayBuffer>): ShownChunk {
    this.#bytes += chunk.length;
    return this.#decoder?.decode(chunk, { stream: true }) ?? this.#exchange.app[runtimeKey].nodeBytes(chunk);
  }

  // when a client resets an upload over HTTP/2, Deno ends the body as if it were complete
  #assertWhole(length: number): void {
    if (this.#bytes >= length) return;
    // a parser reading alongside the listeners checks the length itself
    this.finish();
    throw new Error(`${this.#bytes} of ${length} body bytes arrived`);
  }

  #declaredLength(): number {
    try {
      return Number(this.#exchange.app[runtimeKey].header(this.#request, "content-length"));
    } catch {
      // the response has been sent, and Deno has released the headers with it
      return 0;
    }
  }

  /**
   * Records that the client disconnected.
   *
   * @param cause The runtime's own error, if any
   * @returns The error that handlers expect: Node's
   */
  cut(cause?: unknown): Error {
    this.broken = true;
    this.#exchange.lose();
    return connectionReset(cause);
  }

  /**
   * Turns chunks into strings.
   *
   * @param encoding Node's name for the encoding
   * @param waiting A chunk that was already returned
   * @returns The same chunk as a string
   */
  setEncoding(encoding: string, waiting: ShownChunk | null): ShownChunk | null {
    this.#decoder = decoderOf("req.setEncoding", encoding);
    this.encoding = encoding;
    if (waiting === null || typeof waiting === "string") return waiting;
    return this.#decoder.decode(waiting as Uint8Array<ArrayBuffer>, { stream: true });
  }

  /**
   * A copy of the bytes being read.
   *
   * @param first A chunk that was returned but not yet passed on
   * @returns The copy; `null` if the first chunk is lost, or there already is a copy
   */
  beside(first: ShownChunk | null): ReadableStream<Uint8Array<ArrayBuffer>> | null {
    const bytes = this.taken < 2 && typeof first !== "string" ? first : null;
    if (this.#reader === null || this.#beside !== null || (this.taken > 0 && bytes === null)) return null;
    const copy = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (controller) => void (this.#beside = controller),
      cancel: () => void (this.#beside = null),
    });
    if (bytes !== null) this.#beside!.enqueue(new Uint8Array(bytes));
    return copy;
  }

  /** Ends the copy. */
  finish(): void {
    this.#beside?.close();
    this.#beside = null;
  }

  /** Fails the copy. */
  fail(error: unknown): void {
    this.#beside?.error(error);
  }

  /** Cancels the body. If another reader has it, it cannot be cancelled here, and that reader gets the error. */
  cancel(reason?: Error): void {
    this.#wait?.end();
    (this.#reader ?? this.#unheld())?.cancel(reason).catch(() => {});
  }
}

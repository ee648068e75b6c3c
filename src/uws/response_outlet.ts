import { type BodyOutlet, BodyStream } from "../response/web/body_stream.ts";
import type { EngineResponse } from "./engine.ts";
import type { Head } from "./head.ts";
import type { UwsCall } from "./uws_call.ts";

/** A source of body pieces. */
interface Source {
  /** Requests the next piece, which is passed to the outlet. */
  pull(): void;
  /** Called when the rest is not needed. */
  cancel(): void;
}

/** Writes a body piece by piece at the client's pace. */
export class ResponseOutlet implements BodyOutlet {
  readonly #call: UwsCall;
  readonly #head: Head;
  /** Bytes that the head announces; `undefined` for a chunked body. */
  readonly #length: number | undefined;
  #source!: Source;
  #hasBegun = false;
  #isOver = false;
  /** Whether a piece has been requested from the source. */
  #isAsked = false;
  /** Bytes in all pieces so far. */
  #sent = 0;
  /** The part of a body with an announced length that the engine has not accepted yet. */
  #rest: Uint8Array | null = null;

  /**
   * @param call The request awaiting the response
   * @param head The head
   * @param length The body's bytes, if known
   */
  constructor(call: UwsCall, head: Head, length: number | undefined) {
    this.#call = call;
    this.#head = head;
    this.#length = length;
  }

  /**
   * Starts writing.
   *
   * @param body The body
   */
  begin(body: ReadableStream<Uint8Array>): void {
    this.#source = BodyStream.redirect(body, this) ?? new StreamSource(body, this);
    this.#call.onGone(() => this.#abort());
    this.#call.res?.onWritable((offset) => this.#writable(offset));
    // later, as a web stream is read, so data written on the same tick is sent together
    queueMicrotask(() => this.#next());
  }

  #next(): void {
    if (this.#isOver || this.#isAsked) return;
    this.#isAsked = true;
    this.#source.pull();
  }

  #abort(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#source.cancel();
  }

  enqueue(bytes: Uint8Array): void {
    this.#isAsked = false;
    if (this.#isOver) return;
    if (bytes.byteLength === 0) return queueMicrotask(() => this.#next());
    let isTaken = true;
    this.#call.cork((res) => {
      this.#begin(res);
      isTaken = this.#length === undefined ? res.write(bytes) : this.#writeOf(this.#length, res, bytes);
    });
    if (isTaken) queueMicrotask(() => this.#next());
  }

  #begin(res: EngineResponse): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    this.#head.write(res);
    // the engine does not close the connection after a body sent in pieces; the client does
    if (this.#head.isLast) res.writeHeader("connection", "close");
  }

  // writes part of a body with an announced length
  #writeOf(length: number, res: EngineResponse, bytes: Uint8Array): boolean {
    const piece = bytes.subarray(0, length - this.#sent);
    const start = res.getWriteOffset();
    this.#sent += piece.byteLength;
    if (this.#sent === length) this.#call.unpause();
    const [isTaken, isDone] = res.tryEnd(piece, length);
    if (isDone) this.#done();
    else if (!isTaken) this.#rest = piece.subarray(res.getWriteOffset() - start);
    return isTaken;
  }

  #done(): void {
    this.#call.complete();
    // the source may continue, but its data goes nowhere
    this.#abort();
  }

  #writable(offset: number): boolean {
    const rest = this.#rest;
    if (this.#length !== undefined && rest !== null) {
      const [isTaken, isDone] = this.#call.res!.tryEnd(rest, this.#length);
      if (isDone) this.#done();
      else this.#rest = isTaken ? null : rest.subarray(this.#call.res!.getWriteOffset() - offset);
      if (!isTaken || isDone) return isTaken;
    }
    // Even if there is no piece to write yet: the engine sends its buffered data only on a write or an uncork.
    this.#call.cork(() => this.#next());
    return true;
  }

  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { res } = this.#call;
    if (res === null) return;
    if (this.#length !== undefined && this.#sent < this.#length) return this.#call.close();
    this.#call.cork(() => {
      this.#begin(res);
      this.#call.unpause();
      res.end();
    });
    this.#call.complete();
  }

  error(): void {
    this.#isOver = true;
    this.#call.close();
  }

  /** Reports the source's failure, which nothing else reports. */
  fail(error: unknown): void {
    if (this.#isOver) return;
    this.#call.report(error);
    this.error();
  }
}

/** A web stream created by the program. */
class StreamSource implements Source {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #outlet: ResponseOutlet;

  constructor(stream: ReadableStream<Uint8Array>, outlet: ResponseOutlet) {
    this.#reader = stream.getReader();
    this.#outlet = outlet;
  }

  pull(): void {
    this.#reader.read().then(({ done, value }) => {
      if (done) return this.#outlet.close();
      if (!(value instanceof Uint8Array)) throw new TypeError("A body must be a stream of bytes");
      this.#outlet.enqueue(value);
    }).catch((error) => this.#outlet.fail(error));
  }

  cancel(): void {
    this.#reader.cancel().catch(() => {});
  }
}

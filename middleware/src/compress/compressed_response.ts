import { chunkBytes } from "@sluice/shared";
import type { Request, Response } from "@sluice/sluice";
import { type GivenHeaders, setGiven } from "../methods/given_headers.ts";
import { OwnDrain } from "../methods/own_drain.ts";
import { chooseCoding, type CompressionRules, isEventStream } from "./choose_coding.ts";
import type { Coding, Compressor, Taken } from "./coding.ts";

/** Maximum bytes of a body to compress in one call: a `node:zlib` stream costs as much as compressing 32 KiB. */
const WHOLE_BYTES = 32 * 1024;

/**
 * Delay before written output is flushed, in ms, unless it already exceeds what the client can accept. A source that
 * does not wait writes hundreds of kilobytes in that time, so flushing costs it next to nothing.
 */
const FLUSH_AFTER_MS = 5;

/** Sits between a response's methods and the response, and compresses what is written. */
export class CompressedResponse {
  readonly #req: Request;
  readonly #res: Response;
  readonly #rules: CompressionRules;
  readonly #plain: Pick<Response, "end" | "write" | "writeHead">;
  readonly #drain: OwnDrain;
  #coding: Coding | null = null;
  #compressor: Compressor | null = null;
  /** Bytes in the body, if known when the head is written. */
  #length: number | undefined = undefined;
  /** A whole body that was written but not yet ended. */
  #held: Uint8Array<ArrayBuffer> | null = null;
  #isEnded = false;
  #isClosed = false;
  #needsDrain = false;
  #isFlushSoon = false;
  #flushTimer: ReturnType<typeof setTimeout> | undefined;

  /**
   * Replaces a response's methods.
   *
   * @param req The request
   * @param res Its response
   * @param rules Which responses to compress
   */
  constructor(req: Request, res: Response, rules: CompressionRules) {
    this.#req = req;
    this.#res = res;
    this.#rules = rules;
    const { end, write, writeHead } = res;
    this.#plain = { end, write, writeHead };
    const methods = {
      writeHead: this.#writeHead.bind(this),
      write: this.#write.bind(this),
      end: this.#end.bind(this),
      flush: () => this.#flush(),
    };
    Object.assign(res, methods);
    this.#drain = new OwnDrain(res, () => this.#drained());
  }

  #writeHead(status: number, reason?: string | GivenHeaders, headers?: GivenHeaders): Response {
    const res = this.#res;
    const { writeHead } = this.#plain;
    if (res.headersSent) return writeHead.call(res, status, reason as string, headers);
    const isNamed = typeof reason === "string";
    setGiven(res, isNamed ? headers : reason ?? headers);
    // the previous head could not be sent
    if (this.#coding !== null) res.removeHeader("Content-Encoding");
    this.#length = lengthIn(res) ?? this.#length;
    this.#coding = chooseCoding(this.#req, res, status | 0, this.#length, this.#rules);
    return isNamed ? writeHead.call(res, status, reason) : writeHead.call(res, status);
  }

  #write(chunk: string | Uint8Array, encoding?: string | Taken | null, callback?: Taken | null): boolean {
    const res = this.#res;
    if (!res.headersSent) res.writeHead(res.statusCode);
    if (this.#passesOn) return this.#plain.write.call(res, chunk, encoding, callback);
    const taken = callbackOf(encoding) ?? callbackOf(callback);
    const bytes = chunkBytes("res.write", chunk, nameOf(encoding));
    if (this.#isEnded) {
      this.#complain(taken);
      return false;
    }
    const isAll = this.#compressor === null && this.#held === null && bytes.byteLength === this.#length;
    if (isAll && taken === undefined && this.#isShort(bytes)) {
      this.#held = bytes;
      this.#flushSoon();
      return true;
    }
    this.#needsDrain = !this.#begun().write(bytes, taken);
    this.#flushSoon();
    return !this.#needsDrain;
  }

  #end(
    chunk?: string | Uint8Array | Taken | null,
    encoding?: string | Taken | null,
    callback?: Taken | null,
  ): Response {
    const res = this.#res;
    const done = callbackOf(chunk) ?? callbackOf(encoding) ?? callbackOf(callback);
    const last = typeof chunk === "function" || !chunk ? null : chunkBytes("res.end", chunk, nameOf(encoding));
    if (!res.headersSent) {
      this.#length = last?.byteLength ?? 0;
      res.writeHead(res.statusCode);
    }
    // the runtime would send the length of a body that is not sent
    if (this.#coding !== null && this.#req.method === "HEAD") return this.#plain.end.call(res, done);
    if (this.#passesOn) return this.#plain.end.call(res, chunk as string, encoding, callback);
    if (this.#isEnded) {
      if (last !== null || done !== undefined) this.#complain(done);
      return res;
    }
    const whole = this.#held === null ? last ?? new Uint8Array(0) : last === null ? this.#held : null;
    if (this.#compressor === null && whole !== null && this.#isShort(whole)) {
      this.#plain.end.call(res, this.#coding!.whole!(whole), done);
      // not if it threw: an error handler may respond with a different head
      this.#isEnded = true;
      clearTimeout(this.#flushTimer);
      return res;
    }
    const compressor = this.#begun(done);
    if (last !== null) compressor.write(last);
    this.#isEnded = true;
    clearTimeout(this.#flushTimer);
    compressor.end();
    return res;
  }

  // the writer waits for the compressor, which waits for the client
  #drained(): void {
    if (this.#compressor === null) this.#drain.emit();
    else this.#compressor.resume();
  }

  #flush(): void {
    if (this.#held !== null) this.#begun();
    this.#compressor?.flush();
  }

  // While the source waits for a timer, a database or a model, the client gets the data written so far. While the
  // source waits for the client instead, more data would only fill its buffers.
  #flushSoon(): void {
    if (this.#isFlushSoon || !this.#coding!.canFlush) return;
    this.#isFlushSoon = true;
    // most responses end before then, and need no timer
    queueMicrotask(() => {
      if (this.#isEnded || this.#isClosed) return;
      this.#flushTimer = setTimeout(() => this.#flushWritten(), FLUSH_AFTER_MS);
    });
  }

  #flushWritten(): void {
    this.#isFlushSoon = false;
    if (!this.#needsDrain && !this.#isEnded && !this.#isClosed) this.#flush();
  }

  // without a coding, a body, or a reader
  get #passesOn(): boolean {
    return this.#coding === null || this.#req.method === "HEAD" || this.#isClosed;
  }

  #isShort({ byteLength }: Uint8Array): boolean {
    return byteLength <= WHOLE_BYTES && this.#coding?.whole !== undefined;
  }

  #begun(done?: Taken): Compressor {
    const compressor = this.#compressor ?? this.#begin();
    if (done !== undefined) this.#res.once("finish", done);
    if (this.#held !== null) compressor.write(this.#held);
    this.#held = null;
    return compressor;
  }

  #begin(): Compressor {
    const res = this.#res;
    const { end, write } = this.#plain;
    // First, because a head that cannot be sent is the caller's error. And code that waits for the head must not wait
    // for a compressor that buffers.
    res.flushHeaders();
    this.#drain.listen();
    const compressor = this.#compressor = this.#coding!.start({
      piece: (bytes) => write.call(res, bytes),
      drain: () => {
        this.#needsDrain = false;
        this.#flushSoon();
        this.#drain.emit();
      },
      end: () => void end.call(res),
      fail: (error) => {
        this.#req.app.reportError(error, { req: this.#req, phase: "response" });
        res.destroy(error instanceof Error ? error : undefined);
      },
    }, isEventStream(res));
    const prototype = Object.getPrototypeOf(res);
    const isEnded = (): boolean => this.#isEnded;
    const needsDrain = (): boolean => !this.#isEnded && this.#needsDrain;
    const waitingBytes = (): number => compressor.waitingBytes + Reflect.get(prototype, "writableLength", res);
    Object.defineProperties(res, {
      writableEnded: { get: isEnded, configurable: true },
      writableLength: { get: waitingBytes, configurable: true },
      writableNeedDrain: { get: needsDrain, configurable: true },
    });
    // before the program's listeners, which may fail
    res.prependOnceListener("close", () => {
      this.#isClosed = true;
      clearTimeout(this.#flushTimer);
      compressor.destroy();
    });
    return compressor;
  }

  #complain(callback: Taken | undefined): void {
    const late = new Error("res.write or res.end got a chunk after res.end");
    const error = Object.assign(late, { code: "ERR_STREAM_WRITE_AFTER_END" });
    if (callback !== undefined) queueMicrotask(() => callback(error));
    else this.#req.app.reportError(error, { req: this.#req, phase: "response" });
  }
}

function lengthIn(res: Response): number | undefined {
  const length = res.getHeader("Content-Length");
  return length === undefined ? undefined : Number(length);
}

function callbackOf(given: unknown): Taken | undefined {
  return typeof given === "function" ? given as Taken : undefined;
}

function nameOf(encoding: unknown): string | undefined {
  return typeof encoding === "string" ? encoding : undefined;
}

import { builtinModule } from "@sluice/shared";
import type { Coding, CodingLevels, CodingName, Compressor, CompressorEvents, Taken } from "./coding.ts";

/** The part of `node:zlib`'s streams used here. */
interface ZlibStream {
  readonly writableLength: number;
  write(chunk: Uint8Array, taken?: Taken): boolean;
  flush(kind: number): void;
  end(): unknown;
  pause(): unknown;
  resume(): unknown;
  destroy(): unknown;
  on(event: "data", listener: (chunk: Uint8Array<ArrayBuffer>) => void): unknown;
  on(event: "error", listener: (error: unknown) => void): unknown;
  on(event: "drain" | "end", listener: () => void): unknown;
}

/** Options of its functions. */
interface ZlibOptions {
  readonly level?: number;
  readonly flush?: number;
  readonly params?: Readonly<Record<number, number>>;
}

type Start = (options: ZlibOptions) => ZlibStream;
type Whole = (bytes: Uint8Array, options: ZlibOptions) => Uint8Array<ArrayBuffer>;

/** The part of `node:zlib` used here; Zstandard was added in Node 22.15. */
interface Zlib {
  readonly constants: Readonly<Record<string, number>>;
  readonly createBrotliCompress: Start;
  readonly createDeflate: Start;
  readonly createGzip: Start;
  readonly createZstdCompress?: Start;
  readonly brotliCompressSync: Whole;
  readonly deflateSync: Whole;
  readonly gzipSync: Whole;
  readonly zstdCompressSync?: Whole;
}

/** At this level brotli takes about as long as gzip; its default takes twenty times as long. */
const BROTLI_LEVEL = 4;

/**
 * Window sizes, as base-2 logarithms of bytes. They bound the memory per client that stops reading: with brotli's
 * default, 22, up to 8 MiB of the body waits in 17 to 25 MiB of memory. JSON and HTML up to 256 KiB grow by less than 1
 * % compared with the largest window, and 2 MiB by about as much, unless content repeats from further back than the
 * window.
 */
const BROTLI_WINDOW = 16;
const ZSTD_WINDOW = 19;

/** Bytes per write to a compressor: given 2 MiB in one chunk, brotli uses 3.5 MiB more. */
const PIECE_BYTES = 64 * 1024;

/**
 * The codings from `node:zlib`: on Node, Deno, Bun, and Workers with `nodejs_compat`.
 *
 * @param levels Compression levels
 * @returns The codings by name; `undefined` where the module is missing
 */
export function builtinCodings(levels: CodingLevels): Partial<Record<CodingName, Coding>> | undefined {
  const zlib = builtinModule<Zlib>("node:zlib");
  if (zlib === undefined) return undefined;
  const { constants, createZstdCompress, zstdCompressSync } = zlib;
  const params = (given: Readonly<Record<string, number>>): ZlibOptions => ({
    params: Object.fromEntries(Object.entries(given).map(([key, value]) => [constants[key]!, value])),
  });
  const flat = (level: number | undefined): ZlibOptions => level === undefined ? {} : { level };
  const sync = constants["Z_SYNC_FLUSH"]!;
  const brotli = params({ BROTLI_PARAM_QUALITY: levels.br ?? BROTLI_LEVEL, BROTLI_PARAM_LGWIN: BROTLI_WINDOW });
  const codings = {
    gzip: coding("gzip", zlib.createGzip, zlib.gzipSync, flat(levels.gzip), sync),
    deflate: coding("deflate", zlib.createDeflate, zlib.deflateSync, flat(levels.deflate), sync),
    br: coding(
      "br",
      zlib.createBrotliCompress,
      zlib.brotliCompressSync,
      brotli,
      constants["BROTLI_OPERATION_FLUSH"]!,
    ),
  };
  if (createZstdCompress === undefined || zstdCompressSync === undefined) return codings;
  const level = levels.zstd === undefined ? {} : { ZSTD_c_compressionLevel: levels.zstd };
  const zstd = params({ ...level, ZSTD_c_windowLog: ZSTD_WINDOW });
  return { ...codings, zstd: coding("zstd", createZstdCompress, zstdCompressSync, zstd, constants["ZSTD_e_flush"]!) };
}

function coding(name: CodingName, start: Start, whole: Whole, options: ZlibOptions, flush: number): Coding {
  const eagerly = { ...options, flush };
  return {
    name,
    canFlush: true,
    whole: (bytes) => whole(bytes, options),
    start: (events, eager) => new BuiltinCompressor(start(eager ? eagerly : options), events, eager ? null : flush),
  };
}

class BuiltinCompressor implements Compressor {
  readonly #stream: ZlibStream;
  /** How to flush; `null` if each write flushes. */
  readonly #flush: number | null;
  #isFlushed = true;
  #isOver = false;

  constructor(stream: ZlibStream, events: CompressorEvents, flush: number | null) {
    this.#stream = stream;
    this.#flush = flush;
    // a destroyed stream may still finish its current tick
    stream.on("data", (bytes) => {
      if (!this.#isOver && !events.piece(bytes)) stream.pause();
    });
    stream.on("drain", () => this.#isOver || events.drain());
    stream.on("end", () => this.#isOver || events.end());
    stream.on("error", (error) => this.#isOver || events.fail(error));
  }

  get waitingBytes(): number {
    return this.#stream.writableLength;
  }

  write(bytes: Uint8Array<ArrayBuffer>, taken?: Taken): boolean {
    this.#isFlushed = false;
    let at = 0;
    for (; bytes.byteLength - at > PIECE_BYTES; at += PIECE_BYTES) {
      this.#stream.write(bytes.subarray(at, at + PIECE_BYTES));
    }
    return this.#stream.write(bytes.subarray(at), taken);
  }

  flush(): void {
    if (this.#flush === null || this.#isFlushed || this.#isOver) return;
    this.#isFlushed = true;
    this.#stream.flush(this.#flush);
  }

  end(): void {
    this.#stream.end();
  }

  resume(): void {
    this.#stream.resume();
  }

  destroy(): void {
    this.#isOver = true;
    this.#stream.destroy();
  }
}

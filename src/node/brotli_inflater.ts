import { Duplex } from "node:stream";
import { createBrotliDecompress } from "node:zlib";

/** Inflates brotli with `node:zlib`: `DecompressionStream` in Node 20 and 22 supports only gzip and deflate. */
export function brotliInflater(): ReadableWritablePair<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  return Duplex.toWeb(createBrotliDecompress()) as ReadableWritablePair<
    Uint8Array<ArrayBuffer>,
    Uint8Array<ArrayBuffer>
  >;
}

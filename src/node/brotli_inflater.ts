import { Duplex } from "node:stream";
import { createBrotliDecompress } from "node:zlib";

/** Inflates brotli by Node's zlib: the `DecompressionStream` of Node 20 and 22 knows gzip and deflate only. */
export function brotliInflater(): ReadableWritablePair<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  return Duplex.toWeb(createBrotliDecompress()) as ReadableWritablePair<
    Uint8Array<ArrayBuffer>,
    Uint8Array<ArrayBuffer>
  >;
}

import { coded } from "./coded_error.ts";
import { textBytes } from "./encodings.ts";

/** Data that can be written to a response: a string or bytes. */
export type Chunk = string | ArrayBufferView | ArrayBuffer;

/**
 * Converts a chunk to bytes.
 *
 * @param caller Name of the caller for error messages
 * @param chunk A string or bytes
 * @param encoding Node's name for the string's encoding, UTF-8 by default
 * @returns The bytes
 * @throws {TypeError} If the chunk is neither a string nor bytes, or the encoding is unknown
 */
export function chunkBytes(caller: string, chunk: unknown, encoding?: string): Uint8Array<ArrayBuffer> {
  if (typeof chunk === "string") return textBytes(caller, chunk, encoding);
  if (chunk instanceof Uint8Array) return chunk as Uint8Array<ArrayBuffer>;
  if (ArrayBuffer.isView(chunk)) {
    return new Uint8Array(chunk.buffer as ArrayBuffer, chunk.byteOffset, chunk.byteLength);
  }
  if (chunk instanceof ArrayBuffer) return new Uint8Array(chunk);
  const code = chunk === null ? "ERR_STREAM_NULL_VALUES" : "ERR_INVALID_ARG_TYPE";
  throw coded(
    code,
    new TypeError(`${caller} expects a string or bytes, not ${chunk === null ? "null" : typeof chunk}`),
  );
}

/**
 * Concatenates chunks.
 *
 * @param chunks The chunks
 * @returns All bytes; a single chunk is not copied
 */
export function joinedBytes<Bytes extends Uint8Array>(chunks: readonly Bytes[]): Bytes | Uint8Array<ArrayBuffer> {
  if (chunks.length === 1) return chunks[0]!;
  const bytes = new Uint8Array(chunks.reduce((length, { byteLength }) => length + byteLength, 0));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}

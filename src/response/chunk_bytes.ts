import { utf8Bytes } from "../http/utf8.ts";

/** What can be written to a response: text or bytes. */
export type Chunk = string | ArrayBufferView | ArrayBuffer;

/**
 * Turns a chunk into bytes.
 *
 * @param method The caller's name for the error message
 * @param chunk Text or bytes
 * @param encoding Node's name of the text's encoding, UTF-8 by default
 * @returns The bytes
 * @throws {TypeError} If the chunk is neither text nor bytes, or the encoding is unknown
 */
export function chunkBytes(method: string, chunk: unknown, encoding?: string): Uint8Array<ArrayBuffer> {
  if (typeof chunk === "string") return textBytes(method, chunk, encoding);
  if (chunk instanceof Uint8Array) return chunk as Uint8Array<ArrayBuffer>;
  if (ArrayBuffer.isView(chunk)) {
    return new Uint8Array(chunk.buffer as ArrayBuffer, chunk.byteOffset, chunk.byteLength);
  }
  if (chunk instanceof ArrayBuffer) return new Uint8Array(chunk);
  throw new TypeError(`${method} takes a string or bytes, not ${chunk === null ? "null" : typeof chunk}`);
}

function textBytes(method: string, text: string, encoding = "utf8"): Uint8Array<ArrayBuffer> {
  switch (encoding.toLowerCase()) {
    case "utf8":
    case "utf-8":
      return utf8Bytes(text);
    case "latin1":
    case "binary":
    case "ascii":
      return Uint8Array.from(text, (char) => char.charCodeAt(0) & 0xff);
    case "base64":
    case "base64url":
      return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0));
    case "hex":
      return Uint8Array.from(text.match(/[0-9a-f]{2}/gi) ?? [], (pair) => parseInt(pair, 16));
    case "ucs2":
    case "ucs-2":
    case "utf16le":
    case "utf-16le":
      return utf16Bytes(text);
    default:
      throw new TypeError(`${method} does not know the encoding "${encoding}"`);
  }
}

function utf16Bytes(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length * 2);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < text.length; i++) view.setUint16(i * 2, text.charCodeAt(i), true);
  return bytes;
}

/**
 * Puts chunks behind one another.
 *
 * @param chunks The chunks
 * @returns All their bytes; those of a single chunk are not copied
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

import { utf8Length } from "../util/encodings.ts";

/** Data that can be sent on a connection. */
export type SocketData = string | ArrayBuffer | ArrayBufferView<ArrayBuffer> | Blob;

/**
 * Asserts that a message can be sent; runtimes would send `[object Object]`.
 *
 * @param caller Name of the caller for error messages
 * @param data The message
 * @throws {TypeError} If it is neither a string nor bytes
 */
export function assertSocketData(caller: string, data: unknown): asserts data is SocketData {
  if (typeof data === "string" || data instanceof ArrayBuffer || ArrayBuffer.isView(data) || data instanceof Blob) {
    return;
  }
  const given = typeof data === "object" && data !== null ? "an object; use JSON.stringify" : String(data);
  throw new TypeError(`${caller} expects a string, an ArrayBuffer, a view of one or a Blob, not ${given}`);
}

/**
 * Asserts that a topic is a string.
 *
 * @param caller Name of the caller for error messages
 * @param topic The topic
 * @throws {TypeError} If it is not a string
 */
export function assertTopic(caller: string, topic: unknown): asserts topic is string {
  if (typeof topic !== "string") throw new TypeError(`${caller} expects the topic as a string, not ${String(topic)}`);
}

/**
 * A message length.
 *
 * @param data The message
 * @returns Bytes on the wire, without framing
 */
export function byteLengthOf(data: SocketData): number {
  if (typeof data === "string") return utf8Length(data);
  return data instanceof Blob ? data.size : data.byteLength;
}

/**
 * Upper bound on a message's bytes, computed without reading each character in a string.
 *
 * @param data The message
 */
export function mostBytesOf(data: SocketData): number {
  // a UTF-16 code unit takes at most three bytes in UTF-8
  return typeof data === "string" ? 3 * data.length : byteLengthOf(data);
}

/**
 * A non-string message's bytes, over the same memory.
 *
 * @param data The message
 */
export function bytesOf(data: ArrayBuffer | ArrayBufferView<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return data instanceof ArrayBuffer
    ? new Uint8Array(data)
    : new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}

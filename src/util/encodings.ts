import { coded } from "./coded_error.ts";
// created on first use, because runtimes may load encoders and decoders lazily
let encoder: TextEncoder | null = null;

/**
 * Encodes a string in UTF-8. A lone surrogate becomes U+FFFD.
 *
 * @param text Any string
 */
export function utf8Bytes(text: string): Uint8Array<ArrayBuffer> {
  return (encoder ??= new TextEncoder()).encode(text);
}

// creating one for each body takes longer than decoding a short one
let decoder: TextDecoder | null = null;

/**
 * Decodes UTF-8 without its byte order mark. Invalid bytes become U+FFFD.
 *
 * @param bytes Any bytes
 */
export function utf8Text(bytes: Uint8Array): string {
  return (decoder ??= new TextDecoder()).decode(bytes);
}

/**
 * Encodes bytes as Base64 without padding.
 *
 * @param bytes A few bytes, such as a digest
 */
export function unpaddedBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes)).replace(/=+$/, "");
}

/**
 * A string's length in UTF-8, in bytes, without encoding it. A lone surrogate counts as three, as encoders write it.
 *
 * @param text Any string
 */
export function utf8Length(text: string): number {
  let length = text.length;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x80) continue;
    if (code < 0x800) length += 1;
    else if (code >= 0xd800 && code < 0xdc00 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) {
      length += 2;
      i++;
    } else length += 2;
  }
  return length;
}

/**
 * Returns whether a string in UTF-8, or bytes, exceed a limit.
 *
 * @param content The string or the bytes
 * @param limit The limit in bytes
 */
export function isLongerThan(content: string | Uint8Array, limit: number): boolean {
  const { length } = content;
  if (typeof content !== "string") return length > limit;
  // counts bytes only if the string may be too long: a UTF-16 code unit takes one to three bytes
  return 3 * length > limit && (length > limit || utf8Length(content) > limit);
}

/**
 * Encodes a string in one of Node's encodings.
 *
 * @param caller Name of the caller for error messages
 * @param text The string
 * @param encoding Node's name for the encoding
 * @throws {TypeError} If the encoding is unknown
 */
export function textBytes(caller: string, text: string, encoding = "utf8"): Uint8Array<ArrayBuffer> {
  switch (encoding.toLowerCase()) {
    case "utf8":
    case "utf-8":
      return utf8Bytes(text);
    case "latin1":
    case "binary":
    case "ascii":
      return byteOfEach(text);
    case "base64":
    case "base64url":
      return byteOfEach(atob(plainBase64(text)));
    case "hex":
      return Uint8Array.from(/^(?:[0-9a-f]{2})*/i.exec(text)![0].match(/../g) ?? [], (pair) => parseInt(pair, 16));
    case "ucs2":
    case "ucs-2":
    case "utf16le":
    case "utf-16le":
      return utf16Bytes(text);
    default:
      throw coded("ERR_UNKNOWN_ENCODING", new TypeError(`${caller}: unknown encoding "${encoding}"`));
  }
}

// the low byte of each code unit
function byteOfEach(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

// Node reads either alphabet up to the padding, skips other characters, and drops a last digit that completes no byte
function plainBase64(text: string): string {
  const digits = text.split("=", 1)[0]!.replaceAll("-", "+").replaceAll("_", "/").replace(/[^A-Za-z0-9+/]/g, "");
  return digits.length % 4 === 1 ? digits.slice(0, -1) : digits;
}

function utf16Bytes(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length * 2);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < text.length; i++) view.setUint16(i * 2, text.charCodeAt(i), true);
  return bytes;
}

/** Decodes bytes chunk by chunk; without a chunk, it returns the rest. */
export interface Decoder {
  /** Decodes a chunk. */
  decode(chunk?: Uint8Array, options?: { stream: boolean }): string;
}

/**
 * Creates a decoder.
 *
 * @param caller Name of the caller for error messages
 * @param encoding Node's name for the encoding, or the web's label for a charset; `latin1` has Node's meaning, because
 * on the web that label means windows-1252
 * @throws {TypeError} If the encoding is unknown (`ERR_UNKNOWN_ENCODING`)
 */
export function decoderOf(caller: string, encoding: string): Decoder {
  switch (encoding.toLowerCase()) {
    case "utf8":
      return new TextDecoder("utf-8", { ignoreBOM: true });
    case "ucs2":
    case "ucs-2":
    case "utf16le":
      return new TextDecoder("utf-16le", { ignoreBOM: true });
    case "latin1":
    case "binary":
      return { decode: (chunk) => characters(chunk, (byte) => String.fromCharCode(byte)) };
    case "ascii":
      return { decode: (chunk) => characters(chunk, (byte) => String.fromCharCode(byte & 0x7f)) };
    case "hex":
      return { decode: (chunk) => characters(chunk, (byte) => byte.toString(16).padStart(2, "0")) };
    case "base64":
      return base64Decoder((text) => text);
    case "base64url":
      return base64Decoder((text) => text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, ""));
  }
  try {
    return charsetDecoder(encoding, { ignoreBOM: true });
  } catch (cause) {
    throw coded("ERR_UNKNOWN_ENCODING", new TypeError(`${caller}: unknown encoding "${encoding}"`, { cause }));
  }
}

/**
 * Creates a decoder for one of the web's charsets.
 *
 * @param label One of its labels
 * @param options Whether a byte order mark stays in the string
 * @throws {RangeError} If the runtime does not support it
 * @see https://encoding.spec.whatwg.org/#names-and-labels
 */
export function charsetDecoder(label: string, options?: { ignoreBOM: boolean }): Decoder {
  const decoder = new TextDecoder(label, options);
  if (decoder.encoding !== "windows-1252") return decoder;
  // Node 20, and some 22 and 24 versions, decode it as ISO-8859-1, where the bytes 80 to 9F are control characters
  return {
    decode: (chunk, streaming) =>
      decoder.decode(chunk, streaming)
        .replace(/[\x80-\x9f]/g, (control) => FROM_80_TO_9F[control.charCodeAt(0) - 0x80]!),
  };
}

/** The characters for bytes 80 to 9F in windows-1252. */
const FROM_80_TO_9F = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ";

function characters(chunk: Uint8Array | undefined, show: (byte: number) => string): string {
  let text = "";
  for (const byte of chunk ?? []) text += show(byte);
  return text;
}

// in groups of three bytes; an incomplete group waits for the next chunk
function base64Decoder(spelled: (text: string) => string): Decoder {
  let left = "";
  return {
    decode(chunk, options) {
      const bytes = left + characters(chunk, (byte) => String.fromCharCode(byte));
      const end = options?.stream ? bytes.length - bytes.length % 3 : bytes.length;
      left = bytes.slice(end);
      return spelled(btoa(bytes.slice(0, end)));
    },
  };
}

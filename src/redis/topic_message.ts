import { Buffer } from "node:buffer";

/** Identifies a process: eight random bytes. */
export type Sender = Uint8Array;

/** A message as transferred through Redis. */
export interface TopicMessage {
  /** Whether this process sent it. */
  readonly isOwn: boolean;
  /** A string or bytes. */
  readonly data: string | Uint8Array<ArrayBuffer>;
}

/** First byte of a message: its type. Strings published by other programs do not begin with one of these. */
const KIND = { text: 0, bytes: 1 } as const;

/** Bytes before the message itself. */
const HEAD = 9;

/** A new identifier for this process. */
export function newSender(): Sender {
  return crypto.getRandomValues(new Uint8Array(HEAD - 1));
}

/**
 * Packs a message: its type, its sender, and the message itself.
 *
 * @param sender This process
 * @param data A string or bytes, copied
 */
export function packed(sender: Sender, data: string | Uint8Array): Buffer {
  const isText = typeof data === "string";
  return Buffer.concat([Uint8Array.of(isText ? KIND.text : KIND.bytes), sender, isText ? Buffer.from(data) : data]);
}

/**
 * Unpacks a message. Other programs' messages have no header; they are strings if they are valid UTF-8.
 *
 * @param asking This process
 * @param message The message from Redis
 */
export function unpacked(asking: Sender, message: Buffer): TopicMessage {
  const kind = message[0];
  if (message.length < HEAD || (kind !== KIND.text && kind !== KIND.bytes)) {
    return { isOwn: false, data: readable(message) };
  }
  const body = message.subarray(HEAD);
  return {
    isOwn: message.subarray(1, HEAD).equals(asking),
    data: kind === KIND.text ? body.toString() : new Uint8Array(body),
  };
}

function readable(message: Buffer): string | Uint8Array<ArrayBuffer> {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(message);
  } catch {
    return new Uint8Array(message);
  }
}

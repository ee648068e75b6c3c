/** WebSocket frames as bytes. */

/** Frame types (RFC 6455 section 5.2). */
export const OPCODE = { more: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** A frame from the server. */
export interface Frame {
  /** Its type. */
  readonly opcode: number;
  readonly data: Uint8Array;
}

/**
 * A client's frame, masked as required.
 *
 * @param opcode Its type
 * @param payload Its payload
 * @param options Whether it is the last frame in its message, and the length it declares
 */
export function frame(
  opcode: number,
  payload: string | Uint8Array = "",
  { fin = true, length }: { fin?: boolean; length?: number } = {},
): Uint8Array<ArrayBuffer> {
  const bytes = typeof payload === "string" ? new TextEncoder().encode(payload) : payload;
  const claimed = length ?? bytes.length;
  const size = claimed < 126 ? 0 : claimed < 65536 ? 2 : 8;
  const made = new Uint8Array(2 + size + 4 + bytes.length);
  const view = new DataView(made.buffer);
  made[0] = (fin ? 0x80 : 0) | opcode;
  made[1] = 0x80 | (size === 0 ? claimed : size === 2 ? 126 : 127);
  if (size === 2) view.setUint16(2, claimed);
  if (size === 8) view.setBigUint64(2, BigInt(claimed));
  const mask = crypto.getRandomValues(new Uint8Array(4));
  made.set(mask, 2 + size);
  made.set(bytes.map((byte, at) => byte ^ mask[at % 4]!), 2 + size + 4);
  return made;
}

/** A close frame's code and reason. */
export function closeOf(frame: Frame | null): [code: number | undefined, reason: string] | undefined {
  if (frame?.opcode !== OPCODE.close) return undefined;
  const { data } = frame;
  return [data.length < 2 ? undefined : data[0]! * 256 + data[1]!, new TextDecoder().decode(data.subarray(2))];
}

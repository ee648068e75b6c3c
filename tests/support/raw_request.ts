/** Requests and frames by hand, for what comes in one piece or only in part. */
import { HANDSHAKE as HEADERS } from "../contracts/raw_socket.ts";
import { writeAll } from "./raw_client.ts";

/** The header lines of a proper handshake. */
export const HANDSHAKE: readonly string[] = Object.entries(HEADERS).map(([name, value]) => `${name}: ${value}`);

/**
 * A client's frame, masked with zeros.
 *
 * @param opcode What it is
 * @param payload What is in it
 * @param options Whether it is the last one of its message, and how long it claims to be
 */
export function frame(
  opcode: number,
  payload: string | Uint8Array<ArrayBuffer> = "",
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
  made.set(bytes, 2 + size + 4);
  return made;
}

/** Bytes of a request's head. */
export function requestHead(start: string, headers: readonly string[]): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode([`${start} HTTP/1.1`, "Host: localhost", ...headers, "", ""].join("\r\n"));
}

/**
 * Connects and sends a request's head.
 *
 * @param origin Where to
 * @param start The request line without its version
 * @param headers Header lines
 * @param rest What is sent right behind the head
 */
export async function rawHead(
  origin: string,
  start: string,
  headers: readonly string[],
  rest: Uint8Array<ArrayBuffer> | string = "",
): Promise<Deno.TcpConn> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port: Number(new URL(origin).port) });
  const behind = typeof rest === "string" ? new TextEncoder().encode(rest) : rest;
  await writeAll(connection, new Uint8Array([...requestHead(start, headers), ...behind]));
  return connection;
}

/** Everything that comes until the other end closes. */
export async function untilClosed(connection: Deno.TcpConn): Promise<string> {
  return await new Response(connection.readable).text();
}

/** What comes until a text is in it. */
export async function untilText(connection: Deno.TcpConn, text: string): Promise<string> {
  const buffer = new Uint8Array(65536);
  let seen = "";
  while (!seen.includes(text)) {
    const length = await connection.read(buffer);
    if (length === null) throw new Error(`closed after ${JSON.stringify(seen)}`);
    seen += new TextDecoder().decode(buffer.subarray(0, length));
  }
  return seen;
}

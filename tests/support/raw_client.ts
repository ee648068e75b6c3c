/**
 * Connections with hand-written HTTP: to disconnect at the worst moment, and to send several requests at once or only
 * part of one.
 */
import { HANDSHAKE as HEADERS } from "../contracts/raw_socket.ts";

/** The server they connect to. */
export interface RawServer {
  /** Its port, on 127.0.0.1. */
  readonly port: number;
}

const encoder = new TextEncoder();

/** Header lines for a valid handshake. */
export const HANDSHAKE: readonly string[] = Object.entries(HEADERS).map(([name, value]) => `${name}: ${value}`);

/** Opens a connection and writes to it. */
export async function opened({ port }: RawServer, first: string | Uint8Array): Promise<Deno.TcpConn> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  await writeAll(connection, typeof first === "string" ? encoder.encode(first) : first);
  return connection;
}

/** Opens many connections, a hundred at once. */
export async function openedMany(
  server: RawServer,
  count: number,
  open: () => Promise<Deno.TcpConn>,
): Promise<Deno.TcpConn[]> {
  const all: Deno.TcpConn[] = [];
  while (all.length < count) {
    all.push(...await Promise.all(Array.from({ length: Math.min(100, count - all.length) }, open)));
    // the accept queue is short, and a client that finds it full waits for a second
    await ask(server, "/");
  }
  return all;
}

/** Writes all bytes. */
export async function writeAll(connection: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let sent = 0; sent < bytes.length;) sent += await connection.write(bytes.subarray(sent));
}

/** Writes a string. */
export async function writeText(connection: Deno.Conn, text: string): Promise<void> {
  await writeAll(connection, encoder.encode(text));
}

/** Reads until a string has arrived. */
export async function readUntil(connection: Deno.Conn, text: string): Promise<string> {
  const buffer = new Uint8Array(65_536);
  let seen = "";
  while (!seen.includes(text)) {
    const length = await connection.read(buffer);
    if (length === null) throw new Error(`the connection ended before ${JSON.stringify(text)} came: ${seen}`);
    seen += new TextDecoder().decode(buffer.subarray(0, length));
  }
  return seen;
}

/** Sends a request over its own connection, and returns the body. */
export async function ask(server: RawServer, path: string): Promise<string> {
  const connection = await opened(server, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  const response = await new Response(connection.readable).text();
  return response.slice(response.indexOf("\r\n\r\n") + 4);
}

/** The value of one of the program's flags. */
export async function flag(server: RawServer, name: string): Promise<number> {
  return Number(await ask(server, `/flags/${name}`));
}

/** Bytes in a request's head. */
export function requestHead(start: string, headers: readonly string[]): Uint8Array<ArrayBuffer> {
  return encoder.encode([`${start} HTTP/1.1`, "Host: localhost", ...headers, "", ""].join("\r\n"));
}

/**
 * Connects and sends a request's head.
 *
 * @param origin The server's origin
 * @param start The request line without its version
 * @param headers Header lines
 * @param rest Sent right after the head
 */
export async function rawHead(
  origin: string,
  start: string,
  headers: readonly string[],
  rest: Uint8Array<ArrayBuffer> | string = "",
): Promise<Deno.TcpConn> {
  const behind = typeof rest === "string" ? encoder.encode(rest) : rest;
  const all = new Uint8Array([...requestHead(start, headers), ...behind]);
  return await opened({ port: Number(new URL(origin).port) }, all);
}

/** Everything received until the other end closes. */
export async function untilClosed(connection: Deno.TcpConn): Promise<string> {
  return await new Response(connection.readable).text();
}

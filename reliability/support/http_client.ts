/** Requests over connections of their own, for which a server cannot blame an earlier one. */
import { writeAll } from "../../tests/support/raw_client.ts";

/** What came back. */
export interface Answer {
  /** Status. */
  readonly status: number;
  /** Body. */
  readonly body: string;
}

/**
 * Sends a request over its own connection.
 *
 * @param port Where the server listens, on 127.0.0.1
 * @param path Path and query
 * @param patienceMs ms to wait for the answer
 * @throws {Error} If the connection fails or there is no complete answer in time
 */
export async function ask(port: number, path: string, patienceMs = 10_000): Promise<Answer> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const late = setTimeout(() => connection.close(), patienceMs);
  try {
    await writeAll(
      connection,
      new TextEncoder().encode(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`),
    );
    const text = latin1(await readAll(connection));
    const [head, body] = split(text);
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]);
    const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? body.length);
    if (!(status > 0) || body.length < length) throw new Error(`not a complete answer: ${JSON.stringify(text)}`);
    return { status, body };
  } finally {
    clearTimeout(late);
  }
}

function split(text: string): [head: string, body: string] {
  const end = text.indexOf("\r\n\r\n");
  return end === -1 ? [text, ""] : [text.slice(0, end), text.slice(end + 4)];
}

/** Everything until the other end closes. */
export async function readAll(connection: Deno.Conn): Promise<Uint8Array[]> {
  const pieces: Uint8Array[] = [];
  for (;;) {
    const piece = new Uint8Array(16_384);
    const count = await connection.read(piece);
    if (count === null) return pieces;
    pieces.push(piece.subarray(0, count));
  }
}

/** Bytes as text with one character for each. */
export function latin1(pieces: readonly Uint8Array[]): string {
  return pieces.map((piece) => Array.from(piece, (byte) => String.fromCharCode(byte)).join("")).join("");
}

/** The bytes of such a text. */
export function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

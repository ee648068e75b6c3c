/** Requests over separate connections, so that no earlier request causes a failure. */
import { Buffer } from "node:buffer";
import { requestHead, writeAll } from "../../tests/support/raw_client.ts";

export interface Answer {
  readonly status: number;
  readonly body: string;
}

/**
 * Sends a request over its own connection.
 *
 * @param port The server's port on 127.0.0.1
 * @param path Path and query
 * @param patienceMs Time limit for the response in ms
 * @throws {Error} If the connection fails or no complete response arrives in time
 */
export async function ask(port: number, path: string, patienceMs = 10_000): Promise<Answer> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const late = setTimeout(() => connection.close(), patienceMs);
  try {
    await writeAll(connection, requestHead(`GET ${path}`, ["Connection: close"]));
    const text = latin1(await new Response(connection.readable).bytes());
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

/** Bytes as a string with one character each. `TextDecoder` has no such encoding: its `latin1` is a different one. */
export function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}

/** The bytes in such a string. */
export function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return Buffer.from(text, "latin1");
}

/**
 * Sends and receives large bodies: `client.ts <port> <method> <path> <bytes> <times>`; prints the seconds it took. It
 * uses bare connections, four at once, to keep the client's own cost low.
 */
import { CHUNK } from "./content.ts";

const CONNECTIONS = 4;
const [port, method, path, size, times] = Deno.args;
const bytes = Number(size);
const head = new TextEncoder().encode(
  `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n` +
    (method === "POST" ? `Content-Length: ${bytes}\r\n\r\n` : "\r\n"),
);

async function once(): Promise<void> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port: Number(port) });
  const received = receive(connection);
  await writeAll(connection, head);
  if (method === "POST") {
    for (let left = bytes; left > 0; left -= CHUNK.byteLength) {
      await writeAll(connection, left >= CHUNK.byteLength ? CHUNK : CHUNK.subarray(0, left));
    }
  }
  const { total, begin } = await received;
  connection.close();
  // the response to an upload is the number of bytes received; a download also has a head and perhaps chunk sizes
  const complete = method === "POST" ? begin.endsWith(`\r\n${bytes}`) : total > bytes && total < bytes * 1.02 + 1000;
  if (!begin.startsWith("HTTP/1.1 200") || !complete) {
    throw new Error(`${path}: ${total} bytes, ${begin.slice(0, 300)}`);
  }
}

async function receive(connection: Deno.TcpConn): Promise<{ total: number; begin: string }> {
  const buffer = new Uint8Array(256 * 1024);
  let total = 0;
  let begin = "";
  for (;;) {
    const read = await connection.read(buffer);
    if (read === null) return { total, begin };
    if (total < 1000) begin += new TextDecoder().decode(buffer.subarray(0, Math.min(read, 1000)));
    total += read;
  }
}

async function writeAll(connection: Deno.TcpConn, data: Uint8Array): Promise<void> {
  for (let at = 0; at < data.byteLength;) at += await connection.write(data.subarray(at));
}

let left = Number(times);
const start = performance.now();
await Promise.all(Array.from({ length: CONNECTIONS }, async () => {
  while (left-- > 0) await once();
}));
console.log((performance.now() - start) / 1000);

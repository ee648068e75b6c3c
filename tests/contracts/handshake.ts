const HANDSHAKE = {
  "connection": "Upgrade",
  "upgrade": "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
};

/**
 * Sends a WebSocket handshake by hand, since a browser's `WebSocket` shows no status and no headers.
 *
 * @param origin Where
 * @param path The path
 * @param headers Headers beside those of the handshake
 * @returns The head of the answer, in lower case
 */
export async function handshake(origin: string, path: string, headers: Record<string, string> = {}): Promise<string> {
  const { host, hostname, port } = new URL(origin);
  using connection = await Deno.connect({ hostname, port: Number(port || 80) });
  const lines = Object.entries({ host, ...HANDSHAKE, ...headers }).map(([name, value]) => `${name}: ${value}`);
  await connection.write(new TextEncoder().encode([`GET ${path} HTTP/1.1`, ...lines, "", ""].join("\r\n")));
  const buffer = new Uint8Array(8192);
  let head = "";
  while (!head.includes("\r\n\r\n")) {
    const length = await connection.read(buffer);
    if (length === null) break;
    head += new TextDecoder().decode(buffer.subarray(0, length));
  }
  return head.split("\r\n\r\n")[0]!.toLowerCase();
}

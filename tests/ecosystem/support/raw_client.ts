import { PATIENCE_MS } from "../../support/patience.ts";
/** A request as written to the socket. */
export interface RawRequest {
  /** Method, `GET` by default. */
  readonly method?: string;
  /** Target, sent unchanged. */
  readonly path: string;
  /** Headers besides `Host`, `Connection` and `Content-Length`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Body, sent with its length. */
  readonly body?: string | Uint8Array;
}

/** A response as sent over the wire. */
export interface RawAnswer {
  readonly status: number;
  /** Lowercase names and values, one entry per line. */
  readonly headers: readonly (readonly [string, string])[];
  /** Bytes of the body without the framing. */
  readonly bytes: Uint8Array;
  /** Whether the connection ended before the body did. */
  readonly cut: boolean;
}

/**
 * Sends a request over its own connection. `fetch` would decompress, join header lines and hide the body's framing.
 *
 * @param port Port on this machine
 * @param request The request
 * @returns The last response on the connection; interim responses are dropped
 */
export async function askRaw(port: number, request: RawRequest): Promise<RawAnswer> {
  const { method = "GET", path, headers = {} } = request;
  const body = typeof request.body === "string" ? new TextEncoder().encode(request.body) : request.body;
  const lines = [`${method} ${path} HTTP/1.1`];
  const named = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  if (!named.has("host")) lines.push(`Host: 127.0.0.1:${port}`);
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  if (body !== undefined && !named.has("content-length")) lines.push(`Content-Length: ${body.byteLength}`);
  lines.push("Connection: close", "", "");
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  await writeAll(connection, new TextEncoder().encode(lines.join("\r\n")));
  // a server may respond and close before it has read everything
  if (body !== undefined) await writeAll(connection, body).catch(() => undefined);
  return parse(await readAll(connection), method);
}

async function writeAll(connection: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.byteLength;) written += await connection.write(bytes.subarray(written));
}

async function readAll(connection: Deno.Conn): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  const buffer = new Uint8Array(64 * 1024);
  const { promise: late, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(() => resolve(null), PATIENCE_MS);
  for (;;) {
    const reading = connection.read(buffer).catch((error: unknown) => {
      if (error instanceof Deno.errors.ConnectionReset || error instanceof Deno.errors.BadResource) return null;
      throw error;
    });
    const count = await Promise.race([reading, late]);
    if (count === null) break;
    chunks.push(buffer.slice(0, count));
  }
  clearTimeout(timer);
  return join(chunks);
}

function join(chunks: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0));
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.byteLength;
  }
  return all;
}

function parse(bytes: Uint8Array, method: string): RawAnswer {
  const text = new TextDecoder("latin1").decode(bytes);
  const end = text.indexOf("\r\n\r\n");
  if (end === -1) return { status: 0, headers: [], bytes, cut: true };
  const [first = "", ...lines] = text.slice(0, end).split("\r\n");
  const status = Number(first.split(" ")[1]);
  if (status >= 100 && status < 200) return parse(bytes.subarray(end + 4), method);
  const headers = lines.map((line) => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
  });
  const find = (name: string) => headers.find(([other]) => other === name)?.[1];
  const rest = bytes.subarray(end + 4);
  if (find("transfer-encoding") === "chunked" && method !== "HEAD") return { status, headers, ...unchunk(rest) };
  const length = find("content-length");
  const hasBody = method !== "HEAD" && status !== 204 && status !== 304;
  return { status, headers, bytes: rest, cut: hasBody && length !== undefined && rest.byteLength < Number(length) };
}

function unchunk(bytes: Uint8Array): { bytes: Uint8Array; cut: boolean } {
  const chunks: Uint8Array[] = [];
  for (let at = 0;;) {
    const line = bytes.indexOf(10, at);
    const size = line === -1 ? NaN : parseInt(new TextDecoder().decode(bytes.subarray(at, line)), 16);
    if (Number.isNaN(size)) return { bytes: join(chunks), cut: true };
    if (size === 0) return { bytes: join(chunks), cut: false };
    chunks.push(bytes.subarray(line + 1, line + 1 + size));
    at = line + 1 + size + 2;
  }
}

/** Requests to the target: their bodies, and how these arrive. */
import { gzipSync } from "node:zlib";
import { requestHead, writeAll } from "../../../tests/support/raw_client.ts";
import { latin1 } from "../../support/http_client.ts";
import type { Entry } from "./target.ts";
import { type Content, pause, type Way } from "./way.ts";

/** How a body arrives. */
export const KINDS = [
  "none",
  "small",
  "chunked",
  "slow",
  "late",
  "large",
  "gzip",
  "broken",
  "cut off",
  "behind another",
  "in front of another",
] as const;

/** One of them. */
export type Kind = typeof KINDS[number];

/** Kinds for requests without a body. */
export const BODILESS: readonly Kind[] = ["none", "behind another", "in front of another"];

/** A request to make. */
export interface Ask {
  /** The server's port on 127.0.0.1. */
  readonly port: number;
  readonly way: Way;
  /** The way's index. */
  readonly index: number;
  /** How its body arrives. */
  readonly kind: Kind;
  /** How its context is entered. */
  readonly entry: Entry;
  /** Its unique id. */
  readonly id: string;
}

/** Time between a slow body's parts, in ms. */
const GAP_MS = 12;
/** Time limit for a response, in ms. */
const PATIENCE_MS = 10_000;
const LARGE = 400_000;
const encoder = new TextEncoder();

const TYPES: Readonly<Record<Content, string>> = {
  json: "application/json",
  form: "application/x-www-form-urlencoded",
  text: "text/plain",
  bytes: "application/octet-stream",
  multipart: "multipart/form-data; boundary=b",
};

function bodyOf(content: Content, kind: Kind): Uint8Array<ArrayBuffer> {
  const value = "x".repeat(kind === "large" ? LARGE : 24);
  const part = (head: string) => `--b\r\nContent-Disposition: form-data; ${head}\r\n\r\n${value}\r\n`;
  const whole: Readonly<Record<Content, string>> = {
    json: JSON.stringify({ value }),
    form: `value=${value}&b=1`,
    text: value,
    bytes: value,
    multipart: `${part('name="value"')}${part('name="file"; filename="a.txt"')}--b--\r\n`,
  };
  const text = whole[content];
  return encoder.encode(kind === "broken" ? text.slice(0, -6) : text);
}

/**
 * Makes a request.
 *
 * @throws {Error} If no response arrives in time
 */
export async function make(ask: Ask): Promise<void> {
  if (ask.way.method === "WS") await converse(ask);
  else await send(ask);
}

async function send({ port, way, index, kind, entry, id }: Ask): Promise<void> {
  const { method = "POST", rest = "/", content } = way;
  const start = `${method} /${index}${rest}`;
  const isBehind = kind === "behind another";
  const isInFront = kind === "in front of another";
  const headers = [`x-id: ${id}`, `x-enter: ${entry}`];
  if (kind === "cut off") headers.push("x-cut-off: 1");
  if (!isInFront) headers.push("connection: close");
  const other = (after: string[]) =>
    joined(requestHead("POST /control/present", ["content-length: 2", ...after, `content-type: ${TYPES.json}`]), "{}");
  const before = isBehind ? other([`x-before: ${id}`]) : new Uint8Array();
  const after = isInFront ? other([`x-before: ${id}`, "connection: close"]) : new Uint8Array();
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const write = (...parts: (Uint8Array | string)[]) => writeAll(connection, joined(...parts));
  const head = (...more: string[]) => requestHead(start, [...headers, ...more]);
  const typed = [`content-type: ${TYPES[content]}`];
  const received = kind === "cut off" ? null : receive(connection, isBehind || isInFront ? 2 : 1);
  if (method === "GET" || kind === "none") {
    await write(before, head(...method === "GET" ? [] : typed), after);
  } else {
    const plain = bodyOf(content, kind);
    const body = kind === "gzip" ? new Uint8Array(gzipSync(plain)) : plain;
    const half = body.length >> 1;
    const [first, second] = [body.subarray(0, half), body.subarray(half)];
    const length = `content-length: ${body.length}`;
    if (kind === "gzip") typed.push("content-encoding: gzip");
    if (kind === "chunked") {
      await write(head(...typed, "transfer-encoding: chunked"), chunk(first), chunk(second), "0\r\n\r\n");
    } else if (kind === "slow" || kind === "cut off") {
      await write(head(...typed, length), first);
      await pause(GAP_MS);
      if (kind === "slow") await write(second);
    } else if (kind === "late") {
      await write(head(...typed, length));
      await pause(GAP_MS);
      await write(body);
    } else {
      await write(before, head(...typed, length), body, after);
    }
  }
  await received;
}

/** Reads until the server closes the connection. */
async function receive(connection: Deno.TcpConn, wanted: number): Promise<void> {
  const late = setTimeout(() => connection.close(), PATIENCE_MS);
  let text = "";
  const buffer = new Uint8Array(65_536);
  try {
    for (let count = await connection.read(buffer); count !== null; count = await connection.read(buffer)) {
      if (text.length < 1_000_000) text += latin1(buffer.subarray(0, count));
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.ConnectionReset)) throw error;
  } finally {
    clearTimeout(late);
  }
  const came = text.match(/^HTTP\/1\.1 [2-5]\d\d/gm)?.length ?? 0;
  if (came === 0) throw new Error(`no response, instead of ${wanted}: ${JSON.stringify(text.slice(0, 200))}`);
}

/** Opens a WebSocket, sends a message, waits for its echo, and closes the socket. */
function converse({ port, way: { rest = "/" }, index, entry, id }: Ask): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const late = setTimeout(() => reject(new Error("the WebSocket does not close")), PATIENCE_MS);
  const headers = { "x-id": id, "x-enter": entry };
  // the types have only browsers' options
  const socket = new WebSocket(`ws://127.0.0.1:${port}/${index}${rest}`, { headers } as unknown as string[]);
  socket.onopen = () => socket.send("hello");
  socket.onmessage = () => socket.close(1000);
  socket.onerror = (event) => reject(new Error((event as ErrorEvent).message));
  socket.onclose = () => resolve();
  return promise.finally(() => clearTimeout(late));
}

function chunk(bytes: Uint8Array): Uint8Array {
  return joined(`${bytes.length.toString(16)}\r\n`, bytes, "\r\n");
}

function joined(...parts: (Uint8Array | string)[]): Uint8Array<ArrayBuffer> {
  const all = parts.map((part) => typeof part === "string" ? encoder.encode(part) : part);
  const bytes = new Uint8Array(all.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of all) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

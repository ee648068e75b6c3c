/** A client that keeps its connection and reads responses byte by byte. */
import { Buffer } from "node:buffer";
import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";
import { writeAll } from "../../../tests/support/raw_client.ts";
import { bytesOf, latin1 } from "../../support/http_client.ts";
import { type WireRequest, wireText } from "./random_request.ts";

/** Stands for a missing response. */
export const NO_RESPONSE = "no response";

const CLOSED = [Deno.errors.ConnectionReset, Deno.errors.BrokenPipe, Deno.errors.ConnectionAborted];

/** Sends requests one after the other, over one connection for as long as the server keeps it. `using` closes it. */
export class Client implements Disposable {
  readonly #port: number;
  readonly #patienceMs: number;
  #connection: Deno.TcpConn | null = null;
  #received = "";

  /**
   * @param port The server's port on 127.0.0.1
   * @param patienceMs Time limit for a response in ms
   */
  constructor(port: number, patienceMs: number) {
    this.#port = port;
    this.#patienceMs = patienceMs;
  }

  /**
   * Sends a request.
   *
   * @returns The response without its date and random parts, or {@linkcode NO_RESPONSE}
   */
  async send(request: WireRequest): Promise<string> {
    const isReused = this.#connection !== null;
    const response = await this.#attempt(request);
    // a server may close an idle connection, in which case it has not seen the request
    return response ?? (isReused ? await this.#attempt(request) : null) ?? NO_RESPONSE;
  }

  async #attempt(request: WireRequest): Promise<string | null> {
    const connection = this.#connection ??= await Deno.connect({ hostname: "127.0.0.1", port: this.#port });
    const late = setTimeout(() => this[Symbol.dispose](), this.#patienceMs);
    try {
      await writeAll(connection, bytesOf(wireText(request)));
      return await this.#response(request.method);
    } catch (error) {
      // by the server, or because the response is late
      const isClosed = error instanceof Deno.errors.BadResource || error instanceof Deno.errors.Interrupted;
      if (!isClosed && !CLOSED.some((kind) => error instanceof kind)) throw error;
      this[Symbol.dispose]();
      return null;
    } finally {
      clearTimeout(late);
    }
  }

  async #response(method: string): Promise<string | null> {
    for (;;) {
      const head = await this.#until("\r\n\r\n");
      if (head === null) return null;
      const [start, ...lines] = head.slice(0, -4).split("\r\n");
      const status = Number(start!.split(" ")[1]);
      // an interim response
      if (status < 200) continue;
      const field = (name: string) =>
        lines.find((line) => line.toLowerCase().startsWith(`${name}:`))?.slice(name.length + 1);
      const [coding, length] = [field("transfer-encoding"), field("content-length")];
      // Deno sends no length with 205, and keeps the connection
      const isReset = status === 205 && coding === undefined && length === undefined;
      const isBodiless = method === "HEAD" || status === 204 || status === 304 || isReset;
      const body = isBodiless ? "" : await this.#body(coding, length);
      if (body === null) return `${NO_RESPONSE} after its head: ${start}`;
      if (/close/i.test(field("connection") ?? "")) this[Symbol.dispose]();
      const shown = lines.filter((line) => !/^(?:date|connection|keep-alive):/i.test(line)).map(masked);
      return [start, ...shown, "", decoded(field("content-encoding")?.trim(), body)].join("\n");
    }
  }

  async #body(coding: string | undefined, length: string | undefined): Promise<string | null> {
    if (coding !== undefined) return await this.#chunks();
    if (length !== undefined) return await this.#count(Number(length));
    while (await this.#more());
    const rest = this.#received;
    this[Symbol.dispose]();
    return rest;
  }

  async #chunks(): Promise<string | null> {
    for (let body = "";;) {
      const line = await this.#until("\r\n");
      if (line === null) return null;
      const size = parseInt(line, 16);
      const chunk = await this.#count(size + 2);
      if (chunk === null) return null;
      if (size === 0) return body;
      body += chunk.slice(0, -2);
    }
  }

  async #until(end: string): Promise<string | null> {
    while (!this.#received.includes(end)) if (!await this.#more()) return null;
    return this.#taken(this.#received.indexOf(end) + end.length);
  }

  async #count(length: number): Promise<string | null> {
    while (this.#received.length < length) if (!await this.#more()) return null;
    return this.#taken(length);
  }

  #taken(length: number): string {
    const text = this.#received.slice(0, length);
    this.#received = this.#received.slice(length);
    return text;
  }

  async #more(): Promise<boolean> {
    const piece = new Uint8Array(16_384);
    const count = await this.#connection?.read(piece) ?? null;
    if (count === null) {
      this.#close();
      return false;
    }
    this.#received += latin1(piece.subarray(0, count));
    return true;
  }

  #close(): void {
    this.#connection?.close();
    this.#connection = null;
  }

  [Symbol.dispose](): void {
    this.#close();
    this.#received = "";
  }
}

// a session cookie's content and a limit's remaining units differ every time
function masked(line: string): string {
  if (/^set-cookie: (?:__Host-)?session=/i.test(line)) {
    return line.replace(/=[^;]*/, "=…").replace(/Expires=[^;]*/, "…");
  }
  if (/^(?:x-)?ratelimit/i.test(line)) return line.replaceAll(/\d+/g, "…");
  return line;
}

const DECODERS: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  gzip: gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
};

// a compressed stream's flush points depend on when its parts arrived
function decoded(coding: string | undefined, body: string): string {
  const decode = DECODERS[coding ?? ""];
  if (decode === undefined || body === "") return body;
  try {
    const bytes = decode(bytesOf(body));
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  } catch {
    return `not ${coding}: ${body}`;
  }
}

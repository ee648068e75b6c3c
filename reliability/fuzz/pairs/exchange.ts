/** Requests over one persistent connection, with responses that a client reads byte by byte. */
import { Buffer } from "node:buffer";
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from "node:zlib";
import { writeAll } from "../../../tests/support/raw_client.ts";

/** A received response. */
export interface Received {
  readonly status: number;
  /** Header lines, with lowercase names. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The body, decoded. */
  readonly body: Uint8Array;
}

/** A request to send. */
export interface Asking {
  readonly method: string;
  readonly path: string;
  readonly headers: readonly string[];
  /** Body; empty if there is none. */
  readonly body: string;
  /** Whether the client stops reading for a while. */
  readonly isSlow: boolean;
}

/** Why a response is incomplete. */
export class Broken extends Error {}

/** How long a slow client reads nothing, in ms. */
const PAUSE_MS = 25;

const DECODERS: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  br: brotliDecompressSync,
  deflate: inflateSync,
  gzip: gunzipSync,
  zstd: zstdDecompressSync,
};

/** One connection. */
export class Exchanges implements Disposable {
  readonly #connection: Deno.TcpConn;
  readonly #buffer = new Uint8Array(256 * 1024);
  #rest: Uint8Array = new Uint8Array(0);
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isLate = false;

  private constructor(connection: Deno.TcpConn) {
    this.#connection = connection;
  }

  /** Connects to a port on 127.0.0.1. */
  static async with(port: number): Promise<Exchanges> {
    return new Exchanges(await Deno.connect({ hostname: "127.0.0.1", port }));
  }

  /**
   * Sends a request and reads its response.
   *
   * @param asking The request
   * @param patienceMs Time limit for all of it in ms
   * @throws {Broken} If there is no complete response in time
   */
  async ask({ method, path, headers, body, isSlow }: Asking, patienceMs: number): Promise<Received> {
    this.#timer = setTimeout(() => {
      this.#isLate = true;
      this.#connection.close();
    }, patienceMs);
    try {
      const length = body === "" ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
      const head = [`${method} ${path} HTTP/1.1`, "Host: localhost", ...headers, ...length, "", ""].join("\r\n");
      await writeAll(this.#connection, Buffer.from(head + body));
      return await this.#receive(method, isSlow);
    } finally {
      clearTimeout(this.#timer);
    }
  }

  async #receive(method: string, isSlow: boolean): Promise<Received> {
    const [first, ...lines] = Buffer.from(await this.#upTo("\r\n\r\n")).toString("latin1").split("\r\n");
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(first!)?.[1]);
    if (!(status > 0)) throw new Broken(`not a status line: ${first}`);
    const headers = lines.map((line): [string, string] => {
      const [, name, value] = /^([^:]+): ?(.*)$/.exec(line) ?? [];
      return [name!.toLowerCase(), value!];
    });
    if (isSlow) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    const one = (name: string) => headers.find(([key]) => key === name)?.[1];
    const isEmpty = method === "HEAD" || status === 204 || status === 304;
    const raw = isEmpty ? new Uint8Array(0) : await this.#body(one("transfer-encoding"), one("content-length"));
    const coding = one("content-encoding");
    if (coding === undefined || isEmpty) return { status, headers, body: raw };
    const decode = DECODERS[coding];
    if (decode === undefined) throw new Broken(`an unknown coding: ${coding}`);
    try {
      return { status, headers, body: decode(raw) };
    } catch (error) {
      throw new Broken(`a body that is not ${coding}: ${error}`);
    }
  }

  async #body(transfer: string | undefined, length: string | undefined): Promise<Uint8Array> {
    if (transfer === undefined) {
      if (length === undefined) throw new Broken("a body without a length, on a connection that stays open");
      return await this.#take(Number(length));
    }
    const pieces: Uint8Array[] = [];
    for (;;) {
      const size = parseInt(Buffer.from(await this.#upTo("\r\n")).toString(), 16);
      if (!(size >= 0)) throw new Broken("not a chunk");
      const piece = await this.#take(size);
      if ((await this.#upTo("\r\n")).length > 0) throw new Broken("a chunk that is longer than announced");
      if (size === 0) return Buffer.concat(pieces);
      pieces.push(piece);
    }
  }

  async #upTo(end: string): Promise<Uint8Array> {
    for (;;) {
      const at = Buffer.from(this.#rest.buffer, this.#rest.byteOffset, this.#rest.length).indexOf(end);
      if (at === -1) {
        await this.#fill(`before ${JSON.stringify(end)}`);
        continue;
      }
      const found = this.#rest.subarray(0, at);
      this.#rest = this.#rest.subarray(at + end.length);
      return found;
    }
  }

  async #take(length: number): Promise<Uint8Array> {
    const pieces: Uint8Array[] = [];
    for (let missing = length; missing > 0;) {
      if (this.#rest.length === 0) await this.#fill(`${missing} of ${length} bytes before the end of a body`);
      const piece = this.#rest.subarray(0, missing);
      pieces.push(piece);
      missing -= piece.length;
      this.#rest = this.#rest.subarray(piece.length);
    }
    return Buffer.concat(pieces);
  }

  async #fill(where: string): Promise<void> {
    let count: number | null;
    try {
      count = await this.#connection.read(this.#buffer);
    } catch (error) {
      if (this.#isLate) throw new Broken(`nothing more comes, ${where}`);
      throw new Broken(`the connection broke ${where}: ${error}`);
    }
    if (count === null) throw new Broken(`the connection ended ${where}`);
    this.#rest = Buffer.concat([this.#rest, this.#buffer.subarray(0, count)]);
  }

  /** Closes the connection. */
  [Symbol.dispose](): void {
    if (!this.#isLate) this.#connection.close();
  }
}

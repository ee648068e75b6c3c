/** A hand-written WebSocket client, for raw bytes and for handshakes and frames that no valid client would send. */

import { type Frame, frame, OPCODE } from "./frame.ts";

/** Headers of a valid handshake. */
export const HANDSHAKE: Readonly<Record<string, string>> = {
  "Connection": "Upgrade",
  "Upgrade": "websocket",
  "Sec-WebSocket-Version": "13",
  "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
};

/** A single connection, dropped by `using`. */
export class RawSocket implements Disposable {
  /** The response's status line and headers, unparsed. */
  head = "";
  readonly #tcp: Deno.TcpConn;
  #read = new Uint8Array(0);

  private constructor(tcp: Deno.TcpConn) {
    this.#tcp = tcp;
  }

  /**
   * Connects, sends the handshake, and reads the response head.
   *
   * @param origin The server's origin
   * @param path The request's path
   * @param headers Headers that replace or extend those of a valid handshake; `""` removes a header
   * @param method The method
   */
  static async open(
    origin: string,
    path: string,
    headers: Readonly<Record<string, string>> = {},
    method = "GET",
  ): Promise<RawSocket> {
    const { hostname, port, host } = new URL(origin);
    const socket = new RawSocket(await Deno.connect({ hostname, port: Number(port) }));
    const all = Object.entries({ "Host": host, ...HANDSHAKE, ...headers }).filter(([, value]) => value !== "");
    const lines = [`${method} ${path} HTTP/1.1`, ...all.map(([name, value]) => `${name}: ${value}`), "", ""];
    await socket.write(new TextEncoder().encode(lines.join("\r\n")));
    while (!socket.head.endsWith("\r\n\r\n")) socket.head += String.fromCharCode((await socket.#take(1))[0]!);
    return socket;
  }

  /** Response status. */
  get status(): number {
    return Number(this.head.split(" ")[1]);
  }

  /** A response header's values, one per line. */
  header(name: string): string[] {
    const lines = this.head.split("\r\n").slice(1).map((line) => line.split(/: ?(.*)/s));
    return lines.filter(([one]) => one!.toLowerCase() === name.toLowerCase()).map(([, value]) => value!);
  }

  /** Body of a response with a length or in chunks. */
  async body(): Promise<string> {
    let bytes = new Uint8Array(0);
    if (this.header("content-length").length > 0) bytes = await this.#take(Number(this.header("content-length")[0]));
    else {for (;;) {
        let size = "";
        while (!size.endsWith("\r\n")) size += String.fromCharCode((await this.#take(1))[0]!);
        const chunk = await this.#take(parseInt(size, 16) + 2);
        if (chunk.length === 2) break;
        bytes = new Uint8Array([...bytes, ...chunk.subarray(0, -2)]);
      }}
    return new TextDecoder().decode(bytes);
  }

  /** Sends a frame. */
  async send(opcode: number, data?: Uint8Array | string, options?: { fin?: boolean }): Promise<void> {
    await this.write(frame(opcode, data, options));
  }

  /** Sends a close frame. */
  async close(code?: number, reason = ""): Promise<void> {
    const bytes = code === undefined ? [] : [code >> 8, code & 255, ...new TextEncoder().encode(reason)];
    await this.send(OPCODE.close, new Uint8Array(bytes));
  }

  /** Sends raw bytes. */
  async write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length;) at += await this.#tcp.write(bytes.subarray(at));
  }

  /** The next frame; `null` once the server has ended the connection. */
  async next(): Promise<Frame | null> {
    try {
      const [first, second] = await this.#take(2) as unknown as [number, number];
      let length = second & 127;
      if (length >= 126) {
        const view = new DataView((await this.#take(length === 126 ? 2 : 8)).buffer);
        length = view.byteLength === 2 ? view.getUint16(0) : Number(view.getBigUint64(0));
      }
      return { opcode: first & 15, data: await this.#take(length) };
    } catch (error) {
      if (error instanceof Deno.errors.UnexpectedEof || error instanceof Deno.errors.ConnectionReset) return null;
      throw error;
    }
  }

  /** Text of the next message, skipping control frames. */
  async text(): Promise<string> {
    for (;;) {
      const frame = await this.next();
      if (frame === null) throw new Error("the server ended the connection");
      if (frame.opcode === OPCODE.text) return new TextDecoder().decode(frame.data);
    }
  }

  /** Cuts the connection, without a close frame. */
  [Symbol.dispose](): void {
    try {
      this.#tcp.close();
    } catch {
      // it is already closed
    }
  }

  async #take(count: number): Promise<Uint8Array<ArrayBuffer>> {
    const piece = new Uint8Array(64 * 1024);
    while (this.#read.length < count) {
      const length = await this.#tcp.read(piece);
      if (length === null) throw new Deno.errors.UnexpectedEof();
      const joined = new Uint8Array(this.#read.length + length);
      joined.set(this.#read);
      joined.set(piece.subarray(0, length), this.#read.length);
      this.#read = joined;
    }
    const taken = this.#read.slice(0, count);
    this.#read = this.#read.slice(count);
    return taken;
  }
}

/** A hand-written HTTP/2 client (RFC 9113), for frames that no valid client would send. */
import { writeAll } from "../../support/raw_client.ts";

/** Frame types. */
export const FRAME = {
  headers: 1,
  reset: 3,
  settings: 4,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

/** END_STREAM and END_HEADERS; an acknowledgement has the same bit as END_STREAM. */
export const FLAG = { endStream: 1, acknowledged: 1, endHeaders: 4 } as const;

const PREFACE = new TextEncoder().encode("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

export interface Http2Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Uint8Array;
}

/** A frame's bytes. */
export function http2Frame(
  type: number,
  flags: number,
  stream: number,
  payload: readonly number[] | Uint8Array,
): Uint8Array {
  const bytes = new Uint8Array(9 + payload.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, payload.length << 8 | type);
  bytes[4] = flags;
  view.setUint32(5, stream);
  bytes.set(payload, 9);
  return bytes;
}

/** A header block for GET, with names and values that are neither indexed nor compressed. */
export function headersOf(path: string): number[] {
  const literal = (index: number, value: string) => [index, value.length, ...new TextEncoder().encode(value)];
  // GET and http, then :path and :authority
  return [0x82, 0x86, ...literal(0x04, path), ...literal(0x01, "localhost")];
}

/** A single connection, dropped by `using`. */
export class Http2Client implements Disposable {
  readonly #connection: Deno.TcpConn;
  #read = new Uint8Array(0);

  private constructor(connection: Deno.TcpConn) {
    this.#connection = connection;
  }

  /** Connects and sends the preface. */
  static async open(port: number): Promise<Http2Client> {
    const client = new Http2Client(await Deno.connect({ hostname: "127.0.0.1", port }));
    await client.send(PREFACE, http2Frame(FRAME.settings, 0, 0, []));
    return client;
  }

  /** Sends bytes; `false` if the server has closed the connection. */
  async send(...parts: readonly Uint8Array[]): Promise<boolean> {
    try {
      for (const part of parts) await writeAll(this.#connection, part);
      return true;
    } catch (error) {
      if (isCut(error)) return false;
      throw error;
    }
  }

  /** The next frame; `null` once the server has closed the connection. */
  async next(): Promise<Http2Frame | null> {
    const head = await this.#take(9);
    if (head === null) return null;
    const view = new DataView(head.buffer, head.byteOffset);
    const payload = await this.#take(view.getUint32(0) >>> 8);
    return payload === null ? null : { type: head[3]!, flags: head[4]!, stream: view.getUint32(5), payload };
  }

  /**
   * Reads until the server sends GOAWAY and returns its error code, or `null` if the server closes the connection.
   */
  async goAway(): Promise<number | null> {
    for (let frame = await this.next(); frame !== null; frame = await this.next()) {
      if (frame.type === FRAME.goAway) return new DataView(frame.payload.buffer, frame.payload.byteOffset).getUint32(4);
    }
    return null;
  }

  /** Cuts the connection. */
  [Symbol.dispose](): void {
    try {
      this.#connection.close();
    } catch {
      // it is already closed
    }
  }

  async #take(count: number): Promise<Uint8Array | null> {
    const buffer = new Uint8Array(65_536);
    while (this.#read.length < count) {
      let length: number | null;
      try {
        length = await this.#connection.read(buffer);
      } catch (error) {
        if (isCut(error)) return null;
        throw error;
      }
      if (length === null) return null;
      this.#read = new Uint8Array([...this.#read, ...buffer.subarray(0, length)]);
    }
    const taken = this.#read.slice(0, count);
    this.#read = this.#read.slice(count);
    return taken;
  }
}

function isCut(error: unknown): boolean {
  return error instanceof Deno.errors.ConnectionReset || error instanceof Deno.errors.BrokenPipe;
}

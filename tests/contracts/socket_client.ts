/** Handshake options. */
export interface ConnectOptions {
  /** Sub-protocols to offer. */
  readonly protocols?: string[];
  /** Additional headers. */
  readonly headers?: Record<string, string>;
}

/** A regular WebSocket client that reads one message at a time. */
export class SocketClient implements AsyncDisposable {
  /** The socket itself. */
  readonly socket: WebSocket;
  /** How it ended. */
  readonly closed: Promise<CloseEvent>;
  readonly #messages: ReadableStreamDefaultReader<string | ArrayBuffer>;

  /**
   * @param origin The server's origin
   * @param path The request's path
   * @param options Handshake options
   */
  constructor(origin: string, path: string, { protocols = [], headers = {} }: ConnectOptions = {}) {
    // Deno's own option `headers`
    const options = { protocols, headers } as unknown as string[];
    const socket = this.socket = new WebSocket(origin.replace("http", "ws") + path, options);
    socket.binaryType = "arraybuffer";
    this.#messages = new ReadableStream<string | ArrayBuffer>({
      start(controller) {
        socket.onmessage = ({ data }) => controller.enqueue(data);
        socket.onerror = (event) => controller.error(new Error((event as ErrorEvent).message));
      },
    }, { highWaterMark: Infinity }).getReader();
    this.closed = new Promise((resolve) => socket.onclose = resolve);
  }

  /** The next message. */
  async next(): Promise<string | ArrayBuffer> {
    const message = await Promise.race([this.#messages.read().then(({ value }) => value), this.closed]);
    if (message instanceof CloseEvent) throw new Error(`closed with ${message.code} "${message.reason}"`);
    return message!;
  }

  /** The next message, parsed as JSON. */
  async json(): Promise<unknown> {
    return JSON.parse(await this.next() as string);
  }

  /** The next message, as bytes. */
  async bytes(): Promise<Uint8Array> {
    return new Uint8Array(await this.next() as ArrayBuffer);
  }

  /** Sends a message once the socket is open. */
  async send(data: string | Uint8Array<ArrayBuffer>): Promise<void> {
    await this.opened();
    this.socket.send(data);
  }

  /** Sends a message and returns the next one received. */
  async say(data: string | Uint8Array<ArrayBuffer>): Promise<string | ArrayBuffer> {
    await this.send(data);
    return await this.next();
  }

  /** Waits until the socket is open. */
  async opened(): Promise<void> {
    if (this.socket.readyState > 0) return;
    await Promise.race([
      new Promise<void>((resolve) => this.socket.addEventListener("open", () => resolve())),
      this.closed,
    ]);
    if (this.socket.readyState !== 1) throw new Error("it does not open");
  }

  /** Closes the socket and waits for the close event. */
  async close(code?: number, reason?: string): Promise<CloseEvent> {
    if (code === undefined) this.socket.close();
    else this.socket.close(code, reason);
    return await this.closed;
  }

  /** The same as `close()`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/** A WebSocket client that is asked for one message after the other. */

type Message = string | ArrayBuffer;

/** The client. */
export class SocketClient {
  /** The socket itself. */
  readonly socket: WebSocket;
  /** Settles when it is closed. */
  readonly closed: Promise<CloseEvent>;
  readonly #messages: ReadableStreamDefaultReader<Message>;

  /**
   * Connects.
   *
   * @param url Where to, in `http:` or `ws:`
   * @param options Sub-protocols and headers, as Deno's WebSocket takes them
   */
  constructor(url: string, options: { protocols?: string[]; headers?: HeadersInit; client?: Deno.HttpClient } = {}) {
    // the DOM's types know nothing of these options
    const made = new WebSocket(url.replace("http", "ws"), options as string[]);
    made.binaryType = "arraybuffer";
    this.socket = made;
    this.closed = new Promise((resolve) => made.onclose = resolve);
    this.#messages = new ReadableStream<Message>({
      start(controller) {
        made.onmessage = ({ data }) => controller.enqueue(data);
        const end = (): void => controller.close();
        made.addEventListener("close", end);
        made.onerror = (event) => {
          made.removeEventListener("close", end);
          controller.error(new Error((event as ErrorEvent).message));
        };
      },
    }).getReader();
  }

  /** The next message, `undefined` when there are no more. */
  async next(): Promise<Message | undefined> {
    return (await this.#messages.read()).value;
  }

  /** Sends. */
  send(data: string | Uint8Array<ArrayBuffer>): void {
    this.socket.send(data);
  }

  /** Closes and waits for it. */
  async close(code?: number, reason?: string): Promise<CloseEvent> {
    this.socket.close(code, reason);
    return await this.closed;
  }
}

import { assertEquals } from "@std/assert";
import { type Chapter, chapter, seen } from "../case.ts";

/** A client that is asked for one message after the other. */
class Client {
  readonly socket: WebSocket;
  readonly closed: Promise<CloseEvent>;
  readonly #messages: ReadableStreamDefaultReader<string | ArrayBuffer>;

  constructor(origin: string, path: string) {
    this.socket = new WebSocket(origin.replace("http", "ws") + path, ["v1", "v2"]);
    this.socket.binaryType = "arraybuffer";
    const { socket } = this;
    this.#messages = new ReadableStream<string | ArrayBuffer>({
      start(controller) {
        socket.onmessage = ({ data }) => controller.enqueue(data);
        socket.onerror = (event) => controller.error(new Error((event as ErrorEvent).message));
      },
    }).getReader();
    this.closed = new Promise((resolve) => this.socket.onclose = resolve);
  }

  async next(): Promise<string | ArrayBuffer | undefined> {
    return (await this.#messages.read()).value;
  }

  async close(): Promise<void> {
    this.socket.close();
    await this.closed;
  }
}

export const sockets: Chapter = chapter("WebSockets", (it) => {
  it("a connection knows its route, parameters and request, and gets its sub-protocol", async ({ origin, flag }) => {
    const client = new Client(origin, `/socket/${flag}?key=1`);
    assertEquals(await client.next(), `/socket/:room ${flag} v2 true`);
    assertEquals(client.socket.protocol, "v2");
    await client.close();
  }, "websocket");

  it("text and bytes go both ways", async ({ origin, flag }) => {
    const client = new Client(origin, `/socket/${flag}?key=1`);
    await client.next();
    client.socket.send("grüße");
    assertEquals(await client.next(), "grüße");
    client.socket.send(new Uint8Array([0, 128, 255]));
    assertEquals([...new Uint8Array(await client.next() as ArrayBuffer)], [0, 128, 255]);
    await client.close();
  }, "websocket");

  it("what is published reaches the others of a topic", async ({ origin, flag }) => {
    const [one, two] = [new Client(origin, `/socket/${flag}?key=1`), new Client(origin, `/socket/${flag}?key=1`)];
    await Promise.all([one.next(), two.next()]);
    one.socket.send("publish");
    assertEquals(await two.next(), "published");
    await Promise.all([one.close(), two.close()]);
  }, "websocket");

  it("the server closes with a code and a reason", async ({ origin, flag }) => {
    const client = new Client(origin, `/socket/${flag}?key=1`);
    await client.next();
    client.socket.send("close");
    const { code, reason } = await client.closed;
    assertEquals([code, reason], [4001, "as asked"]);
  }, "websocket");

  it("an error in a handler closes with 1011", async ({ origin, flag }) => {
    const client = new Client(origin, `/socket/${flag}?key=1`);
    await client.next();
    client.socket.send("throw");
    assertEquals((await client.closed).code, 1011);
  }, "websocket");

  it("a request that is no handshake is a 404", async ({ ask }) => {
    assertEquals((await seen(ask, "/socket/a?key=1"))[0], 404);
  });
});

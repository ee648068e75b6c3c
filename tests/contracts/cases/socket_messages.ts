import { assert, assertEquals } from "@std/assert";
import { type Chapter, chapter, noted } from "../case.ts";
import { frame, OPCODE } from "../frame.ts";
import { RawSocket } from "../raw_socket.ts";
import { SocketClient } from "../socket_client.ts";

const MEBIBYTE = 1024 * 1024;

/** Bytes with a long period. */
function pattern(length: number): Uint8Array<ArrayBuffer> {
  const words = new Uint32Array(length / 4);
  let word = 2463534242;
  for (let i = 0; i < words.length; i++) {
    word ^= word << 13;
    word ^= word >>> 17;
    word ^= word << 5;
    words[i] = word;
  }
  return new Uint8Array(words.buffer);
}

/** Compares bytes without building an error message with sixteen million numbers. */
function assertSameBytes(actual: Uint8Array, expected: Uint8Array): void {
  assertEquals(actual.length, expected.length);
  const at = expected.findIndex((byte, index) => byte !== actual[index]);
  assertEquals(at, -1, `byte ${at} differs`);
}

export const messages: Chapter = chapter("WebSockets: messages", (it) => {
  it("text goes both ways", async ({ origin }) => {
    await using client = new SocketClient(origin, "/socket/echo");
    await client.send("grüße 👋🏽");
    assertEquals(await client.next(), "grüße 👋🏽");
  }, "websocket");

  it("bytes go both ways", async ({ origin }) => {
    await using client = new SocketClient(origin, "/socket/echo");
    await client.send(new Uint8Array([0, 128, 255]));
    assertEquals([...await client.bytes()], [0, 128, 255]);
  }, "websocket");

  it("handlers get text as a string and bytes as a Uint8Array", async ({ origin }) => {
    await using client = new SocketClient(origin, "/socket/kind");
    await client.send("four");
    assertEquals(await client.next(), "text 4");
    await client.send(new Uint8Array(5));
    assertEquals(await client.next(), "Uint8Array 5");
  }, "websocket");

  it("empty messages are messages", async ({ origin }) => {
    await using client = new SocketClient(origin, "/socket/echo");
    await client.send("");
    await client.send(new Uint8Array(0));
    assertEquals([await client.next(), (await client.bytes()).length], ["", 0]);
  }, "websocket");

  it(
    "a fragmented text is one message, even with a character split across fragments and a ping between them",
    async ({ origin }) => {
      using socket = await RawSocket.open(origin, "/socket/echo");
      const bytes = new TextEncoder().encode("a👋z");
      await socket.send(OPCODE.text, bytes.subarray(0, 3), { fin: false });
      await socket.send(OPCODE.ping, "still there?");
      await socket.send(OPCODE.more, bytes.subarray(3, 4), { fin: false });
      await socket.send(OPCODE.more, bytes.subarray(4));
      const [pong, message] = [await socket.next(), await socket.next()];
      assertEquals([pong!.opcode, new TextDecoder().decode(pong!.data)], [OPCODE.pong, "still there?"]);
      assertEquals([message!.opcode, new TextDecoder().decode(message!.data)], [OPCODE.text, "a👋z"]);
    },
    "websocket",
  );

  it("fragmented bytes are one message", async ({ origin }) => {
    using socket = await RawSocket.open(origin, "/socket/echo");
    await socket.send(OPCODE.binary, new Uint8Array([1, 2]), { fin: false });
    await socket.send(OPCODE.more, new Uint8Array([]), { fin: false });
    await socket.send(OPCODE.more, new Uint8Array([255]));
    const message = await socket.next();
    assertEquals([message!.opcode, ...message!.data], [OPCODE.binary, 1, 2, 255]);
  }, "websocket");

  it("frames that arrive byte by byte, or many at once, make the same messages", async ({ origin }) => {
    using socket = await RawSocket.open(origin, "/socket/echo");
    for (const byte of frame(OPCODE.text, "slow")) await socket.write(new Uint8Array([byte]));
    const both = [...frame(OPCODE.text, "one"), ...frame(OPCODE.text, "two")];
    await socket.write(new Uint8Array(both));
    assertEquals([await socket.text(), await socket.text(), await socket.text()], ["slow", "one", "two"]);
  }, "websocket");

  it("1 MiB goes both ways, text and bytes", async ({ origin }) => {
    await using client = new SocketClient(origin, "/socket/echo");
    const bytes = pattern(MEBIBYTE);
    // five bytes each
    const letters = "ü€".repeat(MEBIBYTE / 5);
    await client.send(bytes);
    await client.send(letters);
    assertSameBytes(await client.bytes(), bytes);
    assert(await client.next() === letters);
  }, "websocket");

  it("16 MiB go both ways", async ({ origin }) => {
    await using client = new SocketClient(origin, "/socket/echo-large");
    const bytes = pattern(16 * MEBIBYTE);
    await client.send(bytes);
    assertSameBytes(await client.bytes(), bytes);
  }, "websocket");

  it("10 000 messages keep their order, both ways", async ({ origin }) => {
    await using client = new SocketClient(origin, "/socket/echo");
    await client.opened();
    for (let i = 0; i < 10_000; i++) client.socket.send(String(i));
    for (let i = 0; i < 10_000; i++) assertEquals(await client.next(), String(i));
  }, "websocket");

  it("10 000 messages the server sends at once arrive in order", async ({ origin }) => {
    await using client = new SocketClient(origin, "/socket/sends");
    await client.send("numbers");
    for (let i = 0; i < 10_000; i++) assertEquals(await client.next(), String(i));
  }, "websocket");

  it("views of a buffer and whole buffers can be sent", async ({ origin }) => {
    await using client = new SocketClient(origin, "/socket/sends");
    await client.send("views");
    const received = [await client.bytes(), await client.bytes(), await client.bytes(), await client.bytes()];
    assertEquals(received.map((bytes) => [...bytes]), [[2, 3, 4], [5, 6], [3, 4], [1, 2, 3, 4, 5, 6]]);
  }, "websocket");

  it("a Blob keeps its place among the messages, and closing waits for it", async ({ origin }) => {
    await using client = new SocketClient(origin, "/socket/sends");
    await client.send("blobs");
    assertEquals(await client.next(), "before");
    assertSameBytes(await client.bytes(), new Uint8Array(300_000).fill(7));
    assertEquals([...await client.bytes()], [1, 2, 3, 4, 5, 6]);
    assertEquals(new TextDecoder().decode(await client.bytes()), "second");
    assertEquals(await client.next(), "after");
    const { code, reason } = await client.closed;
    assertEquals([code, reason], [4000, "after the blobs"]);
  }, "websocket");

  it("sending anything but text or bytes is an error that says so", async ({ origin }) => {
    await using client = new SocketClient(origin, "/socket/sends");
    await client.send("object");
    assertEquals(
      await client.next(),
      "TypeError: ws.send expects a string, an ArrayBuffer, a view of one or a Blob, not an object; use JSON.stringify",
    );
  }, "websocket");

  it(
    "bufferedAmount grows while the client does not read, and drain is called once it has",
    async ({ ask, origin, flag }) => {
      using socket = await RawSocket.open(origin, `/socket/flood?flag=${flag}`);
      const [waiting] = await noted(ask, flag);
      assert(Number(waiting) > MEBIBYTE, `${waiting} bytes wait`);
      for (let i = 0; i < 24; i++) assertEquals((await socket.next())!.data.length, MEBIBYTE);
      assertEquals((await noted(ask, flag, 2)).slice(1), [0]);
    },
    "websocket",
    "buffered",
  );
});

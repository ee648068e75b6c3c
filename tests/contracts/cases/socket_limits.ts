import { constants, deflateRawSync } from "node:zlib";
import { assert, assertEquals } from "@std/assert";
import { type Ask, type Chapter, chapter, json, noted, text } from "../case.ts";
import { closeOf, type Frame, frame, OPCODE } from "../frame.ts";
import { WAITING_BYTES } from "../program_socket_limits.ts";
import { RawSocket } from "../raw_socket.ts";
import { SocketClient } from "../socket_client.ts";

const MEBIBYTE = 1024 * 1024;

/** Frames up to and including the Close frame. */
async function untilClose(socket: RawSocket): Promise<Frame[]> {
  const frames: Frame[] = [];
  for (;;) {
    const frame = await socket.next();
    if (frame === null) throw new Error("the connection ended without a Close frame");
    frames.push(frame);
    if (frame.opcode === OPCODE.close) return frames;
  }
}

/** A client's compressed message of zeros (RFC 7692 section 7.2.1). */
function compressed(length: number): Uint8Array<ArrayBuffer> {
  const packed = deflateRawSync(new Uint8Array(length), { finishFlush: constants.Z_SYNC_FLUSH });
  const bytes = frame(OPCODE.binary, packed.subarray(0, -4));
  bytes[0]! |= 0x40;
  return bytes;
}

/** Publishes a MiB to a topic, and returns the number of recipients. */
async function published(ask: Ask, topic: string): Promise<unknown> {
  return await json(ask, `/socket-publish/${topic}/mebibyte`, { method: "POST" });
}

/** Sends messages, numbered by their first byte, for as long as the server reads. */
async function sent(socket: RawSocket, count: number, length: number): Promise<void> {
  for (let i = 0; i < count; i++) await socket.send(OPCODE.binary, new Uint8Array(length).fill(i));
}

export const socketLimits: Chapter = chapter("WebSockets: limits", (it) => {
  it("a message may have 1 MiB, and a longer one closes with 1009", async ({ ask, origin, flag }) => {
    const path = `/socket/limits/default?flag=${flag}`;
    for (const make of [(length: number) => new Uint8Array(length), (length: number) => "ü".repeat(length / 2)]) {
      const client = new SocketClient(origin, path);
      const whole = make(MEBIBYTE);
      assertEquals(await client.say(whole), String(whole.length));
      await client.send(make(MEBIBYTE + 2));
      assertEquals((await client.closed).code, 1009);
    }
    assertEquals(await noted(ask, flag, 2), Array(2).fill([1009, "Message too big"]));
  }, "websocket");

  it("the fragments of a message count together", async ({ ask, origin, flag }) => {
    using socket = await RawSocket.open(origin, `/socket/limits/bytes?flag=${flag}`);
    for (const last of [400, 401]) {
      await socket.send(OPCODE.text, "x".repeat(600), { fin: false });
      await socket.send(OPCODE.more, "x".repeat(last));
    }
    assertEquals(await socket.text(), "1000");
    assertEquals(closeOf(await socket.next())![0], 1009);
    await socket.close(1009);
    assertEquals(await noted(ask, flag), [[1009, "Message too big"]]);
  }, "websocket");

  it(
    "a compressed message counts as it is unpacked, where compression is negotiated at all",
    async ({ origin, flag }) => {
      using socket = await RawSocket.open(origin, `/socket/limits/bytes?flag=${flag}`, {
        "Sec-WebSocket-Extensions": "permessage-deflate",
      });
      const [extension] = socket.header("sec-websocket-extensions");
      if (extension === undefined) return;
      await socket.write(compressed(1000));
      // it is also compressed
      assertEquals((await socket.next())!.opcode, OPCODE.text);
      // a few bytes on the wire
      await socket.write(compressed(1001));
      assertEquals(closeOf(await socket.next())![0], 1009);
    },
    "websocket",
  );

  it("after a message that is too long, no other is handled", async ({ ask, origin, flag }) => {
    using socket = await RawSocket.open(origin, `/socket/limits/bytes?flag=${flag}`);
    await socket.send(OPCODE.text, "x".repeat(1001));
    await socket.send(OPCODE.text, "short");
    // Deno ends the connection at the second message, and the Close frame may be lost
    const response = await socket.next();
    assert(response === null || response.opcode === OPCODE.close, `opcode ${response?.opcode}`);
    await socket.close(1009).catch(() => {});
    assertEquals(await noted(ask, flag), [[1009, "Message too big"]]);
  }, "websocket");

  it(
    "a subscriber that reads too slowly gets what waits for it, and then 1013; the others get everything",
    async ({ ask, origin, flag }) => {
      using slow = await RawSocket.open(origin, `/socket/limits/slow?flag=${flag}`);
      assertEquals(await slow.text(), "following");
      await using quick = new SocketClient(origin, `/socket/topics?flag=${flag}`);
      assertEquals(await quick.next(), "following");
      let count = 0;
      for (; await published(ask, flag) === 2; count++) assert(count < 64, "it is not closed");
      for (let i = 0; i <= count; i++) assertEquals((await quick.bytes()).length, MEBIBYTE);
      const frames = await untilClose(slow);
      assertEquals(frames.slice(0, -1).map(({ data }) => data.length), Array(count).fill(MEBIBYTE));
      assert(count >= 4, `only ${count} MiB were sent`);
      assertEquals(closeOf(frames.at(-1)!), [1013, "The client reads too slowly"]);
      await slow.close(1013).catch(() => {});
      assertEquals(await noted(ask, flag), [[1013, "The client reads too slowly"]]);
    },
    "websocket",
    "topics",
    "buffered",
  );

  it(
    "sending ends once more waits than may, even if the client reads nothing any more",
    async ({ ask, origin, flag }) => {
      using _socket = await RawSocket.open(origin, `/socket/limits/stalled?flag=${flag}`);
      assertEquals(await noted(ask, flag), [[1013, "The client reads too slowly"]]);
      assertEquals(await text(ask, "/"), "home");
    },
    "websocket",
    "buffered",
    "ping",
  );

  it(
    "no more is read while the handlers of many messages wait, and all are handled in the end",
    async ({ ask, origin, flag }) => {
      using socket = await RawSocket.open(origin, `/socket/limits/waits?flag=${flag}`);
      const [length, count] = [64 * 1024, 128];
      const sending = sent(socket, count, length);
      // if the case fails, it is never awaited
      sending.catch(() => {});
      const most = WAITING_BYTES / length;
      await noted(ask, flag, most);
      // a server that keeps reading would handle them during this wait
      for (let i = 0; i < 50; i++) await noted(ask, flag, most);
      await ask(`/socket-release/${flag}`, { method: "POST" });
      for (let i = 0; i < count; i++) assertEquals(await socket.text(), String(i));
      await sending;
      const running = await noted(ask, flag, count) as number[];
      // some messages had already arrived
      assert(Math.max(...running) <= 2 * most, `${Math.max(...running)} were handled at once`);
    },
    "websocket",
    "pausing",
  );

  it(
    "once the messages whose handlers wait are too many, reading pauses; where it cannot, the connection ends with 1013",
    async ({ ask, origin, flag, lacks }) => {
      using socket = await RawSocket.open(origin, `/socket/limits/waits?flag=${flag}`);
      const length = 64 * 1024;
      // the last message exceeds the limit
      const count = WAITING_BYTES / length;
      await sent(socket, count, length);
      await noted(ask, flag, count);
      if (lacks("pausing") === undefined) {
        await ask(`/socket-release/${flag}`, { method: "POST" });
        for (let i = 0; i < count; i++) assertEquals(await socket.text(), String(i));
        return;
      }
      assertEquals((await untilClose(socket)).map(closeOf), [[1013, "Too many messages are waiting"]]);
      await socket.close(1013);
      assertEquals((await noted(ask, flag, count + 1)).at(-1), [1013, "Too many messages are waiting"]);
    },
    "websocket",
  );
});

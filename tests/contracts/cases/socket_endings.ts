import { assert, assertEquals, assertMatch } from "@std/assert";
import { type Ask, CASE_PATIENCE_MS, type Chapter, chapter, noted, text } from "../case.ts";
import { closeOf, frame, OPCODE } from "../frame.ts";
import { RawSocket } from "../raw_socket.ts";
import { SocketClient } from "../socket_client.ts";

/** Arguments to the close handler after a client's action. */
async function toldAfter(
  { ask, origin, flag }: { ask: Ask; origin: string; flag: string },
  act: (socket: RawSocket) => Promise<void>,
): Promise<unknown> {
  using socket = await RawSocket.open(origin, `/socket/close?flag=${flag}`);
  assertEquals(await socket.text(), "open");
  await act(socket);
  return (await noted(ask, flag))[0];
}

/** Code and reason that a client gets when the server closes. */
async function ended(origin: string, flag: string, ...how: unknown[]): Promise<unknown[]> {
  const client = new SocketClient(origin, `/socket/close?flag=${flag}`);
  await client.next();
  await client.send(JSON.stringify(how));
  const { code, reason } = await client.closed;
  return [code, reason];
}

export const closing: Chapter = chapter("WebSockets: the end", (it) => {
  it("listeners for the end of the request are called when the connection ends", async ({ ask, origin, flag }) => {
    await using client = new SocketClient(origin, `/socket/heard?flag=${flag}`);
    assertEquals(await client.next(), "open");
    assertEquals(await client.say("still here"), "still here");
    assertEquals(await noted(ask, flag, 0), []);
    await client.close();
    assertEquals((await noted(ask, flag, 4)).toSorted(), ["close", "req", "req, from open", "res"]);
  }, "websocket");

  it(
    "the close handler gets the client's code and reason",
    async (visit) => {
      assertEquals(await toldAfter(visit, (socket) => socket.close(3001, "ganz früh")), [3001, "ganz früh"]);
    },
    "websocket",
    "closeCodes",
  );

  it("a client may close with 1001, as pages do", async (visit) => {
    assertEquals(await toldAfter(visit, (socket) => socket.close(1001)), [1001, ""]);
  }, "websocket");

  it("a close without a code is 1005", async (visit) => {
    assertEquals(await toldAfter(visit, (socket) => socket.close()), [1005, ""]);
  }, "websocket");

  it("the client's close is answered with the same code", async ({ origin }) => {
    using socket = await RawSocket.open(origin, "/socket/echo");
    await socket.close(4999, "bye");
    assertEquals(closeOf(await socket.next())![0], 4999);
  }, "websocket");

  it("the server closes with a code and a reason, and its close handler gets both", async ({ ask, origin, flag }) => {
    assertEquals(await ended(origin, flag, 4001, "as asked"), [4001, "as asked"]);
    assertEquals((await noted(ask, flag, 2)).slice(1), [[4001, "as asked"]]);
  }, "websocket");

  it("without a code the server closes with 1000", async ({ origin, flag }) => {
    assertEquals(await ended(origin, flag), [1000, ""]);
  }, "websocket");

  it("the server may close with 1001, 1008, 1013, 3000 and 4999", async ({ origin, flag }) => {
    for (const code of [1001, 1008, 1013, 3000, 4999]) assertEquals(await ended(origin, flag, code, "x"), [code, "x"]);
  }, "websocket");

  it("after close() the connection is closing, and nothing more is sent", async ({ ask, origin, flag }) => {
    using socket = await RawSocket.open(origin, `/socket/close?flag=${flag}`);
    await socket.text();
    await socket.send(OPCODE.text, "[4002]");
    assertEquals(closeOf(await socket.next()), [4002, ""]);
    const [state] = await noted(ask, flag);
    assert(state === 2 || state === 3, `readyState is ${state}`);
  }, "websocket");

  it("the server's code stands, whatever the client sends meanwhile", async ({ ask, origin, flag }) => {
    using socket = await RawSocket.open(origin, `/socket/close?flag=${flag}`);
    await socket.text();
    const late = [frame(OPCODE.text, '[4003,"mine"]'), frame(OPCODE.text, "[3000]")];
    await socket.write(new Uint8Array([...late[0]!, ...late[1]!, ...frame(OPCODE.close)]));
    const notes = await noted(ask, flag, 2);
    assertEquals(notes.find((one) => Array.isArray(one)), [4003, "mine"]);
  }, "websocket");

  it(
    "a code that must not be sent is an error that says so, and the connection stays open",
    async ({ origin, flag }) => {
      await using client = new SocketClient(origin, `/socket/close?flag=${flag}`);
      await client.next();
      for (const code of [0, 999, 1004, 1005, 1006, 1015, 2000, 5000, 4000.5]) {
        await client.send(JSON.stringify([code]));
        assertEquals(
          await client.next(),
          `RangeError: ws.close expects a code of 1000 to 1003, 1007 to 1014 or 3000 to 4999, not ${code}`,
        );
      }
    },
    "websocket",
  );

  it("a reason has at most 123 bytes", async ({ origin, flag }) => {
    const client = new SocketClient(origin, `/socket/close?flag=${flag}`);
    await client.next();
    await client.send(JSON.stringify([4000, "ü".repeat(62)]));
    assertEquals(await client.next(), "RangeError: ws.close expects a reason of at most 123 bytes, not 124");
    await client.send(JSON.stringify([4000, `${"ü".repeat(61)}.`]));
    assertEquals((await client.closed).reason, `${"ü".repeat(61)}.`);
  }, "websocket");

  it("a client that vanishes in mid-frame is 1006, and the server stays up", async (visit) => {
    const told = await toldAfter(visit, async (socket) => {
      await socket.write(frame(OPCODE.text, "half of this").subarray(0, 9));
      socket[Symbol.dispose]();
    });
    assertEquals((told as unknown[])[0], 1006);
    assertEquals(await text(visit.ask, "/"), "home");
  }, "websocket");

  it("a client that vanishes between fragments is 1006 too", async (visit) => {
    const told = await toldAfter(visit, async (socket) => {
      await socket.send(OPCODE.text, "first", { fin: false });
      socket[Symbol.dispose]();
    });
    assertEquals((told as unknown[])[0], 1006);
  }, "websocket");

  it(
    "a client that answers no ping is dropped, with 1006",
    async ({ ask, origin, flag }) => {
      using socket = await RawSocket.open(origin, `/socket/pinged?flag=${flag}`);
      assertEquals((await socket.next())!.opcode, OPCODE.ping);
      const [told] = await noted(ask, flag) as [number, string][];
      assertEquals(told![0], 1006);
      assertMatch(told![1], /ping/);
      for (let frame = await socket.next(); frame !== null; frame = await socket.next()) {
        assertEquals(frame.opcode, OPCODE.close);
      }
      assertEquals((await noted(ask, flag)).length, 1, "the handler runs once");
    },
    "websocket",
    "ping",
  );

  it(
    "a client that stops reading is dropped, with 1006",
    async ({ ask, origin, flag }) => {
      const isDropped = async (flag: string, act: (socket: RawSocket) => unknown) => {
        using socket = await RawSocket.open(origin, `/socket/filled?flag=${flag}`);
        const acting = setInterval(act, 50, socket);
        const [told] = await noted(ask, flag).finally(() => clearInterval(acting)) as [number, string][];
        assertEquals(told![0], 1006);
        assertMatch(told![1], /ping/);
      };
      await isDropped(flag, () => {});
      // otherwise it could make the server buffer everything published
      await isDropped(`${flag}-answers`, (socket) => socket.send(OPCODE.pong).catch(() => {}));
    },
    "websocket",
    "ping",
  );

  it(
    "a client that answers pings stays connected",
    async ({ ask, origin, flag }) => {
      const stays = async (path: string, flag: string) => {
        using socket = await RawSocket.open(origin, `${path}?flag=${flag}`);
        for (let pings = 0; pings < 4; pings++) {
          const ping = await socket.next();
          assertEquals(ping!.opcode, OPCODE.ping);
          await socket.send(OPCODE.pong, ping!.data);
        }
        await socket.send(OPCODE.text, "still here");
        assertEquals(await socket.text(), "still here");
        assertEquals(await noted(ask, flag, 0), []);
      };
      // a busy machine may delay a pong beyond the short timeout; a server that ignores pongs also fails with the long
      // timeout
      await stays("/socket/pinged", flag).catch(() => stays("/socket/pinged-slowly", `${flag}-slowly`));
    },
    "websocket",
    "ping",
  );

  it(
    "nothing is kept of closed connections",
    async ({ ask, origin }) => {
      const sockets = await Promise.all(Array.from({ length: 50 }, () => RawSocket.open(origin, "/socket/shared")));
      await Promise.all(sockets.map((socket) => socket.text()));
      assert(Number(await text(ask, "/socket-count")) >= 50);
      sockets.forEach((socket) => socket[Symbol.dispose]());
      const late = Date.now() + CASE_PATIENCE_MS;
      while (await text(ask, "/socket-count") !== "0") assert(Date.now() < late, "connections are left");
    },
    "websocket",
    "topics",
  );
});

export const failing: Chapter = chapter("WebSockets: errors", (it) => {
  for (const how of ["thrown", "rejected"]) {
    it(`an error ${how} in open or message closes with 1011`, async ({ ask, origin }) => {
      const atOpen = new SocketClient(origin, `/socket/fails/open/${how}`);
      assertEquals((await atOpen.closed).code, 1011);
      const atMessage = new SocketClient(origin, `/socket/fails/message/${how}`);
      await atMessage.send("go");
      assertEquals((await atMessage.closed).code, 1011);
      assertEquals(await text(ask, "/"), "home");
    }, "websocket");

    it(`an error ${how} goes to the error handler, and the connection stays open`, async ({ ask, origin, flag }) => {
      await using client = new SocketClient(origin, `/socket/handles/open/${how}?flag=${flag}`);
      assertEquals(await client.next(), `${how} in open`);
      await client.send("go");
      assertEquals(await client.next(), `${how} in message`);
      assertEquals(await noted(ask, flag, 2), [`${how} in open`, `${how} in message`]);
    }, "websocket");

    it(`an error ${how} in the close handler goes to the error handler`, async ({ ask, origin, flag }) => {
      const client = new SocketClient(origin, `/socket/handles/close/${how}?flag=${flag}`);
      await client.opened();
      await client.close();
      assertEquals(await noted(ask, flag), [`${how} in close`]);
    }, "websocket");
  }

  it("an unhandled error in the close handler leaves the server up", async ({ ask, origin, flag }) => {
    for (const how of ["thrown", "rejected"]) {
      const client = new SocketClient(origin, `/socket/fails/close/${how}?flag=${flag}`);
      await client.opened();
      await client.close();
    }
    assertEquals(await text(ask, "/"), "home");
  }, "websocket");

  it("an error in the error handler closes with 1011", async ({ origin }) => {
    const client = new SocketClient(origin, "/socket/fails-twice");
    await client.send("go");
    assertEquals((await client.closed).code, 1011);
  }, "websocket");
});

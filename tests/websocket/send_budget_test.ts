import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { FrameworkApp, WebSocketConnection } from "@sluice/sluice";
import { toNodeHandler, toUpgradeHandler } from "@sluice/sluice/node";
import { closeOf } from "../contracts/frame.ts";
import { RawSocket } from "../contracts/raw_socket.ts";
import { SocketClient } from "../contracts/socket_client.ts";
import { quietApp, serving } from "../support/app.ts";

const MIB = 1024 * 1024;

/** More than a system buffers for a connection whose peer does not read. */
const MOST = 64;

type Use = (origin: string) => Promise<void>;

/** The two connection implementations that run here. */
const SERVERS: Readonly<Record<string, (app: FrameworkApp, use: Use) => Promise<void>>> = {
  "Deno.serve": serving,
  "node:http": async (app, use) => {
    const server = createServer(toNodeHandler(app)).on("upgrade", toUpgradeHandler(app));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    } finally {
      server.close();
    }
  },
};

/** An application with connections that subscribe to a topic, and a list of its errors. */
function following(budget: string): { app: FrameworkApp; open: WebSocketConnection[]; errors: string[] } {
  const open: WebSocketConnection[] = [];
  const errors: string[] = [];
  const app = quietApp().set("send budget", budget);
  app.on("error", (error) => errors.push((error as Error).message));
  app.ws("/", {
    maxBufferedBytes: Infinity,
    open(ws) {
      open.push(ws);
      ws.subscribe("all");
      ws.send("open");
    },
  });
  return { app, open, errors };
}

/** Gives sent data time to leave. */
function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

for (const [name, serve] of Object.entries(SERVERS)) {
  Deno.test(`with ${name}, the connection for which most waits makes room, and the others get everything`, async () => {
    const { app, open, errors } = following("16mb");
    await serve(app, async (origin) => {
      const stalled = [await RawSocket.open(origin, "/"), await RawSocket.open(origin, "/")];
      for (const client of stalled) assertEquals(await client.text(), "open");
      const [most, less] = open;
      for (let i = 0; i < 4; i++) less!.send(new Uint8Array(MIB));
      let count = 0;
      for (; most!.readyState === 1; count++) {
        assert(count < MOST, "nothing makes room");
        most!.send(new Uint8Array(MIB));
        await turn();
      }
      assertEquals(less!.readyState, 1);
      assertEquals(errors.length, 1, errors.join("\n"));
      assertMatch(errors[0]!, /^More than 16777216 bytes were waiting .*"send budget"/);
      assertEquals(app.connections.size, 1);
      for (let i = 0; i < 4; i++) assertEquals((await stalled[1]!.next())!.data.length, MIB);
      // data already passed to the runtime is sent, followed by the Close frame
      for (let frame = await stalled[0]!.next();; frame = await stalled[0]!.next()) {
        if (frame!.data.length === MIB) continue;
        assertEquals(closeOf(frame!), [1013, "The client reads too slowly"]);
        break;
      }
      await stalled[0]!.close(1013).catch(() => {});
      await stalled[1]!.close(1000).catch(() => {});
      for (const client of stalled) client[Symbol.dispose]();
    });
  });

  Deno.test(`with ${name}, a message that waits for many subscribers counts once`, async () => {
    const { app, open, errors } = following("32mb");
    await serve(app, async (origin) => {
      const stalled: RawSocket[] = [];
      for (let i = 0; i < 8; i++) stalled.push(await RawSocket.open(origin, "/"));
      await using quick = new SocketClient(origin, "/");
      assertEquals(await quick.next(), "open");
      for (let i = 0; i < 24; i++) {
        assertEquals(app.connections.publish("all", String(i).padEnd(MIB)), 9);
        await turn();
      }
      for (let i = 0; i < 24; i++) assertEquals(String(await quick.next()).trim(), String(i));
      const waiting = open.reduce((sum, { bufferedAmount }) => sum + bufferedAmount, 0);
      assert(waiting > 32 * MIB, `only ${waiting} bytes wait`);
      assertEquals(errors, []);
      for (const client of stalled) client[Symbol.dispose]();
    });
  });
}

Deno.test("bodies that are written to clients who read nothing share the budget, and those who read get all", async () => {
  const errors: string[] = [];
  const app = quietApp().set("send budget", "4mb");
  app.on("error", (error) => errors.push((error as Error).message));
  const over = Promise.withResolvers<number>();
  app.get("/stalled", async (_req, res) => {
    let count = 0;
    res.on("close", () => over.resolve(count));
    for (; !res.destroyed && count < MOST; count++) {
      res.write(new Uint8Array(MIB));
      await turn();
    }
  });
  app.get("/read", async (_req, res) => {
    for (let i = 0; i < 32; i++) {
      if (!res.write(new Uint8Array(MIB))) await new Promise((resolve) => res.once("drain", resolve));
    }
    res.end();
  });
  await serving(app, async (origin) => {
    using stalled = await Deno.connect({ hostname: "127.0.0.1", port: Number(new URL(origin).port) });
    await stalled.write(new TextEncoder().encode("GET /stalled HTTP/1.1\r\nHost: a\r\n\r\n"));
    const read = fetch(`${origin}/read`).then((response) => response.arrayBuffer());
    assert(await over.promise < MOST, "it is not cut");
    assertEquals((await read).byteLength, 32 * MIB);
    assertEquals(errors.filter((text) => text.includes('"send budget"')).length, 1, errors.join("\n"));
  });
});

Deno.test("the budget takes bytes, and nothing else", () => {
  const app = quietApp();
  assertEquals(app.set("send budget", Infinity).get("send budget"), Infinity);
  assertThrows(() => app.set("send budget", "much"), TypeError, 'app.set("send budget", …) expects bytes');
});

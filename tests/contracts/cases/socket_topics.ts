import { assertEquals } from "@std/assert";
import { type Ask, CASE_PATIENCE_MS, type Chapter, chapter, json } from "../case.ts";
import { RawSocket } from "../raw_socket.ts";
import { SocketClient } from "../socket_client.ts";

/** Clients that subscribe to a topic. */
async function following(origin: string, topic: string, count: number): Promise<SocketClient[]> {
  const clients = Array.from({ length: count }, () => new SocketClient(origin, `/socket/topics?flag=${topic}`));
  for (const client of clients) assertEquals(await client.next(), "following");
  return clients;
}

/** Publishes from outside a connection, and returns the number of recipients. */
async function published(ask: Ask, path: string, body = ""): Promise<unknown> {
  return await json(ask, `/socket-publish/${path}`, {
    method: "POST",
    headers: { "content-type": "text/plain" },
    body,
  });
}

const bye = (clients: readonly SocketClient[]) => Promise.all(clients.map((client) => client.close()));

export const topics: Chapter = chapter("WebSockets: topics", (it) => {
  it(
    "what a connection publishes reaches the other subscribers, and publish returns how many",
    async ({ origin, flag }) => {
      const clients = await following(origin, flag, 3);
      const [one, two, three] = clients as [SocketClient, SocketClient, SocketClient];
      await one.send("publish first");
      assertEquals([await one.next(), await two.next(), await three.next()], ["told 2", "first", "first"]);
      await two.send("publish second");
      // the sender of the first message gets only the second
      assertEquals([await one.next(), await two.next(), await three.next()], ["second", "told 2", "second"]);
      await bye(clients);
    },
    "websocket",
    "topics",
  );

  it(
    "bytes can be published",
    async ({ origin, flag }) => {
      const clients = await following(origin, flag, 2);
      await clients[0]!.send(new Uint8Array([1, 255]));
      assertEquals([...await clients[1]!.bytes()], [1, 255]);
      await bye(clients);
    },
    "websocket",
    "topics",
  );

  it(
    "what the application publishes reaches every subscriber",
    async ({ ask, origin, flag }) => {
      const clients = await following(origin, flag, 2);
      assertEquals(await published(ask, flag, "all"), 2);
      assertEquals([await clients[0]!.next(), await clients[1]!.next()], ["all", "all"]);
      assertEquals(await published(ask, "nobody-here", "all"), 0);
      await bye(clients);
    },
    "websocket",
    "topics",
  );

  it(
    "a connection that has unsubscribed or closed gets nothing of the topic",
    async ({ ask, origin, flag }) => {
      const clients = await following(origin, flag, 3);
      const [one, two, three] = clients as [SocketClient, SocketClient, SocketClient];
      await one.send("follows");
      assertEquals(await one.next(), "true");
      await one.send("leave");
      await one.send("follows");
      assertEquals(await one.next(), "false");
      await two.close();
      const late = Date.now() + CASE_PATIENCE_MS;
      let told: unknown;
      do told = await published(ask, flag, "left"); while (told !== 1 && Date.now() < late);
      assertEquals([told, await three.next()], [1, "left"]);
      await one.send("follows");
      assertEquals(await one.next(), "false", "nothing arrived in between");
      await bye([one, three]);
    },
    "websocket",
    "topics",
  );

  it(
    "a subscriber that does not read does not hold up the others",
    async ({ ask, origin, flag }) => {
      using slow = await RawSocket.open(origin, `/socket/topics?flag=${flag}`);
      assertEquals(await slow.text(), "following");
      const [quick] = await following(origin, flag, 1);
      for (let i = 0; i < 16; i++) assertEquals(await published(ask, `${flag}/mebibyte`), 2);
      for (let i = 0; i < 16; i++) assertEquals((await quick!.bytes()).length, 1024 * 1024);
      await quick!.close();
    },
    "websocket",
    "topics",
    "buffered",
  );

  it(
    "connections of mounted applications share the same topics",
    async ({ ask, origin, flag }) => {
      const inside = new SocketClient(origin, `/socket/app/inside?flag=${flag}`);
      assertEquals(await inside.next(), "inside");
      const outside = await following(origin, flag, 1);
      assertEquals(await published(ask, flag, "both"), 2);
      assertEquals([await inside.next(), await outside[0]!.next()], ["both", "both"]);
      await bye([inside, ...outside]);
    },
    "websocket",
    "topics",
  );

  it(
    "a topic that is not a string is an error that says so",
    async ({ origin, flag }) => {
      const [client] = await following(origin, flag, 1);
      await client!.send("nothing");
      assertEquals(await client!.next(), "TypeError: ws.subscribe expects the topic as a string, not undefined");
      await client!.close();
    },
    "websocket",
    "topics",
  );
});

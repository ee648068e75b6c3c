import { assertEquals, assertThrows } from "@std/assert";
import {
  Connections,
  type FrameworkApp,
  type TopicBroker,
  type TopicHost,
  type WebSocketConnection,
} from "@sluice/sluice";
import { SocketClient } from "../contracts/socket_client.ts";
import { quietApp, serving } from "../support/app.ts";
import { until } from "../support/until.ts";

/** A broker that records its calls. */
class Notes implements TopicBroker {
  readonly told: string[] = [];
  host: TopicHost | undefined = undefined;
  open(host: TopicHost): void {
    this.host = host;
    this.told.push("open");
  }
  publish(topic: string, data: string | Uint8Array): void {
    this.told.push(`publish ${topic} ${typeof data === "string" ? data : `bytes ${data}`}`);
  }
  subscribe(topic: string): void {
    this.told.push(`subscribe ${topic}`);
  }
  unsubscribe(topic: string): void {
    this.told.push(`unsubscribe ${topic}`);
  }
  close(): Promise<void> {
    this.told.push("close");
    return Promise.resolve();
  }
}

/** A connection for the test, and its client. */
async function connected(app: FrameworkApp, origin: string): Promise<[WebSocketConnection, SocketClient]> {
  const { promise, resolve } = Promise.withResolvers<WebSocketConnection>();
  const path = `/${app.connections.size}`;
  app.ws(path, { open: resolve });
  const client = new SocketClient(origin, path);
  return [await promise, client];
}

Deno.test("a broker is told of the first subscriber of a topic, of the last one leaving, and of every message", async () => {
  const app = quietApp();
  const notes = new Notes();
  app.connections.use(notes);
  assertEquals(notes.told, [], "nothing is opened before it is needed");
  await serving(app, async (origin) => {
    const [one, first] = await connected(app, origin);
    const [two, second] = await connected(app, origin);
    one.subscribe("a");
    one.subscribe("a");
    two.subscribe("a");
    assertEquals(one.publish("a", "hi"), 1);
    assertEquals(await second.next(), "hi");
    two.unsubscribe("a");
    two.unsubscribe("never");
    await first.close();
    await until(() => notes.told.length === 4, "the last subscriber has left");
    await second.close();
  });
  assertEquals(notes.told, ["open", "subscribe a", "publish a hi", "unsubscribe a", "close"]);
});

Deno.test("a message delivered by a broker reaches every subscriber, and is not published again", async () => {
  const app = quietApp();
  const notes = new Notes();
  app.connections.use(notes);
  await serving(app, async (origin) => {
    const [ws, client] = await connected(app, origin);
    ws.subscribe("a");
    notes.host!.deliver("a", "from afar");
    notes.host!.deliver("b", "for others");
    notes.host!.deliver("a", new Uint8Array([7]));
    assertEquals([await client.next(), ...await client.bytes()], ["from afar", 7]);
    await client.close();
  });
  assertEquals(notes.told.filter((what) => what.startsWith("publish")), []);
});

Deno.test("bytes and Blobs are published as bytes, in order", async () => {
  const app = quietApp();
  const notes = new Notes();
  app.connections.use(notes);
  const reused = new Uint8Array([1, 2, 3, 4]);
  app.connections.publish("a", new Uint16Array(reused.buffer, 2, 1));
  app.connections.publish("a", new Blob(["B"]));
  app.connections.publish("a", reused);
  app.connections.publish("a", "text");
  reused.fill(0);
  await until(() => notes.told.length === 5, "all are published");
  assertEquals(notes.told, [
    "open",
    "publish a bytes 3,4",
    "publish a bytes 66",
    "publish a bytes 1,2,3,4",
    "publish a text",
  ]);
});

Deno.test("a Blob that fails while an earlier one is read is logged, and those behind it are published", async () => {
  const logged: unknown[] = [];
  const connections = new Connections((error) => logged.push(error));
  const notes = new Notes();
  connections.use(notes);
  const bytes = Promise.withResolvers<ArrayBuffer>();
  const slow = Object.assign(new Blob(), { arrayBuffer: () => bytes.promise });
  const gone = new Error("the file is gone");
  const failing = Object.assign(new Blob(), { arrayBuffer: () => Promise.reject(gone) });
  connections.publish("a", slow);
  connections.publish("a", failing);
  connections.publish("a", "behind");
  // an unhandled rejection would fail the test on this tick
  await new Promise((resolve) => setTimeout(resolve, 0));
  bytes.resolve(new Uint8Array([1]).buffer);
  await until(() => notes.told.length === 3, "all are published");
  assertEquals([logged, notes.told], [[gone], ["open", "publish a bytes 1", "publish a behind"]]);
});

Deno.test("a mounted application's broker is used by its parent, unless that has one", () => {
  const [notes, others] = [new Notes(), new Notes()];
  const [app, child, second] = [quietApp(), quietApp(), quietApp()];
  child.connections.use(notes);
  second.connections.use(others);
  app.use("/child", child).use("/second", second);
  app.connections.publish("a", "1");
  child.connections.publish("a", "2");
  second.connections.publish("a", "3");
  assertEquals(notes.told, ["open", "publish a 1", "publish a 2", "publish a 3"]);
  assertEquals(others.told, []);
});

Deno.test("a closing connection can no longer subscribe, even while a handler still runs", async () => {
  const app = quietApp();
  const notes = new Notes();
  app.connections.use(notes);
  await serving(app, async (origin) => {
    const [ws, client] = await connected(app, origin);
    ws.close();
    ws.subscribe("late");
    assertEquals([ws.isSubscribed("late"), app.connections.publish("late", "nobody")], [false, 0]);
    await client.closed;
  });
  assertEquals(notes.told, ["open", "publish late nobody", "close"]);
});

Deno.test("a broker already used by another application carries nothing, and throws each time", async () => {
  class Single extends Notes {
    override open(host: TopicHost): void {
      if (this.host !== undefined) throw new Error("in use already");
      super.open(host);
    }
  }
  const broker = new Single();
  const [app, other] = [quietApp(), quietApp()];
  for (const one of [app, other]) one.connections.use(broker);
  app.connections.publish("a", "first");
  await serving(other, async (origin) => {
    const [member, client] = await connected(other, origin);
    for (let i = 0; i < 2; i++) assertThrows(() => other.connections.publish("a", "astray"), Error, "in use already");
    assertThrows(() => member.subscribe("a"), Error, "in use already");
    await client.close();
    await until(() => other.connections.size === 0, "the subscriber has left");
  });
  assertEquals(broker.told, ["open", "publish a first"]);
});

import { fileURLToPath } from "node:url";
import { assert, assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import sluice, { type FrameworkApp } from "@sluice/sluice";
import { type IoRedisClient, type NodeRedisClient, redisTopics } from "@sluice/sluice/redis";
import { Cluster, Redis } from "ioredis";
import { createClient, createCluster } from "redis";
import { bundled } from "../contracts/bundled.ts";
import { SocketClient } from "../contracts/socket_client.ts";
import { packageFlags } from "../support/node_program.ts";
import { type Program, startProgram } from "../support/program.ts";
import { startCluster } from "../support/redis_cluster.ts";
import { type RedisServer, startServer } from "../support/redis_servers.ts";
import { until } from "../support/until.ts";

/** A connected client, and a function that closes it. */
interface Connected {
  readonly client: NodeRedisClient | IoRedisClient;
  end(): Promise<void>;
}

const KINDS: Readonly<Record<string, (url: string) => Promise<Connected>>> = {
  async "node-redis"(url) {
    const client = createClient({ url, socket: { reconnectStrategy: 20 } });
    await client.connect();
    return { client, end: () => Promise.resolve(client.destroy()) };
  },
  async ioredis(url) {
    const client = new Redis(url, { retryStrategy: () => 20 });
    await client.ping();
    return { client, end: () => Promise.resolve(client.disconnect()) };
  },
};

/** One of an application's processes, as seen by Redis. */
class Instance implements AsyncDisposable {
  readonly app: FrameworkApp = sluice();
  readonly errors: unknown[] = [];
  readonly #origin: string;
  readonly #connected: Connected;

  private constructor(connected: Connected) {
    this.#connected = connected;
    this.app.on("error", (error) => void this.errors.push(error));
    this.app.ws("/:topic", {
      // the test publishes more at once than may wait by default
      maxBufferedBytes: 32 * 1024 * 1024,
      open(ws) {
        ws.subscribe(ws.data.params["topic"]);
        ws.send("following");
      },
      message(ws, data) {
        if (data === "leave") ws.unsubscribe(ws.data.params["topic"]);
        else ws.send(`told ${ws.publish(ws.data.params["topic"], data)}`);
      },
    });
    this.#origin = String(this.app.listen({ port: 0, hostname: "127.0.0.1" }).url).slice(0, -1);
  }

  static async start(kind: string, url: string, prefix?: string): Promise<Instance> {
    const connected = await KINDS[kind]!(url);
    const instance = new Instance(connected);
    instance.app.connections.use(redisTopics(connected.client, prefix === undefined ? {} : { prefix }));
    return instance;
  }

  isConnected(): boolean {
    const { client } = this.#connected;
    return "status" in client ? client.status === "ready" : client.isReady;
  }

  async follow(topic: string): Promise<SocketClient> {
    const member = new SocketClient(this.#origin, `/${topic}`);
    assertEquals(await member.next(), "following");
    return member;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.app.close({ timeoutMs: 2000 });
    await this.#connected.end();
  }
}

/** Number of connections subscribed to a channel, according to Redis. */
async function followers(server: RedisServer, topic: string): Promise<number> {
  return Number((await server.cli("PUBSUB", "NUMSUB", `sluice:${topic}`)).split("\n")[1]);
}

const bye = (...members: SocketClient[]) => Promise.all(members.map((member) => member.close()));

for (const kind of Object.keys(KINDS)) {
  Deno.test(`with ${kind}, a message reaches the subscribers in every process once, and never its sender`, async () => {
    await using server = await startServer();
    await using here = await Instance.start(kind, server.url);
    await using there = await Instance.start(kind, server.url);
    const [sender, near, far] = [await here.follow("news"), await here.follow("news"), await there.follow("news")];
    await until(async () => await followers(server, "news") === 2, "both processes follow");
    await sender.send("text");
    assertEquals([await sender.next(), await near.next(), await far.next()], ["told 1", "text", "text"]);
    await sender.send(new Uint8Array([0, 255]));
    assertEquals([await sender.next(), ...await near.bytes()], ["told 1", 0, 255]);
    assertEquals([...await far.bytes()], [0, 255]);
    assertEquals(there.app.connections.publish("news", "from outside"), 1);
    for (const member of [sender, near, far]) assertEquals(await member.next(), "from outside");
    // a duplicate would be the next message
    assertEquals(here.app.connections.publish("news", "last"), 2);
    for (const member of [sender, near, far]) assertEquals(await member.next(), "last");
    await bye(sender, near, far);
    assertEquals([...here.errors, ...there.errors], []);
  });

  Deno.test(`with ${kind}, a process is subscribed to a topic while it has a subscriber of its own`, async () => {
    await using server = await startServer();
    await using instance = await Instance.start(kind, server.url);
    const [one, two] = [await instance.follow("a"), await instance.follow("a")];
    await until(async () => await followers(server, "a") === 1, "it follows once");
    await one.send("leave");
    await one.send("still here");
    assertEquals(await two.next(), "still here");
    assertEquals(await followers(server, "a"), 1);
    await two.close();
    await until(async () => await followers(server, "a") === 0, "nobody follows");
    // subscribers that come and go faster than Redis replies
    for (let i = 0; i < 20; i++) await bye(await instance.follow("b"));
    const [three] = [await instance.follow("b")];
    await until(async () => await followers(server, "b") === 1, "it follows again");
    await until(async () => await server.cli("PUBSUB", "CHANNELS") === "sluice:b", "nothing else is followed");
    await bye(one, three!);
  });

  Deno.test(`with ${kind}, topics work within each process while Redis is away, and across processes when it is back`, async () => {
    await using server = await startServer();
    await using here = await Instance.start(kind, server.url);
    await using there = await Instance.start(kind, server.url);
    const [one, two, far] = [await here.follow("t"), await here.follow("t"), await there.follow("t")];
    for (let outage = 1; outage <= 2; outage++) {
      await until(async () => await followers(server, "t") === 2, "both processes follow");
      await server.kill();
      await until(() => here.errors.length === outage && there.errors.length === outage, "the outage is told");
      await until(() => !here.isConnected(), "the client has seen it too");
      for (let i = 0; i < 50; i++) assertEquals(here.app.connections.publish("t", `lost ${i}`), 2);
      for (const member of [one, two]) for (let i = 0; i < 50; i++) assertEquals(await member.next(), `lost ${i}`);
      // meanwhile, subscribers come and go
      const late = await there.follow(`late${outage}`);
      await server.restart();
      await until(async () => await followers(server, "t") === 2, "both processes follow again");
      await until(async () => await followers(server, `late${outage}`) === 1, "the new topic is followed");
      await until(() => here.isConnected(), "the client is back");
      assertEquals(here.app.connections.publish("t", `back ${outage}`), 2);
      for (const member of [one, two]) assertEquals(await member.next(), `back ${outage}`);
      // messages published during the outage are lost, not delayed
      assertEquals(await far.next(), `back ${outage}`);
      assertEquals([here.errors.length, there.errors.length], [outage, outage]);
      await late.close();
    }
    const [{ message, cause }] = here.errors as [Error];
    assertMatch(
      message,
      /^redisTopics: topics reach the members in this process only, until Redis is back \(.*\w.*\)$/,
    );
    assertEquals(cause, undefined);
    await bye(one, two, far);
  });

  Deno.test(`with ${kind}, closing the application closes the connections of the topics, and it may listen again`, async () => {
    await using server = await startServer();
    const connections = async () => (await server.cli("CLIENT", "LIST")).split("\n").length;
    await using instance = await Instance.start(kind, server.url);
    const before = await connections();
    const member = await instance.follow("t");
    await until(async () => await followers(server, "t") === 1, "it follows");
    assertEquals(await connections(), before + 1);
    await instance.app.close();
    assertEquals((await member.closed).code, 1001);
    await until(async () => await connections() === before, "the connection is gone");
    const url = String(instance.app.listen({ port: 0, hostname: "127.0.0.1" }).url).slice(0, -1);
    const again = new SocketClient(url, "/t");
    assertEquals(await again.next(), "following");
    await until(async () => await followers(server, "t") === 1, "it follows again");
    assertEquals(await server.cli("PUBLISH", "sluice:t", "hello"), "1");
    assertEquals(await again.next(), "hello");
    await again.close();
  });

  Deno.test(`with ${kind}, an application that closes while it connects leaves nothing behind`, async () => {
    await using server = await startServer();
    const connections = async () => (await server.cli("CLIENT", "LIST")).split("\n").length;
    await using instance = await Instance.start(kind, server.url);
    const { client, end } = await KINDS[kind]!(server.url);
    const before = await connections();
    server.pause();
    try {
      await instance.follow("t");
      await instance.app.close();
      const topics = redisTopics(client);
      topics.open({ deliver() {}, reportError: (error) => void instance.errors.push(error) });
      topics.subscribe("t");
      await topics.close();
    } finally {
      server.resume();
    }
    {
      // once a later instance has completed, earlier commands have arrived
      await using other = await Instance.start(kind, server.url);
      const member = await other.follow("later");
      await until(async () => await followers(server, "later") === 1, "another one follows");
      await member.close();
    }
    await until(async () => await connections() === before, "the connection is gone");
    assertEquals([await followers(server, "t"), instance.errors], [0, []]);
    await end();
  });

  Deno.test(`with ${kind}, a Redis that answers late loses no message and delays no local subscriber`, async () => {
    await using server = await startServer();
    await using here = await Instance.start(kind, server.url);
    await using there = await Instance.start(kind, server.url);
    const [near, far] = [await here.follow("t"), await there.follow("t")];
    await until(async () => await followers(server, "t") === 2, "both processes follow");
    server.pause();
    try {
      for (let i = 0; i < 100; i++) here.app.connections.publish("t", String(i));
      for (let i = 0; i < 100; i++) assertEquals(await near.next(), String(i));
    } finally {
      server.resume();
    }
    for (let i = 0; i < 100; i++) assertEquals(await far.next(), String(i));
    await bye(near, far);
    assertEquals([...here.errors, ...there.errors], []);
  });
}

for (const kind of Object.keys(KINDS)) {
  Deno.test(`with ${kind}, a forbidden channel is reported, and subscribed to again once it is allowed`, async () => {
    await using server = await startServer();
    const user = (...words: string[]) => server.cli("ACL", "SETUSER", "topics", ...words);
    // topic commands, and the commands sent here on connecting
    const commands = ["+publish", "+subscribe", "+unsubscribe", "+ping", "+info"];
    await user("on", ">secret", "resetchannels", "&sluice:*", ...commands);
    const url = server.url.replace("redis://", "redis://topics:secret@");
    await using here = await Instance.start(kind, url);
    await using there = await Instance.start(kind, url);
    const [member, far] = [await here.follow("t"), await there.follow("t")];
    const disconnected = () => server.cli("CLIENT", "KILL", "USER", "topics");
    await until(async () => await followers(server, "t") === 2, "both processes follow");
    await user("resetchannels");
    await disconnected();
    await until(() => here.errors.length > 0 && there.errors.length > 0, "the loss is told");
    await until(() => here.isConnected() && there.isConnected(), "the clients are back");
    await user("&sluice:*");
    await disconnected();
    await until(async () => await followers(server, "t") === 2, "both processes follow again");
    await until(() => here.isConnected(), "the client is back");
    assertEquals(here.app.connections.publish("t", "text"), 1);
    assertEquals([await member.next(), await far.next()], ["text", "text"]);
    await bye(member, far);
  });
}

Deno.test("no more than 16 MiB are buffered for a Redis that answers late", async () => {
  await using server = await startServer();
  await using here = await Instance.start("node-redis", server.url);
  await using there = await Instance.start("node-redis", server.url);
  const [near, far] = [await here.follow("t"), await there.follow("t")];
  await until(async () => await followers(server, "t") === 2, "both processes follow");
  server.pause();
  try {
    for (let i = 0; i < 20; i++) {
      assertEquals(here.app.connections.publish("t", new Uint8Array(1024 * 1024).fill(i)), 1);
    }
    for (let i = 0; i < 20; i++) assertEquals((await near.bytes())[0], i);
  } finally {
    server.resume();
  }
  for (let i = 0; i < 15; i++) assertEquals((await far.bytes())[0], i);
  await until(() => here.app.connections.publish("t", "after") === 1, "it goes on");
  assertEquals(await far.next(), "after");
  assertEquals(here.errors.map((error) => (error as Error).message.match(/\(.*\)$/)?.[0]), [
    "(15728775 bytes are already waiting for Redis)",
  ]);
  await bye(near, far);
});

Deno.test("applications with different prefixes do not receive each other's messages, and other programs may publish", async () => {
  await using server = await startServer();
  await using ours = await Instance.start("node-redis", server.url);
  await using others = await Instance.start("ioredis", server.url, "other:");
  const [here, there] = [await ours.follow("t"), await others.follow("t")];
  await until(async () => (await server.cli("PUBSUB", "CHANNELS")).split("\n").length === 2, "both follow");
  ours.app.connections.publish("t", "ours");
  assertEquals(await server.cli("PUBLISH", "other:t", "grüße"), "1");
  assertEquals([await here.next(), await there.next()], ["ours", "grüße"]);
  await bye(here, there);
});

Deno.test("node-redis and ioredis work together, also with a key prefix", async () => {
  await using server = await startServer();
  await using here = await Instance.start("node-redis", server.url);
  const client = new Redis(server.url, { keyPrefix: "keys:" });
  const there = sluice().set("env", "test");
  there.connections.use(redisTopics(client));
  there.ws("/", { open: (ws) => (ws.subscribe("t"), ws.send("following")) });
  const origin = String(there.listen({ port: 0, hostname: "127.0.0.1" }).url).slice(0, -1);
  const [near, far] = [await here.follow("t"), new SocketClient(origin, "/")];
  assertEquals(await far.next(), "following");
  await until(async () => await followers(server, "t") === 2, "both follow");
  here.app.connections.publish("t", "one");
  assertEquals([await near.next(), await far.next()], ["one", "one"]);
  there.connections.publish("t", "two");
  assertEquals([await near.next(), await far.next()], ["two", "two"]);
  await bye(near, far);
  await there.close();
  client.disconnect();
});

Deno.test("a client without an offline queue, or one that connects lazily, causes no error", async () => {
  await using server = await startServer();
  for (const options of [{ enableOfflineQueue: false }, { lazyConnect: true }]) {
    const client = new Redis(server.url, options);
    const errors: unknown[] = [];
    const broker = redisTopics(client);
    broker.open({ deliver: () => {}, reportError: (error) => void errors.push(error) });
    broker.subscribe("t");
    await until(async () => await followers(server, "t") === 1, "it follows");
    assertEquals(errors, []);
    await broker.close();
    client.disconnect();
    await until(async () => await followers(server, "t") === 0, "it is gone");
  }
});

for (const kind of Object.keys(KINDS)) {
  Deno.test(`with ${kind}, it is reported that Redis closed the subscribed connection`, async () => {
    await using server = await startServer();
    await using instance = await Instance.start(kind, server.url);
    const member = await instance.follow("t");
    await until(async () => await followers(server, "t") === 1, "it follows");
    await server.cli("CLIENT", "KILL", "TYPE", "pubsub");
    await until(() => instance.errors.length > 0, "the loss is told");
    await until(async () => await followers(server, "t") === 1, "it follows again");
    await bye(member);
    assertEquals(instance.errors.length, 1);
  });
}

Deno.test("commands that an ioredis client silently drops when a connection breaks no longer count as pending", async () => {
  await using server = await startServer();
  const options = { autoResendUnfulfilledCommands: false, retryStrategy: () => 20 };
  const client = new Redis(server.url, options).on("error", () => {});
  await client.ping();
  const broker = redisTopics(client);
  const errors: Error[] = [];
  broker.open({ deliver: () => {}, reportError: (error) => void errors.push(error as Error) });
  for (const topic of ["stays", "goes"]) broker.subscribe(topic);
  await until(async () => await followers(server, "goes") === 1, "it follows");
  server.pause();
  broker.subscribe("comes");
  broker.unsubscribe("goes");
  for (let i = 0; i < 15; i++) broker.publish("stays", new Uint8Array(1024 * 1024));
  await server.restart();
  const state = async () => await Promise.all(["stays", "comes", "goes"].map((topic) => followers(server, topic)));
  await until(async () => (await state()).join() === "1,1,0", "it follows what it should");
  await until(() => client.status === "ready", "the client is back");
  const listener = new Redis(server.url);
  const got: string[] = [];
  listener.on("message", (_, message) => got.push(message));
  await listener.subscribe("sluice:stays");
  broker.publish("stays", new Uint8Array(2 * 1024 * 1024));
  await until(() => got.length === 1, "what is published then");
  assertEquals(errors.length, 1);
  await broker.close();
  for (const one of [client, listener]) one.disconnect();
});

Deno.test("through a cluster, messages arrive in the order they were published in", async () => {
  await using cluster = await startCluster();
  const clients = [0, 1].map(() => new Cluster(cluster.nodes.map(({ port }) => ({ host: "127.0.0.1", port }))));
  await Promise.all(clients.map((client) => client.ping()));
  const got: unknown[] = [];
  const [from, to] = clients.map((client) => {
    const broker = redisTopics(client);
    broker.open({ deliver: (_, data) => void got.push(data), reportError: (error) => void got.push(error) });
    return broker;
  });
  to!.subscribe("t");
  const followed = async () => {
    const counts = await Promise.all(cluster.nodes.map((node) => followers(node, "t")));
    return counts.includes(1);
  };
  await until(followed, "it follows");
  const sent = Array.from({ length: 500 }, (_, i) => String(i));
  for (const text of sent) from!.publish("t", text);
  await until(() => got.length >= sent.length, "all of them");
  assertEquals(got, sent);
  await Promise.all([from!.close(), to!.close()]);
  for (const client of clients) client.disconnect();
});

Deno.test("topics wait for a Redis that is not up yet", async () => {
  await using server = await startServer();
  await server.kill();
  const client = createClient({ url: server.url, socket: { reconnectStrategy: 20 } });
  const app = sluice();
  const errors: unknown[] = [];
  app.on("error", (error) => void errors.push(error));
  app.connections.use(redisTopics(client));
  app.ws("/", { open: (ws) => (ws.subscribe("t"), ws.send("following")) });
  const origin = String(app.listen({ port: 0, hostname: "127.0.0.1" }).url).slice(0, -1);
  const member = new SocketClient(origin, "/");
  assertEquals(await member.next(), "following");
  assertEquals(app.connections.publish("t", "here at least"), 1);
  assertEquals(await member.next(), "here at least");
  const connected = client.connect();
  await server.restart();
  await connected;
  await until(async () => await followers(server, "t") === 1, "it follows");
  assertEquals(errors.length, 1);
  await member.close();
  await app.close();
  client.destroy();
});

Deno.test("a client is listened to before anything is published, until the application closes", async () => {
  for (const client of [createClient(), new Redis({ lazyConnect: true })]) {
    const app = sluice();
    app.on("error", () => {});
    app.connections.use(redisTopics(client));
    assertEquals(client.listenerCount("error"), 1);
    app.connections.publish("t", "one");
    await app.close();
    assertEquals(client.listenerCount("error"), 0);
    if ("disconnect" in client) client.disconnect();
  }
});

Deno.test("a client that was never connected is reported with what is missing", async () => {
  const app = sluice();
  const errors: Error[] = [];
  app.on("error", (error) => void errors.push(error as Error));
  app.connections.use(redisTopics(createClient()));
  app.connections.publish("t", "one");
  app.connections.publish("t", "two");
  const [{ message } = new Error(), ...more] = errors;
  assertStringIncludes(message, "(the client is not connected; is client.connect() missing?)");
  assertEquals(more, []);
  await app.close();
});

Deno.test("an invalid client, prefix or broker is refused, and so is a second broker", () => {
  const client = new Redis({ lazyConnect: true });
  assertThrows(() => redisTopics(Promise.resolve(client) as never), TypeError, "not a promise: await it");
  assertThrows(
    () => redisTopics({} as never),
    TypeError,
    "redisTopics expects a client of npm:redis 5 or later (in a cluster, of one node), or of npm:ioredis, not this " +
      "object",
  );
  assertThrows(() => redisTopics(createCluster({ rootNodes: [] }) as never), TypeError, "in a cluster, of one node");
  const version4 = { isReady: true, duplicate() {}, publish() {}, pSubscribe() {}, on() {}, disconnect() {} };
  assertThrows(() => redisTopics(version4 as never), TypeError, "npm:redis 5 or later");
  const bun = { connected: true, duplicate() {}, publish() {}, psubscribe() {}, send() {} };
  assertThrows(() => redisTopics(bun as never), TypeError, "not this object");
  const { message } = assertThrows(() => redisTopics("redis://:password@host" as never), TypeError);
  assert(message.endsWith("not an address: connect a client to it"), message);
  assertThrows(() => redisTopics(client, { prefix: 1 as never }), TypeError, "option prefix must be a string, not 1");
  const app = sluice();
  assertThrows(() => app.connections.use(client as never), TypeError, 'this one has no method "open"');
  app.connections.use(redisTopics(client));
  assertThrows(() => app.connections.use(redisTopics(client)), Error, "another broker is already in use");
});

/** Collects the clients' messages until each has `count` of them. */
async function taken(members: readonly SocketClient[], count: number): Promise<string[][]> {
  return await Promise.all(members.map(async (member) => {
    const got: string[] = [];
    while (got.length < count) got.push(await member.next() as string);
    return got;
  }));
}

Deno.test("three processes, one of them Bun if it is installed, send each other 1 000 messages in order", async () => {
  await using server = await startServer();
  const root = fileURLToPath(new URL("../../", import.meta.url));
  const file = "tests/fixtures/topic_process.ts";
  const options = { cwd: root, env: { NODE_ENV: "test", REDIS_URL: server.url } };
  const onDeno = async () =>
    startProgram(Deno.execPath(), ["run", "-A", "--quiet", ...await packageFlags("topics"), file], options);
  const runtimes = Deno.env.get("SLUICE_RUNTIMES");
  const third = runtimes === undefined
    ? onDeno()
    : startProgram(`${runtimes}node_modules/.bin/bun`, [await bundled(file, "deno")], options);
  const programs: Program[] = await Promise.all([onDeno(), onDeno(), third]);
  try {
    const origins = programs.map(({ line }) => `http://127.0.0.1:${line}`);
    const members = origins.map((origin) => new SocketClient(origin, "/follow/all"));
    for (const member of members) assertEquals(await member.next(), "following");
    await until(async () => await followers(server, "all") === 3, "all follow");
    const senders = origins.map((origin) => new SocketClient(origin, "/publish/all"));
    for (const sender of senders) assertEquals(await sender.next(), "ready");
    await Promise.all(senders.map((sender, at) => sender.send(`from${at} 1000`)));
    for (const got of await taken(members, 3000)) {
      for (const at of [0, 1, 2]) {
        const numbers = got.filter((text) => text.startsWith(`from${at} `)).map((text) => Number(text.split(" ")[1]));
        assertEquals(numbers, Array.from({ length: 1000 }, (_, i) => i));
      }
    }
    await bye(...members, ...senders);
  } finally {
    for (const program of programs) await program.stop();
  }
});

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import sluice, { type FrameworkApp, type WebSocketConnection } from "@sluice/sluice";
import { Limiter, rateLimit } from "../../mod.ts";
import { VirtualClock } from "../../src/testing/virtual_clock.ts";

async function serving(app: FrameworkApp, talk: (origin: string) => Promise<void>): Promise<void> {
  const server = app.listen({ port: 0, hostname: "127.0.0.1" });
  try {
    await talk(`http://127.0.0.1:${server.port}`);
  } finally {
    await app.close({ timeoutMs: 2000 });
  }
}

/** An open socket and the messages it gets. */
class Client {
  readonly #socket: WebSocket;
  readonly #messages: string[] = [];
  readonly #waiting: ((message: string) => void)[] = [];
  readonly #closed: Promise<CloseEvent>;

  constructor(url: string) {
    this.#socket = new WebSocket(url.replace("http", "ws"));
    this.#closed = new Promise((resolve) => this.#socket.onclose = resolve);
    this.#socket.onmessage = ({ data }) => {
      const waiting = this.#waiting.shift();
      if (waiting !== undefined) waiting(data);
      else this.#messages.push(data);
    };
  }

  async opened(): Promise<this> {
    await new Promise((resolve) => this.#socket.onopen = resolve);
    return this;
  }

  async say(text: string): Promise<string> {
    this.#socket.send(text);
    const message = this.#messages.shift();
    return message ?? await new Promise((resolve) => this.#waiting.push(resolve));
  }

  get closed(): Promise<CloseEvent> {
    return this.#closed;
  }

  async close(): Promise<void> {
    this.#socket.close();
    await this.#closed;
  }
}

Deno.test("a limiter counts the messages of every socket, whoever sends them", async () => {
  const clock = new VirtualClock();
  const limiter = new Limiter({ algorithm: "token-bucket", max: 2, windowMs: 1_000, clock: clock.read });
  const app = sluice().set("env", "test");
  app.ws("/chat/:user", {
    message: async (ws: WebSocketConnection, text) => {
      const { allowed, retryMs } = await limiter.check(String(ws.data.params["user"]));
      ws.send(allowed ? `heard ${text}` : `wait ${retryMs} ms`);
    },
  });
  await serving(app, async (origin) => {
    const ann = await new Client(`${origin}/chat/ann`).opened();
    const bob = await new Client(`${origin}/chat/bob`).opened();
    assertEquals([await ann.say("1"), await ann.say("2"), await ann.say("3")], ["heard 1", "heard 2", "wait 500 ms"]);
    assertEquals(await bob.say("1"), "heard 1");
    // another socket is no way around it
    const again = await new Client(`${origin}/chat/ann`).opened();
    assertEquals(await again.say("4"), "wait 500 ms");
    clock.advance(500);
    assertEquals(await ann.say("5"), "heard 5");
    await Promise.all([ann.close(), bob.close(), again.close()]);
  });
});

Deno.test("a socket that says too much may be closed with 1008, and long messages may cost more", async () => {
  const limiter = new Limiter({ max: 10, windowMs: 60_000, clock: new VirtualClock().read });
  const app = sluice().set("env", "test");
  app.ws("/", {
    message: async (ws: WebSocketConnection, text) => {
      const { allowed } = await limiter.check("all", { cost: Math.max(1, Math.ceil(String(text).length / 10)) });
      if (allowed) ws.send("heard");
      else ws.close(1008, "too many messages");
    },
  });
  await serving(app, async (origin) => {
    const client = await new Client(origin).opened();
    assertEquals([await client.say("x".repeat(80)), await client.say("x")], ["heard", "heard"]);
    void client.say("x".repeat(20));
    const { code, reason } = await client.closed;
    assertEquals([code, reason], [1008, "too many messages"]);
  });
});

const UPGRADE = [
  "Host: x",
  "Connection: Upgrade",
  "Upgrade: websocket",
  "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
];

/** Sends a handshake by hand and gives what comes back first. */
async function handshake(origin: string, path: string): Promise<string> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port: Number(new URL(origin).port) });
  await connection.write(new TextEncoder().encode([`GET ${path} HTTP/1.1`, ...UPGRADE, "", ""].join("\r\n")));
  const buffer = new Uint8Array(8192);
  const length = await connection.read(buffer) ?? 0;
  return new TextDecoder().decode(buffer.subarray(0, length)).toLowerCase();
}

Deno.test("a limiter before the upgrade refuses it with a 429 that reaches the client", async () => {
  const app = sluice().set("env", "test");
  app.use(rateLimit({ max: 2, windowMs: 60_000, clock: new VirtualClock().read }));
  app.ws("/live", { message: (ws, text) => ws.send(String(text)) });
  await serving(app, async (origin) => {
    const client = await new Client(`${origin}/live`).opened();
    assertEquals(await client.say("hello"), "hello");
    const accepted = await handshake(origin, "/live");
    assertMatch(accepted, /^http\/1\.1 101 /);
    assertStringIncludes(accepted, "x-ratelimit-remaining: 0");
    const refused = await handshake(origin, "/live");
    assertMatch(refused, /^http\/1\.1 429 /);
    assertStringIncludes(refused, "retry-after: 60");
    assertStringIncludes(refused, "too many requests");
    // what is open stays open
    assertEquals(await client.say("still here"), "still here");
    await client.close();
  });
});

Deno.test("a limiter in the route of a socket refuses it, and leaves the other routes alone", async () => {
  const app = sluice().set("env", "test");
  app.ws("/live", rateLimit({ max: 0, message: "no sockets today", statusCode: 503 }), { message() {} });
  app.get("/", (_req, res) => res.send("hello"));
  await serving(app, async (origin) => {
    const refused = await handshake(origin, "/live");
    assertMatch(refused, /^http\/1\.1 503 /);
    assertStringIncludes(refused, "no sockets today");
    assertEquals(await (await fetch(origin)).text(), "hello");
  });
});

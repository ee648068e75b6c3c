import { assertEquals, assertStringIncludes } from "@std/assert";
import { RawSocket } from "../../../tests/contracts/raw_socket.ts";
import { SocketClient } from "../../../tests/contracts/socket_client.ts";
import { until } from "../../../tests/support/until.ts";
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

Deno.test("a limiter counts messages by sender over all sockets", async () => {
  const clock = new VirtualClock();
  const limiter = new Limiter({ algorithm: "token-bucket", limit: 2, windowMs: 1_000, clock: clock.read });
  const app = sluice().set("env", "test");
  app.ws("/chat/:user", {
    message: async (ws: WebSocketConnection, text) => {
      const { allowed, retryAfterMs } = await limiter.consume(String(ws.data.params["user"]));
      ws.send(allowed ? `heard ${text}` : `wait ${retryAfterMs} ms`);
    },
  });
  await serving(app, async (origin) => {
    const ann = new SocketClient(origin, "/chat/ann");
    const bob = new SocketClient(origin, "/chat/bob");
    assertEquals([await ann.say("1"), await ann.say("2"), await ann.say("3")], ["heard 1", "heard 2", "wait 500 ms"]);
    assertEquals(await bob.say("1"), "heard 1");
    // another socket does not bypass it
    const again = new SocketClient(origin, "/chat/ann");
    assertEquals(await again.say("4"), "wait 500 ms");
    clock.advance(500);
    assertEquals(await ann.say("5"), "heard 5");
    await Promise.all([ann.close(), bob.close(), again.close()]);
  });
});

Deno.test("a socket that sends too much may be closed with 1008, and long messages may cost more", async () => {
  const limiter = new Limiter({ limit: 10, windowMs: 60_000, clock: new VirtualClock().read });
  const app = sluice().set("env", "test");
  app.ws("/", {
    message: async (ws: WebSocketConnection, text) => {
      const { allowed } = await limiter.consume("all", { cost: Math.max(1, Math.ceil(String(text).length / 10)) });
      if (allowed) ws.send("heard");
      else ws.close(1008, "too many messages");
    },
  });
  await serving(app, async (origin) => {
    const client = new SocketClient(origin, "/");
    assertEquals([await client.say("x".repeat(80)), await client.say("x")], ["heard", "heard"]);
    await client.send("x".repeat(20));
    const { code, reason } = await client.closed;
    assertEquals([code, reason], [1008, "too many messages"]);
  });
});

Deno.test("a limiter before the upgrade refuses it with a 429 that reaches the client", async () => {
  const app = sluice().set("env", "test");
  app.use(rateLimit({ limit: 2, windowMs: 60_000, clock: new VirtualClock().read }));
  app.ws("/live", { message: (ws, text) => ws.send(String(text)) });
  await serving(app, async (origin) => {
    const client = new SocketClient(origin, "/live");
    assertEquals(await client.say("hello"), "hello");
    using accepted = await RawSocket.open(origin, "/live");
    assertEquals([accepted.status, accepted.header("x-ratelimit-remaining")], [101, ["0"]]);
    using refused = await RawSocket.open(origin, "/live");
    assertEquals([refused.status, refused.header("retry-after")], [429, ["60"]]);
    assertStringIncludes(await refused.body(), "Too many requests");
    // open sockets stay open
    assertEquals(await client.say("still here"), "still here");
    await client.close();
  });
});

Deno.test("a limiter in the route of a socket refuses it, and does not affect other routes", async () => {
  const app = sluice().set("env", "test");
  app.ws("/live", rateLimit({ limit: 0, message: "no sockets today", statusCode: 503 }), { message() {} });
  app.get("/", (_req, res) => res.send("hello"));
  await serving(app, async (origin) => {
    using refused = await RawSocket.open(origin, "/live");
    assertEquals([refused.status, await refused.body()], [503, "no sockets today"]);
    assertEquals(await (await fetch(origin)).text(), "hello");
  });
});

Deno.test("a socket ends with its connection: its cost is settled, and its slot is free", async () => {
  const keyGenerator = () => "key";
  for (const [cost, remaining] of [[42, 58], [3, 97]] as const) {
    const limit = rateLimit({ limit: 100, maxDebt: 0, cost: 10, keyGenerator, costAfter: () => cost });
    const slots = rateLimit({ algorithm: "concurrency", limit: 1, windowMs: 3_600_000, keyGenerator });
    const left = async () => {
      return [(await limit.limiter.peek("key")).remaining, (await slots.limiter.peek("key")).remaining];
    };
    const app = sluice().set("env", "test");
    app.ws("/", limit, slots, { message: (ws, text) => ws.send(String(text)) });
    await serving(app, async (origin) => {
      const client = new SocketClient(origin, "/");
      assertEquals([await client.say("hello"), await left()], ["hello", [90, 0]]);
      await client.close();
      await until(async () => (await left())[1] === 1, "the slot is free");
      await until(async () => (await left())[0] === remaining, `${remaining} are left`);
    });
  }
});

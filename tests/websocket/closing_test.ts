import { assertEquals, assertMatch } from "@std/assert";
import { connect } from "node:net";
import { type FrameworkApp, Router } from "@sluice/sluice";
import { OPCODE } from "../contracts/frame.ts";
import { HANDSHAKE, RawSocket } from "../contracts/raw_socket.ts";
import { SocketClient } from "../contracts/socket_client.ts";
import { quietApp, serving } from "../support/app.ts";
import { HANDSHAKE as HEADER_LINES, opened } from "../support/raw_client.ts";
import { virtualTimers } from "../support/virtual_timers.ts";

function handshake(path: string): string {
  return [`GET ${path} HTTP/1.1`, "Host: x", ...HEADER_LINES, "", ""].join("\r\n");
}

/** An application with a socket route. */
function withSocket(path = "/"): FrameworkApp {
  return quietApp().ws(path, { open: (ws) => ws.send("open") });
}

Deno.test("closing an application closes its sockets with 1001, including those of mounted applications", async () => {
  const app = withSocket("/own").use("/child", withSocket("/inside"));
  const url = String(app.listen({ port: 0, hostname: "127.0.0.1" }).url).slice(0, -1);
  const clients = [new SocketClient(url, "/own"), new SocketClient(url, "/child/inside")];
  for (const client of clients) await client.next();
  assertEquals(app.connections.size, 2);
  await app.close({ timeoutMs: 2000 });
  for (const client of clients) assertEquals((await client.closed).code, 1001);
});

Deno.test("closing an application closes the sockets of one that is mounted in its router", async () => {
  const inner = withSocket("/inside");
  const app = quietApp().use("/router", Router().use("/child", inner));
  const url = String(app.listen({ port: 0, hostname: "127.0.0.1" }).url).slice(0, -1);
  const client = new SocketClient(url, "/router/child/inside");
  await client.next();
  await app.close({ timeoutMs: 0 });
  assertEquals((await client.closed).code, 1001);
});

Deno.test("a reason that is no text is converted to text, as the web's WebSocket does", async () => {
  const reasons = Promise.withResolvers<unknown>();
  const app = quietApp().ws("/", {
    open: (ws) => ws.close(1011, new Error("broken") as never),
    close: (_ws, _code, reason) => reasons.resolve(reason),
  });
  await serving(app, async (origin) => {
    await using client = new SocketClient(origin, "/");
    assertEquals([(await client.closed).reason, await reasons.promise], ["Error: broken", "Error: broken"]);
  });
});

Deno.test("closing a mounted application does not close the sockets of its parent", async () => {
  const child = withSocket("/inside");
  await serving(quietApp().use("/child", child), async (origin) => {
    await using client = new SocketClient(origin, "/child/inside");
    await client.next();
    await child.close();
    assertEquals([client.socket.readyState, child.connections.size], [1, 1]);
  });
});

Deno.test("an application served through its fetch closes its sockets too, each time it is closed", async () => {
  const app = withSocket();
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, app.fetch);
  for (let i = 0; i < 2; i++) {
    const client = new SocketClient(`http://127.0.0.1:${server.addr.port}`, "/");
    await client.next();
    await app.close();
    assertEquals((await client.closed).code, 1001);
  }
  await server.shutdown();
});

Deno.test("a request that was not delivered by a server is not upgraded, and its 501 says why", async () => {
  const response = await withSocket().handle(new Request("http://localhost/", { headers: HANDSHAKE }));
  assertEquals(response.status, 501);
  assertMatch(
    await response.text(),
    /Deno upgrades only requests that Deno\.serve delivers; mount applications with app\.use/,
  );
});

Deno.test("the error of an impossible upgrade may be exposed by an error handler", async () => {
  const app = withSocket();
  app.use((error: { expose: boolean }, _req: unknown, res: { json(value: unknown): void }, _next: unknown) => {
    res.json(error.expose);
  });
  const response = await app.handle(new Request("http://localhost/", { headers: HANDSHAKE }));
  assertEquals(await response.json(), true);
});

Deno.test("a client that leaves, or gets a response, while middleware waits is not upgraded, and that is no error", async () => {
  for (const way of ["leaves", "is refused"]) {
    const app = quietApp();
    const told: unknown[] = [];
    app.on("error", (error: Error) => told.push(error.message));
    const [arrived, over, go, through] = [1, 2, 3, 4].map(() => Promise.withResolvers<void>());
    app.ws("/", async (_req, res, next) => {
      res.on("close", () => over!.resolve());
      arrived!.resolve();
      if (way === "is refused") res.sendStatus(403);
      await go!.promise;
      next();
      through!.resolve();
    }, { open: () => void told.push("open") });
    await serving(app, async (origin) => {
      const client = await opened({ port: Number(new URL(origin).port) }, handshake("/"));
      await arrived!.promise;
      if (way === "leaves") client.close();
      await over!.promise;
      // by now, Deno has released the request
      await (await fetch(`${origin}/other`)).text();
      go!.resolve();
      await through!.promise;
      if (way === "is refused") client.close();
    });
    assertEquals([way, told], [way, []]);
  }
});

Deno.test("a socket opens even if its request waited while many others arrived", async () => {
  const app = quietApp();
  const [arrived, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  app.get("/", (_req, res) => res.send("x"));
  app.ws("/socket", async (_req, _res, next) => {
    arrived.resolve();
    await go.promise;
    next();
  }, { open: (ws) => ws.send("open") });
  await serving(app, async (origin) => {
    await using client = new SocketClient(origin, "/socket");
    await arrived.promise;
    for (let i = 0; i < 600; i++) await (await fetch(origin)).body?.cancel();
    go.resolve();
    assertEquals(await client.next(), "open");
  });
});

Deno.test("a handler may fail with any thenable", async () => {
  const app = quietApp().ws("/", {
    message: () => ({ then: (_done: unknown, failed: (error: Error) => void) => failed(new Error("told")) }),
    error: (ws, error) => ws.send((error as Error).message),
  });
  await serving(app, async (origin) => {
    await using client = new SocketClient(origin, "/");
    assertEquals(await client.say("anything"), "told");
  });
});

Deno.test("a client that leaves a Close frame unanswered is given up after the time for pings", async () => {
  const over = Promise.withResolvers<unknown[]>();
  const app = quietApp().ws("/", {
    pingTimeoutMs: 50,
    open: (ws) => ws.close(4001, "go away"),
    close: (_ws, ...how) => over.resolve(how),
  });
  await serving(app, async (origin) => {
    using socket = await RawSocket.open(origin, "/");
    assertEquals((await socket.next())?.opcode, OPCODE.close);
    assertEquals(await over.promise, [4001, "go away"]);
  });
});

Deno.test("a client that disconnects before its handshake is answered ends its request, without a handler", async () => {
  const events: string[] = [];
  const left = Promise.withResolvers<void>();
  const app = quietApp();
  let leave = (): void => {};
  app.ws("/", (_req, res, next) => {
    res.once("close", () => events.push("ended"));
    leave();
    next();
    left.resolve();
  }, { open: () => events.push("open"), close: () => events.push("close") });
  const { port } = app.listen({ port: 0, hostname: "127.0.0.1" });
  {
    using time = virtualTimers();
    const socket = connect({ host: "127.0.0.1", port });
    leave = () => void socket.resetAndDestroy();
    socket.write(handshake("/"));
    await left.promise;
    await time.advance(5000);
  }
  assertEquals(events, ["ended"]);
  // Deno keeps the connection
  await app.close({ timeoutMs: 0 });
});

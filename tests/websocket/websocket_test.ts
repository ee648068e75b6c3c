import { assertEquals, assertStringIncludes } from "@std/assert";
import { Router, type WebSocketConnection } from "@sluice/sluice";
import { quietApp, serving } from "../support/app.ts";

/** Opens a connection and gives what happens on it. */
class Client {
  readonly socket: WebSocket;
  readonly opened: Promise<void>;
  readonly closed: Promise<CloseEvent>;
  readonly #messages: (string | ArrayBuffer)[] = [];
  readonly #waiting: ((message: string | ArrayBuffer) => void)[] = [];

  constructor(origin: string, path: string, protocols: string[] = []) {
    this.socket = new WebSocket(origin.replace("http", "ws") + path, protocols);
    this.socket.binaryType = "arraybuffer";
    this.opened = new Promise((resolve, reject) => {
      this.socket.onopen = () => resolve();
      this.socket.onerror = (event) => reject(new Error((event as ErrorEvent).message));
    });
    this.closed = new Promise((resolve) => this.socket.onclose = resolve);
    this.opened.catch(() => {});
    this.socket.onmessage = ({ data }) => {
      const waiting = this.#waiting.shift();
      if (waiting !== undefined) waiting(data);
      else this.#messages.push(data);
    };
  }

  next(): Promise<string | ArrayBuffer> {
    const message = this.#messages.shift();
    return message !== undefined ? Promise.resolve(message) : new Promise((resolve) => this.#waiting.push(resolve));
  }

  async close(code?: number, reason?: string): Promise<void> {
    this.socket.close(code, reason);
    await this.closed;
  }
}

/** Sends a handshake by hand and gives the answer's head and body. */
async function handshake(origin: string, path: string, headers: readonly string[]): Promise<string> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port: Number(new URL(origin).port) });
  const head = [`GET ${path} HTTP/1.1`, "Host: x", ...headers, "", ""].join("\r\n");
  await connection.write(new TextEncoder().encode(head));
  const buffer = new Uint8Array(8192);
  const length = await connection.read(buffer) ?? 0;
  return new TextDecoder().decode(buffer.subarray(0, length));
}

const UPGRADE = [
  "Connection: Upgrade",
  "Upgrade: websocket",
  "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
];

Deno.test("a socket route echoes text and bytes and knows its parameters", async () => {
  const app = quietApp();
  app.ws("/echo/:room", {
    open: (ws) =>
      ws.send(`${ws.data.routePath} ${ws.data.params["room"]} ${ws.data.req.query["q"]} ${ws.data.req.get("host")}`),
    message: (ws, data) => ws.send(data as string),
  });
  await serving(app, async (origin) => {
    const client = new Client(origin, "/echo/a%20b?q=1");
    assertEquals(await client.next(), `/echo/:room a b 1 ${new URL(origin).host}`);
    client.socket.send("text");
    assertEquals(await client.next(), "text");
    client.socket.send(new Uint8Array([1, 2, 255]));
    assertEquals([...new Uint8Array(await client.next() as ArrayBuffer)], [1, 2, 255]);
    await client.close();
  });
});

Deno.test("middleware runs before the upgrade and may refuse it with a status and a body", async () => {
  const app = quietApp();
  const router = Router({ mergeParams: true });
  router.ws("/feed", (req, res, next) => req.get("x-key") ? next() : res.status(401).send("key, please"), {
    open: (ws) => ws.send(`hello ${ws.data.params["tenant"]}`),
  });
  app.use((_req, res, next) => (res.set("x-global", "1"), next()));
  app.use("/:tenant", router);
  await serving(app, async (origin) => {
    const refused = await handshake(origin, "/acme/feed", UPGRADE);
    assertStringIncludes(refused, "401");
    assertStringIncludes(refused, "key, please");
    const accepted = await handshake(origin, "/acme/feed", [...UPGRADE, "X-Key: 1"]);
    assertStringIncludes(accepted, "HTTP/1.1 101");
    assertStringIncludes(accepted.toLowerCase(), "x-global: 1");
  });
});

Deno.test("headers and cookies set before the upgrade reach the client", async () => {
  const app = quietApp();
  app.ws("/", (_req, res, next) => {
    res.cookie("a", "1").cookie("b", "2").set("x-custom", "yes");
    next();
  }, { message() {} });
  await serving(app, async (origin) => {
    const head = (await handshake(origin, "/", UPGRADE)).toLowerCase();
    for (const line of ["set-cookie: a=1", "set-cookie: b=2", "x-custom: yes"]) assertStringIncludes(head, line);
  });
});

Deno.test("the sub-protocol is the first one offered, unless the route chooses", async () => {
  const app = quietApp();
  app.ws("/any", { open: (ws) => ws.send(ws.protocol) });
  app.ws("/list", { protocols: ["v3", "v1"], open: (ws) => ws.send(ws.protocol) });
  app.ws("/pick", { protocols: (offered) => offered.at(-1), open: (ws) => ws.send(ws.protocol) });
  await serving(app, async (origin) => {
    for (const [path, chosen] of [["/any", "v2"], ["/list", "v1"], ["/pick", "v1"]] as const) {
      const client = new Client(origin, path, ["v2", "v1"]);
      assertEquals([await client.next(), client.socket.protocol], [chosen, chosen]);
      await client.close();
    }
    assertStringIncludes(
      (await handshake(origin, "/any", [...UPGRADE, "Sec-WebSocket-Protocol: a,b"])).toLowerCase(),
      "sec-websocket-protocol: a",
    );
  });
});

Deno.test("a malformed handshake is 400, a wrong version 426, and the server lives", async () => {
  const app = quietApp();
  app.ws("/", { message() {} });
  await serving(app, async (origin) => {
    const without = (
      start: string,
      ...more: string[]
    ) => [...UPGRADE.filter((line) => !line.startsWith(start)), ...more];
    assertStringIncludes(await handshake(origin, "/", without("Sec-WebSocket-Key")), " 400 ");
    assertStringIncludes(
      await handshake(origin, "/", without("Sec-WebSocket-Key", "Sec-WebSocket-Key: short")),
      " 400 ",
    );
    assertStringIncludes(await handshake(origin, "/", without("Connection")), " 400 ");
    assertStringIncludes(
      await handshake(origin, "/", without("Sec-WebSocket-Version", "Sec-WebSocket-Version: 8")),
      " 426 ",
    );
    assertStringIncludes(await handshake(origin, "/none", UPGRADE), " 404 ");
    assertStringIncludes(await handshake(origin, "/", []), " 404 ");
    assertStringIncludes(await handshake(origin, "/", UPGRADE), " 101 ");
  });
});

Deno.test("a page and a socket may share a path", async () => {
  const app = quietApp();
  app.get("/live", (_req, res) => res.send("page"));
  app.ws("/live", { open: (ws) => ws.send("socket") });
  await serving(app, async (origin) => {
    assertEquals(await (await fetch(`${origin}/live`)).text(), "page");
    const client = new Client(origin, "/live");
    assertEquals(await client.next(), "socket");
    await client.close();
  });
});

Deno.test("a handler that throws goes to error, or closes with 1011, and the server lives", async () => {
  const app = quietApp();
  const failures: string[] = [];
  app.ws("/bare", {
    message() {
      throw new Error("bare");
    },
  });
  app.ws("/handled", {
    message: () => Promise.reject(new Error("handled")),
    error: (ws, error) => {
      failures.push((error as Error).message);
      ws.send("sorry");
    },
  });
  await serving(app, async (origin) => {
    const bare = new Client(origin, "/bare");
    await bare.opened;
    bare.socket.send("x");
    assertEquals((await bare.closed).code, 1011);
    const handled = new Client(origin, "/handled");
    await handled.opened;
    handled.socket.send("x");
    assertEquals(await handled.next(), "sorry");
    await handled.close();
  });
  assertEquals(failures, ["handled"]);
});

Deno.test("close handlers get the code and the reason", async () => {
  const app = quietApp();
  const closed = Promise.withResolvers<[number, string]>();
  app.ws("/", { close: (_ws, code, reason) => closed.resolve([code, reason]) });
  await serving(app, async (origin) => {
    const client = new Client(origin, "/");
    await client.opened;
    await client.close(3001, "done");
    assertEquals(await closed.promise, [3001, "done"]);
  });
});

Deno.test("topics reach everybody else, and everybody from outside", async () => {
  const app = quietApp();
  const all: WebSocketConnection[] = [];
  app.ws("/chat", {
    open(ws) {
      ws.subscribe("room");
      all.push(ws);
      ws.send("joined");
    },
    message: (ws, data) => void ws.publish("room", data as string),
  });
  await serving(app, async (origin) => {
    const clients = [new Client(origin, "/chat"), new Client(origin, "/chat"), new Client(origin, "/chat")];
    for (const client of clients) assertEquals(await client.next(), "joined");
    clients[0]!.socket.send("hi");
    assertEquals([await clients[1]!.next(), await clients[2]!.next()], ["hi", "hi"]);
    all[2]!.unsubscribe("room");
    assertEquals([all[1]!.isSubscribed("room"), all[2]!.isSubscribed("room")], [true, false]);
    assertEquals(app.connections.publish("room", "all"), 2);
    assertEquals(await clients[0]!.next(), "all");
    for (const client of clients) await client.close();
  });
});

Deno.test("closing the application closes its sockets with 1001", async () => {
  const app = quietApp();
  app.ws("/", { open: (ws) => ws.send("open") });
  const server = app.listen({ port: 0, hostname: "127.0.0.1" });
  const client = new Client(`http://127.0.0.1:${server.port}`, "/");
  await client.next();
  await app.close({ timeoutMs: 2000 });
  assertEquals((await client.closed).code, 1001);
});

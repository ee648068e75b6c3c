/** Deno's disconnect check is not free, so it runs for slow handlers only. */
import { assertEquals } from "@std/assert";
import { AsyncLocalStorage } from "node:async_hooks";
import { RawSocket } from "../contracts/raw_socket.ts";
import { quietApp } from "../support/app.ts";
import { ask, opened } from "../support/raw_client.ts";
import { until } from "../support/until.ts";

/** The part of Deno's request record that reports disconnects; `request.signal` also uses it. */
interface Cancellable {
  onCancel(callback: () => void): void;
}

/** Gets the class of Deno's request records from a request to its server. */
async function recordClass(): Promise<Cancellable> {
  let found: object | undefined;
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => {
    const key = Object.getOwnPropertySymbols(request).find(({ description }) => description === "request")!;
    found = (request as unknown as Record<symbol, object>)[key];
    return new Response();
  });
  await ask(server.addr, "/");
  return Object.getPrototypeOf(found);
}

/** Runs a function while counting the disconnect checks. */
async function countingQuestions(use: (asked: () => number) => Promise<void>): Promise<void> {
  const record = await recordClass();
  const { onCancel } = record;
  let asked = 0;
  record.onCancel = function (callback) {
    asked++;
    return onCancel.call(this, callback);
  };
  try {
    await use(() => asked);
  } finally {
    record.onCancel = onCancel;
  }
}

Deno.test({
  name: "a closing server that cuts pending requests leaves no timer behind",
  sanitizeOps: true,
  sanitizeResources: true,
  async fn() {
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
    const app = quietApp();
    app.get("/", (_req, res) => {
      res.on("finish", () => {});
      arrive();
    });
    const server = app.listen({ port: 0, hostname: "127.0.0.1" });
    const asked = fetch(`http://127.0.0.1:${server.port}/`);
    await arrived;
    await app.close({ timeoutMs: 1 });
    assertEquals(await (await asked).text(), "Service Unavailable");
  },
});

Deno.test("waiting for the end of an answer asks Deno about its client only when the answer takes long", async () => {
  const ended: string[] = [];
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  const app = quietApp();
  app.use((req, res, next) => {
    res.on("finish", () => ended.push(`finish ${req.path}`));
    res.on("close", () => ended.push(`close ${req.path}`));
    next();
  });
  app.get("/soon", async (_req, res) => {
    await undefined;
    res.send("soon");
  });
  app.get("/written", async (_req, res) => {
    res.write("a");
    await undefined;
    res.end("b");
  });
  app.get("/late", async (_req, res) => {
    await asked;
    res.send("late");
  });
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, app.fetch);
  await countingQuestions(async (count) => {
    for (const path of ["/soon", "/written"]) await ask(server.addr, path);
    assertEquals(count(), 0);
    const late = ask(server.addr, "/late");
    await until(() => count() > 0, "Deno is asked");
    resolve();
    assertEquals(await late, "late");
  });
  assertEquals(ended, ["/soon", "/written", "/late"].flatMap((path) => [`finish ${path}`, `close ${path}`]));
});

Deno.test("a close listener never runs in another request's asynchronous context, as in Node", async () => {
  const storage = new AsyncLocalStorage<string>();
  const arrived: string[] = [];
  const left: string[] = [];
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const app = quietApp();
  app.use((req, _res, next) => storage.run(req.path, next));
  app.use(async (req, res) => {
    res.on("close", () => left.push(`${req.path} in ${storage.getStore()}`));
    arrived.push(req.path);
    await over;
  });
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, app.fetch);
  const clients: Deno.TcpConn[] = [];
  for (const path of ["/a", "/b", "/c"]) {
    clients.push(await opened(server.addr, `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`));
    await until(() => arrived.includes(path), "it has arrived");
  }
  for (const [i, client] of clients.entries()) {
    client.close();
    await until(() => left.length > i, "it has left");
  }
  resolve();
  assertEquals(left, ["/a", "/b", "/c"].map((path) => `${path} in undefined`));
});

Deno.test("a test's fake timers may be installed and removed while a listener waits for the end, and none are left behind", async () => {
  const { setTimeout, clearTimeout } = globalThis;
  // like the timers of Deno's FakeTime: they stand still, and throw once FakeTime is restored
  let isFake = true;
  const fake = (): number => {
    if (!isFake) throw new Error("no fake time");
    return 1;
  };
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
  const { promise: go, resolve: response } = Promise.withResolvers<void>();
  let isFinished = false;
  const finish = (): void => void (isFinished = true);
  const app = quietApp();
  app.get("/", async (_req, res) => {
    res.on("finish", finish);
    arrive();
    await go;
    res.send("answered");
  });
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, app.fetch);
  Object.assign(globalThis, { setTimeout: fake, clearTimeout: fake });
  const asked = ask(server.addr, "/");
  try {
    await arrived;
    // no handler waits yet on the tick when the request arrives
    await Promise.resolve();
  } finally {
    isFake = false;
    Object.assign(globalThis, { setTimeout, clearTimeout });
  }
  response();
  assertEquals(await asked, "answered");
  assertEquals(isFinished, true);
});

Deno.test("another response may win before or after Deno is asked about the client, and close listeners can still read the request", async () => {
  const heard: [when: string, host: unknown, ip: unknown][] = [];
  const app = quietApp();
  app.get("/:when", (req, res) => void res.on("close", () => heard.push([req.params.when, req.get("host"), req.ip])));
  let isAsked = Promise.resolve();
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request, info) => {
    const response = app.fetch(request, info);
    const late = (request.url.endsWith("/after") ? isAsked : Promise.resolve()).then(() => new Response("late"));
    return await Promise.race([response, late]);
  });
  // the headers of a process's first request have always been read
  for (const when of ["before", "after", "after", "before"]) {
    await countingQuestions(async (count) => {
      isAsked = Promise.resolve().then(() => until(() => count() > 0, "Deno is asked"));
      const before = heard.length;
      assertEquals(await ask(server.addr, `/${when}`), "late");
      await until(() => heard.length > before, "the end is heard");
    });
  }
  assertEquals(heard.filter(([when]) => when === "after"), Array(2).fill(["after", "x", "127.0.0.1"]));
});

Deno.test("Deno is asked about a client once, as its server would wait forever for the first of two, and all hear of the end", async () => {
  const ways = ["signal first", "signal later", "another application", "socket", "refused socket"] as const;
  for (const way of ways) {
    await countingQuestions(async (count) => {
      const heard: string[] = [];
      const [asked, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const ended = (who: string) => void heard.push(who);
      const app = quietApp();
      app.use((req, res, next) => {
        if (req.path === "/one") res.on("close", () => ended("response"));
        else res.on("close", () => {});
        next();
      });
      const listen = (request: Request) => request.signal.addEventListener("abort", () => ended("program"));
      app.get("/one", async (req) => {
        if (way === "signal first") listen(req.request);
        await asked.promise;
        if (way === "signal later") listen(req.request);
        if (way === "another application") {
          const other = quietApp();
          other.get("/one", (_req, res) => void res.on("close", () => ended("program")));
          void other.fetch(req.request);
        }
        await left.promise;
      });
      app.get("/two", () => asked.promise);
      app.ws("/one", async (_req, res, next) => {
        await asked.promise;
        if (way === "refused socket") res.sendStatus(401);
        else next();
      }, { close: () => ended("program") });
      const server = app.listen({ port: 0, hostname: "127.0.0.1" });
      const isSocket = way.endsWith("socket");
      const socket = isSocket ? RawSocket.open(server.url.origin, "/one") : null;
      const client = isSocket ? null : await opened(server, "GET /one HTTP/1.1\r\nHost: x\r\n\r\n");
      // requests that wait at the same time are asked about together
      const other = await opened(server, "GET /two HTTP/1.1\r\nHost: x\r\n\r\n");
      await until(() => count() === 2, "Deno is asked about both");
      asked.resolve();
      (await socket)?.[Symbol.dispose]();
      client?.close();
      await until(() => heard.length === (way === "refused socket" ? 1 : 2), `the end is heard: ${way}`);
      assertEquals([way, count()], [way, 2]);
      left.resolve();
      other.close();
      await app.close();
    });
  }
});

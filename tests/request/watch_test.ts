/** When Deno's signal of a request is read, which costs more than answering the request. */
import { assertEquals } from "@std/assert";
import { AsyncLocalStorage } from "node:async_hooks";
import { quietApp } from "../support/app.ts";
import { ask, opened } from "../support/raw_client.ts";
import { until } from "../support/until.ts";

/** Runs a function while counting how often a signal is read. */
async function countingSignals(use: (asked: () => number) => Promise<void>): Promise<void> {
  const descriptor = Object.getOwnPropertyDescriptor(Request.prototype, "signal")!;
  let asked = 0;
  Object.defineProperty(Request.prototype, "signal", {
    ...descriptor,
    get(this: Request) {
      asked++;
      return descriptor.get!.call(this);
    },
  });
  try {
    await use(() => asked);
  } finally {
    Object.defineProperty(Request.prototype, "signal", descriptor);
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

Deno.test("waiting for the end of an answer reads Deno's signal only when the answer takes long", async () => {
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
  await countingSignals(async (count) => {
    for (const path of ["/soon", "/written"]) await ask(server.addr, path);
    assertEquals(count(), 0);
    const late = ask(server.addr, "/late");
    await until(() => count() > 0, "the signal is asked for");
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
  // like those of Deno's FakeTime: they stand still, and throw once it is restored
  let isFake = true;
  const fake = (): number => {
    if (!isFake) throw new Error("no fake time");
    return 1;
  };
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
  const { promise: go, resolve: answer } = Promise.withResolvers<void>();
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
    // in the turn in which the request arrived nothing waits yet
    await Promise.resolve();
  } finally {
    isFake = false;
    Object.assign(globalThis, { setTimeout, clearTimeout });
  }
  answer();
  assertEquals(await asked, "answered");
  assertEquals(isFinished, true);
});

Deno.test("another response may win before or after the signal is read, and close listeners can still read the request", async () => {
  const heard: [when: string, host: unknown, ip: unknown][] = [];
  const app = quietApp();
  app.get("/:when", (req, res) => void res.on("close", () => heard.push([req.params.when, req.get("host"), req.ip])));
  let signalIsAsked = Promise.resolve();
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request, info) => {
    const answer = app.fetch(request, info);
    const late = (request.url.endsWith("/after") ? signalIsAsked : Promise.resolve()).then(() => new Response("late"));
    return await Promise.race([answer, late]);
  });
  // the headers of a process's first request have been read in any case
  for (const when of ["before", "after", "after", "before"]) {
    await countingSignals(async (count) => {
      signalIsAsked = Promise.resolve().then(() => until(() => count() > 0, "the signal is asked for"));
      const before = heard.length;
      assertEquals(await ask(server.addr, `/${when}`), "late");
      await until(() => heard.length > before, "the end is heard");
    });
  }
  assertEquals(heard.filter(([when]) => when === "after"), Array(2).fill(["after", "x", "127.0.0.1"]));
});

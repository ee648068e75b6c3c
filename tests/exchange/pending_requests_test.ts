import { assertEquals } from "@std/assert";
import { once } from "node:events";
import http2 from "node:http2";
import { text as readText } from "node:stream/consumers";
import type { FrameworkApp } from "@sluice/sluice";
import { quietApp, serving } from "../support/app.ts";
import { opened, type RawServer } from "../support/raw_client.ts";
import { until } from "../support/until.ts";

/** The ways to serve an application on Deno. */
const SERVED: Readonly<Record<string, (app: FrameworkApp) => Served>> = {
  "app.listen": (app) => {
    const { port } = app.listen({ port: 0, hostname: "127.0.0.1" });
    return { port, end: () => app.close({ timeoutMs: 0 }) };
  },
  "Deno.serve": (app) => {
    const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, app.fetch);
    return { port: server.addr.port, end: () => server.shutdown() };
  },
};

interface Served extends RawServer {
  end(): Promise<void>;
}

/** Lets two seconds pass for waiting handlers while other requests arrive. */
async function passTime(server: RawServer): Promise<void> {
  const { now } = Date;
  try {
    for (const seconds of [2, 4]) {
      Date.now = () => now() + seconds * 1000;
      // the clock is read once every 512 requests
      for (let i = 0; i < 512; i++) await (await fetch(`http://127.0.0.1:${server.port}/`)).body?.cancel();
    }
  } finally {
    Date.now = now;
  }
}

for (const [way, serve] of Object.entries(SERVED)) {
  Deno.test(`by ${way}, a handler keeps its request when its client has left and many others come`, async () => {
    const [arrived, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const done = Promise.withResolvers<unknown[]>();
    const isOver = Promise.withResolvers<void>();
    const seen: unknown[] = [];
    const app = quietApp();
    app.on("error", (error) => seen.push(error));
    app.get("/", (_req, res) => res.send("x"));
    app.post("/pay", async (req, res) => {
      arrived.resolve();
      await go.promise;
      res.on("close", isOver.resolve);
      await isOver.promise;
      seen.push(
        req.get("x-name"),
        req.headers["x-name"],
        req.cookies.b,
        req.ip,
        req.socket.remoteAddress,
        req.query["d"],
      );
      seen.push(req.aborted, req.is("text"), await req.text().catch((error) => error.code));
      res.set("X-Done", "1").json({ charged: true });
      done.resolve(seen);
    });
    const server = serve(app);
    const head = "Host: x\r\nX-Name: a\r\nCookie: b=c\r\nIf-None-Match: x\r\nContent-Length: 0";
    const client = await opened(server, `POST /pay?d=e HTTP/1.1\r\n${head}\r\n\r\n`);
    await arrived.promise;
    await passTime(server);
    client.close();
    go.resolve();
    const expected = ["a", "a", "c", "127.0.0.1", "127.0.0.1", "e", true, false, "ECONNRESET"];
    assertEquals(await done.promise, expected);
    await server.end();
  });

  Deno.test(`by ${way}, a request whose handler never answers is let go when its client has left`, async () => {
    const arrived = Promise.withResolvers<void>();
    const app = quietApp();
    let request: Request | undefined;
    app.get("/", (_req, res) => res.send("x"));
    app.get("/never", (req) => {
      request = req.request;
      arrived.resolve();
    });
    const server = serve(app);
    const client = await opened(server, "GET /never HTTP/1.1\r\nHost: x\r\n\r\n");
    await arrived.promise;
    await passTime(server);
    client.close();
    // a request that Deno has released no longer has a body, not even null
    await until(() => bodyOf(request!) === undefined, "the request is let go");
    assertEquals(request!.headers.get("host"), "x");
    await server.end();
  });
}

function bodyOf(request: Request): ReadableStream | null | undefined {
  try {
    return request.body;
  } catch {
    return undefined;
  }
}

Deno.test("handlers that wait for less than a second are never asked about their clients, however many requests come", async () => {
  const go = Promise.withResolvers<void>();
  const app = quietApp();
  app.get("/", (_req, res) => res.send("x"));
  app.get("/slow", async (_req, res) => {
    await go.promise;
    res.send("late");
  });
  const signal = Object.getOwnPropertyDescriptor(Request.prototype, "signal")!;
  let asked = 0;
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request, info) => {
    const key = Object.getOwnPropertySymbols(request).find(({ description }) => description === "request")!;
    const record = (request as unknown as Record<symbol, { onCancel(): void }>)[key]!;
    record.onCancel = () => void asked++;
    return app.fetch(request, info);
  });
  const { now } = Date;
  const stopped = now();
  Date.now = () => stopped;
  try {
    const origin = `http://127.0.0.1:${server.addr.port}`;
    const slow = Array.from({ length: 20 }, async () => await (await fetch(`${origin}/slow`)).text());
    for (let i = 0; i < 2000; i++) await (await fetch(origin)).body?.cancel();
    go.resolve();
    assertEquals(await Promise.all(slow), Array(20).fill("late"));
    assertEquals([asked, Object.getOwnPropertyDescriptor(Request.prototype, "signal")], [0, signal]);
  } finally {
    Date.now = now;
    await server.shutdown();
  }
});

Deno.test("an answer to a client that has left is cancelled, and its source closed", async () => {
  const [arrived, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let isClosed = false;
  const app = quietApp();
  app.get("/late", async (_req, res) => {
    const left = new Promise((resolve) => res.on("close", resolve));
    arrived.resolve();
    await left;
    await go.promise;
    res.send(new ReadableStream({ cancel: () => void (isClosed = true) }));
  });
  await serving(app, async (origin) => {
    const leaving = new AbortController();
    const asked = fetch(`${origin}/late`, { signal: leaving.signal }).catch(() => {});
    await arrived.promise;
    leaving.abort();
    await asked;
    go.resolve();
    await until(() => isClosed, "the source is closed");
  });
});

Deno.test("a handler whose request was answered around the application goes on, and what it lacks is logged", async () => {
  const [arrived, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const done = Promise.withResolvers<unknown[]>();
  const logged: string[] = [];
  const app = quietApp();
  app.on("error", (error) => void logged.push(String(error)));
  app.get("/pay", async (req, res) => {
    arrived.resolve();
    await answered.promise;
    try {
      res.json({ charged: true });
      done.resolve(["committed", req.get("x-name")]);
    } catch (error) {
      done.resolve([String(error)]);
    }
  });
  // the program's own deadline
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request, info) => {
    const late = arrived.promise.then(() => new Response("late", { status: 504 }));
    return Promise.race([app.fetch(request, info), late]);
  });
  const response = await fetch(`http://127.0.0.1:${server.addr.port}/pay`, { headers: { "if-none-match": "x" } });
  assertEquals([response.status, await response.text()], [504, "late"]);
  answered.resolve();
  assertEquals(await done.promise, ["committed", undefined]);
  assertEquals(logged.every((one) => one.includes("the runtime had released the headers")), true);
  await server.shutdown();
});

Deno.test("app.fetch may be wrapped: a closing server answers what the wrapper waits for, and the handler goes on", async () => {
  const [arrived, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const done = Promise.withResolvers<unknown>();
  const app = quietApp();
  app.get("/", async (req, res) => {
    arrived.resolve();
    await go.promise;
    res.json({});
    done.resolve(req.get("x-name"));
  });
  const { fetch: inner } = app;
  Object.assign(app, {
    async fetch(request: Request, info: unknown) {
      await Promise.resolve();
      const response = await inner(request, info);
      return new Response(response.body, { status: response.status, headers: { "x-wrapped": "yes" } });
    },
  });
  const { url } = app.listen({ port: 0, hostname: "127.0.0.1" });
  const asked = fetch(url, { headers: { "x-name": "a" } });
  await arrived.promise;
  await app.close({ timeoutMs: 1 });
  const answer = await asked;
  go.resolve();
  assertEquals([answer.status, await answer.text(), await done.promise], [503, "Service Unavailable", "a"]);
});

type Ask = (origin: string) => Promise<[status: number, text: string]>;

const ASKING: Readonly<Record<string, Ask>> = {
  async "HTTP/1.1"(origin) {
    const response = await fetch(origin, { headers: { "x-name": "a" } });
    return [response.status, await response.text()];
  },
  async "HTTP/2"(origin) {
    const session = http2.connect(origin);
    const stream = session.request({ "x-name": "a" });
    const [[head], text] = await Promise.all([once(stream, "response"), readText(stream)]);
    session.destroy();
    return [head[":status"], text];
  },
};

for (const [version, ask] of Object.entries(ASKING)) {
  Deno.test(`over ${version}, listeners of a request cut by a closing server can read its headers, however soon it was cut`, async () => {
    // the headers of a process's first request have always been read
    for (let i = 0; i < 2; i++) {
      const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
      const told: Promise<string | undefined>[] = [];
      const app = quietApp();
      app.get("/", (req, res) => {
        const read = (resolve: (name: string | undefined) => void) => () => resolve(req.get("x-name"));
        told.push(new Promise((resolve) => res.on("close", read(resolve))));
        told.push(new Promise((resolve) => req.signal.addEventListener("abort", read(resolve))));
        told.push(new Promise((resolve) => req.request.signal.addEventListener("abort", read(resolve))));
        arrive();
      });
      const server = app.listen({ port: 0, hostname: "127.0.0.1" });
      const asked = ask(`http://127.0.0.1:${server.port}`);
      await arrived;
      await app.close({ timeoutMs: 0 });
      assertEquals([await asked, await Promise.all(told)], [[503, "Service Unavailable"], ["a", "a", "a"]]);
    }
  });

  Deno.test(`over ${version}, a handler that goes on after its response can read the headers`, async () => {
    const { promise: answered, resolve: gotResponse } = Promise.withResolvers<void>();
    const { promise: read, resolve: hear } = Promise.withResolvers<string | undefined>();
    const app = quietApp();
    app.get("/", async (req, res) => {
      res.send("sent");
      await answered;
      hear(req.get("x-name"));
    });
    await serving(app, async (origin) => {
      assertEquals(await ask(origin), [200, "sent"]);
      gotResponse();
      assertEquals(await read, "a");
    });
  });
}

import { fileURLToPath } from "node:url";
import { EventEmitter } from "node:events";
import { createServer } from "node:http";
import { assert, assertEquals, assertInstanceOf, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { type FrameworkApp, Router, type Server } from "@sluice/sluice";
import { OPCODE } from "../contracts/frame.ts";
import { RawSocket } from "../contracts/raw_socket.ts";
import { quietApp } from "../support/app.ts";
import type { Any } from "../support/sluice_and_express.ts";
import { opened, readUntil, untilClosed } from "../support/raw_client.ts";
import { warningsOf } from "../support/warnings.ts";

Deno.test("listen serves on a free port and reports it, and close stops it", async () => {
  const app = quietApp();
  app.get("/", (_req, res) => res.send("served"));
  assertEquals(app.server, null);
  const listening = Promise.withResolvers<void>();
  const server = app.listen(0, "127.0.0.1", () => listening.resolve());
  await listening.promise;
  assertEquals(app.server === server, true);
  assertEquals([server.hostname, server.address().port, server.url.port], [
    "127.0.0.1",
    server.port,
    String(server.port),
  ]);
  assertEquals(await (await fetch(`http://127.0.0.1:${server.port}/`)).text(), "served");
  const closed = Promise.withResolvers<void>();
  await app.close(() => closed.resolve());
  await closed.promise;
  assertEquals(app.server, null);
  await assertRejects(() => fetch(`http://127.0.0.1:${server.port}/`));
});

Deno.test("an application can listen again after it was closed", async () => {
  const app = quietApp();
  app.get("/", (_req, res) => res.send("x"));
  for (let i = 0; i < 2; i++) {
    const server = app.listen({ port: 0, hostname: "127.0.0.1" });
    assertEquals(await (await fetch(`http://127.0.0.1:${server.port}/`)).text(), "x");
    await server.close();
  }
});

Deno.test("close waits for requests in flight", async () => {
  const app = quietApp();
  const arrived = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  app.get("/", async (_req, res) => {
    arrived.resolve();
    await go.promise;
    res.send("answered");
  });
  const server = app.listen({ port: 0, hostname: "127.0.0.1" });
  const pending = fetch(`http://127.0.0.1:${server.port}/`);
  await arrived.promise;
  const closing = app.close();
  go.resolve();
  assertEquals(await (await pending).text(), "answered");
  await closing;
});

Deno.test("close with a deadline cuts requests that do not end", async () => {
  const app = quietApp();
  const arrived = Promise.withResolvers<void>();
  app.get("/", () => arrived.resolve());
  const server = app.listen({ port: 0, hostname: "127.0.0.1" });
  app.get("/stream", (_req, res) => void res.write("begun"));
  const stream = await fetch(`http://127.0.0.1:${server.port}/stream`);
  const pending = fetch(`http://127.0.0.1:${server.port}/`);
  await arrived.promise;
  await app.close({ timeoutMs: 1 });
  const cut = await pending;
  assertEquals([cut.status, await cut.text()], [503, "Service Unavailable"]);
  await assertRejects(() => stream.text());
});

Deno.test("a server can be shut down with Node's methods: it tells whether it listens, and can cut all connections", async () => {
  const app = quietApp();
  const arrived = Promise.withResolvers<void>();
  app.get("/", () => arrived.resolve());
  const server = app.listen({ port: 0, hostname: "127.0.0.1" });
  const pending = fetch(`http://127.0.0.1:${server.port}/`);
  await arrived.promise;
  const listening = [server.listening];
  const closed = Promise.withResolvers<void>();
  server.close(() => closed.resolve());
  server.closeIdleConnections();
  listening.push(server.listening);
  server.closeAllConnections();
  assertEquals((await pending).status, 503);
  await (await pending).text();
  await closed.promise;
  assertEquals([...listening, server.listening], [true, false, false]);
});

Deno.test("a server held by await using is closed at the end of the block, even if it was closed before", async () => {
  const app = quietApp();
  app.get("/", (_req, res) => res.send("served"));
  for (const isClosedBefore of [false, true]) {
    let port: number;
    {
      await using server = app.listen(0, "127.0.0.1");
      port = server.address().port;
      assertEquals(await (await fetch(`http://127.0.0.1:${port}/`)).text(), "served");
      if (isClosedBefore) await server.close();
    }
    assertEquals(app.server, null);
    await assertRejects(() => fetch(`http://127.0.0.1:${port}/`));
  }
});

Deno.test("closing a server twice is an error, as with Node's; closing the application again is not", async () => {
  const told = async (server: Any, close: () => unknown): Promise<unknown[]> => {
    const ended = () => new Promise((resolve) => server.close((error?: Any) => resolve(error?.code)));
    const both = [ended(), ended()];
    return [...await Promise.all(both), await ended(), await close()];
  };
  const app = quietApp();
  const listening = Promise.withResolvers<void>();
  const node = createServer().listen(0, "127.0.0.1", listening.resolve);
  await listening.promise;
  const ours = await told(app.listen({ port: 0, hostname: "127.0.0.1" }), () => app.close());
  assertEquals(ours, await told(node, () => undefined));
  assertEquals(ours, [undefined, "ERR_SERVER_NOT_RUNNING", "ERR_SERVER_NOT_RUNNING", undefined]);
});

Deno.test("server.close returns the server if it is given a callback, as Node's does, and a promise if not", async () => {
  const closed = Promise.withResolvers<void>();
  const first = quietApp().listen({ port: 0, hostname: "127.0.0.1" });
  assertEquals(first.close(() => closed.resolve()) === first, true);
  await closed.promise;
  const second = quietApp().listen({ port: 0, hostname: "127.0.0.1" });
  assertEquals(await second.close(), undefined);
});

Deno.test("closing ignores a callback that is no function, as Node's does with the name of a signal", async () => {
  const app = quietApp();
  const servers = [0, 1].map(() => app.listen({ port: 0, hostname: "127.0.0.1" }));
  assertEquals(await servers[0]!.close("SIGTERM" as never), undefined);
  assertEquals(await app.close({}, "SIGTERM" as never), undefined);
  assertEquals(servers.map(({ listening }) => listening), [false, false]);
});

Deno.test("a port in use is an error for the callback, or thrown if there is none", async () => {
  const first = quietApp();
  const { port } = first.listen({ port: 0, hostname: "127.0.0.1" });
  const second = quietApp();
  assertThrows(() => second.listen({ port, hostname: "127.0.0.1" }), Deno.errors.AddrInUse);
  const error = await new Promise((resolve) => second.listen({ port, hostname: "127.0.0.1" }, resolve));
  assertInstanceOf(error, Deno.errors.AddrInUse);
  assertEquals(second.server, null);
  await first.close();
});

Deno.test("without a port a free one is taken, and every form of Express's arguments is understood", async () => {
  type Form = (app: FrameworkApp, listening: () => void) => Server;
  const forms: readonly Form[] = [
    (app, listening) => app.listen().on("listening", listening),
    (app, listening) => app.listen(listening),
    (app, listening) => app.listen(undefined, listening),
    (app, listening) => app.listen(null as never, listening),
    (app, listening) => app.listen({}, listening),
    (app, listening) => app.listen({ hostname: "127.0.0.1" }, listening),
    (app, listening) => app.listen(0, listening),
    (app, listening) => app.listen("0", listening),
    (app, listening) => app.listen(0, undefined, listening),
    (app, listening) => app.listen(0, null as never, listening),
    (app, listening) => app.listen(0, undefined, undefined, listening),
    (app, listening) => app.listen(0, "localhost", listening),
    (app, listening) => app.listen(0, 10, listening),
    (app, listening) => app.listen(0, "127.0.0.1", 10, listening),
  ];
  const ports = new Set<number>();
  const apps = forms.map(() => quietApp());
  for (const [i, form] of forms.entries()) {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { port } = form(apps[i]!, resolve);
    await promise;
    ports.add(port);
    assert(port > 0 && port !== 3000, `${form} listens on ${port}`);
  }
  assertEquals(ports.size, forms.length);
  for (const app of apps) await app.close();
});

Deno.test("host is Node's name of hostname, and a path is refused", async () => {
  const app = quietApp();
  const server = app.listen({ port: 0, host: "127.0.0.1" });
  assertEquals(server.address().address, "127.0.0.1");
  await app.close();
  assertThrows(() => app.listen({ path: "/tmp/socket" } as object), TypeError, "not the path /tmp/socket");
  assertThrows(() => app.listen("/tmp/socket"), TypeError, "not the path /tmp/socket");
  assertThrows(() => app.listen("/tmp/socket"), TypeError, "http.createServer(app).listen(path) on Node");
});

Deno.test("a server has no address from when closing begins, as Node's", async () => {
  const told = async (server: Any): Promise<unknown[]> => {
    const closed = new Promise((resolve) => server.on("close", resolve));
    server.close(() => undefined);
    const closing = server.address();
    await closed;
    return [closing, server.address()];
  };
  const listening = Promise.withResolvers<void>();
  const node = createServer().listen(0, "127.0.0.1", listening.resolve);
  await listening.promise;
  const ours = await told(quietApp().listen(0, "127.0.0.1"));
  assertEquals(ours, await told(node));
  assertEquals(ours, [null, null]);
});

Deno.test("an unknown option is refused, since a server would open more than was meant", () => {
  const refused = { prot: 0, requestCert: true, ipv6Only: true };
  for (const [name, value] of Object.entries(refused)) {
    const message = `app.listen: there is no option ${name}; there are port, hostname, host`;
    assertThrows(() => quietApp().listen({ port: 0, [name]: value } as object), TypeError, message);
  }
  const signal = "SIGTERM" as never;
  assertThrows(
    () => quietApp().listen({ port: 0, signal }),
    TypeError,
    'option signal must be an AbortSignal, not "SIGTERM"',
  );
});

Deno.test("a server limit that can be set only on Node changes nothing elsewhere, and says so", async () => {
  const app = quietApp();
  const server = app.listen({ port: 0, hostname: "127.0.0.1" });
  const seen = await warningsOf(() => {
    server.keepAliveTimeout = 65_000;
    server.setTimeout(9000);
    server.maxConnections = 100;
  });
  assertEquals(seen, [
    "server.keepAliveTimeout = 65000 has no effect: this runtime's server does not support setting that limit",
    "server.timeout = 9000 has no effect: this runtime's server does not support setting that limit",
    "server.maxConnections = 100 has no effect: this runtime's server does not support setting that limit",
  ]);
  assertThrows(() => server.setTimeout(9000, () => {}), TypeError, "http.createServer(app)");
  assertEquals(server.keepAliveTimeout, 0);
  for (const name of ["keepAliveTimeout", "headersTimeout", "requestTimeout", "timeout", "sendTimeout"] as const) {
    assertThrows(
      () => server[name] = NaN,
      TypeError,
      `server.${name} must be a number of milliseconds from 0, not NaN`,
    );
    assertThrows(() => server[name] = 2 ** 31, RangeError, `server.${name} must be at most 2147483647 ms, or Infinity`);
  }
  for (const name of ["maxConnections", "maxHeadersCount", "maxRequestsPerSocket", "maxStreams"] as const) {
    assertThrows(() => server[name] = NaN, TypeError, `server.${name} must be a number from 0, not NaN`);
    assertEquals(server[name], undefined);
  }
  const refused = await new Promise<Error | null>((resolve) => void server.getConnections(resolve));
  assertStringIncludes(String(refused), "only Node counts");
  await server.close();
});

Deno.test("limits for app.listen that the runtime does not keep are named in one warning", async () => {
  const app = quietApp();
  const seen = await warningsOf(async () => {
    await app.listen({ port: 0, headersTimeout: 10_000, maxConnections: 5, sendTimeout: 1000 }).close();
    await app.listen({ port: 0, timeout: Infinity }).close();
    await app.listen({ port: 0 }).close();
  });
  assertEquals(seen, [
    "app.listen: headersTimeout, maxConnections have no effect on Deno; set such limits at the proxy in front " +
    "(docs/security.md)",
    "app.listen: timeout has no effect on Deno; set such limits at the proxy in front (docs/security.md)",
  ]);
  for (const value of [-1, "60s", null]) {
    assertThrows(
      () => app.listen({ port: 0, headersTimeout: value as number }),
      TypeError,
      "app.listen: option headersTimeout must be a number of milliseconds from 0, not ",
    );
  }
});

Deno.test("the time a client has to read can be set, and read, while a server listens", async () => {
  const server = quietApp().listen({ port: 0, hostname: "127.0.0.1" });
  assertEquals(server.sendTimeout, 120_000);
  server.sendTimeout = 30_000;
  assertEquals(server.sendTimeout, 30_000);
  server.sendTimeout = Infinity;
  assertEquals(server.sendTimeout, 0);
  await server.close();
});

Deno.test("reusePort without Deno's flag for it is refused, and the error names the flag", () => {
  assertThrows(() => quietApp().listen({ port: 0, reusePort: true }), TypeError, "--unstable-net");
});

Deno.test("an invalid port is refused, naming the value", () => {
  assertThrows(() => quietApp().listen(70_000), RangeError, "70000");
  assertThrows(() => quietApp().listen(-1), RangeError, "-1");
  assertThrows(() => quietApp().listen("http"), RangeError, "http");
  assertThrows(() => quietApp().listen({ port: {} as number }), TypeError, "app.listen expects a port");
  assertThrows(() => quietApp().listen(""), TypeError, 'app.listen expects a port as a number, not ""');
});

Deno.test("options after a port are refused, and not ignored", () => {
  const options = { hostname: "127.0.0.1" } as never;
  for (const args of [[0, options], [0, undefined, options], [undefined, options], [{ port: 0 }, options]]) {
    const listen = () => quietApp().listen(...args as [number], () => {});
    assertThrows(listen, TypeError, "app.listen expects options, with the port, as its first argument");
  }
});

Deno.test("a certificate without its key, or the reverse, is refused and not served without TLS", () => {
  for (const half of [{ cert: "PEM" }, { key: "PEM" }, { cert: "PEM", key: undefined as never }]) {
    assertThrows(() => quietApp().listen({ port: 0, ...half }), TypeError, "app.listen needs cert and key together");
  }
});

Deno.test("an abort signal closes the server", async () => {
  const app = quietApp();
  const controller = new AbortController();
  const server = app.listen({ port: 0, hostname: "127.0.0.1", signal: controller.signal });
  controller.abort();
  await server.finished;
});

Deno.test("a signal passed to an earlier listen does not close a later server", async () => {
  const app = quietApp();
  app.get("/", (_req, res) => res.send("served"));
  const earlier = new AbortController();
  app.listen({ port: 0, hostname: "127.0.0.1", signal: earlier.signal });
  await app.close();
  const { url } = app.listen({ port: 0, hostname: "127.0.0.1" });
  earlier.abort();
  assertEquals(await (await fetch(url)).text(), "served");
  await app.close();
});

Deno.test("closing waits for the work of mounted applications, and each reports its own failures", async () => {
  const work = Promise.withResolvers<void>();
  const reported: string[] = [];
  const inner = quietApp().get("/", (req, res) => {
    req.waitUntil(work.promise);
    res.send("begun");
  });
  inner.on("error", (error, { phase }) => reported.push(`inner ${phase} ${error.message}`));
  const app = quietApp().use("/outer", quietApp().use("/inner", inner));
  app.on("error", () => reported.push("outer"));
  const { url } = app.listen({ port: 0, hostname: "127.0.0.1" });
  assertEquals(await (await fetch(`${url}outer/inner`)).text(), "begun");
  let isClosed = false;
  const closed = app.close().then(() => isClosed = true);
  await assertRejects(() => fetch(`${url}outer/inner`));
  assertEquals(isClosed, false);
  work.reject(new Error("planted"));
  await closed;
  assertEquals(reported, ["inner background planted"]);
});

Deno.test("close with a deadline ends even if a client stops reading or uploading, or work continues", async () => {
  const app = quietApp();
  let arrived = Promise.withResolvers<void>();
  app.get("/large", (_req, res) => {
    res.send("x".repeat(32 * 1024 * 1024));
    arrived.resolve();
  });
  app.post("/upload", async (req, res) => {
    arrived.resolve();
    res.send(await req.request.text().catch(() => "cut"));
  });
  app.get("/work", (req, res) => {
    req.waitUntil(new Promise(() => {}));
    res.send("x");
    arrived.resolve();
  });
  const upload = "POST /upload HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nbegun";
  for (const request of ["GET /large HTTP/1.1\r\nHost: x\r\n\r\n", upload, "GET /work HTTP/1.1\r\nHost: x\r\n\r\n"]) {
    for (const timeoutMs of [0, 1]) {
      arrived = Promise.withResolvers();
      const { port } = app.listen({ port: 0, hostname: "127.0.0.1" });
      using _client = await opened({ port }, request);
      await arrived.promise;
      await app.close({ timeoutMs });
      assertEquals(app.server, null);
    }
  }
});

Deno.test("an application closed with a deadline of 0 answers pending requests with 503, and cuts answers being sent", async () => {
  const app = quietApp();
  const arrived = Promise.withResolvers<void>();
  app.get("/", () => arrived.resolve());
  app.get("/large", (_req, res) => void res.send("x".repeat(32 * 1024 * 1024)));
  const { port, url } = app.listen({ port: 0, hostname: "127.0.0.1" });
  const waiting = fetch(url);
  using large = await opened({ port }, "GET /large HTTP/1.1\r\nHost: x\r\n\r\n");
  await readUntil(large, "\r\n\r\n");
  await arrived.promise;
  await app.close({ timeoutMs: 0 });
  const response = await waiting;
  assertEquals([response.status, await response.text()], [503, "Service Unavailable"]);
  assert((await untilClosed(large)).length < 32 * 1024 * 1024);
});

Deno.test("a pending handshake is refused once closing has begun", async () => {
  const app = quietApp();
  const [arrived, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  app.ws("/", async (_req, _res, next) => {
    arrived.resolve();
    await go.promise;
    next();
  }, { open() {} });
  const { url } = app.listen({ port: 0, hostname: "127.0.0.1" });
  const opening = RawSocket.open(url.origin, "/");
  await arrived.promise;
  const closing = app.close();
  go.resolve();
  using socket = await opening;
  assertEquals(socket.status, 503);
  await closing;
});

Deno.test("a listen callback is called on the server, and a mount listener on the application", async () => {
  const app = quietApp();
  const seen: unknown[] = [];
  app.on("mount", function (this: unknown) {
    seen.push(this);
  });
  const parent = quietApp().use("/below", app);
  const listening = Promise.withResolvers<void>();
  const server = parent.listen(0, "127.0.0.1", function (this: unknown) {
    seen.push(this);
    listening.resolve();
  });
  await listening.promise;
  await parent.close();
  assertEquals([seen[0] === app, seen[1] === server], [true, true]);
});

Deno.test("close with a time limit cuts the streams of an application in a router", async () => {
  const inner = quietApp().get("/", (_req, res) => void res.send(new ReadableStream()));
  const app = quietApp().use("/router", Router().use(inner));
  const { url } = app.listen({ port: 0, hostname: "127.0.0.1" });
  const response = await fetch(new URL("router", url));
  const cut = response.text().catch(() => "cut");
  await app.close({ timeoutMs: 20 });
  assertEquals(await cut, "cut");
});

Deno.test("closing an application in a router cuts no streams of the one around it", async () => {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const inner = quietApp().get("/", (_req, res) => res.send("inside"));
  const app = quietApp().use("/router", Router().use(inner)).get("/", (_req, res) => void res.send(readable));
  const response = await app.inject("/");
  await (await app.inject("/router")).text();
  await inner.close({ timeoutMs: 0 });
  const writer = writable.getWriter();
  void writer.write(new TextEncoder().encode("whole"));
  void writer.close();
  assertEquals(await response.text(), "whole");
});

Deno.test("an application has every method of Node's emitter, as in Express", () => {
  const app = quietApp();
  const methods = Object.getOwnPropertyNames(EventEmitter.prototype).filter((name) => !name.startsWith("_"));
  assertEquals(methods.filter((name) => typeof Reflect.get(app, name) !== "function"), []);
  const seen: unknown[] = [];
  app.once("ready", (value) => seen.push(value)).prependListener("ready", () => seen.push("first"));
  assertEquals([app.emit("ready", "once"), app.emit("ready", "again")], [true, true]);
  assertEquals([seen, app.eventNames()], [["first", "once", "first"], ["mount", "ready"]]);
  assertEquals(app.removeAllListeners("ready").emit("ready"), false);
});

Deno.test("a server emits listening and close, and refuses listeners that need an http.Server", async () => {
  const server = quietApp().listen({ port: 0, hostname: "127.0.0.1" });
  const told: string[] = [];
  server.on("listening", () => told.push("listening")).once("close", () => told.push("closed"));
  // like ws and socket.io when given a server
  assertThrows(
    () => server.on("upgrade", () => {}),
    TypeError,
    'server.on("upgrade"): app.listen does not return an http.Server',
  );
  assertThrows(() => server.once("request", () => {}), TypeError, "http.createServer(app)");
  assertThrows(() => server.listeners("request"), TypeError, "http.createServer(app)");
  assertThrows(() => server.listen(), Error, "already listening");
  await server.close();
  await Promise.resolve();
  assertEquals(told, ["listening", "closed"]);
});

Deno.test("an application that listens again while an earlier close is pending keeps listening", async () => {
  const app = quietApp();
  app.get("/", (_req, res) => res.send("served"));
  const closing = app.close();
  const server = app.listen({ port: 0, hostname: "127.0.0.1" });
  await closing;
  assertEquals(app.server, server);
  assertEquals(await (await fetch(server.url)).text(), "served");
  await app.close();
});

Deno.test("a server that listens during a drain delay stays open when the delay ends", async () => {
  const app = quietApp();
  app.get("/", (_req, res) => res.send("served"));
  app.listen({ port: 0, hostname: "127.0.0.1" });
  const closing = app.close({ drainDelayMs: 1 });
  const server = app.listen({ port: 0, hostname: "127.0.0.1" });
  await closing;
  assertEquals([app.server, await (await fetch(server.url)).text()], [server, "served"]);
  await app.close();
  assertEquals(app.server, null);
});

Deno.test("while an earlier server finishes its requests, a later one has sockets and topics, and closes both itself", async () => {
  const app = quietApp();
  const arrived = { page: Promise.withResolvers<void>(), socket: Promise.withResolvers<void>() };
  const go = { page: Promise.withResolvers<void>(), socket: Promise.withResolvers<void>() };
  const heard: string[] = [];
  app.connections.use({
    open() {},
    publish() {},
    subscribe: (topic) => void heard.push(topic),
    unsubscribe() {},
    close: () => Promise.resolve(void heard.push("broker closed")),
  });
  app.get("/", async (_req, res) => {
    arrived.page.resolve();
    await go.page.promise;
    res.send("page");
  });
  app.ws("/late", async (_req, _res, next) => {
    arrived.socket.resolve();
    await go.socket.promise;
    next();
  }, { open() {} });
  app.ws("/now", { open: (ws) => ws.subscribe("news"), close: (_ws, code) => void heard.push(String(code)) });
  const earlier = app.listen({ port: 0, hostname: "127.0.0.1" });
  const [page, late] = [fetch(earlier.url), RawSocket.open(earlier.url.origin, "/late")];
  await Promise.all([arrived.page.promise, arrived.socket.promise]);
  const closing = app.close();
  const later = app.listen({ port: 0, hostname: "127.0.0.1" });
  {
    using socket = await RawSocket.open(later.url.origin, "/now");
    assertEquals(socket.status, 101);
    go.socket.resolve();
    using refused = await late;
    assertEquals(refused.status, 503);
    go.page.resolve();
    assertEquals(await (await page).text(), "page");
    await closing;
    assertEquals(heard, ["news"]);
    const end = app.close();
    assertEquals(app.isClosing, true);
    await socket.close(1001);
    await end;
  }
  assertEquals(heard, ["news", "1001", "broker closed"]);
});

Deno.test("an earlier close that ends does not make a later one forgotten", async () => {
  const app = quietApp();
  const arrived = { a: Promise.withResolvers<void>(), b: Promise.withResolvers<void>() };
  const go = { a: Promise.withResolvers<void>(), b: Promise.withResolvers<void>() };
  app.get("/:which", async (req, res) => {
    const which = req.params.which as "a" | "b";
    arrived[which].resolve();
    await go[which].promise;
    res.send(which);
  });
  const asked = { arrived: Promise.withResolvers<void>(), go: Promise.withResolvers<void>() };
  app.ws("/socket", async (_req, _res, next) => {
    asked.arrived.resolve();
    await asked.go.promise;
    next();
  }, { open() {} });
  const a = fetch(new URL("a", app.listen({ port: 0, hostname: "127.0.0.1" }).url));
  await arrived.a.promise;
  const first = app.close();
  const { url } = app.listen({ port: 0, hostname: "127.0.0.1" });
  const b = fetch(new URL("b", url));
  const opening = RawSocket.open(url.origin, "/socket");
  await Promise.all([arrived.b.promise, asked.arrived.promise]);
  const second = app.close();
  go.a.resolve();
  assertEquals(await (await a).text(), "a");
  await Promise.race([first, second]);
  assertEquals(app.close() === second, true);
  asked.go.resolve();
  using refused = await opening;
  assertEquals(refused.status, 503);
  go.b.resolve();
  assertEquals(await (await b).text(), "b");
  await Promise.all([first, second]);
});

Deno.test("an application can listen several times; closing one server leaves the others", async () => {
  const app = quietApp();
  const [arrived, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  app.get("/", (_req, res) => res.send("served"));
  app.get("/late", async (_req, res) => {
    arrived.resolve();
    await go.promise;
    res.send("late");
  });
  app.ws("/", { message: (ws, message) => ws.send(message) });
  const options = { port: 0, hostname: "127.0.0.1" };
  const stopping = new AbortController();
  const [first, second, third] = [app.listen(options), app.listen(options), app.listen(0, "127.0.0.1")];
  const aborted = app.listen({ ...options, signal: stopping.signal });
  for (const { url } of [first, second, third, aborted]) assertEquals(await (await fetch(url)).text(), "served");
  assertEquals(app.server, first);
  using socket = await RawSocket.open(second.url.origin, "/");
  const late = fetch(new URL("/late", first.url));
  await arrived.promise;
  const closing = first.close();
  stopping.abort();
  await aborted.finished;
  await third.close();
  go.resolve();
  assertEquals(await (await late).text(), "late");
  await closing;
  for (const { url } of [first, third, aborted]) await assertRejects(() => fetch(url));
  assertEquals([app.server, await (await fetch(second.url)).text()], [second, "served"]);
  assertEquals((await socket.next())?.opcode, OPCODE.close);
  using again = await RawSocket.open(second.url.origin, "/");
  await again.send(OPCODE.text, "echo");
  assertEquals(await again.text(), "echo");
  await first.close();
  await second.close();
  assertEquals([app.server, (await again.next())?.opcode], [null, OPCODE.close]);
});

Deno.test("closing an application closes all of its servers", async () => {
  const app = quietApp();
  const servers = [1, 2].map(() => app.listen({ port: 0, hostname: "127.0.0.1" }));
  const told: number[] = [];
  servers.forEach((server, i) => server.on("close", () => told.push(i)));
  await Promise.all([servers[0]!.close(), app.close()]);
  for (const { url } of servers) await assertRejects(() => fetch(url));
  assertEquals([app.server, told.sort()], [null, [0, 1]]);
});

Deno.test("a deadline that is not a valid timer delay is refused, since it would fire at once", () => {
  const refused = [[-1, "-1"], [NaN, "NaN"], [Infinity, "Infinity"], ["5", '"5"'], [null, "null"]] as const;
  for (const [timeoutMs, shown] of refused) {
    assertThrows(
      () => quietApp().close({ timeoutMs: timeoutMs as number }),
      RangeError,
      `app.close: timeoutMs must be from 0 to 2147483647, not ${shown}`,
    );
  }
});

Deno.test("a deadline passed in the wrong place or under an unknown name is refused", () => {
  assertThrows(() => quietApp().close(5000 as never), TypeError, "app.close: options must be an object, not 5000");
  assertThrows(
    () => quietApp().close({ timeout: 5000 } as never),
    TypeError,
    "app.close: there is no option timeout; did you mean timeoutMs?",
  );
});

Deno.test("close rejects if a broker could not be closed, and closes the servers all the same", async () => {
  const app = quietApp();
  const nothing = () => {};
  const close = () => Promise.reject(new Error("the broker is stuck"));
  app.connections.use({ open: nothing, publish: nothing, subscribe: nothing, unsubscribe: nothing, close });
  app.connections.publish("topic", "opens it");
  const { url } = app.listen({ port: 0, hostname: "127.0.0.1" });
  await assertRejects(() => app.close({ timeoutMs: 60_000 }), Error, "the broker is stuck");
  await assertRejects(() => fetch(url));
  assertEquals(app.server, null);
});

for (const by of ["a signal", "closeAllConnections"] as const) {
  Deno.test(`a broker that cannot be closed is logged when ${by} closes the server, and the process goes on`, async () => {
    const app = quietApp();
    const logged = Promise.withResolvers<unknown>();
    app.on("error", logged.resolve);
    const nothing = () => {};
    const stuck = new Error("the broker is stuck");
    const close = () => Promise.reject(stuck);
    app.connections.use({ open: nothing, publish: nothing, subscribe: nothing, unsubscribe: nothing, close });
    app.connections.publish("topic", "opens it");
    const closing = new AbortController();
    const server = app.listen({ port: 0, hostname: "127.0.0.1", signal: closing.signal });
    if (by === "a signal") closing.abort();
    else server.closeAllConnections();
    assertEquals(await logged.promise, stuck);
    await server.finished;
  });
}

Deno.test("close before listen does nothing", async () => {
  await quietApp().close();
});

Deno.test("export default app serves under deno serve", async () => {
  const folder = await Deno.makeTempDir();
  const program = `${folder}/main.ts`;
  const entry = new URL("../../mod.ts", import.meta.url).href;
  await Deno.writeTextFile(
    program,
    `import sluice from "${entry}";\nconst app = sluice();\napp.get("/", (req, res) => res.send("from " + req.ip));\nexport default app;\n`,
  );
  const config = fileURLToPath(new URL("../../deno.json", import.meta.url));
  const child = new Deno.Command(Deno.execPath(), {
    args: ["serve", "-A", "--no-lock", "--config", config, "--host", "127.0.0.1", "--port", "0", program],
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  try {
    const port = await portOf(child.stderr);
    assertEquals(await (await fetch(`http://127.0.0.1:${port}/`)).text(), "from 127.0.0.1");
  } finally {
    child.kill("SIGKILL");
    await child.status;
    await child.stdout.cancel();
    await Deno.remove(folder, { recursive: true });
  }
});

async function portOf(output: ReadableStream<Uint8Array>): Promise<string> {
  let text = "";
  for await (const chunk of output) {
    text += new TextDecoder().decode(chunk);
    const port = text.match(/Listening on http:\/\/127\.0\.0\.1:(\d+)/)?.[1];
    if (port !== undefined) return port;
  }
  throw new Error(`deno serve did not start: ${text}`);
}

Deno.test("a time limit that a second close sets ends the delay of the first", async () => {
  const app = quietApp();
  app.listen({ port: 0, hostname: "127.0.0.1" });
  const closing = app.close({ drainDelayMs: 600_000 });
  await app.close({ timeoutMs: 1 });
  await closing;
  assertEquals(app.server, null);
});

Deno.test("with a drain delay, requests are accepted while the application says that it is closing", async () => {
  const app = quietApp();
  const mounted = quietApp();
  const state = (app: FrameworkApp) => app.isClosing ? 503 : 200;
  app.get("/ready", (req, res) => void res.sendStatus(state(req.app as FrameworkApp)));
  app.use("/mounted", mounted.get("/ready", (req, res) => void res.sendStatus(state(req.app as FrameworkApp))));
  let isEnding = false;
  app.on("closing", () => isEnding = true);
  const { port } = app.listen({ port: 0, hostname: "127.0.0.1" });
  const statuses = () =>
    Promise.all(["/ready", "/mounted/ready"].map(async (path) => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`);
      await response.body?.cancel();
      return response.status;
    }));
  assertEquals([await statuses(), app.isClosing], [[200, 200], false]);
  const closing = app.close({ drainDelayMs: 600_000 });
  assertEquals([await statuses(), app.isClosing, isEnding], [[503, 503], true, false]);
  // a second signal ends the delay
  await app.close({ timeoutMs: 0 });
  await closing;
  assertEquals([app.isClosing, isEnding], [false, true]);
  await assertRejects(() => fetch(`http://127.0.0.1:${port}/ready`));
});

Deno.test("a drain delay ends by itself, and is part of the deadline", async () => {
  const app = quietApp();
  app.listen({ port: 0, hostname: "127.0.0.1" });
  assertThrows(
    () => app.close({ timeoutMs: 10, drainDelayMs: 20 }),
    RangeError,
    "drainDelayMs is part of timeoutMs (10)",
  );
  for (const drainDelayMs of [-1, NaN, 2 ** 31, "5" as Any]) {
    assertThrows(() => app.close({ drainDelayMs }), RangeError, "app.close: drainDelayMs must be from 0 to");
  }
  assertEquals(app.isClosing, false);
  await app.close({ drainDelayMs: 1, timeoutMs: 600_000 });
  assertEquals(app.server, null);
});

Deno.test("a stream of events that ends when the application emits closing does not hold it up", async () => {
  const app = quietApp();
  app.get("/events", (_req, res) => {
    res.type("text/event-stream").write(": hello\n\n");
    app.once("closing", () => res.end());
  });
  const { port } = app.listen({ port: 0, hostname: "127.0.0.1" });
  const response = await fetch(`http://127.0.0.1:${port}/events`);
  const text = response.text();
  await app.close();
  assertEquals(await text, ": hello\n\n");
});

Deno.test("what a listener of closing throws is reported, and the application is closed", async () => {
  const app = quietApp();
  const phases: string[] = [];
  app.on("error", (_error, { phase }) => void phases.push(phase));
  app.on("closing", () => {
    throw new Error("fails");
  });
  app.listen({ port: 0, hostname: "127.0.0.1" });
  await app.close();
  assertEquals([phases, app.server], [["listener"], null]);
});

Deno.test("an application emits close once, after the last response and before app.close resolves", async () => {
  for (const by of ["app.close", "server.close"]) {
    const app = quietApp();
    const seen: string[] = [];
    const arrived = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    app.get("/", async (_req, res) => {
      arrived.resolve();
      await begun.promise;
      res.on("close", () => seen.push("response")).send("served");
    });
    app.on("closing", () => {
      seen.push("closing");
      begun.resolve();
    });
    app.on("close", () => seen.push(`close, ${app.server === null ? "no" : "a"} server`));
    const servers = [app.listen(0, "127.0.0.1"), app.listen(0, "127.0.0.1")];
    const slow = fetch(`http://127.0.0.1:${servers[0]!.port}/`);
    await arrived.promise;
    if (by === "app.close") await Promise.all([app.close(), app.close()]);
    else {
      await servers[1]!.close();
      assertEquals(seen, [], "a server is left");
      await servers[0]!.close();
    }
    assertEquals(await (await slow).text(), "served");
    assertEquals(seen, ["closing", "response", "close, no server"], by);
  }
});

Deno.test("an application without a server emits close, and a mounted one only if it closes itself", async () => {
  const app = quietApp();
  const mounted = quietApp();
  const seen: string[] = [];
  app.on("close", () => seen.push("app")).use("/mounted", mounted);
  mounted.on("close", () => seen.push("mounted"));
  await app.close();
  await mounted.close();
  assertEquals(seen, ["app"]);
  mounted.listen({ port: 0, hostname: "127.0.0.1" });
  await mounted.close();
  assertEquals(seen, ["app", "mounted"]);
});

Deno.test("what a listener of close throws is reported, and app.close resolves", async () => {
  const app = quietApp();
  const phases: string[] = [];
  let closes = 0;
  app.on("error", (_error, { phase }) => void phases.push(phase));
  app.on("close", () => {
    closes++;
    // closing again from here is the same closing
    void app.close();
    throw new Error("fails");
  });
  app.listen({ port: 0, hostname: "127.0.0.1" });
  await app.close();
  assertEquals([phases, closes, app.server], [["listener"], 1, null]);
});

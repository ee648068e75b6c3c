import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import http, { type RequestListener } from "node:http";
import { type AddressInfo, Socket } from "node:net";
import express from "express";
import sluice, { type Request, type Response } from "@sluice/sluice";
import { toNodeHandler } from "@sluice/sluice/node";
import { genericPlatform } from "../../src/platform/shared/generic_platform.ts";
import { quietApp } from "../support/app.ts";
import type { Any } from "../support/sluice_and_express.ts";
import { runtimeKey } from "../../src/util/runtime_key.ts";

Deno.test("http.createServer(app) serves the application, as supertest uses it", async () => {
  const app = quietApp();
  app.get("/", (req, res) => res.json({ ip: req.ip }));
  const server = http.createServer(app as unknown as RequestListener).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const found = await fetch(`${origin}/`);
  assertEquals([found.status, await found.json()], [200, { ip: "127.0.0.1" }]);
  const missing = await fetch(`${origin}/missing`);
  assertEquals([missing.status, (await missing.text()).includes("Cannot GET /missing")], [404, true]);
  await new Promise((resolve) => server.close(resolve));
});

Deno.test("called with a next, as by npm's connect, the application answers or calls it", async () => {
  const app = quietApp();
  app.get("/", (req, res) => res.json({ url: req.originalUrl }));
  const server = http.createServer((req, res) => {
    (app as unknown as (...args: unknown[]) => void)(req, res, () => res.writeHead(404).end("the server's own"));
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  assertEquals(await (await fetch(`${origin}/?a=1`)).json(), { url: "/?a=1" });
  assertEquals(await (await fetch(`${origin}/missing`)).text(), "the server's own");
  await new Promise((resolve) => server.close(resolve));
});

Deno.test("a Node response with an added send, as in @fastify/express, is not taken for an Express response", async () => {
  const app = quietApp();
  // it calls the server's own methods, as with Express
  app.get("/", (req, res) => res.cookie("a", "1").end(JSON.stringify({ path: req.path })));
  const server = http.createServer((req, res) => {
    Object.assign(res, { send: () => res.end("the server's own"), status: () => res, json: () => res });
    (app as unknown as (...args: unknown[]) => void)(req, res, () => res.writeHead(404).end("not found"));
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  assertEquals([response.headers.get("set-cookie"), await response.text()], ["a=1; Path=/", '{"path":"/"}']);
  await new Promise((resolve) => server.close(resolve));
});

Deno.test("an application mounted on an Express application or router answers with its own request and response", async () => {
  const app = quietApp();
  app.use(sluice.json());
  app.get("/where", (req, res) => res.json([req.baseUrl, req.url, req.app === app]));
  app.post("/body", (req, res) => res.json(req.body));
  app.get("/web", () => new globalThis.Response("of the web"));
  const theirs = express();
  theirs.use("/mounted", app as never);
  theirs.use("/routed", express.Router().use("/in", app as never));
  theirs.use((req: { url: string }, res: { send(text: string): void }) => res.send(`Express: ${req.url}`));
  const server = http.createServer(theirs).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const base of ["/mounted", "/routed/in"]) {
    const init = { method: "POST", headers: { "content-type": "application/json" }, body: '{"a":1}' };
    assertEquals(await (await fetch(`${origin}${base}/where`)).json(), [base, "/where", true]);
    assertEquals(await (await fetch(`${origin}${base}/body`, init)).json(), { a: 1 });
    assertEquals(await (await fetch(`${origin}${base}/web`)).text(), "of the web");
    assertEquals(await (await fetch(`${origin}${base}/missing`)).text(), `Express: ${base}/missing`);
  }
  await new Promise((resolve) => server.close(resolve));
});

Deno.test("below an Express mount, a guard is not bypassed by a target with a host or a fragment", async () => {
  const app = quietApp();
  app.use("/admin", (_req, res) => res.send("guarded"));
  app.use((req, res) => res.send(`${req.baseUrl} ${req.url}`));
  const theirs = express().use("/api", app as never);
  // as Node delivers them; Deno and clients remove such parts
  const asked = (target: string) => answerTo(theirs as unknown as RequestListener, target);
  assertEquals(await asked("http://localhost/api/admin/1"), "guarded");
  assertEquals(await asked("/api/admin#1"), "guarded");
  assertEquals(await asked("http://localhost/api/a?b=http://c/d"), "/api /a?b=http://c/d");
  assertEquals(await asked("http://localhost/api"), "/api /");
});

async function answerTo(listener: RequestListener, target: string): Promise<string> {
  const server = http.createServer((req, res) => listener(Object.assign(req, { url: target }), res));
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const text = await response.text();
  await new Promise((resolve) => server.close(resolve));
  return text;
}

Deno.test("the server's next handler sees the URL and method that the application has rewritten", async () => {
  const app = quietApp();
  app.use("/page", (req, _res, next) => {
    req.url = "/index.html?from=page";
    next();
  });
  app.post("/override", (req, _res, next) => {
    req.method = "PUT";
    next();
  });
  const once = ({ originalUrl }: http.IncomingMessage & { originalUrl?: string }) =>
    originalUrl === undefined ? "" : `, once ${originalUrl}`;
  const server = http.createServer((req, res) => {
    const behind = (): unknown => res.end(`${req.method} ${req.url}${once(req)}`);
    (app as unknown as (...args: unknown[]) => void)(req, res, behind);
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const text = async (path: string, method = "GET") => await (await fetch(`${origin}${path}`, { method })).text();
  assertEquals(await text("/page/3"), "GET /page/index.html?from=page, once /page/3");
  assertEquals(await text("/override", "POST"), "PUT /override, once /override");
  assertEquals(await text("//other?a=1"), "GET //other?a=1");
  await new Promise((resolve) => server.close(resolve));
});

Deno.test("if a package replaces the global Response, as @hono/node-server does, answers of both classes are sent", async () => {
  const RuntimeResponse = globalThis.Response;
  const app = quietApp();
  app.get("/sent", (_req, res) => res.send("sent"));
  app.get("/runtime", () => new RuntimeResponse("runtime"));
  app.get("/awaited", () => Promise.resolve(new RuntimeResponse("awaited")));
  app.get("/own", () => new globalThis.Response("own"));
  app.mount("/mounted", () => new RuntimeResponse("mounted"));
  const server = http.createServer(app as unknown as RequestListener).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  globalThis.Response = class extends RuntimeResponse {};
  try {
    for (const name of ["sent", "runtime", "awaited", "own", "mounted"]) {
      const response = await fetch(`${origin}/${name}`, { signal: AbortSignal.timeout(5000) });
      assertEquals([response.status, await response.text()], [200, name]);
    }
  } finally {
    globalThis.Response = RuntimeResponse;
    await new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  }
});

Deno.test("an answer of any class is sent, as when a test imitates a browser with happy-dom", async () => {
  class ImitatedResponse {
    readonly status = 201;
    readonly statusText = "";
    readonly headers = new Headers({ "content-type": "text/plain" });
    readonly body = new globalThis.Response("imitated").body;
  }
  const seen: unknown[] = [];
  for (const fetched of [() => new ImitatedResponse(), () => Promise.resolve(new ImitatedResponse())]) {
    const server = http.createServer(toNodeHandler({ fetch: fetched as Any })).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    seen.push([response.status, await response.text()]);
    await new Promise((resolve) => server.close(resolve));
  }
  assertEquals(seen, [[201, "imitated"], [201, "imitated"]]);
});

Deno.test("headers that the server adds to Node's response meanwhile are sent, as when it is stopping", async () => {
  const app = quietApp();
  const server = http.createServer();
  app.get("/", (_req, res) => {
    res.removeHeader("x-front");
    server.emit("stopping");
    res.send("last one");
  });
  server.on("request", (_req, res) => {
    res.setHeader("x-front", "removed").setHeader("x-kept", "1");
    server.once("stopping", () => res.setHeader("x-stopping", "1"));
  });
  server.on("request", app as unknown as RequestListener).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  assertEquals(await response.text(), "last one");
  const { headers } = response;
  assertEquals(["x-front", "x-kept", "x-stopping"].map((name) => headers.get(name)), [null, "1", "1"]);
  await new Promise((resolve) => server.close(resolve));
});

Deno.test("a response class that does not write to a socket gets its headers one by one, as serverless-http needs", async () => {
  const app = quietApp().disable("etag");
  app.get("/whole", (_req, res) => res.cookie("a", "1").cookie("b", "2").send("whole"));
  app.get("/pieces", (_req, res) => {
    res.type("text").write("in ");
    res.end("pieces");
  });
  const responses = ["/whole", "/pieces"].map(async (url) => {
    const gathered = new GatheredResponse(url);
    (app as unknown as RequestListener)(gathered.req, gathered);
    return await gathered.answer;
  });
  assertEquals(await Promise.all(responses), [
    [200, {
      "content-type": "text/html; charset=utf-8",
      "content-length": "5",
      "set-cookie": ["a=1; Path=/", "b=2; Path=/"],
    }, "whole"],
    [200, { "content-type": "text/plain; charset=utf-8" }, "in pieces"],
  ]);
});

/** A response without a connection, whose methods return nothing. */
class GatheredResponse extends http.ServerResponse {
  readonly #answered = Promise.withResolvers<[number, http.OutgoingHttpHeaders, string]>();
  readonly answer = this.#answered.promise;
  readonly #chunks: Uint8Array[] = [];

  constructor(url: string) {
    super(Object.assign(new http.IncomingMessage(new Socket()), { method: "GET", url, complete: true }));
  }

  override writeHead(status: number, headers?: unknown): this {
    this.statusCode = status;
    for (const [name, value] of Object.entries(headers as Record<string, string> ?? {})) this.setHeader(name, value);
    return this;
  }

  override write(chunk: Uint8Array): boolean {
    this.#chunks.push(chunk);
    return undefined as never;
  }

  override end(chunk?: unknown): this {
    if (chunk !== undefined) this.#chunks.push(chunk as Uint8Array);
    const body = this.#chunks.map((chunk) => new TextDecoder().decode(chunk)).join("");
    this.#answered.resolve([this.statusCode, { ...this.getHeaders() }, body]);
    return this;
  }
}

Deno.test("req.socket has what Node's socket has: the local address, and the client's certificate", async () => {
  const seen: unknown[] = [];
  for (const app of [express(), quietApp()] as Any[]) {
    app.get("/", (req: Any, res: Any) => {
      const { localAddress, localPort, authorized, authorizationError } = req.client;
      const { subject } = req.socket.getPeerCertificate();
      const isHere = localPort === (server.address() as AddressInfo).port;
      req.client = "the program's own";
      res.json({ localAddress, isHere, authorized, authorizationError, subject, client: req.client });
    });
    const server = http.createServer(app).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    // like a TLS socket whose server requests a certificate
    server.on("connection", (socket: Any) => {
      const subject = { CN: "client" };
      Object.assign(socket, { subject, authorized: false, authorizationError: "CERT_HAS_EXPIRED" });
      socket.getPeerCertificate = function (this: Any) {
        return { subject: this.subject };
      };
    });
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    seen.push(await response.json());
    await new Promise((resolve) => server.close(resolve));
  }
  assertEquals(seen[1], seen[0]);
  assertEquals((seen[1] as Any).subject, { CN: "client" });
});

Deno.test("without a Node socket, the fields that only it provides are undefined, and no client counts as authorized", async () => {
  const app = quietApp();
  app.get("/", (req, res) => {
    const { localPort, authorized, getPeerCertificate } = req.socket;
    res.json([localPort, authorized, getPeerCertificate].map((value) => typeof value));
  });
  const response = await app.handle(new globalThis.Request("http://localhost/"));
  assertEquals(await response.json(), ["undefined", "undefined", "undefined"]);
});

Deno.test("without the entry for Node, it answers 500 and says what is missing", async () => {
  const program = `
    import { handleNodeRequest } from "${new URL("../../src/platform/detect.ts", import.meta.url)}";
    const res = { statusCode: 200, ended: false, end() { this.ended = true; } };
    handleNodeRequest({}, {}, res);
    console.log(res.statusCode, res.ended);
  `;
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--quiet",
      "--no-lock",
      "--no-check",
      "--config=deno.json",
      `data:text/javascript,${encodeURIComponent(program)}`,
    ],
  }).output();
  const [said, complained] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  assertEquals(said!.trim(), "500 true", complained);
  assertStringIncludes(complained!, "toNodeHandler(app)");
});

Deno.test("without the entry for Node, listening and sending files say what is missing too", async () => {
  assertThrows(
    () => genericPlatform().serve(() => new Response(), {}, sluice()),
    TypeError,
    'on Node import "@sluice/sluice/node"',
  );
  const app = quietApp();
  Object.defineProperty(app, runtimeKey, { value: genericPlatform() });
  app.use(sluice.static("public"), (error: Error, _req: Request, res: Response, _next: unknown) => {
    res.send(error.message);
  });
  const response = await app.handle(new globalThis.Request("http://x/a.txt"));
  assertStringIncludes(await response.text(), 'on Node, import "@sluice/sluice/node"');
});

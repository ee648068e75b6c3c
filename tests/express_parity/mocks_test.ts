/**
 * Objects that unit tests for Express programs pass to handlers, middleware, routers and applications: some made from
 * Express's prototypes, Node's own without a socket, and those from node-mocks-http and light-my-request.
 */
import { EventEmitter } from "node:events";
import http from "node:http";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { assertEquals, assertThrows } from "@std/assert";
import express from "express";
import inject from "light-my-request";
import httpMocks from "node-mocks-http";
import sluice from "@sluice/sluice";
import "@sluice/sluice/node";
import { type Any, serveBoth } from "../support/sluice_and_express.ts";

const FILES = fileURLToPath(new URL("../fixtures/files", import.meta.url));

/** Programs by name; each gets the library, and returns the values a test would check. */
type Cases = Readonly<Record<string, (lib: Any) => unknown>>;

function compare(group: string, cases: Cases): void {
  for (const [name, run] of Object.entries(cases)) {
    Deno.test(`${group}: ${name}, as in Express`, async () => {
      assertEquals(await run(sluice), await run(express));
    });
  }
}

/** A request that a test makes from the prototype. */
function asked(prototype: object, values: object): Any {
  return Object.assign(Object.create(prototype), values);
}

const HEADERS = {
  ...{ "host": "a.b.example.com:8080", "accept": "text/html, application/json;q=0.5", "accept-charset": "utf-8" },
  ...{ "accept-encoding": "gzip", "accept-language": "de", "content-type": "application/json", "content-length": "7" },
  ...{ "x-requested-with": "XMLHttpRequest", "range": "bytes=0-4", "if-none-match": '"tag"', "referer": "/from" },
  ...{ "x-forwarded-for": "10.0.0.1, 10.0.0.2", "x-forwarded-proto": "https", "x-forwarded-host": "c.example.com" },
};

compare("a request made from the prototype", {
  "keeps what is assigned": (lib) => {
    const values = { url: "/x?a=b", method: "PUT", headers: { a: "b" }, body: { a: 1 }, params: { id: "1" } };
    const more = { query: { a: "b" }, cookies: { c: "d" }, originalUrl: "/o", baseUrl: "/b", user: { id: 1 } };
    const req = Object.create(lib.request);
    // Express's query has no setter
    Object.defineProperty(req, "query", { value: more.query });
    const { query: _, ...others } = more;
    Object.assign(req, values, others);
    return [Object.keys(values).map((name) => req[name]), Object.keys(more).map((name) => req[name])];
  },
  "has nothing before": (lib) => {
    const req = Object.create(lib.request);
    return ["url", "method", "body", "params", "socket", "connection", "app", "res", "next", "route", "originalUrl"]
      .map((name) => req[name]);
  },
  "reads headers": (lib) => {
    const req = asked(lib.request, { headers: HEADERS });
    return [req.get("Content-Type"), req.header("Referrer"), req.get("other"), req.xhr];
  },
  "finds its path in the URL": (lib) => {
    return ["/x", "/x?y", "/x/?a=/b", "/"].map((url) => asked(lib.request, { url }).path);
  },
  "negotiates": (lib) => {
    const req = asked(lib.request, { headers: HEADERS });
    return [
      ...[req.accepts("json"), req.accepts("html", "json"), req.accepts("png"), req.accepts(), req.is("json")],
      ...[req.is("html"), req.acceptsCharsets("utf-8"), req.acceptsEncodings("br", "gzip"), req.acceptsLanguages("en")],
    ];
  },
  "has no body without a length": (lib) => asked(lib.request, { headers: { "content-type": "text/plain" } }).is("txt"),
  "parses ranges": (lib) => {
    const ranges = asked(lib.request, { headers: HEADERS }).range(100);
    return [ranges.length, ranges[0]];
  },
  "emits events": (lib) => {
    const req = Object.create(lib.request);
    const seen: unknown[] = [];
    req.on("own", (value: unknown) => seen.push(value)).once("close", () => seen.push("close"));
    req.emit("own", 1);
    req.emit("close");
    req.emit("close");
    return [seen, req.listenerCount("own"), Object.create(lib.request).listenerCount("own")];
  },
  "is fresh by the response that is assigned": (lib) => {
    const res = (tag: string) => ({ statusCode: 200, get: (name: string) => name === "ETag" ? tag : undefined });
    return ['"tag"', '"other"'].map((tag) => {
      const req = asked(lib.request, { method: "GET", headers: HEADERS, res: res(tag) });
      return [req.fresh, req.stale];
    });
  },
  "knows the client by what is assigned": (lib) => {
    const views = [false, true, 1, "10.0.0.2"].map((trust) => {
      const app = lib().set("trust proxy", trust).set("subdomain offset", 3);
      const socket = { remoteAddress: "10.0.0.2", encrypted: false };
      const req = asked(lib.request, { headers: HEADERS, app, url: "/?a[]=1&b=2" });
      // under Node's older name
      req.connection = socket;
      return [req.ip, req.ips, req.protocol, req.secure, req.host, req.hostname, req.subdomains, { ...req.query }];
    });
    return views;
  },
  "belongs to the application whose prototype it has": (lib) => {
    const app = lib().set("query parser", "extended");
    const req = asked(app.request, { url: "/?a[b]=c", headers: {}, socket: { remoteAddress: "::1" } });
    return [req.app === app, req.query, req.ip, Object.create(app.response).app === app];
  },
});

compare("a response made from the prototype", {
  "has a status": (lib) => {
    const res = Object.create(lib.response);
    return [res.statusCode, res.status(201) === res, res.statusCode, Object.create(lib.response).statusCode];
  },
  "has locals once they are assigned": (lib) => {
    const res = Object.create(lib.response);
    const before = res.locals;
    res.locals = { a: 1 };
    return [before, res.locals];
  },
  "sends JSON through the methods that are replaced": (lib) => {
    const res = Object.create(lib.response);
    const sent: unknown[] = [];
    const headers: Record<string, unknown> = {};
    Object.assign(res, { app: lib(), req: { method: "GET" }, end: (chunk: unknown) => sent.push(String(chunk)) });
    res.setHeader = (name: string, value: unknown) => void (headers[name] = value);
    res.getHeader = (name: string) => headers[name];
    res.status(202).set("X-A", "1").json({ a: "é" });
    const { ETag: _, ...others } = headers;
    return [sent, Object.fromEntries(Object.entries(others).map(([name, value]) => [name, String(value)]))];
  },
  "passes JSON to a send that is replaced": (lib) => {
    const res = Object.create(lib.response);
    const sent: unknown[] = [];
    Object.assign(res, { app: lib(), send: (body: unknown) => sent.push(body), get: () => "text/html", set() {} });
    res.json({ a: 1 });
    return sent;
  },
});

/** An application with everything tests use. */
function application(lib: Any): Any {
  const app = lib().set("env", "test").disable("x-powered-by");
  app.use(lib.json());
  app.use((req: Any, res: Any, next: Any) => {
    res.locals.seen = [req.app === app, req.res === res, res.req === req];
    next();
  });
  app.get("/x/:id", (req: Any, res: Any) => {
    const { params, query, url, path, ip } = req;
    res.status(201).set("X-A", "1").json({ params, query, url, path, ip, a: req.get("x-a"), seen: res.locals.seen });
  });
  app.post("/x", (req: Any, res: Any) => res.send(req.body));
  app.get("/later", async (_req: Any, res: Any) => {
    await Promise.resolve();
    res.type("txt").send("later");
  });
  app.get("/bytes", (_req: Any, res: Any) => res.send(Buffer.from("abc")));
  app.get("/pieces", (_req: Any, res: Any) => {
    res.write("a");
    res.end("b");
  });
  app.get("/elsewhere", (_req: Any, res: Any) => res.redirect("/y"));
  app.get("/cookie", (_req: Any, res: Any) => res.cookie("a", "b").sendStatus(202));
  const inner = lib().disable("x-powered-by");
  inner.get("/in", (req: Any, res: Any) => res.json([req.app === inner, req.url, req.originalUrl]));
  app.use("/app", inner);
  const router = lib.Router();
  router.get("/in/:id", (req: Any, res: Any) => res.json([req.params, req.url]));
  app.use("/router", router);
  return app;
}

const ASKED = [
  ...[{ url: "/x/7?a=b", headers: { "x-a": "2" } }, { url: "/later" }, { url: "/bytes" }, { url: "/pieces" }],
  ...[{ url: "/elsewhere" }, { url: "/cookie" }, { url: "/app/in" }, { url: "/router/in/5" }],
];

function mocked(options: object, run: (req: Any, res: Any) => void): Promise<unknown> {
  const { req, res } = httpMocks.createMocks(options as Any, { eventEmitter: EventEmitter } as Any) as Any;
  return new Promise((resolve) => {
    res.on("end", () => {
      resolve([res.statusCode, String(res._getData()), res._getHeaders(), res.cookies, res._getRedirectUrl()]);
    });
    run(req, res);
  });
}

compare("mocks of node-mocks-http", {
  ...Object.fromEntries(ASKED.map((options) => [
    `go through an application to ${options.url}`,
    (lib: Any) => mocked(options, application(lib)),
  ])),
  "bring a body that needs no parser": (lib) => mocked({ method: "POST", url: "/x", body: { a: 1 } }, application(lib)),
  "reach next": async (lib) => {
    const { req, res } = httpMocks.createMocks({ url: "/none" });
    return [await new Promise((resolve) => application(lib)(req, res, resolve)), res.statusCode];
  },
  "go through a router": (lib) => {
    const router = lib.Router().get("/:id", (req: Any, res: Any) => res.json(req.params));
    return mocked({ url: "/7" }, (req, res) => router(req, res, () => {}));
  },
  "keep what middleware sets": async (lib) => {
    const { req, res } = httpMocks.createMocks({ url: "/" }) as Any;
    const app = lib().use((req: Any, _res: Any, next: Any) => {
      req.user = "me";
      next();
    });
    await new Promise((resolve) => app(req, res, resolve));
    return req.user;
  },
  "go through parsers without a body": async (lib) => {
    const bodies: unknown[] = [];
    for (const parser of [lib.json(), lib.urlencoded({ extended: true }), lib.text(), lib.raw()]) {
      for (const method of ["GET", "POST"]) {
        const { req, res } = httpMocks.createMocks({ method, url: "/", body: { a: 1 } } as Any);
        bodies.push(await new Promise((resolve) => parser(req, res, resolve)), req.body);
      }
    }
    return bodies;
  },
  "go through a parser with a body": async (lib) => {
    const headers = { "content-type": "application/json", "content-length": "7" };
    const { req, res } = httpMocks.createMocks(
      { method: "POST", headers },
      { eventEmitter: EventEmitter } as Any,
    ) as Any;
    const parsed = new Promise((resolve) => lib.json()(req, res, resolve));
    req.send('{"a":1}');
    return [await parsed, req.body];
  },
  "are answered by static files": (lib) =>
    mocked({ url: "/hello.txt" }, (req, res) => {
      lib.static(FILES, { etag: false, lastModified: false })(req, res, () => {});
    }).then((seen) => (seen as unknown[]).slice(0, 2)),
  "pass static files that do not exist": async (lib) => {
    const { req, res } = httpMocks.createMocks({ url: "/none" });
    return [await new Promise((resolve) => lib.static(FILES)(req, res, resolve)), res.statusCode];
  },
});

/** Node's objects without a connection. */
function unconnected(method: string, url: string, headers: object = {}): [Any, Any] {
  const req: Any = new http.IncomingMessage(null as Any);
  req.method = method;
  req.url = url;
  Object.assign(req.headers, headers);
  return [req, new http.ServerResponse(req)];
}

Deno.test("Node's objects without a socket go through an application, and its handlers get the very objects", async () => {
  const app = sluice().set("env", "test");
  let seen: unknown;
  app.get("/x/:id", (req: Any, res: Any) => {
    seen = req;
    req.user = "me";
    res.status(201).set("X-A", "1").json(req.params);
  });
  const [req, res] = unconnected("GET", "/x/7?a=b");
  const sent = await new Promise((resolve) => {
    res.end = (chunk: unknown) => resolve(String(chunk));
    (app as Any)(req, res);
  });
  assertEquals([sent, res.statusCode, res.getHeader("x-a")], ['{"id":"7"}', 201, "1"]);
  assertEquals([seen === req, req.user, req.query], [true, "me", { a: "b" }]);
});

Deno.test("a request whose class overrides a final property goes through an application, and keeps what is its own", async () => {
  class Base extends http.IncomingMessage {}
  // neither configurable nor writable, as some of Node's properties are on Deno
  Object.defineProperty(Base.prototype, "tenant", { get: () => "base" });
  class Own extends Base {
    get tenant(): string {
      return "own";
    }
  }
  const app = sluice().set("env", "test") as Any;
  app.get("/", (req: Any, res: Any) => res.end(req.tenant));
  const [req, res] = unconnected("GET", "/");
  Object.setPrototypeOf(req, Own.prototype);
  const sent = await new Promise((resolve) => {
    res.end = (chunk: unknown) => resolve(String(chunk));
    app(req, res);
  });
  assertEquals(sent, "own");
});

Deno.test("Node's objects without a socket get every chunk, reach next, and have a body", async () => {
  const app = application(sluice);
  const chunks: string[] = [];
  await new Promise<void>((resolve) => {
    const [req, res] = unconnected("GET", "/pieces");
    res.write = (chunk: unknown) => chunks.push(String(chunk));
    res.end = (chunk: unknown) => resolve(void chunks.push(String(chunk)));
    app(req, res);
  });
  assertEquals(chunks, ["a", "b"]);
  assertEquals(await new Promise((resolve) => app.handle(...unconnected("GET", "/none"), resolve)), undefined);
  const posted = await new Promise((resolve) => {
    const [req, res] = unconnected("POST", "/x", { "content-type": "application/json", "content-length": "7" });
    req.push('{"a":1}');
    req.push(null);
    res.end = (chunk: unknown) => resolve(String(chunk));
    app(req, res);
  });
  assertEquals(posted, '{"a":1}');
});

Deno.test("an error that nobody handled, and a path that nobody serves, answer a mock", async () => {
  const app = sluice().set("env", "test").get("/", () => {
    throw Object.assign(new Error("boom"), { status: 418 });
  });
  const [failed, missed] = await Promise.all(
    ["/", "/none"].map((url) => mocked({ url }, app as Any)),
  ) as [unknown[], unknown[]];
  assertEquals([failed[0], missed[0]], [418, 404]);
});

Deno.test("derived requests and proxies show in a handler what they show in Express", async () => {
  const kinds = [(req: Any) => Object.create(req), (req: Any) => new Proxy(req, {})];
  const names = ["url", "originalUrl", "method", "path", "baseUrl", "query", "params", "protocol", "hostname", "xhr"];
  const build = (app: Any) =>
    app.get("/:id", (req: Any, res: Any) => {
      const seen = kinds.map((make) => {
        const made = make(req);
        made.extra = 1;
        const before = names.map((name) => made[name]);
        made.url = "/other?c=d";
        return [before, made.path, { ...made.query }, made.get("x-a"), req.url, req.extra];
      });
      res.json(seen);
    });
  const [ours, theirs] = await serveBoth(build, async (origin) => {
    return await (await fetch(`${origin}/7?a=b`, { headers: { "x-a": "1" } })).json();
  });
  assertEquals(ours, theirs);
});

/** Requests with a body that do not come from a server, and functions that send the body. */
const WITH_BODY: Readonly<Record<string, (body: string) => [req: Any, send: () => void]>> = {
  "a mock"(body) {
    const req: Any = httpMocks.createRequest({ method: "POST", headers: { ...HEADERS } as Any });
    return [req, () => req.send(body)];
  },
  "a stream"(body) {
    const stream = Readable.from([Buffer.from(body)], { objectMode: false });
    return [Object.assign(stream, { method: "POST", headers: HEADERS }), () => {}];
  },
};

for (const [kind, make] of Object.entries(WITH_BODY)) {
  Deno.test(`functions in the options of body parsers get the very request, ${kind}, as in Express`, async () => {
    const parse = (lib: Any, parser: string, refuse: boolean) =>
      new Promise<unknown>((resolve) => {
        const [req, send] = make('{"a":1}');
        const res: Any = httpMocks.createResponse();
        const seen: unknown[] = [];
        const type = (given: Any) => seen.push(given === req);
        const verify = (given: Any, response: Any, bytes: Any, charset: unknown) => {
          seen.push([given === req, response === res, String(bytes), charset]);
          given.rawBody = String(bytes);
          if (refuse) throw new Error("refused");
        };
        lib[parser]({ type, verify })(req, res, (error: Any) => {
          resolve([seen, req.rawBody, String(req.body), error && [error.status, error.type, error.message]]);
        });
        send();
      });
    for (const parser of ["json", "text", "raw", "urlencoded"]) {
      for (const refuse of [false, true]) {
        assertEquals(await parse(sluice, parser, refuse), await parse(express, parser, refuse));
      }
    }
  });
}

Deno.test("what cannot work without a client says what it needs", () => {
  const { request, response } = sluice as Any;
  assertThrows(() => Object.create(request).ip, TypeError, "assign req.app");
  assertThrows(() => asked(request, { app: sluice() }).ip, TypeError, "req.socket");
  assertThrows(() => Object.create(request).read(), TypeError, "req.read needs a client's request");
  assertThrows(() => Object.create(response).json({}), TypeError, "assign res.app");
  assertThrows(() => Object.create(response).end(), TypeError, "res.end needs a client's request");
});

// last, because it permanently changes Express's prototypes
Deno.test("light-my-request asks an application directly, as in Express", async () => {
  const responses = async (app: Any): Promise<unknown[]> => {
    const all: unknown[] = [];
    for (const options of [...ASKED, { method: "POST", url: "/x", payload: { a: 1 } }, { url: "/none" }]) {
      const { statusCode, payload, headers } = await inject(app, options as Any);
      all.push([statusCode, payload, headers["content-type"], headers["x-a"], headers["set-cookie"]]);
    }
    return all;
  };
  const app = application(sluice);
  const ours = await responses(app);
  assertEquals(ours, await responses(application(express)));
  // and the application still works
  assertEquals(await (await app.fetch(new Request("http://localhost/later"))).text(), "later");
});

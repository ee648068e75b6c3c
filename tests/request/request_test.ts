import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import bodyParser from "body-parser";
import morgan from "morgan";
import multer from "multer";
import { Buffer } from "node:buffer";
import http2 from "node:http2";
import process from "node:process";
import { PassThrough, Writable } from "node:stream";
import sluice, { type ErrorRequestHandler, type FrameworkRequest } from "@sluice/sluice";
import { certificate } from "../fixtures/node/certificate.ts";
import { ask, askText, quietApp } from "../support/app.ts";
import { type Any, askBoth } from "../support/sluice_and_express.ts";
import { until } from "../support/until.ts";

const PEER = { remoteAddr: { transport: "tcp", hostname: "192.0.2.7", port: 4711 } };

/** Returns a handler's view of a request. */
async function seen<T>(look: (req: FrameworkRequest) => T, path = "/", init?: RequestInit, info?: unknown): Promise<T> {
  let result: T | undefined;
  const app = quietApp();
  app.use((req, res) => {
    result = look(req);
    res.end();
  });
  await ask(app, path, init, info);
  return result as T;
}

Deno.test("a body waits with its end for what the listeners of its last chunk have begun, as on Node", async () => {
  const app = quietApp();
  // formidable first opens a file, and pauses the body while it writes
  app.post("/paused", (req, res) => {
    const events: string[] = [];
    req.on("data", async () => {
      for (let i = 0; i < 20; i++) await null;
      events.push("paused");
      req.pause();
      setTimeout(() => {
        events.push("resumed");
        req.resume();
      });
    });
    req.on("end", () => res.json([...events, "end"]));
  });
  assertEquals(await (await ask(app, "/paused", { method: "POST", body: "text" })).json(), [
    "paused",
    "resumed",
    "end",
  ]);
});

Deno.test("a request ends before it closes, although a listener of its last chunk responds at once", async () => {
  const app = quietApp();
  const events: string[] = [];
  app.post("/", (req, res) => {
    for (const event of ["end", "close"]) req.on(event, () => events.push(event));
    // like a parser that recognizes the last chunk
    req.on("data", () => process.nextTick(() => res.send("answered")));
  });
  assertEquals(await askText(app, "/", { method: "POST", body: "text" }), "answered");
  await until(() => events.includes("close"), "the end of the request");
  assertEquals(events, ["end", "close"]);
});

Deno.test("parsers from npm find the body of a request made in process", async () => {
  const app = quietApp();
  app.post("/form", multer().single("file"), (req, res) => res.json([req.file.size, req.body]));
  app.post("/json", bodyParser.json(), (req, res) => res.json(req.body));
  app.use((req, res) => res.json(req.headers["transfer-encoding"] ?? null));
  const body = new FormData();
  body.set("file", new Blob(["hello"]), "a.txt");
  body.set("title", "a");
  assertEquals(await (await ask(app, "/form", { method: "POST", body })).json(), [5, { title: "a" }]);
  const json = { method: "POST", body: '{"a":1}', headers: { "content-type": "application/json" } };
  assertEquals(await (await ask(app, "/json", json)).json(), { a: 1 });
  // without a body, there is nothing to announce
  for (const method of ["GET", "POST"]) assertEquals(await (await ask(app, "/", { method })).json(), null);
});

Deno.test("req.get() reads headers in any case and treats referer and referrer as one", async () => {
  const init = { headers: { "x-test": "1", referer: "http://a/" } };
  assertEquals(await seen((req) => [req.get("X-TEST"), req.header("Referrer"), req.get("none")], "/", init), [
    "1",
    "http://a/",
    undefined,
  ]);
  for (const sent of ["referer", "referrer"]) {
    const names = ["Referer", "referrer", "REFERER", "Referrer"];
    const values = await seen((req) => names.map((name) => req.get(name)), "/", { headers: { [sent]: "http://a/" } });
    assertEquals(values, names.map(() => "http://a/"), sent);
  }
  assertEquals(await seen((req) => [req.get("Host"), req.headers.host, req.get("HOST")]), Array(3).fill("localhost"));
  await seen((req) => assertThrows(() => req.get(""), TypeError, "name argument is required to req.get"));
});

Deno.test("req.headersDistinct has every header as a list", async () => {
  const headers = { "x-one": "1", cookie: "a=1" };
  const lists = await seen((req) => req.headersDistinct, "/", { headers });
  assertEquals({ ...lists }, { "x-one": ["1"], cookie: ["a=1"], host: ["localhost"] });
});

Deno.test("changes to req.headers are what req.get() reads", async () => {
  assertEquals(
    await seen(
      (req) => {
        req.headers["x-new"] = "1";
        delete req.headers["x-old"];
        return [req.get("x-new"), req.get("x-old")];
      },
      "/",
      { headers: { "x-old": "1" } },
    ),
    ["1", undefined],
  );
});

Deno.test("headers that a validator redefined, with defaults, are what req.get() and related methods read", async () => {
  const init = { headers: { "x-sent": "1", "content-type": "text/html" } };
  const found = await seen(
    (req) => {
      const value = { ...req.headers, "x-sent": "2", "x-default": "3", "content-type": "text/plain" };
      Object.defineProperty(req, "headers", { value });
      return [req.get("X-Sent"), req.get("x-default"), req.get("content-type"), req.is("text/plain")];
    },
    "/",
    { ...init, method: "POST", body: "text" },
  );
  assertEquals(found, ["2", "3", "text/plain", "text/plain"]);
});

Deno.test("the host of a request made in process comes from its URL", async () => {
  assertEquals(await seen((req) => [req.host, req.hostname, req.protocol, req.secure]), [
    "localhost",
    "localhost",
    "http",
    false,
  ]);
});

Deno.test("the client's address comes from the platform", async () => {
  assertEquals(await seen((req) => [req.ip, req.ips, req.socket.remotePort], "/", {}, PEER), ["192.0.2.7", [], 4711]);
  assertEquals(await seen((req) => req.ip), undefined);
  assertEquals(await seen((req) => req.ip, "/", {}, { remoteAddr: 5 }), undefined);
});

Deno.test("the scheme and the host need the client's address only if a proxy is trusted", async () => {
  let reads = 0;
  const info = {
    get remoteAddr() {
      reads++;
      return PEER.remoteAddr;
    },
  };
  const init = { headers: { "x-forwarded-host": "shop.example" } };
  const look = (req: FrameworkRequest) => [req.protocol, req.secure, req.host];
  assertEquals(await seen(look, "/", init, info), ["http", false, "localhost"]);
  assertEquals(reads, 0);
  const app = quietApp().set("trust proxy", "192.0.2.7");
  app.use((req, res) => void res.json(look(req)));
  assertEquals(await (await ask(app, "/", init, info)).json(), ["http", false, "shop.example"]);
  assertEquals(reads, 1);
});

Deno.test("the scheme is that of the socket which a program has changed or assigned", async () => {
  assertEquals(
    await seen((req) => {
      req.socket.encrypted = true;
      return req.protocol;
    }),
    "https",
  );
  assertEquals(
    await seen((req) => {
      Object.assign(req, { socket: { encrypted: true } });
      return req.protocol;
    }),
    "https",
  );
});

Deno.test("a forged forwarding header changes nothing unless a proxy is trusted", async () => {
  const init = { headers: { "x-forwarded-for": "6.6.6.6", "x-forwarded-proto": "https", "x-forwarded-host": "evil" } };
  assertEquals(await seen((req) => [req.ip, req.protocol, req.host], "/", init, PEER), [
    "192.0.2.7",
    "http",
    "localhost",
  ]);
});

Deno.test("an unknown peer can be trusted by hop count, and its headers name the client", async () => {
  const headers = { "x-forwarded-for": "198.51.100.1, 203.0.113.9" };
  const clients = async (trust: boolean | number | string | null, sent: HeadersInit = headers) => {
    const app = quietApp().set("trust proxy", trust);
    app.use((req, res) => res.json([req.ip ?? null, req.ips]));
    return await (await ask(app, "/", { headers: sent })).json();
  };
  assertEquals(await clients(1), ["203.0.113.9", ["203.0.113.9"]]);
  assertEquals(await clients(2), ["198.51.100.1", ["198.51.100.1", "203.0.113.9"]]);
  assertEquals(await clients(true), ["198.51.100.1", ["198.51.100.1", "203.0.113.9"]]);
  for (const trust of [false, 0, "loopback", "203.0.113.9", null]) assertEquals(await clients(trust), [null, []]);
  assertEquals(await clients(1, {}), [null, []]);
});

Deno.test("a path begins after the origin, whatever the scheme; on Unix sockets Deno's is http+unix:", async () => {
  const app = sluice();
  app.use((req, res) => res.json([req.originalUrl, req.path, req.protocol]));
  const seenAt = async (url: string) => await (await app.handle(new Request(url))).json();
  for (const scheme of ["http", "https", "http+unix"]) {
    const protocol = scheme === "https" ? "https" : "http";
    assertEquals(await seenAt(`${scheme}://x/a//b?c=http://y/`), ["/a//b?c=http://y/", "/a//b", protocol]);
    assertEquals(await seenAt(`${scheme}://x/?q#hash`), ["/?q", "/", protocol]);
    assertEquals(await seenAt(`${scheme}://localhost:80/`), ["/", "/", protocol]);
  }
  assertEquals(await seenAt("http+unix://%2Ftmp%2Fsocket/a"), ["/a", "/a", "http"]);
  assertEquals(await seenAt("http+unix://socket?q#hash"), ["/?q", "/", "http"]);
});

Deno.test("anything but a Request is refused, and the error says what fetch takes", () => {
  const refused = (value: unknown, what: string) =>
    assertThrows(() => quietApp().fetch(value as Request), TypeError, `app.fetch expects a Request, not ${what}`);
  refused("http://x/", '"http://x/"');
  refused(new URL("http://x/"), "an object (URL)");
  refused({ path: "/" }, "an object");
});

Deno.test("cookies are read lazily and may be replaced", async () => {
  const init = { headers: { cookie: "a=1; b=%20x; a=2" } };
  assertEquals(await seen((req) => ({ ...req.cookies }), "/", init), { a: "1", b: " x" });
  assertEquals(await seen((req) => (req.cookies = { own: "1" }, req.cookies), "/", init), { own: "1" });
});

Deno.test("query, body and params may be assigned", async () => {
  assertEquals(
    await seen((req) => {
      req.query = { a: "1" };
      req.params = { b: "2" };
      req.body = { c: 3 };
      return [req.query, req.params, req.body];
    }, "/?x=1"),
    [{ a: "1" }, { b: "2" }, { c: 3 }],
  );
});

Deno.test("a giant or nested query is bounded", async () => {
  const giant = "?" + Array.from({ length: 5000 }, (_, i) => `k${i}=1`).join("&");
  assertEquals(await seen((req) => Object.keys(req.query).length, `/${giant}`), 1000);
  const app = quietApp().set("query parser", "extended");
  app.use((req, res) => res.json(req.query));
  const deep = await ask(app, `/?a${"[b]".repeat(500)}=1`);
  assertEquals((await deep.text()).length < 2500, true);
});

Deno.test("an offer that comes from a client does not affect calls that offer the same in a list", async () => {
  const init = { headers: { accept: "text/html, application/json;q=0.5" } };
  assertEquals(await seen((req) => req.accepts(req.query["type"] as string), "/?type=html%0Ajson", init), false);
  assertEquals(await seen((req) => req.accepts("html", "json"), "/", init), "html");
});

Deno.test("req.is() matches the type of a body", async () => {
  const init = { method: "POST", headers: { "content-type": "application/json; charset=utf-8" }, body: "{}" };
  assertEquals(
    await seen((req) => [req.is("json"), req.is("html"), req.is("application/*"), req.is("+json")], "/", init),
    [
      "json",
      false,
      "application/json",
      false,
    ],
  );
  assertEquals(await seen((req) => req.is("json")), null);
  for (const type of ["json", "a/b, c/d", "a/b/c"]) {
    assertEquals(await seen((req) => req.is(), "/", { ...init, headers: { "content-type": type } }), false);
  }
  const hosted = { ...init, headers: { ...init.headers, host: "shop.example" } };
  assertEquals(await seen((req) => req.is("json"), "/", hosted), "json");
});

Deno.test("the readers of the web API read the body, and return what a parser has read", async () => {
  const app = quietApp();
  app.post("/fresh", async (req, res) => void res.json(await req.json()));
  app.post("/parsed", sluice.json(), async (req, res) => void res.json(await req.json()));
  app.post("/form", async (req, res) => void res.send((await req.formData()).get("a") as string));
  app.post("/twice", async (req, res) => {
    await req.text();
    await assertRejects(() => req.text(), TypeError, "req.text() cannot read the body again");
    res.end("ok");
  });
  const json = { method: "POST", headers: { "content-type": "application/json" }, body: '{"a":1}' };
  assertEquals(await (await ask(app, "/fresh", json)).json(), { a: 1 });
  assertEquals(await (await ask(app, "/parsed", json)).json(), { a: 1 });
  assertEquals(await (await ask(app, "/form", { method: "POST", body: new URLSearchParams({ a: "b" }) })).text(), "b");
  assertEquals(await (await ask(app, "/twice", json)).text(), "ok");
});

Deno.test("a body parser of Express 4, as packages depend on it, skips a body that a parser has read", async () => {
  const app = quietApp();
  // like body-parser 1
  const parser = (req: Any, _res: Any, next: Any) => {
    if (req._body) return next();
    req.body ??= {};
    req._body = true;
    let text = "";
    req.on("data", (chunk: Uint8Array) => text += chunk);
    req.on("end", () => {
      req.body = { theirs: text };
      next();
    });
  };
  app.use(sluice.json());
  app.post("/", parser, parser, (req, res) => res.json(req.body));
  const post = async (type: string) => {
    const init = { method: "POST", headers: { "content-type": type }, body: '{"a":1}' };
    return await (await ask(app, "/", init)).json();
  };
  assertEquals(await post("application/json"), { a: 1 });
  assertEquals(await post("text/plain"), { theirs: '{"a":1}' });
});

Deno.test("a parser gets the whole body although a middleware has called read(), as in Express", async () => {
  const asks = ["/read", "/readable", "/data", "/readable-data"].map((path) => ({
    path,
    init: { method: "POST", headers: { "content-type": "text/plain" }, body: "the whole body" },
  }));
  const [ours, theirs] = await askBoth((app: Any, lib: Any) => {
    app.post("/read", (req: Any, _res: Any, next: Any) => next(void req.read()));
    app.post("/readable", (req: Any, _res: Any, next: Any) => req.once("readable", () => next()));
    app.use(["/read", "/readable"], lib.text(), (req: Any, res: Any) => res.json(req.body));
    const listen = (req: Any, res: Any) => {
      let seen = "";
      req.on("data", (chunk: unknown) => seen += chunk).on("end", () => res.json(seen));
    };
    app.post("/data", (req: Any, res: Any) => {
      req.read();
      listen(req, res);
    });
    app.post("/readable-data", (req: Any, res: Any) => req.once("readable", () => setTimeout(() => listen(req, res))));
  }, asks);
  assertEquals(ours, theirs);
  assertEquals(ours.map(({ body }) => body), asks.map(() => '"the whole body"'));
});

Deno.test("the body is read by Node's events, and pipes into the response", async () => {
  const app = quietApp();
  app.post("/events", (req, res) => {
    let text = "";
    req.setEncoding("utf8");
    req.on("data", (chunk: string) => text += chunk).on("end", () => res.send(text));
  });
  app.post("/pipe", (req, res) => void req.pipe(res));
  app.post("/iterate", async (req, res) => {
    let bytes = 0;
    for await (const chunk of req) bytes += chunk.byteLength;
    res.send(String(bytes));
  });
  const init = () => ({ method: "POST", body: new Blob(["grü", "ße"]).stream(), duplex: "half" }) as RequestInit;
  assertEquals(await (await ask(app, "/events", init())).text(), "grüße");
  assertEquals(await (await ask(app, "/pipe", init())).text(), "grüße");
  assertEquals(await (await ask(app, "/iterate", init())).text(), "7");
});

Deno.test("a destination that ends early is removed from a pipe, and the other one gets the rest", async () => {
  const app = quietApp();
  const encoder = new TextEncoder();
  let body!: ReadableStreamDefaultController<Uint8Array>;
  app.post("/:way", (req, res) => {
    const failures: string[] = [];
    const leaving = new Writable({
      highWaterMark: 1,
      write(_chunk, _encoding, taken) {
        if (req.params.way === "ended") leaving.end();
        else leaving.destroy();
        if (req.params.way !== "full") taken();
      },
    });
    leaving.on("error", (error: NodeJS.ErrnoException) => failures.push(error.code!));
    leaving.on("close", () => {
      body.enqueue(encoder.encode("rest"));
      body.close();
    });
    const staying = new PassThrough();
    req.pipe(leaving);
    req.pipe(staying).on("end", () => res.json(failures)).resume();
  });
  for (const way of ["ended", "destroyed", "full"]) {
    const start = (controller: typeof body) => (body = controller).enqueue(encoder.encode("first "));
    const sent = new ReadableStream<Uint8Array>({ start });
    const response = await ask(app, `/${way}`, { method: "POST", body: sent, duplex: "half" } as RequestInit);
    assertEquals([way, await response.json()], [way, []]);
  }
});

Deno.test("a failed destination is unpiped before its error listeners run, and resuming the body there reaches its end, as in Express", async () => {
  const [ours, theirs] = await askBoth((app: Any) => {
    app.post("/:way", (req: Any, res: Any) => {
      const isKept = req.params.way === "kept";
      const picky = new Writable({
        autoDestroy: !isKept,
        highWaterMark: 1,
        write(_chunk, _encoding, taken) {
          const failure = new Error("too much");
          // some parsers emit an error about their arguments and never call back
          if (isKept) picky.emit("error", failure);
          else taken(failure);
        },
      });
      picky.once("error", (error) => req.on("end", () => res.status(413).send(error.message)).resume());
      req.pipe(picky);
    });
  }, ["/destroyed", "/kept"].map((path) => ({ path, init: { method: "POST", body: "x".repeat(600_000) } })));
  assertEquals(ours, theirs);
  assertEquals(ours.map(({ status, body }) => [status, body]), Array(2).fill([413, "too much"]));
});

Deno.test("a process.nextTick callback scheduled within a promise runs before the end of a body", async () => {
  const app = quietApp();
  const order: string[] = [];
  app.post("/:way", async (req, res) => {
    await Promise.resolve();
    process.nextTick(() => order.push("tick"));
    const end = () => {
      order.push("end");
      res.end();
    };
    if (req.params.way === "read") req.body = await req.text();
    if (req.params.way === "events") req.on("end", end).resume();
    else req.pipe({ write: () => true, end, once() {} });
  });
  for (const path of ["/events", "/pipe", "/read"]) await ask(app, path, { method: "POST" });
  assertEquals(order, ["tick", "end", "tick", "end", "tick", "end"]);
});

Deno.test("an unread body has ended when its request closes, and multer reports no further error", async () => {
  const app = quietApp();
  const failures: string[] = [];
  app.post("/", multer().none());
  app.use(
    ((error, req, res, _next) => {
      failures.push(error.message);
      req.on("close", () => failures.push(`${req.readableEnded} ${req.complete}`));
      res.end();
    }) as ErrorRequestHandler,
  );
  const headers = { "content-type": "multipart/form-data", "content-length": "11" };
  await (await ask(app, "/", { method: "POST", body: "no boundary", headers })).text();
  assertEquals(failures, ["Multipart: Boundary not found", "true true"]);
});

Deno.test("a request whose body was read to its end closes, and the answer may wait for that", async () => {
  const app = quietApp();
  const order: string[] = [];
  app.use(async (req, res) => {
    req.on("end", () => order.push(`end ${req.closed}`)).on("close", () => {
      order.push(`close ${req.closed} ${req.readableEnded}`);
      res.send(String(req.aborted));
    });
    if (req.path === "/events") req.resume();
    if (req.path === "/pipe") req.pipe(new PassThrough()).resume();
    if (req.path === "/readable") req.on("readable", () => void req.read());
    if (req.path === "/loop") { for await (const _ of req); }
  });
  for (const path of ["/events", "/pipe", "/readable", "/loop"]) {
    for (const init of [{ method: "POST", body: "read" }, {}]) {
      assertEquals(await (await ask(app, path, init)).text(), "false", path);
      assertEquals(order.splice(0), ["end false", "close true true"], path);
    }
  }
});

Deno.test("req.closed tells whether the request has closed already, and a parsed one has", async () => {
  const app = quietApp();
  app.get("/", (req, res) => void res.send(String(req.closed)));
  app.post("/", sluice.json(), async (req, res) => {
    if (!req.closed) await new Promise<void>((resolve) => void req.once("close", resolve));
    res.send(String(req.closed));
  });
  assertEquals(await (await ask(app, "/")).text(), "false");
  const init = { method: "POST", body: "{}", headers: { "content-type": "application/json" } };
  assertEquals(await (await ask(app, "/", init)).text(), "true");
});

Deno.test("programs can store values on a request under names that Express leaves free", async () => {
  const app = quietApp();
  const kept = { info: { user: 1 }, request: "mine", peer: { address: "of a friend" }, signal: "green" };
  app.use((req, _res, next) => {
    Object.assign(req, kept);
    next();
  }, sluice.json());
  app.post("/parsed", (req, res) => res.json([req.info, req.request, req.peer, req.signal, req.body, req.closed]));
  app.post("/read", async (req, res) => res.json([await req.text(), req.complete, req.socket.remoteAddress, req.ip]));
  app.mount("/mounted", async (request, info) => Response.json([await request.text(), info]));
  const json = { method: "POST", body: "{}", headers: { "content-type": "application/json" } };
  const text = { method: "POST", body: "plain" };
  assertEquals(await (await ask(app, "/parsed", json)).json(), [...Object.values(kept), {}, true]);
  assertEquals(await (await ask(app, "/read", text, PEER)).json(), ["plain", true, "192.0.2.7", "192.0.2.7"]);
  assertEquals(await (await ask(app, "/mounted", text, PEER)).json(), ["plain", PEER]);
});

Deno.test("plain fields of Node's and Express's requests may be assigned, and everything works as before", async () => {
  const [ours, theirs] = await askBoth((app: Any) => {
    const told: unknown[] = [];
    app.use("/assigned", (req: Any, res: Any, next: Any) => {
      const kept = {
        client: { id: 1 },
        connection: { query: "of a pool" },
        rawHeaders: ["Accept", "none"],
        app: { name: "a client's" },
      };
      Object.assign(req, kept, { aborted: false });
      res.on("finish", () => told.push("finish"));
      told.push(...Object.entries(kept).map(([name, value]) => req[name] === value));
      told.push(req.aborted);
      next();
    });
    app.get("/assigned", (_req: Any, res: Any) => {
      res.send("answered");
      res.finished = "long ago";
      told.push(res.finished);
    });
    app.get("/told", (_req: Any, res: Any) => res.json(told));
    app.get("/fails", (req: Any) => {
      req.app = null;
      throw Object.assign(new Error("told"), { status: 418 });
    });
  }, [{ path: "/assigned" }, { path: "/told" }, { path: "/fails" }]);
  assertEquals(ours.map(({ status }) => status), [200, 200, 418]);
  assertEquals(ours.slice(0, 2), theirs.slice(0, 2));
  assertEquals(ours[1]!.body, '[true,true,true,true,false,"long ago","finish"]');
});

Deno.test("the client's address, the host and the query work although a program has assigned req.app", async () => {
  const app = quietApp().enable("trust proxy");
  app.use((req, _res, next) => {
    Object.assign(req, { app: { id: 7 }, connection: null });
    next();
  });
  app.get("/", (req, res) => res.json([req.ip, req.protocol, req.hostname, req.subdomains, req.query, req.get("x-a")]));
  const headers = {
    "x-forwarded-for": "198.51.100.1",
    "x-forwarded-proto": "https",
    "x-forwarded-host": "a.b.example",
  };
  const response = await app.handle(new Request("http://localhost/?q=1", { headers }), PEER);
  assertEquals(await response.json(), ["198.51.100.1", "https", "a.b.example", ["a"], { q: "1" }, null]);
});

Deno.test("req._parsedUrl has the parts of the URL as Express's router keeps them, below mounts and after rewrites", async () => {
  const [ours, theirs] = await askBoth((app, { Router }) => {
    const seen: unknown[] = [];
    const look = ({ _parsedUrl: url }: Any) =>
      void seen.push([url.pathname, url.path, url.search, url.query, url.href]);
    const below = Router();
    below.use((req: Any, _res: Any, next: Any) => {
      look(req);
      req.url = "/moved?to=here";
      next();
    });
    below.get("/moved", (req: Any, res: Any) => {
      look(req);
      // like parseurl
      req._parsedUrl = { ...req._parsedUrl };
      res.json([...seen.splice(0), req._parsedUrl.pathname]);
    });
    app.use((req: Any, _res: Any, next: Any) => {
      look(req);
      req._parsedUrl = { ...req._parsedUrl };
      next();
    });
    app.use("/mount", below);
  }, [{ path: "/mount/a%20b?x=1&y" }, { path: "/mount/moved" }]);
  assertEquals(ours, theirs);
});

Deno.test("an unread body ends after the answer, and a body that was read does not end twice", async () => {
  const app = quietApp();
  const order: string[] = [];
  app.use((req, res) => {
    req.on("end", () => order.push("end")).on("close", () => order.push("close"));
    if (req.path === "/read") req.resume().on("end", () => res.send("read"));
    else setTimeout(() => res.send(String(order.push("answer"))), 0);
  });
  for (const init of [{}, { method: "POST" }, { method: "POST", body: "unread" }]) {
    await (await ask(app, "/", init)).text();
    assertEquals(order.splice(0), ["answer", "end", "close"]);
  }
  await (await ask(app, "/read", { method: "POST", body: "read" })).text();
  assertEquals(order, ["end", "close"]);
});

Deno.test("a complete answer closes before its connection, and one whose client has left closes after it", async () => {
  const app = quietApp();
  const order: string[] = [];
  app.use((req, res) => {
    req.socket.on("close", () => order.push("socket"));
    req.on("end", () => order.push("end")).on("close", () => order.push("request"));
    res.on("close", () => order.push("response")).on("finish", () => order.push("finish"));
    if (req.path === "/") res.send("answered");
  });
  await (await ask(app, "/")).text();
  assertEquals(order.splice(0), ["finish", "response", "socket", "end", "request"]);
  const leaving = new AbortController();
  const pending = app.handle(new Request("http://localhost/left", { signal: leaving.signal }));
  leaving.abort();
  await pending;
  assertEquals(order, ["socket", "response", "request"]);
});

Deno.test("a client that leaves is an error for listeners, and does not end the body", async () => {
  const app = quietApp();
  const events: string[] = [];
  app.get("/", (req) => {
    for (const event of ["end", "aborted", "error", "close"]) {
      req.on(event, (error?: Error & { code: string }) => events.push(`${event} ${error?.code ?? ""}`));
    }
  });
  const leaving = new AbortController();
  const pending = app.handle(new Request("http://localhost/", { signal: leaving.signal }));
  leaving.abort();
  await pending;
  assertEquals(events, ["aborted ", "error ECONNRESET", "close "]);
});

Deno.test("a client that leaves in the middle of a response is an error for the request's listeners", async () => {
  const app = quietApp();
  const events: string[] = [];
  const closed = Promise.withResolvers<void>();
  app.get("/", (req, res) => {
    for (const event of ["end", "aborted", "error"]) req.on(event, () => events.push(event));
    req.on("close", closed.resolve);
    res.write("begun");
  });
  const server = app.listen({ port: 0, hostname: "127.0.0.1" });
  const leaving = new AbortController();
  const response = await fetch(`http://127.0.0.1:${server.port}/`, { signal: leaving.signal });
  leaving.abort();
  await assertRejects(() => response.text());
  await closed.promise;
  assertEquals(events, ["aborted", "error"]);
  await app.close();
});

Deno.test("when the sender of a body leaves, its reader gets aborted before the error, as on Node", async () => {
  const app = quietApp();
  const events: string[] = [];
  app.post("/", (req) => {
    for (const event of ["data", "error", "aborted", "close"]) {
      req.on(event, () => events.push(`${event} ${req.aborted}`));
    }
  });
  const body = new ReadableStream({ pull: (controller) => controller.error(new Error("broken")) });
  await app.handle(new Request("http://localhost/", { method: "POST", body }));
  assertEquals(events, ["aborted true", "error true", "close true"]);
});

Deno.test("an answer that has begun is cut when the sender of the body leaves, and not left open", async () => {
  const app = quietApp();
  app.post("/", (req, res) => {
    res.flushHeaders();
    req.on("data", () => {}).on("end", () => res.end("received"));
  });
  const body = new ReadableStream({ pull: (controller) => controller.error(new Error("broken")) });
  const response = await app.handle(new Request("http://localhost/", { method: "POST", body }));
  await assertRejects(() => response.text(), Error, "cut off");
});

Deno.test("the signal aborts when the client leaves before the answer, not after it", async () => {
  const app = quietApp();
  const leaving = new AbortController();
  let signal: AbortSignal | undefined;
  let response: (() => void) | undefined;
  let gone: (() => boolean[]) | undefined;
  app.get("/", (req, res) => {
    signal = req.signal;
    response = () => res.send("late");
    gone = () => [req.aborted, req.readableAborted, req.destroyed];
  });
  const pending = app.handle(new Request("http://localhost/", { signal: leaving.signal }));
  assertEquals(gone!(), [false, false, false]);
  leaving.abort();
  assertEquals(signal!.aborted, true);
  assertEquals(gone!(), [true, true, true]);
  response!();
  await pending;
  const done = new AbortController();
  const answered = app.handle(new Request("http://localhost/", { signal: done.signal }));
  response!();
  await answered;
  done.abort();
  assertEquals(signal!.aborted, false);
  assertEquals(gone!(), [false, false, true]);
});

Deno.test("a request says with which error its body ended, as Node's does", async () => {
  const app = quietApp();
  const seen: unknown[] = [];
  const arrived = Promise.withResolvers<void>();
  const over = Promise.withResolvers<void>();
  const leaving = new AbortController();
  app.post("/left", (req, res) => {
    for (const event of ["aborted", "error", "close"]) {
      req.on(event, () => seen.push(event, (req.errored as { code?: string } | null)?.code));
    }
    res.on("close", over.resolve);
    seen.push(req.errored);
    arrived.resolve();
  });
  app.post("/read", async (req, res) => {
    for await (const _ of req);
    res.send(String(req.errored));
  });
  app.post("/failed", (req, res) => {
    req.on("error", () => {}).destroy(new Error("on purpose"));
    seen.push(req.errored?.message);
    res.end();
  });
  const post = (path: string, init: RequestInit = {}) =>
    app.handle(new Request(`http://localhost${path}`, { method: "POST", body: "body", ...init }));
  const left = post("/left", { signal: leaving.signal });
  await arrived.promise;
  leaving.abort();
  await over.promise;
  await left;
  assertEquals(seen.splice(0), [null, "aborted", "ECONNRESET", "error", "ECONNRESET", "close", "ECONNRESET"]);
  assertEquals(await (await post("/read")).text(), "null");
  await post("/failed");
  assertEquals(seen, ["on purpose"]);
});

Deno.test("a log line written at the end can tell a client that left from one that did not", async () => {
  const app = quietApp();
  const lines: string[] = [];
  app.use(morgan(":url :status", { stream: { write: (line: string) => void lines.push(line.trim()) } }));
  app.get("/left", () => {});
  app.get("/stayed", (req, res) => {
    req.socket.once("close", () => lines.push("closed"));
    res.send("answered");
  });
  const leaving = new AbortController();
  const pending = app.handle(new Request("http://localhost/left", { signal: leaving.signal }));
  leaving.abort();
  await pending;
  await (await ask(app, "/stayed")).text();
  assertEquals(lines, ["/left -", "/stayed 200", "closed"]);
});

Deno.test("the path is taken as it was sent, so that dots and escapes can be seen", async () => {
  const app = quietApp();
  app.use((req, res) => res.send(req.path));
  const server = app.listen({ port: 0, hostname: "127.0.0.1" });
  using connection = await Deno.connect({ hostname: "127.0.0.1", port: server.port });
  await connection.write(
    new TextEncoder().encode("GET /a/../%2e%2e/b?x HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"),
  );
  const text = await new Response(connection.readable).text();
  assertEquals(text.split("\r\n\r\n")[1], "/a/../%2e%2e/b");
  await app.close();
});

Deno.test("a handler may answer a request whose body breaks off, and the request ends if it does not", async () => {
  const broken = () => new ReadableStream({ pull: (controller) => controller.error(new Error("broken")) });
  const app = quietApp();
  const ended: string[] = [];
  app.use((_req, res, next) => {
    res.on("finish", () => ended.push("finish"));
    res.on("close", () => ended.push("close"));
    next();
  });
  app.post("/tells", async (req, res) => {
    try {
      for await (const _chunk of req);
    } catch (error) {
      const { message, code, cause } = error as Error & { code: string; cause: Error };
      res.status(400).send(`${message} ${code} ${cause.message}`);
    }
  });
  app.post("/waits", (req) => void req.on("data", () => {}));
  const post = (path: string) => app.handle(new Request(`http://localhost${path}`, { method: "POST", body: broken() }));
  const told = await post("/tells");
  assertEquals([told.status, await told.text()], [400, "aborted ECONNRESET broken"]);
  assertEquals((await post("/waits")).status, 400);
  await new Promise((resolve) => setTimeout(resolve, 0));
  // as on Node, this is the end of the exchange, whatever the response
  assertEquals(ended, ["close", "close"]);
});

Deno.test("an upload that an HTTP/2 client cancels fails for a handler that iterates over it", async () => {
  const app = quietApp();
  const begun = Promise.withResolvers<void>();
  const heard = Promise.withResolvers<unknown>();
  app.post("/", async (req) => {
    try {
      for await (const _chunk of req) begun.resolve();
      heard.resolve("all of it");
    } catch (error) {
      heard.resolve((error as { code: string }).code);
    }
  });
  const server = app.listen({ port: 0, hostname: "127.0.0.1", ...certificate() });
  const session = http2.connect(`https://localhost:${server.port}`, { rejectUnauthorized: false });
  const upload = session.request({ ":method": "POST", ":path": "/", "content-length": "1000" });
  upload.write("the first of them");
  await begun.promise;
  upload.destroy();
  assertEquals(await heard.promise, "ECONNRESET");
  await new Promise<void>((resolve) => session.close(resolve));
  await app.close();
});

Deno.test("a body that ends before its Content-Length, as Deno ends a cancelled one, fails for listeners", async () => {
  const app = quietApp();
  const closed = Promise.withResolvers<void>();
  const events: string[] = [];
  app.post("/", (req) => {
    req.on("data", (chunk: Uint8Array) => events.push(`data ${chunk.length}`)).on("end", () => events.push("end"));
    req.on("error", ({ code }: { code: string }) => events.push(`error ${code}`)).on("close", () => closed.resolve());
  });
  const init = { method: "POST", body: new Blob(["the first"]).stream(), headers: { "content-length": "1000" } };
  await ask(app, "/", init);
  await closed.promise;
  assertEquals(events, ["data 9", "error ECONNRESET"]);
});

Deno.test("iterating over a body in two loops yields all of it", async () => {
  const app = quietApp();
  app.post("/", async (req, res) => {
    let text = "";
    for (const destroyOnReturn of [false, true]) {
      for await (const chunk of req.setEncoding("utf8").iterator({ destroyOnReturn })) {
        text += chunk;
        if (!destroyOnReturn) break;
      }
    }
    res.send(text);
  });
  const init = { method: "POST", body: new Blob(["grü", "ße"]).stream(), headers: { "content-length": "7" } };
  assertEquals(await (await ask(app, "/", init)).text(), "grüße");
});

Deno.test("the target is extracted from any URL: with a fragment, without a path or a host, with a query only", async () => {
  const targets: Record<string, string> = {
    "http://x": "/",
    "http://x/": "/",
    "http://x/a?b=/c": "/a?b=/c",
    "http://x/a#f/g?h": "/a",
    "http://x/a?b#c": "/a?b",
    "http://x?b=/c": "/?b=/c",
    "http://x#f": "/",
    "https://[::1]:8080/a": "/a",
    "http://x:/a/b?c": "/a/b?c",
    "http+unix://%2Ftmp%2Fsocket/a/b": "/a/b",
    "/public/folder/b?c=/d": "/public/folder/b?c=/d",
    "/?b=http://x/y": "/?b=http://x/y",
    "//a/b": "//a/b",
  };
  for (const [url, target] of Object.entries(targets)) {
    const app = quietApp();
    app.use((req, res) => res.send(req.originalUrl));
    const request = new Request("http://localhost/");
    // a Request normalizes some of these; a server delivers them as received
    Object.defineProperty(request, "url", { value: url });
    assertEquals(await (await app.handle(request)).text(), target, url);
  }
});

Deno.test("a request whose URL is only a path, as Bun's without a valid Host, has no host, and mounts handle it", async () => {
  const app = quietApp();
  app.get(
    "/here/is/nobody",
    (req, res) => res.json([req.host ?? null, req.hostname ?? null, req.headers["host"] ?? null]),
  );
  app.mount("/below", (request) => new Response(new URL(request.url).pathname));
  const ask = async (path: string): Promise<string> => {
    const request = new Request("http://localhost/");
    Object.defineProperty(request, "url", { value: path });
    return await (await app.handle(request)).text();
  };
  assertEquals(await ask("/here/is/nobody"), "[null,null,null]");
  assertEquals(await ask("/below/the/mount"), "/the/mount");
});

Deno.test("the parts of a URL are the same however often it is requested, and between other URLs", async () => {
  const app = quietApp();
  app.use((req, res) => {
    // middleware may rewrite these, which must not affect later requests for the same URL
    const parts = [req.path, req.url, req.originalUrl, req.baseUrl, req.query];
    req.url = "/rewritten";
    res.json(parts);
  });
  const paths = ["/a", "/b?x=1", "/a/", "/b?x=2", "/", "/?y=1", "//c", "/d%20e", "/" + "long/".repeat(80)];
  for (let round = 0; round < 100; round++) {
    for (const path of [...paths, `/once/${round}?z=${round}`]) {
      const [, pathname, search] = /^([^?]*)\??(.*)$/.exec(path)!;
      const seen = await (await ask(app, path)).json();
      assertEquals(seen, [pathname, path, path, "", Object.fromEntries(new URLSearchParams(search))]);
    }
  }
});

Deno.test("whether the client has left is checked only when an answer takes time", async () => {
  let touched = 0;
  function request(path: string): Request {
    const made = new Request(`http://localhost${path}`);
    const { signal } = made;
    Object.defineProperty(made, "signal", { get: () => (touched++, signal) });
    return made;
  }
  const ended: string[] = [];
  const app = quietApp();
  app.use((req, res, next) => {
    req.on("close", () => void ended.push(`${req.path} close`));
    res.on("finish", () => void ended.push(`${req.path} finish`));
    next();
  });
  app.get("/now", (_req, res) => res.send("done"));
  app.get("/later", async (_req, res) => {
    await Promise.resolve();
    res.send("done");
  });
  await (await app.fetch(request("/now"))).text();
  assertEquals([touched, ended.toSorted()], [0, ["/now close", "/now finish"]]);
  await (await app.fetch(request("/later"))).text();
  assertEquals([touched, ended.length], [1, 4]);
});

Deno.test("a handler that waits although its client has already left is ended with 499", async () => {
  const app = quietApp();
  app.get("/", (req, res) => void res.on("close", () => req.app.set("left", true)));
  const response = await app.fetch(new Request("http://localhost/", { signal: AbortSignal.abort() }));
  assertEquals([response.status, app.get("left")], [499, true]);
});

Deno.test("a header that is read too late, in an untracked timer, is undefined, and the log says why", async () => {
  const logged: unknown[] = [];
  const log = console.error;
  console.error = (message) => void logged.push(message);
  const app = quietApp().set("env", "production");
  const late = Promise.withResolvers<unknown[]>();
  app.post("/", (req, res) => {
    res.end();
    setTimeout(() => late.resolve([req.get("x-told"), req.headers["x-told"], req.rawHeaders, req.ip, req.url]), 0);
  });
  const { port } = app.listen(0, "127.0.0.1");
  try {
    const response = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", headers: { "x-told": "kept" } });
    assertEquals(await response.text(), "");
    assertEquals(await late.promise, [undefined, undefined, [], undefined, "/"]);
  } finally {
    console.error = log;
    await app.close();
  }
  const said = logged.map((error) =>
    /^Error: (\S+) came after .* read it before the response/.exec(String(error))?.[1]
  );
  assertEquals(said, ['req.get("x-told")', "req.headers", "req.rawHeaders"]);
});

Deno.test("prepended listeners are called at the end of the request, of its socket and of the answer", async () => {
  const told: string[] = [];
  const app = quietApp();
  app.get("/", (req, res) => {
    req.prependListener("close", () => told.push("request"));
    req.socket.prependListener("close", () => told.push("socket"));
    res.prependListener("close", () => told.push("answer"));
    res.end();
  });
  await ask(app, "/");
  assertEquals(told.sort(), ["answer", "request", "socket"]);
});

Deno.test("unpiping neither stops nor starts the flow of a body, as in Express", async () => {
  const [ours, theirs] = await askBoth((app: Any) => {
    app.post("/listened-to", (req: Any, res: Any) => {
      let length = 0;
      req.on("data", (chunk: Any) => length += chunk.length);
      req.on("end", () => res.send(`${length}`));
      req.unpipe();
      req.unpipe(new Writable());
    });
    app.post("/taken-off", (req: Any, res: Any) => {
      let length = 0;
      const full = new Writable({
        highWaterMark: 1,
        write(chunk, _encoding, done) {
          length += chunk.length;
          setTimeout(() => {
            req.unpipe(full);
            done();
          }, 1);
        },
      });
      full.once("drain", () =>
        setTimeout(() => {
          req.on("data", (chunk: Any) => length += chunk.length);
          req.on("end", () => res.send(`${length}`));
          req.resume();
        }, 5));
      req.pipe(full);
    });
  }, ["/listened-to", "/taken-off"].map((path) => ({ path, init: { method: "POST", body: "x".repeat(600_000) } })));
  assertEquals(ours, theirs);
  assertEquals(ours.map(({ body }) => body), ["600000", "600000"]);
});

Deno.test("a body may be read by a loop and by listeners at once, as in Express", async () => {
  const [ours, theirs] = await askBoth((app: Any) => {
    const counted = (req: Any, told: () => void) => {
      let length = 0;
      req.on("data", (chunk: Any) => length += chunk.length);
      req.on("end", () => (req.counted = length, told()));
    };
    const loop = async (req: Any, res: Any) => {
      let length = 0;
      for await (const chunk of req) length += chunk.length;
      return () => res.send(`${length} ${req.counted}`);
    };
    app.post("/loop-behind", async (req: Any, res: Any) => {
      const ended = new Promise<void>((told) => counted(req, told));
      const response = await loop(req, res);
      await ended;
      response();
    });
    app.post("/loop-in-front", async (req: Any, res: Any) => {
      const response = loop(req, res);
      await new Promise<void>((told) => counted(req, told));
      (await response)();
    });
    app.post("/array", async (req: Any, res: Any) => {
      req.resume();
      res.send(Buffer.concat(await req.toArray()));
    });
    app.post("/pipe", async (req: Any, res: Any) => {
      req.pipe(res);
      for await (const _chunk of req);
    });
  }, [
    ...["/loop-behind", "/loop-in-front"].map((path) => ({
      path,
      init: { method: "POST", body: "x".repeat(300_000) },
    })),
    ...["/array", "/pipe"].map((path) => ({ path, init: { method: "POST", body: "hello" } })),
  ]);
  assertEquals(ours, theirs);
  assertEquals(ours.map(({ body }) => body), ["300000 300000", "300000 300000", "hello", "hello"]);
});

Deno.test("req.read(size) returns so much or waits for it, and req.unshift puts something in front, as in Express", async () => {
  const [ours, theirs] = await askBoth((app: Any) => {
    app.post("/frames", (req: Any, res: Any) => {
      const frames: string[] = [];
      if (req.query.encoding) req.setEncoding(req.query.encoding);
      req.on("readable", () => {
        for (let frame; (frame = req.read(4)) !== null;) frames.push(String(frame));
      });
      req.on("end", () => res.json(frames));
    });
    app.post("/header", (req: Any, res: Any) => {
      req.once("readable", () => {
        const [header, rest] = String(req.read()).split("\n");
        req.unshift(rest, "hex");
        req.on("data", (chunk: Any) => res.write(`${header}: ${chunk}`));
        req.on("end", () => res.end());
      });
    });
    app.post("/parsed", (req: Any, _res: Any, next: Any) => {
      req.unshift(Buffer.from('{"a":'));
      next();
    }, (req: Any, res: Any) => {
      let text = "";
      req.on("data", (chunk: Any) => text += chunk);
      req.on("end", () => res.json(JSON.parse(text)));
    });
  }, [
    { path: "/frames", init: { method: "POST", body: "one two three" } },
    { path: "/frames?encoding=hex", init: { method: "POST", body: "12345" } },
    { path: "/header", init: { method: "POST", body: "name\n68656c6c6f" } },
    { path: "/parsed", init: { method: "POST", body: "1}" } },
  ]);
  assertEquals(ours, theirs);
  assertEquals(ours.map(({ body }) => body), [
    '["one ","two ","thre","e"]',
    '["3132","3334","35"]',
    "name: hello",
    '{"a":1}',
  ]);
});

Deno.test("a listener that comes after others gets what waits, whatever was paused before, as in Express", async () => {
  const [ours, theirs] = await askBoth((app: Any) => {
    app.post("/once-readable", (req: Any, res: Any) => {
      req.pause();
      req.once("readable", () =>
        setTimeout(() => {
          req.on("data", (chunk: Any) => res.write(chunk));
          req.on("end", () => res.end());
        }));
    });
    app.post("/readable-late", (req: Any, res: Any) => {
      req.once("readable", () =>
        setTimeout(() => {
          req.on("readable", () => {
            const chunk = req.read();
            if (chunk !== null) res.write(chunk);
          });
          req.on("end", () => res.end());
        }));
    });
  }, ["/once-readable", "/readable-late"].map((path) => ({ path, init: { method: "POST", body: "hello" } })));
  assertEquals(ours, theirs);
  assertEquals(ours.map(({ body }) => body), ["hello", "hello"]);
});

Deno.test("a body of which only the encoding was set ends after the answer, as in Express", async () => {
  const ended = Promise.withResolvers<string>();
  const app = quietApp();
  app.post("/", (req, res) => {
    req.setEncoding("utf8").on("end", () => ended.resolve("end")).on("close", () => ended.resolve("close"));
    res.end();
  });
  await ask(app, "/", { method: "POST", body: "x" });
  assertEquals(await ended.promise, "end");
});

Deno.test("a chunk that arrives while the body is paused waits for resume", async () => {
  const pieces = new TransformStream<Uint8Array, Uint8Array>();
  const writer = pieces.writable.getWriter();
  const paused = Promise.withResolvers<void>();
  const seen: string[] = [];
  const app = quietApp();
  app.post("/", (req, res) => {
    req.setEncoding("utf8");
    req.on("data", (chunk: string) => {
      seen.push(chunk);
      if (chunk !== "one") return;
      setTimeout(() => {
        req.pause();
        paused.resolve();
      });
    });
    req.on("end", () => res.end());
    void paused.promise.then(async () => {
      await writer.write(new TextEncoder().encode("two"));
      setTimeout(() => {
        seen.push("resumed");
        req.resume();
        void writer.close();
      });
    });
  });
  void writer.write(new TextEncoder().encode("one"));
  await ask(app, "/", { method: "POST", body: pieces.readable });
  assertEquals(seen, ["one", "resumed", "two"]);
});

Deno.test("a body can be read in every encoding that Node has, as in Express", async () => {
  const encodings = ["utf8", "UTF-8", "latin1", "binary", "ascii", "hex", "base64", "base64url"];
  const bytes = new Uint8Array(100_001).map((_, i) => i % 256);
  bytes.set([0xef, 0xbb, 0xbf]);
  const wide = Buffer.from("grün 😀".repeat(20_000), "utf16le");
  const [ours, theirs] = await askBoth((app: Any) => {
    app.post("/:encoding", async (req: Any, res: Any) => {
      let text = "";
      for await (const chunk of req.setEncoding(req.params.encoding)) text += chunk;
      res.json(text);
    });
    app.put("/", (req: Any, res: Any) => {
      const refused = ["nope", "latin-one"].map((name) => {
        try {
          req.setEncoding(name);
        } catch (error) {
          return (error as Any).code;
        }
      });
      req.setEncoding().on("data", (chunk: unknown) => refused.push(typeof chunk)).on("end", () => res.json(refused));
    });
  }, [
    ...encodings.map((encoding) => ({ path: `/${encoding}`, init: { method: "POST", body: bytes } })),
    ...["ucs2", "utf16le"].map((encoding) => ({ path: `/${encoding}`, init: { method: "POST", body: wide } })),
    { path: "/", init: { method: "PUT", body: "text" } },
  ]);
  assertEquals(ours, theirs);
  assertEquals(ours.at(-1)!.body, '["ERR_UNKNOWN_ENCODING","ERR_UNKNOWN_ENCODING","string"]');
});

Deno.test("req.waitUntil refuses a function, which would never run", async () => {
  const message = "req.waitUntil expects a promise, not a function; call it";
  await seen((req) => assertThrows(() => req.waitUntil((() => {}) as never), TypeError, message));
});

Deno.test("'body' in req tells whether the body has been parsed or assigned, as in Express", async () => {
  // tRPC's adapters do this, and use req.body, if present, as the whole body
  const readUnread = async (req: Any, res: Any) => {
    if ("body" in req) return res.json([Object.hasOwn(req, "body"), req.body ?? "nothing"]);
    let sent = "";
    for await (const chunk of req) sent += chunk;
    res.json(["unread", sent]);
  };
  const post = (path: string, type: string) => ({
    path,
    init: { method: "POST", headers: { "content-type": type }, body: '{"a":1}' },
  });
  const [ours, theirs] = await askBoth((app: Any, { json }: Any) => {
    app.use("/unread", readUnread);
    app.use("/parsed", json(), json(), readUnread);
    app.use("/assigned", (req: Any, _res: Any, next: Any) => next(void (req.body = "by hand")), json(), readUnread);
  }, [
    post("/unread", "application/json"),
    post("/parsed", "application/json"),
    post("/parsed", "text/plain"),
    post("/assigned", "text/plain"),
    { path: "/unread" },
    { path: "/parsed" },
  ]);
  assertEquals(ours, theirs);
  assertEquals(ours.map(({ body }) => body), [
    '["unread","{\\"a\\":1}"]',
    '[true,{"a":1}]',
    '[true,"nothing"]',
    '[true,"by hand"]',
    '["unread",""]',
    '[true,"nothing"]',
  ]);
});

Deno.test("no listener runs while it is being added, even if that is when the client is found to be gone", async () => {
  for (const event of ["error", "aborted"]) {
    const heard: string[] = [];
    const { promise: over, resolve } = Promise.withResolvers<void>();
    const client = new AbortController();
    const app = quietApp();
    app.post("/", async (req: Any) => {
      await null;
      client.abort();
      const emitter = event === "error" ? req.socket : req;
      emitter.on(event, () => {
        heard.push(event);
        resolve();
      });
      heard.push("added");
    });
    const body = new ReadableStream({ pull: () => new Promise(() => {}) });
    await app.fetch(new Request("http://localhost/", { method: "POST", body, signal: client.signal }));
    await over;
    assertEquals(heard, ["added", event]);
  }
});

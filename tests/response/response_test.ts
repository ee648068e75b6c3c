import { fileURLToPath } from "node:url";
import { assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import type { ErrorHandler, FrameworkApp, FrameworkResponse } from "@sluice/sluice";
import { ask, askText, quietApp, serving } from "../support/app.ts";

/** Runs a handler and returns its response. */
function answered(handler: (res: FrameworkResponse) => unknown, init?: RequestInit): Promise<Response> {
  const app = quietApp();
  app.use((_req, res) => void handler(res));
  return ask(app, "/", init);
}

/** Runs a function on a response and returns the thrown error. */
async function failureOf(attempt: (res: FrameworkResponse) => unknown): Promise<Error> {
  let failure: unknown;
  await answered((res) => {
    try {
      attempt(res);
    } catch (error) {
      failure = error;
    }
    if (!res.headersSent) res.end();
  });
  return failure as Error;
}

Deno.test("a cookie's name is a token, as in Express", async () => {
  for (const name of ["a/b", "<b>", 'a"b', "a,b", "a b", "a;b", "ü"]) {
    const error = await failureOf((res) => res.cookie(name, "value"));
    assertEquals(error.message, `argument name is invalid: ${name}`);
  }
});

Deno.test("a cookie needs a name", async () => {
  const error = await failureOf((res) => res.cookie(undefined as never, "value"));
  assertEquals(error.message, "res.cookie expects a name as a string, not undefined");
});

Deno.test("a value that cannot be sent is refused, naming the method and the value", async () => {
  const refused: readonly (readonly [says: string, attempt: (res: FrameworkResponse) => unknown])[] = [
    ["res.send expects a string, bytes or a JSON value, not a function", (res) => res.send(() => "called")],
    ["res.send expects a string, bytes or a JSON value, not a symbol", (res) => res.send(Symbol() as never)],
    ["res.download expects a path as a string, not undefined", (res) => res.download(undefined as never)],
    ["res.render and app.render expect a view's name, not undefined", (res) => res.render(undefined as never)],
    ["res.type expects a media type or extension as a string, not undefined", (res) => res.type(undefined as never)],
    ['res.format: handler "html" must be a function, not string', (res) => res.format({ html: "x" as never })],
    ["res.attachment expects a name as a string, not number", (res) => res.attachment(7 as never)],
    ["res.vary expects a header name or a list of them, not 5", (res) => res.vary(5 as never)],
    ["res.vary: header name must be a valid HTTP token, not 5", (res) => res.vary(["Accept", 5 as never])],
    ["res.links expects an object of relations and URLs, not null", (res) => res.links(null as never)],
    ['res.links expects an object of relations and URLs, not "/2"', (res) => res.links("/2" as never)],
    ["res.format expects an object of types and handlers, not undefined", (res) => res.format(undefined as never)],
    ["res.set expects a header name as a string, not 5", (res) => res.set(5 as never, "lost")],
    ["res.set expects a header name as a string, not undefined", (res) => res.set(undefined as never, "lost")],
    ["a header name must be a string, not undefined", (res) => res.get(undefined as never)],
    ["a header name must be a string, not 5", (res) => res.removeHeader(5 as never)],
    ["res.setHeaders expects a Headers or a Map, not an object", (res) => res.setHeaders({ "X-Lost": "1" } as never)],
    ["res.setHeaders expects a Headers or a Map, not undefined", (res) => res.setHeaders(undefined as never)],
    ["res.download expects a file name as a string, not 7", (res) => res.download("/a.txt", 7 as never)],
    [
      "res.redirect([status,] url) expects the URL as a string, not undefined",
      (res) => res.redirect(undefined as never),
    ],
    ["expects the URL as a string, not undefined", (res) => res.redirect(301, undefined as never)],
    ["expects the URL as a string, not 301", (res) => res.redirect("/login" as never, 301 as never)],
    ["res.append expects a header name as a string, not undefined", (res) => res.append(undefined as never, "lost")],
    ['res.set needs a value for "X-Lost"; res.get reads a header', (res) => res.set("X-Lost")],
    ['res.set needs a value for "X-Lost"; res.get reads a header', (res) => res.header("X-Lost")],
    ["res.cookie expects a function, not 7", (res) => res.cookie("a", "b", { encode: 7 as never })],
    ['res.sendFile expects its options as an object, not "public"', (res) => res.sendFile("/a", "public" as never)],
    ["option root of res.sendFile must be a path as a string, not an object", (res) => {
      res.sendFile("a.txt", { root: new URL("file:///public") as never });
    }],
  ];
  for (const [says, attempt] of refused) {
    const error = await failureOf(attempt);
    assertEquals(error instanceof TypeError, true, says);
    assertStringIncludes(error.message, says);
  }
});

Deno.test("a status that is not a number becomes a 500 that says so", async () => {
  for (const status of ["soon", undefined, NaN]) {
    const response = await answered((res) => {
      res.statusCode = status as number;
      res.send("x");
    });
    assertEquals(response.status, 500);
    assertStringIncludes(await response.text(), `A web response carries a status from 200 to 599, not ${status}`);
  }
});

Deno.test("header values with CR or LF are refused with an error", async () => {
  for (const value of ["a\r\nx: y", "a\nb", "a\0b"]) {
    const error = await failureOf((res) => res.set("x-test", value));
    assertStringIncludes(error.message, "Invalid character in header content");
    assertStringIncludes(error.message, "x-test");
  }
  assertStringIncludes((await failureOf((res) => res.set("bad name", "x"))).message, "res.setHeader");
});

Deno.test("a second answer is Node's error, whose cause names the method", async () => {
  const late: readonly (readonly [caller: string, verb: string, again: (res: FrameworkResponse) => unknown])[] = [
    ["res.send", "set", (res) => res.send("second")],
    ["res.json", "set", (res) => res.json("second")],
    ["res.jsonp", "set", (res) => res.jsonp("second")],
    ["res.redirect", "set", (res) => res.redirect("/second")],
    ["res.setHeader", "set", (res) => res.set("a", "b")],
    ["res.appendHeader", "append", (res) => res.appendHeader("a", "b")],
    ["res.removeHeader", "remove", (res) => res.removeHeader("a")],
    ["res.writeHead", "write", (res) => res.writeHead(200)],
  ];
  for (const [caller, verb, again] of late) {
    const error = await failureOf((res) => {
      res.send("first");
      again(res);
    });
    assertEquals(error.message, `Cannot ${verb} headers after they are sent to the client`);
    assertEquals((error as Error & { code: string }).code, "ERR_HTTP_HEADERS_SENT");
    assertEquals(error.cause, `${caller} came after the response to this request: respond once, then return`);
  }
});

Deno.test("_headers, as middleware for older Nodes uses it, shows the headers, and replaces all when assigned", async () => {
  const response = await answered((res) => {
    const { _headers: seen } = res.set("X-Old", "1") as unknown as { _headers: Record<string, string> };
    Object.assign(res, { _headers: { "x-new": "2", "x-seen": seen["x-old"] } });
    res.send("x");
  });
  const { headers } = response;
  assertEquals([headers.get("x-old"), headers.get("x-new"), headers.get("x-seen")], [null, "2", "1"]);
});

Deno.test("a status outside 100 to 999 is a RangeError, one that is no integer a TypeError", async () => {
  assertEquals((await failureOf((res) => res.status(99))) instanceof RangeError, true);
  assertEquals((await failureOf((res) => res.status(1000))) instanceof RangeError, true);
  assertEquals((await failureOf((res) => res.status(200.5))) instanceof TypeError, true);
  assertEquals((await failureOf((res) => res.status("200" as unknown as number))) instanceof TypeError, true);
});

Deno.test("a status that no web response can carry is an error, not a crash", async () => {
  assertEquals((await answered((res) => res.status(700).send("x"))).status, 500);
});

Deno.test("JSON is sent without a tag and a charset when the settings say so", async () => {
  const app = leanApp();
  app.get("/", (_req, res) => res.json({ a: 1 }));
  const { headers } = await ask(app, "/");
  assertEquals([headers.get("content-type"), headers.get("etag")], ["application/json", null]);
});

/** An application where the runtime itself serializes JSON responses. */
function leanApp(): FrameworkApp {
  return quietApp().set("etag", false).set("json charset", false);
}

Deno.test("JSON serialized by the runtime is what JSON.stringify returns, and its length is known afterwards", async () => {
  const loop: Record<string, unknown> = {};
  loop["self"] = loop;
  const cases: [unknown, string][] = [
    [{ a: 1, b: undefined }, '{"a":1}'],
    [["\u00e9", "\u{1f600}"], '["\u00e9","\u{1f600}"]'],
    [null, "null"],
    ["text", '"text"'],
    [7, "7"],
    [new Date(0), '"1970-01-01T00:00:00.000Z"'],
    [{ toJSON: () => [1] }, "[1]"],
    [{ toJSON: () => undefined }, ""],
    [undefined, ""],
    [() => {}, ""],
  ];
  for (const [value, text] of cases) {
    const seen: unknown[] = [];
    const app = leanApp();
    app.get("/", (_req, res) => {
      res.json(value);
      seen.push(res.headersSent, res.writableEnded, res.getHeader("content-length"), res.getHeader("content-type"));
    });
    const response = await ask(app, "/");
    assertEquals([response.status, response.headers.get("content-type")], [200, "application/json"]);
    assertEquals(await response.text(), text);
    const length = String(new TextEncoder().encode(text).length);
    assertEquals(seen, [true, true, text === "" ? undefined : length, "application/json"]);
  }
  const app = leanApp();
  app.get("/", (_req, res) => res.json(loop));
  app.use((error: Error, _req: unknown, res: FrameworkResponse, _next: unknown) => res.status(500).json(error.name));
  assertEquals([(await ask(app, "/")).status, await askText(app, "/")], [500, '"TypeError"']);
});

Deno.test("JSON serialized by the runtime keeps status, headers, settings and methods that middleware replaced", async () => {
  const app = leanApp();
  app.get("/status", (_req, res) => res.status(201).json({}));
  app.get("/header", (_req, res) => res.set("x-test", "1").json({}));
  app.get("/type", (_req, res) => res.type("application/problem+json").json({}));
  app.get("/send", (_req, res) => {
    const { send } = res;
    res.send = (body) => send.call(res, `${body} `);
    res.json({});
  });
  app.get("/end", (_req, res) => {
    const { end } = res;
    res.end = () => end.call(res, "ended");
    res.json({});
  });
  assertEquals((await ask(app, "/status")).status, 201);
  assertEquals((await ask(app, "/header")).headers.get("x-test"), "1");
  assertEquals((await ask(app, "/type")).headers.get("content-type"), "application/problem+json; charset=utf-8");
  assertEquals([await askText(app, "/send"), await askText(app, "/end")], ["{} ", "ended"]);
  const head = await ask(app, "/header", { method: "HEAD" });
  assertEquals([head.body, head.headers.get("content-length")], [null, "2"]);
  app.set("json spaces", 1).get("/spaced", (_req, res) => res.json({ a: "<" }));
  assertEquals(await askText(app, "/spaced"), '{\n "a": "<"\n}');
  app.set("json spaces", undefined).set("json escape", true);
  assertEquals(await askText(app, "/spaced"), '{"a":"\\u003c"}');
});

Deno.test("a weak entity tag is sent and answered with 304", async () => {
  const app = quietApp();
  app.get("/", (_req, res) => res.send("hello"));
  const tag = (await ask(app, "/")).headers.get("etag")!;
  assertEquals(tag.startsWith('W/"5-'), true);
  const again = await ask(app, "/", { headers: { "if-none-match": tag } });
  assertEquals([again.status, await again.text(), again.headers.get("content-type")], [304, "", null]);
});

Deno.test("a custom tag that no header can carry is an error, which is answered without the tag", async () => {
  const app = quietApp().set("etag", (body: unknown) => String(body).startsWith("h") ? "wide →" : '"narrow"');
  app.get("/", (_req, res) => res.send("hello"));
  app.use(((error, _req, res, _next) => res.send(`${error.code}`)) as ErrorHandler);
  const response = await ask(app, "/");
  assertEquals([response.status, response.headers.get("etag"), await response.text()], [
    200,
    '"narrow"',
    "ERR_INVALID_CHAR",
  ]);
});

Deno.test("a length that was set before does not count for HEAD either, where the body has another one", async () => {
  const app = quietApp();
  const failing = Object.assign(new Error("no"), { status: 400, headers: { "content-length": "3" } });
  app.use((_req, res, next) => next(void res.set("Content-Length", "999")));
  app.get("/send", (_req, res) => res.send("hello"));
  app.get("/json", (_req, res) => res.json({ a: 1 }));
  app.get("/redirect", (_req, res) => res.redirect("/elsewhere"));
  app.get("/status", (_req, res) => res.sendStatus(404));
  app.get("/error", (_req, _res, next) => next(failing));
  app.get("/own", (_req, res) => res.end());
  for (const path of ["/send", "/json", "/redirect", "/status", "/error"]) {
    const { byteLength } = await (await ask(app, path)).arrayBuffer();
    const { headers } = await ask(app, path, { method: "HEAD" });
    assertEquals(headers.get("content-length"), String(byteLength), path);
  }
  assertEquals((await ask(app, "/own", { method: "HEAD" })).headers.get("content-length"), "999");
});

Deno.test("HEAD has the headers of GET and no body", async () => {
  const app = quietApp();
  app.get("/", (_req, res) => res.send("hello"));
  const response = await ask(app, "/", { method: "HEAD" });
  assertEquals([response.headers.get("content-length"), response.body], ["5", null]);
});

Deno.test("204, 205 and 304 have no body", async () => {
  for (const status of [204, 205, 304]) {
    assertEquals((await answered((res) => res.status(status).send("body"))).body, null);
    assertEquals((await answered((res) => res.status(status).end("body"))).body, null);
  }
});

Deno.test("blobs, streams and async iterables are sent as they come", async () => {
  async function* words() {
    yield "one ";
    await Promise.resolve();
    yield new TextEncoder().encode("two");
  }
  const blob = await answered((res) => res.send(new Blob(["blob"], { type: "text/x-blob" })));
  assertEquals([await blob.text(), blob.headers.get("content-type")], ["blob", "text/x-blob"]);
  assertEquals(await (await answered((res) => res.send(words()))).text(), "one two");
  assertEquals(await (await answered((res) => res.send(new Blob(["stream"]).stream()))).text(), "stream");
});

Deno.test("an async iterable is pulled no faster than the client reads", async () => {
  let made = 0;
  async function* endless() {
    for (;;) {
      made++;
      yield await Promise.resolve(new Uint8Array(1024));
    }
  }
  const response = await answered((res) => res.send(endless()));
  const reader = response.body!.getReader();
  await reader.read();
  await reader.read();
  assertEquals(made <= 3, true, `${made} chunks were made`);
  await reader.cancel();
});

Deno.test("an error in mid-stream cuts the answer and is logged", async () => {
  const logged: unknown[] = [];
  const log = console.error;
  console.error = (message) => void logged.push(message);
  try {
    const app = quietApp().set("env", "production");
    app.get("/", (_req, res) => {
      res.send((async function* () {
        yield await Promise.resolve("begun");
        throw new Error("broke in the middle");
      })());
    });
    const response = await ask(app, "/");
    await assertRejects(() => response.text());
  } finally {
    console.error = log;
  }
  assertStringIncludes(String(logged[0]), "broke in the middle");
});

Deno.test("write and end stream a body, and write returns whether to wait", async () => {
  const states: boolean[] = [];
  const app = quietApp();
  app.get("/", (_req, res) => {
    states.push(res.write("a"), res.headersSent, res.write(new Uint8Array(64 * 1024).fill(98)));
    res.once("drain", () => res.end("c"));
  });
  const text = await askText(app, "/");
  assertEquals(states, [true, true, false]);
  assertEquals([text.length, text[0], text.at(-1)], [64 * 1024 + 2, "a", "c"]);
});

Deno.test("a response tells how much of it is buffered, and whether drain will be emitted, as in Node", async () => {
  const states: unknown[] = [];
  const app = quietApp();
  app.get("/", (_req, res) => {
    const note = () => states.push([res.writableLength >= 64 * 1024, res.writableNeedDrain]);
    note();
    res.write("a");
    note();
    res.write(new Uint8Array(64 * 1024));
    note();
    states.push(res.writableHighWaterMark >= 16 * 1024);
    res.once("drain", () => {
      note();
      res.end();
      states.push([res.writableLength, res.writableNeedDrain]);
    });
  });
  await askText(app, "/");
  const [quiet, waiting] = [[false, false], [true, true]];
  assertEquals(states, [quiet, quiet, waiting, true, quiet, [0, false]]);
});

Deno.test("finish and close are emitted once the answer is complete", async () => {
  const events: string[] = [];
  await answered((res) => {
    res.on("finish", () => events.push("finish")).on("close", () => events.push("close"));
    res.send("x");
  });
  await Promise.resolve();
  assertEquals(events, ["finish", "close"]);
});

Deno.test("Node's header functions work in any case", async () => {
  await answered((res) => {
    res.setHeader("X-One", "1").appendHeader("x-one", "2");
    assertEquals(res.getHeader("x-ONE"), ["1", "2"]);
    assertEquals([res.hasHeader("X-one"), res.getHeaderNames()], [true, ["x-one"]]);
    res.removeHeader("x-one");
    assertEquals(res.hasHeader("x-one"), false);
    res.writeHead(202, "Fine", { "X-Two": "2" });
    assertThrows(() => res.setHeader("x", "y"), Error, "res.setHeader");
    res.end();
    assertEquals([res.writableEnded, res.finished, res.statusMessage], [true, true, "Fine"]);
  });
});

Deno.test("several cookies are several header lines", async () => {
  const response = await answered((res) => res.cookie("a", "1").cookie("b", "2", { maxAge: 1000 }).send(""));
  assertEquals(response.headers.getSetCookie().length, 2);
  assertStringIncludes(response.headers.getSetCookie()[1]!, "Max-Age=1;");
});

Deno.test("a middleware may replace send, writeHead and end, as npm's do", async () => {
  const app = quietApp();
  const seen: unknown[] = [];
  app.use((_req, res, next) => {
    const { writeHead, end, send } = res;
    // deno-lint-ignore no-explicit-any -- what such middleware looks like
    const patched = res as any;
    patched.writeHead = (...args: [number]) => {
      res.setHeader("x-late", "1");
      return writeHead.apply(res, args);
    };
    patched.end = (...args: [string]) => (seen.push(res.getHeader("content-length")), end.apply(res, args));
    patched.send = (body: string) => (seen.push(body), send.call(res, body));
    next();
  });
  app.get("/", (_req, res) => res.json({ a: 1 }));
  const response = await ask(app, "/");
  assertEquals([response.headers.get("x-late"), await response.json()], ["1", { a: 1 }]);
  assertEquals(seen, ['{"a":1}', "7"]);
});

Deno.test("a redirect has its length when a replaced end is called, since sessions write the body before they end it", async () => {
  const app = quietApp();
  const seen: unknown[] = [];
  app.use((_req, res, next) => {
    const { end } = res;
    // deno-lint-ignore no-explicit-any -- what such middleware looks like
    (res as any).end = (...args: [string]) => (seen.push(res.getHeader("content-length")), end.apply(res, args));
    next();
  });
  app.get("/", (_req, res) => res.redirect("/there"));
  assertEquals((await (await ask(app, "/")).text()).length, 28);
  assertEquals(seen, ["28"]);
});

Deno.test("over a socket: lengths, HEAD and streams are framed by the runtime", async () => {
  const app = quietApp();
  app.get("/whole", (_req, res) => res.send("grüße"));
  app.get("/stream", (_req, res) => (res.write("a"), res.end("b")));
  await serving(app, async (origin) => {
    const whole = await fetch(`${origin}/whole`);
    assertEquals([whole.headers.get("content-length"), await whole.text()], ["7", "grüße"]);
    const head = await fetch(`${origin}/whole`, { method: "HEAD" });
    assertEquals([head.headers.get("content-length"), await head.text()], ["7", ""]);
    const stream = await fetch(`${origin}/stream`);
    assertEquals([stream.headers.get("content-length"), await stream.text()], [null, "ab"]);
  });
});

Deno.test("a Response returned after the client has left is cancelled, and not kept open", async () => {
  const app = quietApp();
  const leaving = new AbortController();
  const cancelled = Promise.withResolvers<void>();
  app.get("/", async (_req, res) => {
    const closed = new Promise((resolve) => res.on("close", resolve));
    leaving.abort();
    await closed;
    return new Response(new ReadableStream({ cancel: () => cancelled.resolve() }));
  });
  const response = await app.handle(new Request("http://localhost/", { signal: leaving.signal }));
  assertEquals([response.status, response.body], [499, null]);
  await cancelled.promise;
});

Deno.test("sending a file to a client that has left fails with ECONNABORTED, as on Express", async () => {
  const app = quietApp();
  const leaving = new AbortController();
  const told = Promise.withResolvers<string | undefined>();
  app.get("/", (_req, res) => {
    res.on("close", () => res.sendFile(fileURLToPath(import.meta.url), (error) => told.resolve(error?.code)));
    setTimeout(() => leaving.abort(), 0);
  });
  const response = await app.handle(new Request("http://localhost/", { signal: leaving.signal }));
  assertEquals([response.status, await told.promise], [499, "ECONNABORTED"]);
});

for (const bytes of [10, 100_000, 3_000_000]) {
  Deno.test(`a client that disconnects while a file of ${bytes} bytes is opened or read has an ECONNABORTED, as on Express`, async () => {
    const path = await Deno.makeTempFile();
    await Deno.truncate(path, bytes);
    const app = quietApp();
    const leaving = new AbortController();
    const failed = Promise.withResolvers<string | undefined>();
    app.get("/", (_req, res) => {
      res.sendFile(path, (error) => failed.resolve(error?.code));
      // when the headers are set, the file is known but its bytes have not been read
      const setHeader = res.setHeader.bind(res);
      res.setHeader = (name, value) => {
        if (name === "Content-Length") queueMicrotask(() => leaving.abort());
        return setHeader(name, value);
      };
    });
    await app.handle(new Request("http://localhost/", { signal: leaving.signal }));
    assertEquals(await failed.promise, "ECONNABORTED");
    await Deno.remove(path);
  });
}

Deno.test("a text that is sent after the client has left shows its own status and type, not those of the 499", async () => {
  const app = quietApp().set("etag", false);
  const leaving = new AbortController();
  const shown = Promise.withResolvers<unknown[]>();
  app.get("/", (req, res) => {
    req.on("close", () => {
      res.send("late");
      shown.resolve([res.headersSent, res.statusMessage, res.get("Content-Type")]);
    });
    setTimeout(() => leaving.abort(), 0);
  });
  const response = await app.handle(new Request("http://localhost/", { signal: leaving.signal }));
  assertEquals([response.status, await shown.promise], [499, [true, "OK", "text/html; charset=utf-8"]]);
});

Deno.test("a Response sent to several clients is not changed, and no client sees another's cookie", async () => {
  const shared = new Response(null, { headers: { "content-type": "text/plain" } });
  const app = quietApp();
  app.get("/:name", (req, res) => {
    res.cookie("name", req.params.name);
    return shared;
  });
  const [one, two] = await Promise.all(["/one", "/two"].map((path) => ask(app, path)));
  assertEquals([one, two].map((response) => response!.headers.getSetCookie()), [["name=one; Path=/"], [
    "name=two; Path=/",
  ]]);
  assertEquals(shared.headers.getSetCookie(), []);
});

Deno.test("finish is emitted for a returned stream once it has ended", async () => {
  const heard: string[] = [];
  const app = quietApp();
  app.get("/", (_req, res) => {
    res.set("X-Before", "yes").on("finish", () => heard.push("finish"));
    const words = ReadableStream.from(["one ", "two"]).pipeThrough(new TextEncoderStream());
    return new Response(words, { headers: { "content-type": "text/plain" } });
  });
  const response = await ask(app, "/");
  assertEquals([response.headers.get("x-before"), heard], ["yes", []]);
  assertEquals(await response.text(), "one two");
  await Promise.resolve();
  assertEquals(heard, ["finish"]);
});

for (const type of ["text/event-stream", undefined]) {
  const what = type === undefined ? "a stream after a header was set" : "a stream of events";
  Deno.test(`${what} is cut when the application is closed`, async () => {
    const app = quietApp();
    app.get("/", (_req, res) => {
      if (type === undefined) res.set("X-Before", "yes");
      const body = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(9)) });
      return new Response(body, type === undefined ? {} : { headers: { "content-type": type } });
    });
    const { port } = app.listen(0, "127.0.0.1");
    const reader = (await fetch(`http://127.0.0.1:${port}/`)).body!.getReader();
    assertEquals((await reader.read()).value?.length, 9);
    await app.close({ timeoutMs: 0 });
    await assertRejects(() => reader.read());
  });
}

Deno.test("a client that leaves in the middle of a returned stream aborts req.signal", async () => {
  const app = quietApp();
  const aborted = Promise.withResolvers<void>();
  app.get("/", (req) => {
    req.signal.addEventListener("abort", () => aborted.resolve());
    return new Response(new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(9)) }));
  });
  const { port } = app.listen(0, "127.0.0.1");
  const response = await fetch(`http://127.0.0.1:${port}/`);
  const reader = response.body!.getReader();
  assertEquals((await reader.read()).value?.length, 9);
  await reader.cancel();
  await aborted.promise;
  await app.close();
});

import { Readable } from "node:stream";
import { pathToFileURL } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import bodyParser from "body-parser";
import sluice, { type FrameworkApp } from "@sluice/sluice";
import type { BodyParser } from "@sluice/sluice/types";
import { bundled } from "../contracts/bundled.ts";
import { ask, askText, quietApp, serving } from "../support/app.ts";
import { opened } from "../support/raw_client.ts";
import { askBoth } from "../support/sluice_and_express.ts";

// deno-lint-ignore no-explicit-any -- what tests send in
type Any = any;

function echo(...parsers: BodyParser[]): FrameworkApp {
  const app = quietApp();
  app.use(...parsers);
  app.post("/", (req, res) => res.json({ body: req.body ?? null }));
  app.use(
    ((error: Any, _req: Any, res: Any, _next: Any) => {
      const { type, limit, message, received, length, expected } = error;
      res.status(error.status).json({ type, limit, message, received, length, expected });
    }) as Any,
  );
  return app;
}

function post(
  app: FrameworkApp,
  type: string,
  body: BodyInit,
  headers: Record<string, string> = {},
): Promise<Response> {
  return ask(
    app,
    "/",
    { method: "POST", headers: { "content-type": type, ...headers }, body, duplex: "half" } as RequestInit,
  );
}

Deno.test("a body whose announced length is over the limit is refused before it is read", async () => {
  const app = echo(sluice.json({ limit: "1kb" }));
  let pulled = 0;
  const body = new ReadableStream({
    pull(controller) {
      pulled++;
      controller.enqueue(new Uint8Array(1024));
    },
  }, { highWaterMark: 0 });
  const response = await post(app, "application/json", body, { "content-length": "1000000" });
  assertEquals([response.status, (await response.json()).type], [413, "entity.too.large"]);
  assertEquals(pulled, 0);
});

Deno.test("a body of unknown length is refused as soon as it exceeds the limit, and cancelled", async () => {
  const app = echo(sluice.raw({ limit: 2048, type: "*/*" }));
  let pulled = 0;
  let cancelled = false;
  const body = new ReadableStream({
    pull(controller) {
      pulled++;
      controller.enqueue(new Uint8Array(1024));
    },
    cancel() {
      cancelled = true;
    },
  }, { highWaterMark: 0 });
  const response = await post(app, "application/octet-stream", body);
  assertEquals([response.status, pulled <= 4, cancelled], [413, true, true]);
});

Deno.test("a small body that inflates to a large one is refused before most of it is inflated", async () => {
  const zeros = new Uint8Array(80_000_000);
  for (const [coding, bomb] of [["gzip", gzipSync(zeros)], ["br", brotliCompressSync(zeros)]] as const) {
    const app = echo(sluice.raw({ type: "*/*" }));
    const response = await post(app, "x/y", new Uint8Array(bomb), { "content-encoding": coding });
    const { type, received } = await response.json();
    assertEquals([coding, response.status, type, received < 40_000_000], [coding, 413, "entity.too.large", true]);
  }
});

Deno.test("a body that inflates to more than the limit is refused before it has ended", async () => {
  const begun = new Uint8Array(gzipSync(crypto.getRandomValues(new Uint8Array(60_000)))).subarray(0, 50_000);
  const body = new ReadableStream({ start: (controller) => controller.enqueue(begun) });
  const app = echo(sluice.raw({ type: "*/*", limit: 1000 }));
  const response = await post(app, "x/y", body, { "content-encoding": "gzip" });
  assertEquals([response.status, (await response.json()).type], [413, "entity.too.large"]);
});

Deno.test("broken JSON, charsets and codings are refused, each with its own error type", async () => {
  const app = echo(sluice.json());
  const cases: readonly (readonly [string, string, Record<string, string>, number, string])[] = [
    ["application/json", "{broken", {}, 400, "entity.parse.failed"],
    ["application/json", "12", {}, 400, "entity.parse.failed"],
    ["application/json; charset=latin1", "{}", {}, 415, "charset.unsupported"],
    ["application/json", "{}", { "content-encoding": "lzma" }, 415, "encoding.unsupported"],
    ["application/json", "no gzip", { "content-encoding": "gzip" }, 400, "encoding.invalid"],
    ["application/json", "{}", { "content-length": "20" }, 400, "request.size.invalid"],
  ];
  for (const [type, body, headers, status, kind] of cases) {
    const response = await post(app, type, body, headers);
    assertEquals([response.status, (await response.json()).type], [status, kind], `${type} ${body}`);
  }
});

Deno.test("verify sees the bytes and may refuse them", async () => {
  const seen: unknown[] = [];
  const app = echo(sluice.json({
    verify(_req, _res, bytes, encoding) {
      seen.push([...bytes], encoding);
      if (bytes[0] === 91) throw new Error("no lists");
    },
  }));
  assertEquals((await post(app, "application/json", "{}")).status, 200);
  const refused = await post(app, "application/json", "[]");
  assertEquals([refused.status, (await refused.json()).message], [403, "no lists"]);
  assertEquals(seen.slice(0, 2), [[123, 125], "utf-8"]);
});

Deno.test("verify may return a promise, as checking a signature with WebCrypto does", async () => {
  for (const parser of ["json", "urlencoded", "raw", "text"] as const) {
    const app = echo(sluice[parser]({
      type: "*/*",
      async verify(_req, _res, bytes) {
        if ((await crypto.subtle.digest("SHA-256", bytes)).byteLength > bytes.length) throw new Error("not signed");
      },
    }));
    assertEquals((await post(app, "application/json", `{"text":"${"x".repeat(40)}"}`)).status, 200);
    const refused = await post(app, "application/json", "{}");
    assertEquals([refused.status, (await refused.json()).message], [403, "not signed"], parser);
  }
});

Deno.test("brotli is inflated if the runtime supports it", async () => {
  const response = await post(echo(sluice.json()), "application/json", new Uint8Array(brotliCompressSync('{"b":1}')), {
    "content-encoding": "br",
  });
  assertEquals(await response.json(), { body: { b: 1 } });
});

Deno.test("an empty Content-Encoding means that there is none", async () => {
  for (const headers of [{}, { "content-length": "7" }] as Record<string, string>[]) {
    const response = await post(echo(sluice.json()), "application/json", '{"b":1}', {
      "content-encoding": "",
      ...headers,
    });
    assertEquals(await response.json(), { body: { b: 1 } });
  }
  const raw = await post(echo(sluice.raw({ inflate: false, type: "*/*" })), "a/b", "x", { "content-encoding": "" });
  assertEquals(raw.status, 200);
});

Deno.test("raw bodies are Buffers here, with the methods Express users call", async () => {
  const app = quietApp();
  app.post("/", sluice.raw({ type: "*/*" }), (req, res) => res.send(req.body.toString("hex")));
  assertEquals(await (await post(app, "x/y", new Uint8Array([1, 255]))).text(), "01ff");
});

Deno.test("bad options are refused when the parser is made", () => {
  assertThrows(() => sluice.json({ limit: "many" }), TypeError, 'limit "many" is invalid');
  assertThrows(() => sluice.text({ verify: 1 as Any }), TypeError, "verify must be function");
  assertThrows(
    () => sluice.text({ defaultCharset: 8 as Any }),
    TypeError,
    "defaultCharset must be a string, not number",
  );
  assertThrows(() => sluice.urlencoded({ parameterLimit: 0 }), TypeError, "parameterLimit");
  assertThrows(() => sluice.urlencoded({ extended: true, depth: -1 }), TypeError, "depth");
});

Deno.test("a parser reads requests of others from their events, and leaves those without a body to the next layer", async () => {
  const parsed = async (req: Any): Promise<unknown> => {
    const error = await new Promise((resolve) => sluice.json()(req, {} as Any, resolve));
    return error === undefined ? req.body : (error as Any).type;
  };
  assertEquals(await parsed({ method: "POST", headers: {}, url: "/" }), undefined);
  const sent = (text: string): Any => {
    const req: Any = Readable.from([text.slice(0, 3), Buffer.from(text.slice(3))]);
    req.headers = { "content-type": "application/json", "content-length": String(text.length) };
    return req;
  };
  assertEquals(await parsed(sent('{"a":[1]}')), { a: [1] });
  assertEquals(await parsed(sent('{"a":[1}')), "entity.parse.failed");
});

Deno.test("a parser of a second copy of Sluice reads the requests of the first", async () => {
  const { default: second } = await import(pathToFileURL(await bundled("mod.ts")).href) as { default: typeof sluice };
  const app = quietApp().use(second.json()).post("/", (req, res) => res.json(req.body));
  const headers = { "content-type": "application/json", "content-length": "7" };
  assertEquals(await askText(app, "/", { method: "POST", headers, body: '{"a":1}' }), '{"a":1}');
});

Deno.test("a parser that was registered without being called says so, where Express's never answers", async () => {
  for (const parser of [sluice.json, sluice.urlencoded, sluice.raw, sluice.text]) {
    const app = quietApp().use(parser as Any);
    app.use((error: Error, _req: Any, res: Any, _next: Any) => res.send(error.message));
    const { name } = parser;
    assertEquals(await askText(app, "/"), `${name}() makes the middleware: register ${name}(), not ${name}`);
  }
});

Deno.test("forms with too many fields or too deep brackets are refused", async () => {
  const app = echo(sluice.urlencoded({ extended: true, parameterLimit: 3, depth: 2 }));
  const many = await post(app, "application/x-www-form-urlencoded", "a=1&b=2&c=3&d=4");
  assertEquals([many.status, (await many.json()).type], [413, "parameters.too.many"]);
  const deep = await post(app, "application/x-www-form-urlencoded", "a[b][c][d][e]=1");
  assertEquals([deep.status, (await deep.json()).type], [400, "querystring.parse.rangeError"]);
});

Deno.test("a form of many fields is parsed quickly, whether they share a name, make a list or fill its last indices", async () => {
  const app = echo(sluice.urlencoded({ extended: true, parameterLimit: 20_000, limit: "1mb" }));
  const began = performance.now();
  for (const field of [(_: number) => "a", () => "a[]", (i: number) => `a[${i}]`, (i: number) => `a[${19_999 - i}]`]) {
    const body = Array.from({ length: 20_000 }, (_, i) => `${field(i)}=${i}`).join("&");
    const { body: { a } } = await (await post(app, "application/x-www-form-urlencoded", body)).json();
    assertEquals([a.length, a.includes("19999")], [20_000, true]);
  }
  // it took many seconds when each field caused a scan of everything read so far
  assert(performance.now() - began < 5000);
});

Deno.test("a client that leaves while it sends its body causes a 400 and no unhandled rejection", async () => {
  let type: unknown;
  const settled = Promise.withResolvers<void>();
  const app = quietApp();
  app.use(sluice.json());
  app.use(
    ((error: Any, _req: Any, res: Any, _next: Any) => {
      type = error.type;
      res.status(error.status).end();
      settled.resolve();
    }) as Any,
  );
  await serving(app, async (origin) => {
    const connection = await Deno.connect({ hostname: "127.0.0.1", port: Number(new URL(origin).port) });
    const head = "POST / HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{";
    await connection.write(new TextEncoder().encode(head));
    connection.close();
    await settled.promise;
  });
  assertStringIncludes(String(type), "request.aborted");
});

Deno.test("a POST that has no body is not parsed, whatever type it announces", async () => {
  for (const parser of [sluice.json, sluice.urlencoded, sluice.raw, sluice.text]) {
    const app = quietApp();
    const verify = () => assertEquals("verified", "not verified");
    app.post("/", parser({ type: "*/*", verify }), (req, res) => res.send(String(req.body)));
    await serving(app, async (origin) => {
      const head = "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n";
      const connection = await opened({ port: Number(new URL(origin).port) }, head);
      const response = await new Response(connection.readable).text();
      assertEquals(response.split("\r\n\r\n")[1], "undefined");
    });
  }
});

Deno.test("an empty body is parsed once, whichever parser, package or listener reads it first, as in Express", async () => {
  const any = { type: "*/*" };
  const listens = (req: Any, _res: Any, next: Any) => void req.on("end", next).resume();
  const firsts: Record<string, (lib: Any) => Any> = {
    json: (lib) => lib.json(any),
    urlencoded: (lib) => lib.urlencoded(any),
    text: (lib) => lib.text(any),
    raw: (lib) => lib.raw(any),
    package: () => bodyParser.text(any),
    listener: () => listens,
  };
  const asks = Object.keys(firsts).map((name) => ({
    path: `/${name}`,
    init: { method: "POST", headers: { "content-type": "text/plain" }, body: "" },
  }));
  const [ours, theirs] = await askBoth((app, lib) => {
    for (const [name, first] of Object.entries(firsts)) {
      const rest = [lib.text(any), bodyParser.json(any), lib.json(any), bodyParser.raw(any), lib.raw(any)];
      app.post(`/${name}`, first(lib), ...rest, (req: Any, res: Any) => {
        res.json({ body: Object.prototype.toString.call(req.body), ended: req.readableEnded, complete: req.complete });
      });
    }
  }, asks);
  assertEquals(ours, theirs);
});

Deno.test("bodies of a type seen before are treated like the first one", async () => {
  const lines = (text: string) => `${new TextEncoder().encode(text).length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;
  const announced = (text: string) => `Content-Length: ${new TextEncoder().encode(text).length}\r\n\r\n${text}`;
  const chunked = (text: string) => `Transfer-Encoding: chunked\r\n\r\n${lines(text)}`;
  const ascii = '{"a":"1234567890ab"}';
  const accents = '{"a":"éééééé"}';
  for (
    const [rest, status, seen] of [
      [announced(ascii), 200, { body: { a: "1234567890ab" } }],
      [announced(`${ascii} `), 413, { type: "entity.too.large", limit: 20, length: 21, expected: 21 }],
      [announced(accents), 200, { body: { a: "éééééé" } }],
      [announced(`${accents} `), 413, { type: "entity.too.large", limit: 20, length: 21, expected: 21 }],
      [chunked(ascii), 200, { body: { a: "1234567890ab" } }],
      [chunked(`${accents} `), 413, { type: "entity.too.large", limit: 20, received: 21 }],
      [announced(""), 200, { body: {} }],
      ["Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 200, { body: {} }],
      ["\r\n", 200, { body: null }],
      [announced("\ufeff{}"), 200, { body: {} }],
      [announced("{"), 400, { type: "entity.parse.failed" }],
      ["Content-Encoding: x\r\nContent-Length: 2\r\n\r\n{}", 415, { type: "encoding.unsupported" }],
    ] as const
  ) {
    await serving(echo(sluice.json({ limit: 20 })), async (origin) => {
      const server = { port: Number(new URL(origin).port) };
      for (const time of ["first", "second"]) {
        const head = "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close\r\n";
        const connection = await opened(server, head + rest);
        const response = await new Response(connection.readable).text();
        const body = JSON.parse(response.slice(response.indexOf("\r\n\r\n") + 4));
        delete body.message;
        assertEquals([time, Number(response.slice(9, 12)), body], [time, status, seen]);
      }
    });
  }
});

Deno.test("a parser for every path lets GET and HEAD pass without reading their headers", async () => {
  const app = quietApp();
  app.use(sluice.json(), sluice.urlencoded());
  app.get("/", (req) => new Response(String(req.body)));
  for (const method of ["GET", "HEAD"]) {
    const request = new Request("http://localhost/", { method });
    Object.defineProperty(request, "headers", { get: () => assertEquals("looked", "not looked at") });
    const response = await app.fetch(request);
    assertEquals([response.status, await response.text()], [200, method === "GET" ? "undefined" : ""]);
  }
});

Deno.test("strict JSON begins with a brace or a bracket, after any white space", async () => {
  const app = echo(sluice.json());
  for (
    const [text, body] of [['{"a":1}', { a: 1 }], ["[1]", [1]], [' \t\r\n{"a":1}', { a: 1 }], ["\n[]", []]] as const
  ) {
    assertEquals(await (await post(app, "application/json", text)).json(), { body });
  }
  for (const text of ["1", ' "text"', "null", " \n", "\u00a0{}"]) {
    assertEquals((await post(app, "application/json", text)).status, 400, text);
  }
});

Deno.test("a body whose length differs from the announced one is refused, whatever characters it has", async () => {
  const app = echo(sluice.json());
  for (const text of ['{"a":"plain"}', '{"a":"größer"}', '{"a":"漢字 😀"}', '\ufeff{"a":1}']) {
    const bytes = new TextEncoder().encode(text);
    const whole = await post(app, "application/json", bytes, { "content-length": String(bytes.length) });
    assertEquals([whole.status, typeof (await whole.json()).body], [200, "object"], text);
    const short = await post(app, "application/json", bytes, { "content-length": String(bytes.length + 5) });
    assertEquals([short.status, (await short.json()).type], [400, "request.size.invalid"], text);
  }
});

Deno.test("a parser works beside a middleware that collects the chunks", async () => {
  const app = quietApp();
  let kept = "";
  app.use((req, _res, next) => {
    kept = "";
    req.setEncoding("utf8");
    req.on("data", (chunk: string) => kept += chunk);
    next();
  });
  app.use(sluice.json({ limit: 2000 }), sluice.urlencoded(), sluice.raw({ type: "image/*" }));
  app.post("/", (req, res) => res.json({ body: req.body, kept }));
  app.use(((error: Any, _req: Any, res: Any, _next: Any) => res.status(error.status).json(error.type)) as Any);
  const json = '{"name":"Zoë"}';
  const length = { "content-length": "15" };
  for (const [body, headers] of [[json, length], [new Blob([json]).stream(), {}], [json, {}]] as const) {
    assertEquals(await (await post(app, "application/json", body, headers)).json(), {
      body: { name: "Zoë" },
      kept: json,
    });
  }
  assertEquals((await (await post(app, "application/x-www-form-urlencoded", "a=1")).json()).body, { a: "1" });
  assertEquals((await (await post(app, "image/png", "abc")).json()).body.data, [97, 98, 99]);
  assertEquals(await (await post(app, "application/json", "{", length)).json(), "request.size.invalid");
  assertEquals(
    await (await post(app, "application/json", new Blob(["[" + " ".repeat(3000)]).stream())).json(),
    "entity.too.large",
  );
  const unparsed = await post(app, "text/plain", "kept only");
  assertEquals((await unparsed.json()).body, undefined);
});

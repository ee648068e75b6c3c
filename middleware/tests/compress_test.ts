import { Readable } from "node:stream";
import zlib from "node:zlib";
import compression from "compression";
import sluice, { type ErrorHandler, type FrameworkApp, type Handler, HttpError, Router } from "@sluice/sluice";
import { compress, type CompressOptions, isCompressible } from "@sluice/middleware/compress";
import { sse } from "@sluice/middleware/sse";
import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { random } from "../../tests/support/random.ts";
import { until } from "../../tests/support/until.ts";

const LONG = Array.from({ length: 300 }, (_, id) => ({ id, name: `User ${id}`, email: `user${id}@example.com` }));
const LONG_TEXT = JSON.stringify(LONG);

const UNDO: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  gzip: zlib.gunzipSync,
  deflate: zlib.inflateSync,
  br: zlib.brotliDecompressSync,
  zstd: zlib.zstdDecompressSync,
};

const DECODERS: Readonly<Record<string, () => NodeJS.ReadWriteStream>> = {
  gzip: zlib.createGunzip,
  deflate: zlib.createInflate,
  br: zlib.createBrotliDecompress,
  zstd: zlib.createZstdDecompress,
};

/** An application that compresses what a handler sends. */
function compressing(handler: Handler, options?: CompressOptions): FrameworkApp {
  const app = sluice().set("env", "test");
  app.use(compress(options));
  app.all("/{*path}", handler);
  return app;
}

/** A response's decompressed body. */
async function plainText(response: Response): Promise<string> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  const coding = response.headers.get("content-encoding");
  return new TextDecoder().decode(coding === null ? bytes : UNDO[coding]!(bytes));
}

function accepting(encodings: string, init: RequestInit = {}): RequestInit {
  return { ...init, headers: { ...init.headers as Record<string, string>, "accept-encoding": encodings } };
}

/** The selected content coding, after checking the body. */
async function codingOf(app: FrameworkApp, accepted: string | undefined, path = "/"): Promise<string | null> {
  const response = await app.inject(path, accepted === undefined ? {} : accepting(accepted));
  assertEquals(await plainText(response.clone()), LONG_TEXT);
  await response.body?.cancel();
  return response.headers.get("content-encoding");
}

const HUGE = "all work and no play makes Jack a dull boy\n".repeat(20_000);

for (const coding of Object.keys(UNDO)) {
  for (const [what, text] of [["short", LONG_TEXT], ["long", HUGE]] as const) {
    Deno.test(`a ${what} body in ${coding} is the same when it is decompressed`, async () => {
      const app = compressing((_req, res) => res.type("text").send(text));
      const response = await app.inject("/", accepting(coding));
      const { headers } = response;
      assertEquals([headers.get("content-encoding"), headers.get("vary")], [coding, "Accept-Encoding"]);
      assertEquals(headers.get("content-type"), "text/plain; charset=utf-8");
      const bytes = new Uint8Array(await response.arrayBuffer());
      assert(bytes.length < text.length / 4, `${bytes.length} of ${text.length} bytes`);
      assertEquals(new TextDecoder().decode(UNDO[coding]!(bytes)), text);
    });
  }
}

const CHOICES: readonly (readonly [string | undefined, string | null])[] = [
  [undefined, null],
  ["", null],
  ["gzip", "gzip"],
  ["x-gzip", "gzip"],
  ["X-GZIP;q=0.5", "gzip"],
  ["GZIP", "gzip"],
  ["gzip, deflate, br", "br"],
  ["gzip, deflate, br, zstd", "zstd"],
  ["br;q=0.9, gzip", "gzip"],
  ["gzip;q=0.5, br;q=0.7, zstd;q=0.1", "br"],
  ["*", "zstd"],
  ["*;q=0.5, gzip", "gzip"],
  ["*, zstd;q=0", "br"],
  ["gzip;q=0", null],
  ["gzip;q=0, *", "zstd"],
  ["*;q=0", null],
  ["identity", null],
  ["identity;q=0", null],
  ["identity;q=0, deflate", "deflate"],
  ["identity, gzip;q=0.5", null],
  ["identity;q=0.5, gzip;q=0.5", "gzip"],
  ["identity;q=0.1, gzip;q=0.5", "gzip"],
  ["compress, dcb", null],
  ["gzip;q=nonsense", null],
];

for (const [accepted, chosen] of CHOICES) {
  Deno.test(`${accepted === undefined ? "no Accept-Encoding" : `"${accepted}"`} gets ${chosen ?? "no coding"}`, async () => {
    assertEquals(await codingOf(compressing((_req, res) => res.json(LONG)), accepted), chosen);
  });
}

Deno.test("the server's order decides where the client has no preference", async () => {
  const app = compressing((_req, res) => res.json(LONG), { encodings: ["deflate", "gzip"] });
  assertEquals(await codingOf(app, "gzip, deflate, br, zstd"), "deflate");
  assertEquals(await codingOf(app, "gzip, deflate;q=0.9"), "gzip");
  assertEquals(await codingOf(app, "br, zstd"), null);
});

Deno.test("a level compresses harder", async () => {
  const sizes = await Promise.all([1, 9].map(async (gzip) => {
    const app = compressing((_req, res) => res.json(LONG), { level: { gzip } });
    return (await (await app.inject("/", accepting("gzip"))).arrayBuffer()).byteLength;
  }));
  assert(sizes[1]! < sizes[0]!, sizes.join());
});

Deno.test("a short body is not compressed, but varies", async () => {
  const app = compressing((req, res) => res.type("text").send("x".repeat(Number(req.path.slice(1)))));
  for (const [length, coding] of [[1023, null], [1024, "gzip"]] as const) {
    const { headers, body } = await app.inject(`/${length}`, accepting("gzip"));
    assertEquals([headers.get("content-encoding"), headers.get("vary")], [coding, "Accept-Encoding"]);
    await body?.cancel();
  }
});

Deno.test("the threshold may be another, and does not hold for a client that refuses what is not compressed", async () => {
  const app = compressing((_req, res) => res.send("short"), { threshold: "2kb" });
  assertEquals((await app.inject("/", accepting("gzip"))).headers.get("content-encoding"), null);
  const refusing = await app.inject("/", accepting("gzip, identity;q=0"));
  assertEquals([refusing.headers.get("content-encoding"), await plainText(refusing)], ["gzip", "short"]);
  const always = compressing((_req, res) => res.send("short"), { threshold: 0 });
  assertEquals((await always.inject("/", accepting("gzip"))).headers.get("content-encoding"), "gzip");
});

const LEFT_ALONE: Readonly<Record<string, Handler>> = {
  "an image": (_req, res) => res.type("png").send(new Uint8Array(5000)),
  "a body without a type": (_req, res) => void res.end(LONG_TEXT),
  "no-transform": (_req, res) => res.set("Cache-Control", "public, no-transform").json(LONG),
  "what is compressed already": (_req, res) =>
    res.type("json").set("Content-Encoding", "gzip").send(zlib.gzipSync(LONG_TEXT)),
  "what has a digest": (_req, res) => res.set("Repr-Digest", "sha-256=:AA==:").json(LONG),
  "a part": (_req, res) => res.status(206).set("Content-Range", "bytes 0-9/10").json(LONG),
  "no content": (_req, res) => res.status(204).json(LONG),
  "a redirect without a body": (_req, res) => res.status(302).location("/").end(),
};

for (const [what, handler] of Object.entries(LEFT_ALONE)) {
  Deno.test(`${what} is left as it is`, async () => {
    const shown = async (app: FrameworkApp) => {
      const response = await app.inject("/", accepting("gzip, br"));
      const headers = [...response.headers];
      return [response.status, headers, [...new Uint8Array(await response.arrayBuffer())]];
    };
    const plain = sluice().set("env", "test").all("/{*path}", handler);
    assertEquals(await shown(compressing(handler)), await shown(plain));
  });
}

Deno.test("Content-Encoding: identity does not keep a body from being compressed", async () => {
  assertEquals(
    await codingOf(compressing((_req, res) => res.set("Content-Encoding", "identity").json(LONG)), "gzip"),
    "gzip",
  );
});

Deno.test("nothing is compressed twice, not even by two of them, or npm's", async () => {
  const npm = compression() as unknown as Handler;
  for (const stack of [[compress(), compress()], [npm, compress()], [compress(), npm]]) {
    const app = sluice().set("env", "test");
    app.use(...stack as [Handler, Handler]);
    app.get("/", (_req, res) => res.json(LONG));
    app.get("/stream", (_req, res) => {
      res.type("json");
      for (const piece of LONG_TEXT.match(/.{1,100}/g)!) res.write(piece);
      res.end();
    });
    for (const path of ["/", "/stream"]) assertEquals(await codingOf(app, "gzip", path), "gzip");
  }
});

Deno.test("a strong tag becomes weak, and a copy that has it is still fresh", async () => {
  const app = compressing((_req, res) => res.set("ETag", '"one"').json(LONG));
  app.set("etag", false);
  const first = await app.inject("/", accepting("gzip"));
  assertEquals([first.headers.get("etag"), await plainText(first)], ['W/"one"', LONG_TEXT]);
  const again = await app.inject("/", accepting("gzip", { headers: { "if-none-match": 'W/"one"' } }));
  assertEquals([again.status, again.headers.get("etag"), again.headers.get("content-encoding"), await again.text()], [
    ...[304, 'W/"one"', null, ""],
  ]);
  const plain = await app.inject("/");
  assertEquals([plain.headers.get("etag"), await plain.text()], ['"one"', LONG_TEXT]);
  const plainAgain = await app.inject("/", { headers: { "if-none-match": '"one"' } });
  assertEquals([plainAgain.status, plainAgain.headers.get("etag")], [304, '"one"']);
});

const BODIES: Readonly<Record<string, Handler>> = {
  "res.json": (_req, res) => res.json(LONG),
  "res.end": (_req, res) => void res.type("json").end(LONG_TEXT),
  "res.write": (_req, res) => {
    res.type("json").write(LONG_TEXT);
    res.end();
  },
  "a short text": (_req, res) => res.send("short"),
  "a returned Response": () => Response.json(LONG),
  "an image": (_req, res) => res.type("png").send(new Uint8Array(5000)),
};

for (const [what, handler] of Object.entries(BODIES)) {
  Deno.test(`HEAD gets the headers of GET: ${what}`, async () => {
    const app = compressing(handler);
    const [get, head] = await Promise.all(
      ["GET", "HEAD"].map((method) => app.inject("/", accepting("gzip", { method }))),
    );
    assertEquals(await head!.text(), "");
    const told = ({ headers }: Response) =>
      ["content-encoding", "content-type", "vary", "etag"].map((name) => headers.get(name));
    assertEquals(told(head!), told(get!));
    if (get!.headers.has("content-encoding")) assertEquals(head!.headers.get("content-length"), null);
    await get!.body!.cancel();
  });
}

const RESPONSES: Readonly<Record<string, Handler>> = {
  "res.send of bytes": (_req, res) => res.type("json").send(new TextEncoder().encode(LONG_TEXT)),
  "res.end after writeHead": (_req, res) =>
    void res.writeHead(200, { "Content-Type": "application/json" }).end(LONG_TEXT),
  "writeHead with a reason and a list": (_req, res) =>
    void res.writeHead(200, "OK", ["Content-Type", "application/json", "Content-Length", `${LONG_TEXT.length}`]).end(
      LONG_TEXT,
    ),
  "pieces": (_req, res) => {
    res.type("json");
    for (const piece of LONG_TEXT.match(/.{1,100}/g)!) res.write(piece);
    res.end();
  },
  "pieces in other encodings": (_req, res) => {
    res.type("json").write(btoa(LONG_TEXT.slice(0, 3000)), "base64");
    res.end(LONG_TEXT.slice(3000), "latin1");
  },
  "a whole body and an empty end": (_req, res) => {
    res.type("json").set("Content-Length", String(LONG_TEXT.length)).write(LONG_TEXT);
    res.end();
  },
  "a whole body, and then more of it than was said": (_req, res) => {
    res.type("json").set("Content-Length", "1500").write(LONG_TEXT.slice(0, 1500));
    res.end(LONG_TEXT.slice(1500));
  },
  "flushHeaders first": (_req, res) => {
    res.type("json").flushHeaders();
    res.end(LONG_TEXT);
  },
  "a returned Response": () => Response.json(LONG),
  "a returned stream": () =>
    new Response(new Blob([LONG_TEXT]).stream(), { headers: { "content-type": "application/json" } }),
  "res.send of a stream": (_req, res) => res.type("json").send(new Blob([LONG_TEXT]).stream()),
  "res.send of a Blob": (_req, res) => res.send(new Blob([LONG_TEXT], { type: "application/json" })),
  "a pipe of Node's": (_req, res) =>
    void Readable.from([LONG_TEXT.slice(0, 99), LONG_TEXT.slice(99)]).pipe(
      res.type("json") as unknown as NodeJS.WritableStream,
    ),
  "a later end": async (_req, res) => {
    res.type("json").write(LONG_TEXT.slice(0, 7));
    await new Promise((resolve) => setTimeout(resolve, 1));
    res.end(LONG_TEXT.slice(7));
  },
};

for (const [what, handler] of Object.entries(RESPONSES)) {
  for (const coding of ["gzip", "br", "zstd"]) {
    Deno.test(`${what} is compressed in ${coding}`, async () => {
      assertEquals(await codingOf(compressing(handler), coding), coding);
    });
  }
}

Deno.test("a body that ends without a byte after its head has been sent is empty, and valid", async () => {
  const app = compressing((_req, res) => {
    res.type("text").flushHeaders();
    res.end();
  });
  const response = await app.inject("/", accepting("gzip"));
  assertEquals([response.headers.get("content-encoding"), await plainText(response)], ["gzip", ""]);
});

Deno.test("the page for an error is compressed, and that for a response that cannot be sent", async () => {
  const app = compressing((req, res) => {
    if (req.path === "/thrown") throw new HttpError(400, "x".repeat(2000));
    if (req.path === "/status") return void res.status(700).type("text").end("x".repeat(2000));
    res.status(700).type("text").write("x".repeat(2000));
  });
  app.set("env", "development").on("error", () => {});
  for (const [path, status] of [["/thrown", 400], ["/status", 500], ["/written", 500]] as const) {
    const response = await app.inject(path, accepting("gzip"));
    assertEquals(response.status, status, path);
    if (path === "/thrown") assertEquals(response.headers.get("content-encoding"), "gzip");
    assertMatch(await plainText(response), /^<!DOCTYPE html>/);
  }
});

Deno.test("an error handler's response is compressed in place of one that could not be sent", async () => {
  for (const way of ["send", "write"] as const) {
    const app = compressing((_req, res) => void res.type("json").status(700)[way](LONG_TEXT));
    app.use(((_error, _req, res, _next) => void res.status(500).json(LONG)) as ErrorHandler);
    const response = await app.inject("/", accepting("gzip"));
    assertEquals([response.status, response.headers.get("content-encoding")], [500, "gzip"]);
    assertEquals(await plainText(response), LONG_TEXT);
  }
});

Deno.test("a response counts as begun and ended when the handler has ended it", async () => {
  const states: unknown[] = [];
  const app = compressing((_req, res) => {
    res.type("text").send(HUGE);
    states.push(res.headersSent, res.writableEnded, res.getHeader("Content-Encoding"));
    res.on("finish", () => states.push("finish"));
  });
  await plainText(await app.inject("/", accepting("gzip")));
  assertEquals(states, [true, true, "gzip", "finish"]);
});

Deno.test("callbacks run when their chunks were taken, and when the response is complete", async () => {
  const called: string[] = [];
  const app = compressing((req, res) => {
    res.type("text");
    if (req.path === "/written") res.write(LONG_TEXT, () => called.push("written"));
    res.end("end", () => called.push("ended"));
  }, { threshold: 0 });
  for (const path of ["/", "/written"]) await plainText(await app.inject(path, accepting("gzip")));
  await until(() => called.length === 3, "all callbacks ran");
  assertEquals(called, ["ended", "written", "ended"]);
});

Deno.test("a chunk after the end is reported, and not sent", async () => {
  const errors: unknown[] = [];
  const app = compressing((_req, res) => {
    res.type("text").send(HUGE);
    res.write("more");
    res.end("more", (error?: Error | null) => errors.push((error as { code?: string } | null)?.code));
    res.end();
  });
  app.on("error", (error: { code: string }) => errors.push(error.code));
  assertEquals(await plainText(await app.inject("/", accepting("gzip"))), HUGE);
  assertEquals(errors, ["ERR_STREAM_WRITE_AFTER_END", "ERR_STREAM_WRITE_AFTER_END"]);
});

/** Decompresses a body as it arrives. */
function decompressed(response: Response): ReadableStreamDefaultReader<string> {
  const coding = response.headers.get("content-encoding") as CompressionFormat;
  return response.body!.pipeThrough(new DecompressionStream(coding)).pipeThrough(new TextDecoderStream()).getReader();
}

Deno.test("res.flush sends what was written so far", async () => {
  let proceed = (): void => {};
  const app = compressing(async (_req, res) => {
    res.type("text").write("first");
    res.flush!();
    await new Promise<void>((resolve) => proceed = resolve);
    res.end("last");
  });
  const reader = decompressed(await app.inject("/", accepting("gzip")));
  assertEquals((await reader.read()).value, "first");
  proceed();
  assertEquals([(await reader.read()).value, (await reader.read()).done], ["last", true]);
});

for (const accepted of ["gzip", "deflate", "gzip, br, zstd"]) {
  Deno.test(`each event is sent at once to a client that accepts ${accepted}`, async () => {
    const app = sluice().set("env", "test").use(compress());
    const go: (() => void)[] = [];
    app.get("/sse", (req, res) => {
      const events = sse(req, res, { heartbeatMs: 0 });
      go.push(() => void events.send("next"), () => events.close());
      events.send("first");
    });
    app.get("/returned", () => {
      let controller!: ReadableStreamDefaultController<Uint8Array>;
      const stream = new ReadableStream<Uint8Array>({ start: (given) => void (controller = given) });
      const send = (text: string) => controller.enqueue(new TextEncoder().encode(`data: ${text}\n\n`));
      send("first");
      go.push(() => send("next"), () => controller.close());
      return new Response(stream, { headers: { "content-type": "text/event-stream" } });
    });
    for (const path of ["/sse", "/returned"]) {
      const response = await app.inject(path, accepting(accepted));
      // these codings buffer least for an open stream
      assertEquals(response.headers.get("content-encoding"), accepted.split(",")[0]);
      const reader = decompressed(response);
      assertEquals((await reader.read()).value, "data: first\n\n");
      go.shift()!();
      assertEquals((await reader.read()).value, "data: next\n\n");
      go.shift()!();
      assertEquals((await reader.read()).done, true);
    }
  });
}

for (const coding of ["gzip", "deflate", "br", "zstd"]) {
  Deno.test(`${coding} sends what there is while the source waits`, async () => {
    const pieces = ["first", "then", "last"];
    let proceed = (): void => {};
    const next = () => new Promise<void>((resolve) => proceed = resolve);
    const app = sluice().set("env", "test").use(compress());
    app.get("/written", async (_req, res) => {
      res.type("html");
      for (const piece of pieces) {
        res.write(piece);
        await next();
      }
      res.end();
    });
    app.get("/announced", async (_req, res) => {
      res.type("html").set("Content-Length", "2000").write("a".repeat(2000));
      await next();
      res.end();
    });
    app.get("/returned", () => {
      async function* source(): AsyncGenerator<Uint8Array> {
        for (const piece of pieces) {
          yield new TextEncoder().encode(piece);
          await next();
        }
      }
      return new Response(ReadableStream.from(source()), { headers: { "content-type": "application/x-ndjson" } });
    });
    for (const [path, expected] of [["/written", pieces], ["/announced", ["a".repeat(2000)]], ["/returned", pieces]]) {
      const { body, headers } = await app.inject(path as string, accepting(coding));
      assertEquals(headers.get("content-encoding"), coding);
      const decoder = Readable.fromWeb(body as never).pipe(DECODERS[coding]!());
      let text = "";
      decoder.on("data", (bytes: Uint8Array) => text += new TextDecoder().decode(bytes));
      for (const piece of expected!) {
        await until(() => text.endsWith(piece), `${piece} comes from ${path}`);
        proceed();
      }
      await new Promise((resolve) => decoder.once("end", resolve));
    }
  });
}

Deno.test("a source that does not wait is flushed so rarely that it costs less than a hundredth of its size", async () => {
  const pick = random(7);
  const lines = Array.from(
    { length: 60_000 },
    (_, id) => JSON.stringify({ id, value: pick(1000) }) + "\n",
  );
  const app = sluice().set("env", "test").use(compress());
  app.get("/", (_req, res) => res.type("text").send(ReadableStream.from(lines)));
  for (const [coding, whole] of Object.entries({ gzip: zlib.gzipSync, deflate: zlib.deflateSync })) {
    const streamed = await (await app.inject("/", accepting(coding))).bytes();
    const least = whole(lines.join("")).length;
    assert(streamed.length < least * 1.01, `${coding}: ${streamed.length} bytes instead of ${least}`);
  }
});

/** Incompressible bytes. */
function noise(length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536));
  return bytes;
}

Deno.test("a writer waits for a client that reads slowly, and loses nothing", async () => {
  let written = 0;
  const app = compressing(async (_req, res) => {
    res.type("text");
    for (; written < 500; written++) {
      if (!res.write(noise(10_000))) {
        assertEquals(res.writableNeedDrain, true);
        await new Promise<void>((resolve) => res.once("drain", resolve));
      }
    }
    res.end();
  });
  const response = await app.inject("/", accepting("gzip"));
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert(written < 100, `${written} pieces were written to nobody`);
  const read = await new Response(response.body!.pipeThrough(new DecompressionStream("gzip"))).bytes();
  assertEquals([written, read.length], [500, 5_000_000]);
});

// The buffer that a compressor fills before its first byte is also retained for a client that has stopped reading.
for (const coding of Object.keys(UNDO)) {
  Deno.test(`${coding} sends its first bytes before it has collected 512 KiB that do not become smaller`, async () => {
    let written = 0;
    const app = compressing((_req, res) => {
      const write = (): void => {
        while (!res.destroyed) {
          written += 16_384;
          if (!res.write(crypto.getRandomValues(new Uint8Array(16_384)))) return void res.once("drain", write);
        }
      };
      res.type("text");
      write();
    });
    const response = await app.inject("/", accepting(coding));
    const reader = response.body!.getReader();
    let received = 0;
    while (received < 1000) received += (await reader.read()).value!.byteLength;
    assert(written <= 512 * 1024, `${written} bytes were written`);
    await reader.cancel();
  });
}

for (const [coding, levels] of [["br", [4, 11]], ["zstd", [1, 3, 19]]] as const) {
  Deno.test(`what a body repeats within 50 KiB is found in ${coding}'s window, at any level`, async () => {
    const once = btoa(String.fromCharCode(...noise(37_500)));
    for (const level of levels) {
      const app = compressing((_req, res) => res.type("text").send(once + once), { level: { [coding]: level } });
      const bytes = await (await app.inject("/", accepting(coding))).bytes();
      assertEquals(new TextDecoder().decode(UNDO[coding]!(bytes)), once + once);
      assert(bytes.length < 0.8 * once.length, `level ${level}: ${bytes.length} bytes for ${once.length} twice`);
    }
  });
}

Deno.test("a web stream is read at the client's pace", async () => {
  let pulled = 0;
  const source = () =>
    new ReadableStream<Uint8Array>({
      pull(controller) {
        if (++pulled > 500) return controller.close();
        controller.enqueue(noise(10_000));
      },
    });
  const app = compressing(() => new Response(source(), { headers: { "content-type": "text/plain" } }));
  const response = await app.inject("/", accepting("gzip"));
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert(pulled < 100, `${pulled} pieces were read for nobody`);
  const read = await new Response(response.body!.pipeThrough(new DecompressionStream("gzip"))).bytes();
  assertEquals(read.length, 5_000_000);
});

Deno.test("events for a client that does not read them are bounded, compressed or not", async () => {
  const app = sluice().set("env", "test").use(compress());
  let sent = 0;
  let isClosed = false;
  app.get("/", (req, res) => {
    const events = sse(req, res, { heartbeatMs: 0, maxPendingBytes: 100_000 });
    const timer = setInterval(() => {
      for (let i = 0; i < 100; i++, sent++) events.send(btoa(String.fromCharCode(...noise(1000))));
    }, 1);
    return events.closed.then(() => {
      clearInterval(timer);
      isClosed = true;
    });
  });
  const response = await app.inject("/", accepting("gzip"));
  await until(() => isClosed || sent > 5000, "the client is disconnected");
  assert(isClosed, `${sent} events wait`);
  await response.body!.cancel().catch(() => {});
});

/** The middleware, and every compressor that it makes. */
function watched(): { readonly handler: Handler; readonly streams: { readonly destroyed: boolean }[] } {
  const streams: zlib.Gzip[] = [];
  const createGzip = (options?: zlib.ZlibOptions): zlib.Gzip => {
    const stream = zlib.createGzip(options);
    streams.push(stream);
    return stream;
  };
  return { handler: withModule({ ...zlib, createGzip }), streams };
}

Deno.test("a client that leaves in the middle frees the compressor and ends the source", async () => {
  const { handler, streams } = watched();
  let isEnded = false;
  const app = sluice().set("env", "test").use(handler);
  app.get("/", () => {
    const source = async function* () {
      try {
        for (;;) yield noise(10_000);
      } finally {
        isEnded = true;
      }
    };
    return new Response(ReadableStream.from(source()), { headers: { "content-type": "text/plain" } });
  });
  const response = await app.inject("/", accepting("gzip"));
  const reader = response.body!.getReader();
  await reader.read();
  await reader.cancel();
  await until(() => isEnded && streams.length === 1 && streams[0]!.destroyed, "all is freed");
});

Deno.test("a client that leaves a writer ends what it writes", async () => {
  const { handler, streams } = watched();
  let isLeft = false;
  const app = sluice().set("env", "test").use(handler);
  app.get("/", (_req, res) => {
    res.type("text");
    const timer = setInterval(() => res.write(noise(1000)), 1);
    res.on("close", () => {
      clearInterval(timer);
      isLeft = true;
      assertEquals(res.write("late"), false);
      res.end();
    });
  });
  const response = await app.inject("/", accepting("gzip"));
  const reader = response.body!.getReader();
  await reader.read();
  await reader.cancel();
  await until(() => isLeft && streams[0]!.destroyed, "it is freed");
});

Deno.test("files are compressed, but not their parts, and cannot be continued", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/small.json`, LONG_TEXT);
    await Deno.writeTextFile(`${folder}/large.txt`, HUGE);
    const app = sluice().set("env", "test").use(compress());
    app.get("/sent", (_req, res) => res.sendFile("large.txt", { root: folder }));
    app.use(sluice.static(folder));
    for (const [path, text] of [["/small.json", LONG_TEXT], ["/large.txt", HUGE], ["/sent", HUGE]] as const) {
      const response = await app.inject(path, accepting("gzip"));
      const { headers } = response;
      assertEquals([headers.get("content-encoding"), headers.get("accept-ranges")], ["gzip", null]);
      assertEquals(await plainText(response), text);
      const part = await app.inject(path, accepting("gzip", { headers: { range: "bytes=0-1999" } }));
      assertEquals([part.status, part.headers.get("content-encoding")], [206, null]);
      assertEquals(await part.text(), text.slice(0, 2000));
      const known = { "if-none-match": headers.get("etag")! };
      assertEquals((await app.inject(path, accepting("gzip", { headers: known }))).status, 304);
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a filter decides, with the default at hand", async () => {
  const app = compressing((_req, res) => res.json(LONG), {
    filter: (req, res) => !req.path.startsWith("/raw") && isCompressible(res.get("Content-Type")),
  });
  assertEquals(await codingOf(app, "gzip", "/raw"), null);
  assertEquals((await app.inject("/raw", accepting("gzip"))).headers.get("vary"), null);
  assertEquals(await codingOf(app, "gzip", "/"), "gzip");
});

Deno.test("it works for one router or route, and is listed by its name", async () => {
  const router = Router();
  router.get("/some", compress(), (_req, res) => res.json(LONG));
  router.get("/others", (_req, res) => res.json(LONG));
  const app = sluice().set("env", "test").use("/api", router);
  assertEquals(await codingOf(app, "gzip", "/api/some"), "gzip");
  assertEquals(await codingOf(app, "gzip", "/api/others"), null);
  assertEquals(compress().name, "compress");
});

/** Makes the middleware as on a runtime with a different `node:zlib`, or without it. */
function withModule(module: unknown): Handler {
  const { process } = globalThis as unknown as { process: Record<string, unknown> };
  const load = process["getBuiltinModule"];
  process["getBuiltinModule"] = () => module;
  try {
    return compress() as Handler;
  } finally {
    process["getBuiltinModule"] = load;
  }
}

Deno.test("a runtime with nothing but CompressionStream compresses all but events and records", async () => {
  const app = sluice().set("env", "test").use(withModule(undefined));
  app.get("/events", (req, res) => sse(req, res).sendAll(["a"]));
  app.get("/huge", (_req, res) => res.type("text").send(HUGE));
  app.get("/", (_req, res) => res.json(LONG));
  app.get("/pieces", RESPONSES["pieces"]!);
  for (const path of ["/", "/pieces"]) assertEquals(await codingOf(app, "br, gzip, deflate", path), "gzip");
  assertEquals(await codingOf(app, "deflate"), "deflate");
  assertEquals(await codingOf(app, "br, zstd"), null);
  assertEquals(await plainText(await app.inject("/huge", accepting("gzip"))), HUGE);
  const events = await app.inject("/events", accepting("gzip"));
  assertEquals([events.headers.get("content-encoding"), await events.text()], [null, "data: a\n\n"]);
  app.get("/records", (_req, res) => res.type("application/x-ndjson").end("{}\n"));
  const records = await app.inject("/records", accepting("gzip"));
  assertEquals([records.headers.get("content-encoding"), await records.text()], [null, "{}\n"]);
});

Deno.test("there, too, writers wait for a slow client, and a client may leave", async () => {
  let written = 0;
  let isLeft = false;
  const app = sluice().set("env", "test").use(withModule(undefined));
  app.get("/", async (_req, res) => {
    res.type("text").on("close", () => isLeft = true);
    for (; written < 500 && !isLeft; written++) {
      if (!res.write(noise(10_000))) {
        await new Promise<void>((resolve) => res.once("drain", resolve).once("close", resolve));
      }
    }
    res.end();
  });
  const response = await app.inject("/", accepting("gzip"));
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert(written < 100, `${written} pieces were written to nobody`);
  const read = await new Response(response.body!.pipeThrough(new DecompressionStream("gzip"))).bytes();
  assertEquals(read.length, 5_000_000);
  written = 0;
  isLeft = false;
  const reader = (await app.inject("/", accepting("gzip"))).body!.getReader();
  await reader.read();
  await reader.cancel();
  await until(() => isLeft, "the writer knows");
});

Deno.test("a runtime that cannot compress sends what it gets, which does not vary", async () => {
  const { CompressionStream } = globalThis;
  Object.assign(globalThis, { CompressionStream: undefined });
  const handler = withModule(undefined);
  Object.assign(globalThis, { CompressionStream });
  const app = sluice().set("env", "test").use(handler);
  app.get("/", (_req, res) => res.json(LONG));
  const response = await app.inject("/", accepting("gzip"));
  assertEquals([response.headers.get("content-encoding"), response.headers.get("vary")], [null, null]);
  assertEquals(await response.json(), LONG);
});

Deno.test("options that are not valid are refused, each by its name", () => {
  for (
    const [options, kind, message] of [
      [{ treshold: 1 }, TypeError, /there is no option treshold/],
      [{ brotli: {} }, TypeError, /no option brotli; write level: \{ br: 4 \}/],
      [{ threshold: -1 }, RangeError, /option threshold must be an integer from 0/],
      [{ threshold: "much" }, TypeError, /"much"/],
      [{ threshold: null }, undefined, undefined],
      [{ encodings: "gzip" }, TypeError, /option encodings must be a list of br, deflate, gzip, zstd/],
      [{ encodings: ["lzma"] }, TypeError, /option encodings/],
      [{ level: "6" }, TypeError, /option level must be a number, or an object/],
      [{ level: 10 }, RangeError, /option level\.deflate must be an integer from 0 to 9, not 10/],
      [{ level: { gzip: 10 } }, RangeError, /option level\.gzip must be an integer from 0 to 9, not 10/],
      [{ level: { brotli: 4 } }, TypeError, /option level: there is no option brotli/],
      [{ filter: /json/ }, TypeError, /option filter must be a function/],
      [7, TypeError, /options must be an object/],
    ] as const
  ) {
    if (kind === undefined) continue;
    // deno-lint-ignore no-explicit-any -- values that compilers reject
    const error = assertThrows(() => compress(options as any), kind);
    assertMatch(error.message, message!);
    assertMatch(error.message, /^(?:compress|A size)/);
  }
});

import { assert, assertEquals, assertRejects } from "@std/assert";
import { AsyncLocalStorage } from "node:async_hooks";
import { Buffer } from "node:buffer";
import { createReadStream } from "node:fs";
import { finished, PassThrough, Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { FrameworkApp, FrameworkResponse } from "@sluice/sluice";
import { ask, quietApp, serving } from "../support/app.ts";
import { type Any, askBoth, serveBoth } from "../support/sluice_and_express.ts";
import { until } from "../support/until.ts";
import { virtualTimers } from "../support/virtual_timers.ts";
import { openStreamsKey } from "../../src/exchange/app_like.ts";

/** Sends a request and returns the handler's output. */
function written(handler: (res: FrameworkResponse) => unknown, init?: RequestInit): Promise<Response> {
  const app = quietApp();
  app.get("/", (_req, res) => void handler(res));
  return ask(app, "/", init);
}

Deno.test("chunks written from one buffer, refilled in the callback, arrive as in Express", async () => {
  const [ours, theirs] = await askBoth((app: Any) => {
    app.get("/:kind", (req: Any, res: Any) => {
      const buffer = req.params.kind === "bytes" ? new Uint8Array(32_768) : Buffer.alloc(32_768);
      let letter = 97;
      const next = () => {
        if (letter > 101) return res.end();
        buffer.fill(letter++);
        res.write(buffer, next);
      };
      next();
    });
  }, [{ path: "/bytes" }, { path: "/buffer" }]);
  assertEquals(ours, theirs);
  assertEquals(ours.map(({ body }) => body.replace(/(.)\1*/g, "$1")), ["abcde", "abcde"]);
});

Deno.test("the callback of a chunk runs when the client takes it, in order, before the answer is complete", async () => {
  const heard: string[] = [];
  const response = await written((res) => {
    for (const letter of ["a", "b", "c"]) res.write(letter, () => heard.push(letter));
    res.write("", () => heard.push("nothing"));
    res.write("d", "latin1", () => heard.push("d"));
    res.end("e", () => heard.push("end"));
  });
  const reader = response.body!.getReader();
  await Promise.resolve();
  assertEquals(heard, []);
  await reader.read();
  await Promise.resolve();
  assertEquals(heard, ["a"]);
  while (!(await reader.read()).done);
  assertEquals(heard, ["a", "b", "c", "nothing", "d", "end"]);
});

Deno.test("the callback of a chunk sees what AsyncLocalStorage held when it was written, as in Express", async () => {
  const storage = new AsyncLocalStorage<string>();
  const seen = Promise.withResolvers<unknown>();
  const app = quietApp();
  app.use((_req, _res, next) => storage.run("of the request", next));
  app.get("/", (_req, res) => {
    res.write("a", () => seen.resolve(storage.getStore()));
    res.on("finish", () => seen.reject(new Error("the callback has not run")));
    setTimeout(() => res.end("b"), 0);
  });
  await serving(app, async (origin) => assertEquals(await (await fetch(origin)).text(), "ab"));
  assertEquals(await seen.promise, "of the request");
});

Deno.test("a source given to res.send makes its chunks in the context of the handler, and is closed in it", async () => {
  const storage = new AsyncLocalStorage<string>();
  const seen: unknown[] = [];
  const app = quietApp();
  app.use((req, _res, next) => storage.run(req.path, next));
  app.get("/generator", (_req, res) =>
    res.send(async function* () {
      try {
        for (;;) {
          seen.push(storage.getStore());
          yield "chunk";
        }
      } finally {
        seen.push(storage.getStore());
      }
    }()));
  app.get("/stream", (_req, res) =>
    res.send(
      new ReadableStream<string>({
        pull(controller) {
          seen.push(storage.getStore());
          controller.enqueue("chunk");
        },
        cancel: () => void seen.push(storage.getStore()),
      }, { highWaterMark: 0 }),
    ));
  for (const path of ["/generator", "/stream"]) {
    const reader = (await ask(app, path)).body!.getReader();
    await reader.read();
    await reader.read();
    await reader.cancel();
    assertEquals(seen.splice(0), [path, path, path]);
  }
});

Deno.test("text in any of Node's encodings is read as by Buffer.from, whatever characters do not belong to it", async () => {
  const texts = ["YWJj", "YW\nJj=", "YQ==YQ==", "a-_/+", "YWJjZ", "61626", "6162zz63", "é😀\ud800", ""];
  for (const encoding of ["base64", "base64url", "hex", "latin1", "binary", "ascii", "utf8", "ucs2"] as const) {
    for (const text of texts) {
      const response = await written((res) => res.end(text, encoding));
      assertEquals(Buffer.from(await response.arrayBuffer()), Buffer.from(text, encoding), `${text} in ${encoding}`);
    }
  }
});

Deno.test("an answer that was destroyed before its end has not ended, as in Express", async () => {
  const shown: unknown[] = [];
  const noted = [0, 1].map(() => Promise.withResolvers<void>());
  const [ours, theirs] = await serveBoth((app: Any) => {
    app.get("/", (_req: Any, res: Any) => {
      res.on("close", () => {
        shown.push([res.writableEnded, res.finished, res.writableFinished, res.destroyed]);
        noted[shown.length - 1]!.resolve();
      });
      res.write("begun");
      res.destroy();
    });
  }, (origin) => fetch(origin).then((response) => response.text()).catch(() => "cut"));
  assertEquals([ours, theirs], ["cut", "cut"]);
  await Promise.all(noted.map(({ promise }) => promise));
  assertEquals(shown, [[false, false, false, true], [false, false, false, true]]);
});

Deno.test("stream.finished reports a client that leaves before the end of the response as an error, as in Express", async () => {
  const codes: Record<string, (string | undefined)[]> = { "/ended": [], "/left": [] };
  await serveBoth((app: Any) => {
    app.use((req: Any, res: Any) => {
      finished(res, (error: NodeJS.ErrnoException | null | undefined) => codes[req.path]!.push(error?.code));
      res.write("begun");
      if (req.path === "/ended") res.end();
    });
  }, async (origin) => {
    assertEquals(await (await fetch(`${origin}/ended`)).text(), "begun");
    const leaving = new AbortController();
    const response = await fetch(`${origin}/left`, { signal: leaving.signal });
    leaving.abort();
    await assertRejects(() => response.text());
  });
  const isOver = () => codes["/ended"]!.length === 2 && codes["/left"]!.length === 2;
  await until(isOver, "stream.finished calls back");
  const closed = "ERR_STREAM_PREMATURE_CLOSE";
  assertEquals(codes, { "/ended": [undefined, undefined], "/left": [closed, closed] });
});

Deno.test("null in place of an encoding or a callback is ignored, as in Node", async () => {
  const response = await written((res) => {
    res.write("a", null, null);
    res.write("b", "utf8", null);
    res.end("c", null, null);
  });
  assertEquals(await response.text(), "abc");
  assertEquals(await (await written((res) => res.end(null, null, null))).text(), "");
  assertEquals(await (await written((res) => res.end("whole", null, null))).text(), "whole");
});

Deno.test("a handler that waits for each chunk makes no more of them than the client reads", async () => {
  let made = 0;
  const response = await written((res) => {
    const next = (error?: unknown) => {
      if (error) return;
      made++;
      res.write("x".repeat(1000), next);
    };
    next();
  });
  const reader = response.body!.getReader();
  for (let i = 0; i < 5; i++) await reader.read();
  assertEquals(made <= 6, true, `${made} chunks were made`);
  await reader.cancel();
});

Deno.test("many small pieces written before the client reads are sent as a few large ones", async () => {
  const rows = Array.from({ length: 50_000 }, (_, i) => `row ${i}\n`);
  const response = await written((res) => {
    for (const row of rows) res.write(row);
    res.end();
  });
  const pieces = await Array.fromAsync(response.body!);
  assertEquals(await new Response(new Blob(pieces)).text(), rows.join(""));
  assertEquals(pieces.length < 20, true, `${pieces.length} pieces`);
});

Deno.test("writableLength and writableNeedDrain are as in Express", async () => {
  const [ours, theirs] = await askBoth((app: Any) => {
    const told = (res: Any) => [res.writableLength > 0, res.writableNeedDrain, typeof res.writableHighWaterMark];
    app.get("/", (_req: Any, res: Any) => {
      const seen = [told(res)];
      while (res.write("x".repeat(1000)));
      seen.push(told(res));
      res.once("drain", () => {
        seen.push(told(res));
        res.end(JSON.stringify(seen));
      });
    });
  }, [{ path: "/" }]);
  const [before, full, drained] = JSON.parse(ours[0]!.body.replace(/x/g, ""));
  assertEquals([before, full, drained], [[false, false, "number"], [true, true, "number"], [false, false, "number"]]);
  assertEquals(ours[0]!.body.replace(/x/g, ""), theirs[0]!.body.replace(/x/g, ""));
});

Deno.test("callbacks of chunks that do not reach a client that left are called with an error", async () => {
  const codes: unknown[] = [];
  const told = Promise.withResolvers<void>();
  const response = await written((res) => {
    const note = (error?: Any) => void codes.push(error?.code);
    res.write("taken", note);
    res.write("waiting", note);
    res.write("waiting too", note);
    res.on("close", () => res.write("late", (error?: Any) => (note(error), told.resolve())));
  });
  const reader = response.body!.getReader();
  await reader.read();
  await reader.cancel();
  await told.promise;
  assertEquals(codes, [undefined, "ERR_STREAM_DESTROYED", "ERR_STREAM_DESTROYED", "ERR_STREAM_DESTROYED"]);
});

Deno.test("callbacks of chunks still buffered when the answer is destroyed are called with an error", async () => {
  const codes: unknown[] = [];
  const response = await written((res) => {
    res.write("waiting", (error?: Any) => void codes.push(error?.code));
    res.destroy();
  });
  await response.text().catch(() => undefined);
  assertEquals(codes, ["ERR_STREAM_DESTROYED"]);
});

for (const [what, status, method] of [["HEAD", 200, "HEAD"], ["204", 204, "GET"], ["304", 304, "GET"]] as const) {
  Deno.test(`a handler that streams for a ${what} gets finish and close, and no sign that the answer was cut`, async () => {
    const heard: string[] = [];
    const app = quietApp();
    const ended = Promise.withResolvers<void>();
    const sent = Promise.withResolvers<void>();
    app.get("/", async (req, res) => {
      req.on("aborted", () => heard.push("aborted"));
      res.on("finish", () => heard.push("finish")).on("close", () => heard.push("close"));
      res.status(status).write("first", () => heard.push("first"));
      await sent.promise;
      res.write("second", () => heard.push("second"));
      res.end("last", () => ended.resolve());
    });
    await serving(app, async (origin) => {
      const response = await fetch(origin, { method });
      assertEquals([response.status, response.headers.get("content-length"), await response.text()], [
        status,
        null,
        "",
      ]);
      sent.resolve();
      await ended.promise;
    });
    assertEquals(heard, ["first", "second", "finish", "close"]);
  });
}

Deno.test("streamed rendering for a HEAD is not told that its client has left", async () => {
  const app = quietApp();
  const told = Promise.withResolvers<string>();
  const sent = Promise.withResolvers<void>();
  app.get("/", async (_req, res) => {
    let rendered = "a part";
    res.on("close", () => told.resolve(rendered));
    await pipeline(async function* () {
      yield "first";
      await sent.promise;
      yield "last";
      rendered = "the whole";
    }, res as Any);
  });
  await serving(app, async (origin) => {
    assertEquals(await (await fetch(origin, { method: "HEAD" })).text(), "");
    sent.resolve();
    assertEquals(await told.promise, "the whole");
  });
});

Deno.test("a file that is piped into the answer to a HEAD is read to its end and closed", async () => {
  const path = await Deno.makeTempFile();
  await Deno.writeFile(path, new Uint8Array(1_000_000));
  const app = quietApp();
  const over: (() => void)[] = [];
  app.get("/piped", (_req, res) => {
    const file = createReadStream(path).on("close", () => over.shift()!());
    res.flushHeaders();
    file.pipe(res as Any);
  });
  app.get("/pipeline", async (_req, res) => {
    await pipeline(createReadStream(path), res as Any);
    over.shift()!();
  });
  await serving(app, async (origin) => {
    for (const way of ["/piped", "/pipeline"]) {
      const closed = new Promise<void>((resolve) => over.push(resolve));
      assertEquals(await (await fetch(origin + way, { method: "HEAD" })).text(), "");
      await closed;
    }
  });
  await Deno.remove(path);
});

Deno.test("what is piped into the answer to a HEAD is read to its end, however long that takes", async () => {
  const app = quietApp();
  const source = new PassThrough();
  const ended = Promise.withResolvers<void>();
  const noticed = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  app.get("/piped", (_req, res) => {
    res.on("finish", ended.resolve).on("close", () => ended.reject(new Error("closed before its end")));
    res.flushHeaders();
    source.pipe(res as Any);
  });
  app.get("/unanswered", (req) => void (begun.resolve(), req.on("close", noticed.resolve)));
  await serving(app, async (origin) => {
    assertEquals(await (await fetch(`${origin}/piped`, { method: "HEAD" })).text(), "");
    // disconnects are noticed in request order, so by then the first request's is certain
    const client = new AbortController();
    const left = assertRejects(() => fetch(`${origin}/unanswered`, client));
    await begun.promise;
    client.abort();
    await left;
    await noticed.promise;
    source.end("the last part");
    await ended.promise;
  });
});

Deno.test("a pipe that never ends is given up a minute after the answer to a HEAD, and its source destroyed", async () => {
  const { setTimeout } = globalThis;
  const waited: number[] = [];
  // minutes and seconds pass immediately
  globalThis.setTimeout = ((run: () => void, ms = 0) => setTimeout(run, ms < 1000 ? ms : waited.push(ms) && 0)) as Any;
  try {
    const app = quietApp();
    const radio = new Readable({ read: () => void setTimeout(() => radio.push("music"), 0) });
    const over = Promise.withResolvers<unknown>();
    app.get("/", (_req, res) => pipeline(radio, res as Any).then(over.resolve, over.reject));
    const cut = assertRejects(() => over.promise, Error, "Premature close");
    assertEquals(await (await ask(app, "/", { method: "HEAD" })).text(), "");
    await until(() => radio.destroyed, "the end of the radio");
    await cut;
    assertEquals(waited, [5000, 60_000]);
  } finally {
    globalThis.setTimeout = setTimeout;
  }
});

Deno.test("a HEAD that knows no length does not say that it is 0", async () => {
  const app = quietApp();
  app.get("/written", (_req, res) => (res.write("a"), res.end("b")));
  app.get("/sent", (_req, res) => void res.send(new Blob(["stream"]).stream()));
  app.get("/returned", () => Response.json({ a: 1 }));
  app.get("/proxied", (_req, res) => void res.writeHead(200, { "x-from": "upstream" }).end());
  await serving(app, async (origin) => {
    for (const path of ["/written", "/sent", "/returned", "/proxied"]) {
      const response = await fetch(origin + path, { method: "HEAD" });
      assertEquals([path, response.headers.get("content-length"), await response.text()], [path, null, ""]);
    }
  });
});

Deno.test("a status that no web response can carry is an error for streams too, and leaves nothing open", async () => {
  const app = quietApp();
  let cancelled = 0;
  const source = () => new ReadableStream({ cancel: () => void cancelled++ });
  app.get("/write", (_req, res) => void res.status(600).write("lost"));
  app.get("/head", (_req, res) => void res.writeHead(600).write("lost"));
  app.get("/flush", (_req, res) => res.status(600).flushHeaders());
  app.get("/stream", (_req, res) => void res.status(600).send(source()));
  app.use((error: Error, _req: unknown, res: FrameworkResponse, _next: unknown) => {
    res.status(500).send(error.message);
  });
  for (const path of ["/write", "/head", "/flush", "/stream"]) {
    const response = await ask(app, path);
    assertEquals([path, response.status, await response.text()], [
      path,
      500,
      "A web response carries a status from 200 to 599, not 600; set another with res.status()",
    ]);
  }
  assertEquals([app[openStreamsKey].size, cancelled], [0, 1]);
});

Deno.test("a long body adds one listener for drain to a response whose methods were replaced, not one for each chunk", async () => {
  const app = quietApp();
  let listeners = 0;
  app.use((_req, res, next) => {
    // as compression does: it keeps the drain listeners, and is full after every chunk
    const { on, write } = res;
    res.on = (...args: Parameters<typeof on>) => {
      if (args[0] === "drain") listeners++;
      return on.apply(res, args);
    };
    res.write = (...args: Parameters<typeof write>) => {
      write.apply(res, args);
      queueMicrotask(() => res.emit("drain"));
      return false;
    };
    next();
  });
  app.get("/", (_req, res) => {
    const chunks = async function* (): AsyncGenerator<string> {
      for (let i = 0; i < 100; i++) yield "x";
    };
    res.send(chunks());
  });
  assertEquals(await (await ask(app, "/")).text(), "x".repeat(100));
  assertEquals(listeners, 1);
});

/** Adds middleware that replaces `write`, as compression and sessions do. */
function hookWrite(app: FrameworkApp): void {
  app.use((_req, res, next) => {
    const { write } = res;
    res.write = (...args: Parameters<typeof write>) => write.apply(res, args);
    next();
  });
}

Deno.test("a source whose chunks cannot be sent is cancelled, also behind middleware that replaced write", async () => {
  for (const isHooked of [false, true]) {
    const app = quietApp();
    const givenUp: string[] = [];
    if (isHooked) hookWrite(app);
    app.get("/list", (_req, res) => {
      const chunks = async function* (): AsyncGenerator<Any> {
        try {
          yield "text";
          yield 5;
        } finally {
          givenUp.push("list");
        }
      };
      res.send(chunks());
    });
    app.get("/stream", (_req, res) => {
      res.send(
        new ReadableStream<Any>({
          start: (controller) => controller.enqueue({ no: "bytes" }),
          cancel: () => void givenUp.push("stream"),
        }),
      );
    });
    for (const path of ["/list", "/stream"]) await assertRejects(async () => await (await ask(app, path)).text());
    assertEquals([givenUp, app[openStreamsKey].size], [["list", "stream"], 0]);
  }
});

Deno.test("a source that waits is cancelled when its client leaves, also behind middleware that replaced write", async () => {
  for (const isHooked of [false, true]) {
    for (const way of ["sent", "returned", "iterated"]) {
      const app = quietApp();
      if (isHooked) hookWrite(app);
      const cancelled = Promise.withResolvers<void>();
      const idle = () =>
        new ReadableStream<Uint8Array>({
          start: (controller) => controller.enqueue(new Uint8Array([65])),
          cancel: () => cancelled.resolve(),
        });
      app.get("/", (_req, res) => {
        if (way === "returned") return new Response(idle());
        if (way === "sent") return res.send(idle());
        const chunks = ["A"];
        res.send({
          [Symbol.asyncIterator]: () => ({
            next: () => chunks.length > 0 ? Promise.resolve({ value: chunks.pop() }) : new Promise(() => {}),
            return: () => Promise.resolve({ done: true, value: cancelled.resolve() }),
          }),
        });
      });
      await serving(app, async (origin) => {
        const left = new AbortController();
        const { body } = await fetch(origin, { signal: left.signal });
        const reader = body!.getReader();
        assertEquals(new TextDecoder().decode((await reader.read()).value), "A");
        left.abort();
        await reader.read().catch(() => {});
        await cancelled.promise;
      });
    }
  }
});

Deno.test("an endless source is closed some seconds after a HEAD behind middleware that replaced write", async () => {
  using time = virtualTimers();
  const app = quietApp();
  hookWrite(app);
  let isClosed = false;
  app.get("/", (_req, res) => {
    const ticks = async function* (): AsyncGenerator<string> {
      try {
        for (;;) {
          yield "tick";
          await new Promise((resolve) => setTimeout(resolve, 1000));
        }
      } finally {
        isClosed = true;
      }
    };
    res.send(ticks());
  });
  assertEquals((await ask(app, "/", { method: "HEAD" })).status, 200);
  await time.advance(4000);
  assertEquals(isClosed, false);
  await time.advance(2000);
  assertEquals([isClosed, time.pending], [true, 0]);
});

Deno.test("a large chunk is sent in several pieces, and its callback waits for the last", async () => {
  const large = new Uint8Array(1_500_000).map((_, i) => i);
  for (const way of ["written", "waited", "streamed"]) {
    const app = quietApp();
    const taken: string[] = [];
    app.get("/", async (_req, res) => {
      if (way === "streamed") return res.send(ReadableStream.from([large]));
      res.flushHeaders();
      // now the client waits for the chunk
      if (way === "waited") await new Promise((resolve) => setTimeout(resolve, 0));
      res.write(large, () => taken.push("large"));
      res.end("end");
    });
    const response = await app.handle(new Request("http://localhost/"));
    const arrived = new Uint8Array(large.length + 3);
    const pieces: number[] = [];
    let length = 0;
    for await (const piece of response.body!) {
      arrived.set(piece, length);
      length += piece.length;
      pieces.push(piece.length);
      if (pieces.length === 2) assertEquals(taken, []);
    }
    assert(pieces.every((length) => length <= 512 * 1024), `${pieces}`);
    assertEquals(taken, way === "streamed" ? [] : ["large"]);
    assertEquals(arrived.subarray(0, large.length), large);
    assertEquals(length, large.length + (way === "streamed" ? 0 : "end".length));
  }
});

import sluice, {
  type ErrorRequestHandler,
  type FrameworkApp,
  type Handler,
  type Request,
  type Response as SluiceResponse,
  Router,
} from "@sluice/sluice";
import { type EventStream, type ServerSentEvent, sse, type SseOptions } from "@sluice/middleware/sse";
import { MemorySessionStore, session } from "@sluice/middleware/session";
import { assert, assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import { virtualTimers } from "../../tests/support/virtual_timers.ts";

/** An application that streams events at `/events`, and the stream of the last request. */
function streaming(options?: SseOptions): { app: FrameworkApp; stream: () => EventStream } {
  const app = sluice().set("env", "test");
  let stream: EventStream | undefined;
  app.get("/events", (req, res) => {
    stream = sse(req, res, options);
  });
  return { app, stream: () => stream! };
}

function sourced(source: () => AsyncIterable<ServerSentEvent | string>): FrameworkApp {
  const app = sluice().set("env", "test");
  return app.get("/events", (req, res) => sse(req, res).sendAll(source()));
}

async function sentBy(send: (events: EventStream) => unknown, options: SseOptions = {}): Promise<string> {
  const { app, stream } = streaming({ heartbeatMs: 0, ...options });
  const response = await app.inject("/events");
  await send(stream());
  stream().close();
  return await response.text();
}

Deno.test("a response of events says what it is, and keeps caches and proxies from holding it back", async () => {
  const { app, stream } = streaming();
  const { status, headers, body } = await app.inject("/events");
  assertEquals([status, headers.get("content-type"), headers.get("cache-control"), headers.get("x-accel-buffering")], [
    ...[200, "text/event-stream", "no-cache", "no"],
  ]);
  await body!.cancel();
  await stream().closed;
});

Deno.test("a handler's own Cache-Control is kept", async () => {
  const app = sluice();
  app.get("/", (req, res) => sse(req, res.set("Cache-Control", "no-store")).close());
  assertEquals((await app.inject("/")).headers.get("cache-control"), "no-store");
});

Deno.test("events have the format of the HTML standard", async () => {
  const sent = await sentBy((events) => {
    events.send("text");
    events.send({ event: "news", id: "7", data: { a: [1, "ü"] }, retry: 1500 });
    events.send({ data: "one\ntwo\r\nthree\rfour" });
    events.send({ data: "" });
    events.send({ id: "" });
    events.comment("still here");
  }, { retryMs: 3000 });
  assertEquals(sent.split("\n\n").slice(0, -1), [
    "retry: 3000",
    "data: text",
    'event: news\nid: 7\nretry: 1500\ndata: {"a":[1,"ü"]}',
    "data: one\ndata: two\ndata: three\ndata: four",
    "data: ",
    "id: ",
    ": still here",
  ]);
});

Deno.test("what a stranger wrote cannot begin a field or an event of its own", async () => {
  await sentBy((events) => {
    for (
      const bad of [
        { event: "a\ndata: b" },
        { id: "a\rb" },
        { id: "a\0b" },
        { id: 7 },
        {},
        { data: () => 1 },
        7,
        null,
      ]
    ) {
      // @ts-expect-error some have the wrong type
      const error = assertThrows(() => events.send(bad), TypeError);
      assertMatch(error.message, /^events\.send/);
    }
    for (const retry of [-1, 1.5, NaN]) assertThrows(() => events.send({ retry }), RangeError, "whole number of ms");
  });
});

Deno.test("a client that connects again says which event it got last", async () => {
  const { app, stream } = streaming();
  await (await app.inject("/events", { headers: { "last-event-id": "41" } })).body!.cancel();
  assertEquals(stream().lastEventId, "41");
  // as browsers send them, each UTF-8 byte as a character; and invalid UTF-8
  for (const [sent, id] of [["\xc3\xa9 \xe2\x98\x83", "é ☃"], ["\xe9", "\xe9"]] as const) {
    await (await app.inject("/events", { headers: { "last-event-id": sent } })).body!.cancel();
    assertEquals(stream().lastEventId, id);
  }
  await (await app.inject("/events")).body!.cancel();
  assertEquals(stream().lastEventId, undefined);
});

Deno.test("a stream that says nothing sends a comment every now and then", async () => {
  using time = virtualTimers();
  const { app, stream } = streaming({ heartbeatMs: 1000 });
  const response = await app.inject("/events");
  await time.advance(600);
  stream().send("a");
  await time.advance(600);
  await time.advance(600);
  await time.advance(1000);
  stream().close();
  assertEquals(time.pending, 0);
  assertEquals(await response.text(), "data: a\n\n: \n\n: \n\n");
});

Deno.test("sending waits for a client that reads slowly", async () => {
  const { app, stream } = streaming({ heartbeatMs: 0 });
  const reader = (await app.inject("/events")).body!.getReader();
  let sent = 0;
  const sending = (async () => {
    for (; sent < 1000; sent++) await stream().send("x".repeat(1000));
  })();
  await settled();
  assert(sent < 200, `${sent} events were sent to nobody`);
  let bytes = 0;
  while (bytes < 1000 * 1008) bytes += (await reader.read()).value!.length;
  await sending;
  await reader.cancel();
});

Deno.test("a client for whom too much waits is disconnected", async () => {
  const { app, stream } = streaming({ maxPendingBytes: 100_000 });
  const response = await app.inject("/events");
  for (let i = 0; i < 1000 && !stream().isClosed; i++) stream().send("x".repeat(1000));
  assertEquals(stream().isClosed, true);
  await stream().closed;
  await assertRejects(() => response.text());
});

Deno.test("a stream is closed when its client leaves, and sends nothing any more", async () => {
  const { app, stream } = streaming();
  const response = await app.inject("/events");
  assertEquals(stream().isClosed, false);
  await response.body!.cancel();
  await stream().closed;
  await stream().send("too late");
  assertEquals(stream().isClosed, true);
});

Deno.test("closing the application closes its streams, those of mounted applications among them", async () => {
  const { app: inner, stream } = streaming();
  const outer = sluice().use("/inner", inner);
  const response = await outer.inject("/inner/events");
  stream().send("last");
  await outer.close();
  assertEquals(await response.text(), "data: last\n\n");
  assertEquals(stream().isClosed, true);
});

Deno.test("closing the application closes the streams of one that is mounted in its router", async () => {
  const { app: inner, stream } = streaming();
  const outer = sluice().use("/router", Router().use("/inner", inner));
  const response = await outer.inject("/router/inner/events");
  assertEquals([inner.parent, inner.isClosing], [undefined, false]);
  const closed = outer.close({ timeoutMs: 1000 });
  assertEquals(inner.isClosing, true);
  await closed;
  assertEquals([await response.text(), stream().isClosed], ["", true]);
});

Deno.test("a thousand streams have one listener on their application", async () => {
  const { app } = streaming();
  const responses: Response[] = [];
  for (let i = 0; i < 1000; i++) responses.push(await app.inject("/events"));
  assertEquals(app.listenerCount("closing"), 1);
  await app.close();
  for (const response of responses) assertEquals(await response.text(), "");
});

Deno.test("a source is sent to its end, each event when the client has taken the one before", async () => {
  let yielded = 0;
  const app = sourced(async function* () {
    for (; yielded < 500; yielded++) yield { id: `${yielded}`, data: "x".repeat(1000) };
  });
  const response = await app.inject("/events");
  await settled();
  assert(yielded < 200, `${yielded} events were made for nobody`);
  assertEquals((await response.text()).match(/^id: /gm)!.length, 500);
});

Deno.test("a source may be an array", async () => {
  const app = sluice();
  app.get("/", (req, res) => sse(req, res).sendAll(["a", { data: "b" }]));
  assertEquals(await (await app.inject("/")).text(), "data: a\n\ndata: b\n\n");
});

Deno.test("a source ends when its client leaves", async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const app = sourced(async function* () {
    try {
      for (;;) yield "again";
    } finally {
      resolve("ended");
    }
  });
  const response = await app.inject("/events");
  await response.body!.cancel();
  assertEquals(await promise, "ended");
});

Deno.test("a source that never yields does not keep the application from closing", async () => {
  const app = sourced(() => ({
    [Symbol.asyncIterator]: () => ({
      next: () => new Promise(() => {}),
      return: () => Promise.reject(new Error("no")),
    }),
  }));
  const told: unknown[] = [];
  app.on("error", (error) => told.push(error.message));
  const response = await app.inject("/events");
  await app.close();
  assertEquals(await response.text(), "");
  await settled();
  assertEquals(told, ["no"]);
});

Deno.test("a source that fails cuts the response, so that the client connects again, and is reported", async () => {
  const app = sourced(async function* () {
    yield "first";
    throw new Error("no more");
  });
  const told: unknown[] = [];
  app.on("error", (error) => told.push(error.message));
  const response = await app.inject("/events");
  await assertRejects(() => response.text());
  assertEquals(told, ["no more"]);
});

Deno.test("a stream whose session cannot be saved ends, and leaves the response to the error handler", async () => {
  const failed = Promise.withResolvers<void>();
  const store = new MemorySessionStore();
  store.set = () => Promise.reject(new Error("no store"));
  const app = sluice().set("env", "test").use(session({ store }));
  let isClosed = false;
  app.get("/", async (req, res) => {
    req.session.begun = true;
    const events = sse(req, res);
    events.send("held");
    await failed.promise;
    await events.send("too late");
    events.close();
    isClosed = events.isClosed;
  });
  const respond: ErrorRequestHandler = async (_error, _req, res, _next) => {
    failed.resolve();
    await settled();
    res.status(503).send("no session");
  };
  app.use(respond);
  const response = await app.inject("/");
  assertEquals([response.status, await response.text(), isClosed], [503, "no session", true]);
});

Deno.test("a HEAD request gets the headers alone", async () => {
  const { app, stream } = streaming();
  const response = await app.inject("/events", { method: "HEAD" });
  assertEquals([response.headers.get("content-type"), await response.text()], ["text/event-stream", ""]);
  assertEquals(stream().isClosed, true);
});

Deno.test("options of sse are checked", async () => {
  const failing: [SseOptions, string][] = [
    [{ heartbeatMs: -1 }, "heartbeatMs"],
    [{ retryMs: 1.5 }, "retryMs"],
    [{ maxPendingBytes: 0 }, "maxPendingBytes"],
    [{ heartbeat: 1 } as SseOptions, "there is no option heartbeat"],
  ];
  for (const [options, message] of failing) {
    const app = sluice();
    const handler: Handler = (req, res) => {
      const error = assertThrows(() => sse(req, res, options)) as Error;
      res.send(error.message);
    };
    app.get("/", handler);
    assertMatch(await (await app.inject("/")).text(), new RegExp(`sse: .*${message}`));
  }
});

/** Runs everything that waits only for other code. */
function settled(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

Deno.test("called as middleware, or as a handler, sse says how to call it", async () => {
  const wrong = sse as unknown as (...given: unknown[]) => never;
  const how = "sse is not middleware: call it in a handler, (req, res) => { const events = sse(req, res); … }, not";
  const thrown = (...given: unknown[]) => assertThrows(() => wrong(...given), TypeError).message;
  assertEquals(thrown(), `${how} with nothing`);
  assertEquals(thrown({ heartbeatMs: 5 }), `${how} with an object`);
  assertEquals(thrown((stream: unknown) => stream), `${how} with a function`);
  assertEquals(thrown(null), `${how} with null`);
  const app = sluice().set("env", "test");
  app.get("/res", (_req, res) => void res.send(thrown(res)));
  app.get("/swapped", (req, res) => void res.send(thrown(res, req)));
  app.get("/handler", wrong);
  app.use((error: Error, _req: Request, res: SluiceResponse, _next: unknown) => void res.send(error.message));
  const text = async (path: string) => await (await app.inject(path)).text();
  for (const path of ["/res", "/swapped"]) assert((await text(path)).startsWith(`${how} with an object`), path);
  assertEquals(await text("/handler"), `${how} as a handler`);
});

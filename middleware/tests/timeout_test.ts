import sluice, { type FrameworkApp, type Handler, json, Router, text } from "@sluice/sluice";
import { metrics } from "@sluice/middleware/metrics";
import { MemorySessionStore, session } from "@sluice/middleware/session";
import { upload } from "@sluice/middleware/upload";
import { timeout, type TimeoutOptions } from "@sluice/middleware/timeout";
import connectTimeout from "connect-timeout";
import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { virtualTimers } from "../../tests/support/virtual_timers.ts";

function quiet(): FrameworkApp {
  return sluice().set("env", "test");
}

/** Names and messages in the errors that an application reports. */
function reported(app: FrameworkApp): string[] {
  const told: string[] = [];
  app.on("error", (error) => told.push(`${error.name}: ${error.message}`));
  return told;
}

/** Returns a promise's value, once it has one. */
function outcome<T>(promise: Promise<T>): () => T | undefined {
  let value: T | undefined;
  promise.then((result) => value = result);
  return () => value;
}

Deno.test("a response that does not begin in time is 503, and the error handlers know why", async () => {
  using time = virtualTimers();
  const app = quiet().use(timeout(1000, { retryAfterMs: 1500 }));
  app.get("/", () => {});
  const seen: unknown[] = [];
  app.use(
    ((error, _req, _res, next) => {
      seen.push([error.status, error.name, error.code, error.timeout, error.message]);
      next(error);
    }) as (error: { [name: string]: unknown }, ...rest: Parameters<Handler>) => void,
  );
  const response = outcome(app.inject("/"));
  await time.advance(999);
  assertEquals(response(), undefined);
  await time.advance(1);
  assertEquals([response()?.status, response()?.headers.get("retry-after")], [503, "2"]);
  assertEquals(seen, [[503, "TimeoutError", "ETIMEDOUT", 1000, "No response within 1000 ms"]]);
});

Deno.test("without the option there is no Retry-After, and production tells no details", async () => {
  using time = virtualTimers();
  const app = sluice().set("env", "production").use(timeout(1));
  app.on("error", () => {});
  app.get("/", () => {});
  const response = app.inject("/", { headers: { accept: "application/json" } });
  await time.advance(1);
  const { headers } = await response;
  assertEquals([headers.get("retry-after"), await (await response).json()], [null, { error: "Service Unavailable" }]);
});

Deno.test("req.signal aborts with the error, so that what the handler waits for stops, and it is reported once", async () => {
  using time = virtualTimers();
  const app = quiet().use(timeout(50));
  const told = reported(app);
  let reason: { name?: string; status?: number } = {};
  app.get("/", async (req, res) => {
    const { signal } = req;
    await new Promise((_, reject) =>
      signal.addEventListener("abort", () => {
        reason = signal.reason;
        reject(reason);
      })
    );
    res.send("never");
  });
  const response = app.inject("/");
  await time.advance(50);
  assertEquals((await response).status, 503);
  await time.advance(0);
  assertEquals([reason.name, reason.status, told], ["TimeoutError", 503, ["TimeoutError: No response within 50 ms"]]);
});

Deno.test("req.signal still aborts when the client leaves, and no timer is left", async () => {
  using time = virtualTimers();
  const app = quiet().use(timeout(60_000), timeout(30_000));
  const aborted = Promise.withResolvers<string>();
  app.get("/", ({ signal }) => signal.addEventListener("abort", () => aborted.resolve(signal.reason.name)));
  const leaving = new AbortController();
  const response = app.inject("/", { signal: leaving.signal });
  // the core checks for a disconnect only after a while
  await time.advance(100);
  leaving.abort();
  assertEquals([await aborted.promise, (await response).status], ["AbortError", 499]);
  await time.advance(0);
  assertEquals(time.pending, 0);
});

Deno.test("a signal that is read after the timeout has aborted", async () => {
  using time = virtualTimers();
  const app = quiet().use(timeout(10));
  const later = Promise.withResolvers<void>();
  let seen: unknown;
  app.get("/", async (req) => {
    await later.promise;
    seen = [req.signal.aborted, req.signal.reason.name];
  });
  const response = app.inject("/");
  await time.advance(10);
  await response;
  later.resolve();
  await time.advance(0);
  assertEquals(seen, [true, "TimeoutError"]);
});

Deno.test("a response in time cancels the timer, whichever way it was sent", async () => {
  using time = virtualTimers();
  const app = quiet().use(timeout(1000));
  app.get("/json", (_req, res) => res.json({}));
  app.get("/returned", () => new Response("returned"));
  app.get("/promised", () => Promise.resolve(Response.json({})));
  app.get("/empty", (_req, res) => res.status(204).end());
  app.get("/fails", () => {
    throw new Error("at once");
  });
  for (const path of ["/json", "/returned", "/promised", "/empty", "/fails", "/missing"]) {
    await (await app.inject(path)).text();
    await time.advance(0);
    assertEquals(time.pending, 0, path);
  }
});

Deno.test("a response that has begun is not cut", async () => {
  using time = virtualTimers();
  const app = quiet().use(timeout(100));
  app.get("/", (req, res) => {
    res.write("one ");
    setTimeout(() => res.end(req.signal.aborted ? "aborted" : "two"), 5000);
  });
  const response = await app.inject("/");
  const text = outcome(response.text());
  await time.advance(5000);
  assertEquals([response.status, text(), time.pending], [200, "one two", 0]);
});

/** Ways for a handler to respond after everything has ended. */
const LATE: Readonly<Record<string, Handler>> = {
  json: (_req, res) => void setTimeout(() => res.status(200).json({ late: true }), 20),
  send: (_req, res) => void setTimeout(() => res.set("X-Late", "1").type("text").send("late"), 20),
  status: (_req, res) => void setTimeout(() => res.sendStatus(200), 20),
  redirect: (_req, res) => void setTimeout(() => res.cookie("a", "b").redirect("/"), 20),
  node: (_req, res) =>
    void setTimeout(() => {
      res.writeHead(200, { "X-Late": "1" });
      res.write("late");
      res.end("er");
    }, 20),
  file: (_req, res) => void setTimeout(() => res.sendFile("/none"), 20),
  returned: () => new Promise((resolve) => setTimeout(() => resolve(new Response("late")), 20)),
  stream: (_req, res) => void setTimeout(() => res.send(new Blob(["late"]).stream()), 20),
};

for (const [name, handler] of Object.entries(LATE)) {
  Deno.test(`what a handler sends too late is ignored, and nothing is thrown: ${name}`, async () => {
    using time = virtualTimers();
    const app = quiet().use(timeout(10)).get("/", handler);
    const told = reported(app);
    const response = app.inject("/");
    await time.advance(10);
    const { status, headers } = await response;
    // an error here would end the test
    await time.advance(20);
    assertEquals([status, headers.get("x-late"), told.length], [503, null, 1]);
  });
}

Deno.test("what a handler sends too late is ignored, also if the session cannot be saved", async () => {
  using time = virtualTimers();
  class FailingStore extends MemorySessionStore {
    override async set(): Promise<boolean> {
      await new Promise((resolve) => setTimeout(resolve, 5));
      throw new Error("no store");
    }
  }
  const app = quiet().use(timeout(10), session({ store: new FailingStore() }));
  const told = reported(app);
  const late = Promise.withResolvers<unknown>();
  app.get("/", (req, res) => {
    Object.assign(req.session, { visits: 1 });
    setTimeout(() => {
      try {
        res.writeHead(201, { "X-Late": "1" });
        res.end("late");
        late.resolve("ignored");
      } catch (error) {
        late.resolve(error);
      }
    }, 50);
  });
  const response = app.inject("/");
  await time.advance(10);
  await time.advance(5);
  assertEquals((await response).status, 503);
  await time.advance(40);
  assertEquals(await late.promise, "ignored");
  assertEquals(told.length, 2);
});

Deno.test("what is thrown away is closed: the body of a late response", async () => {
  using time = virtualTimers();
  const cancelled: string[] = [];
  const body = (name: string) => new ReadableStream({ cancel: () => void cancelled.push(name) });
  const app = quiet().use(timeout(10));
  app.get("/", (_req, res) => {
    setTimeout(() => res.send(body("sent")), 20);
    return new Promise((resolve) => setTimeout(() => resolve(new Response(body("returned"))), 20));
  });
  const response = app.inject("/");
  await time.advance(30);
  assertEquals([(await response).status, cancelled.sort()], [503, ["returned", "sent"]]);
});

Deno.test("an object with a method destroy that is sent too late keeps it", async () => {
  using time = virtualTimers();
  let destroyed = false;
  const row = { destroy: () => destroyed = true };
  const app = quiet().use(timeout(10));
  app.get("/", (_req, res) => void setTimeout(() => [res.json(row), res.send(row)], 20));
  const response = app.inject("/");
  await time.advance(30);
  assertEquals([(await response).status, destroyed], [503, false]);
});

Deno.test("an error handler that waits responds before the signal aborts the handler", async () => {
  using time = virtualTimers();
  const app = quiet().use(timeout(10));
  app.get(
    "/",
    ({ signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  );
  app.use(
    (async (_error, _req, res, _next) => {
      await new Promise((resolve) => setTimeout(resolve, 100));
      res.status(504).send("made with care");
    }) as (error: unknown, ...rest: Parameters<Handler>) => Promise<void>,
  );
  const response = outcome(app.inject("/"));
  await time.advance(10);
  assertEquals(response(), undefined);
  await time.advance(100);
  assertEquals([response()?.status, await response()?.text()], [504, "made with care"]);
});

Deno.test("a session that is saved for the timeout's response sets its cookie, and the handler can neither change nor cut it", async () => {
  using time = virtualTimers();
  class SlowStore extends MemorySessionStore {
    override async set(...args: Parameters<MemorySessionStore["set"]>): Promise<boolean> {
      await new Promise((resolve) => setTimeout(resolve, 100));
      return await super.set(...args);
    }
  }
  const app = quiet().use(timeout(10), session({ store: new SlowStore() }));
  const aborted: unknown[] = [];
  app.get("/", (req, res) => {
    Object.assign(req.session, { visits: 1 });
    setTimeout(() => res.status(200).json({ late: true }), 50);
    return new Promise((_, reject) =>
      req.signal.addEventListener("abort", () => {
        aborted.push(res.writableEnded);
        reject(req.signal.reason);
      })
    );
  });
  app.use(
    ((error, _req, res, _next) => void res.status(error.status).json({ own: error.message })) as (
      error: { status: number; message: string },
      ...rest: Parameters<Handler>
    ) => void,
  );
  const response = app.inject("/");
  await time.advance(10);
  await time.advance(40);
  assertEquals(aborted, []);
  await time.advance(60);
  const { status, headers } = await response;
  assertEquals([status, headers.getSetCookie().length], [503, 1]);
  assertEquals(await (await response).json(), { own: "No response within 10 ms" });
  assertEquals(aborted, [true]);
});

Deno.test("the response of an error handler is sent if a session has to be saved before it", async () => {
  using time = virtualTimers();
  const app = quiet().use(timeout(10), session({ secret: "of at least 32 characters, for tests" }));
  const told = reported(app);
  app.get("/", async (req, res) => {
    req.session.begun = true;
    await new Promise((resolve) => setTimeout(resolve, 1000));
    res.json("late");
  });
  app.use(
    ((_error, _req, res, _next) => res.status(504).send("made with care")) as (
      error: unknown,
      ...rest: Parameters<Handler>
    ) => unknown,
  );
  const pending = app.inject("/");
  await time.advance(10);
  const response = await pending;
  await time.advance(1000);
  const { status, headers } = response;
  assertEquals([status, await response.text(), headers.getSetCookie().length], [504, "made with care", 1]);
  assertEquals(told, []);
});

const SLOW_READERS: Record<string, (go: Promise<unknown>) => [Handler, string, string]> = {
  "json": () => [json(), "application/json", '{"a":1}'],
  "text": () => [text({ type: "application/json", verify() {} }), "application/json", '{"a":1}'],
  "upload": () => [
    upload() as Handler,
    "multipart/form-data; boundary=B",
    '--B\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n--B--',
  ],
  "session": (go) => {
    const store = new MemorySessionStore();
    store.get = () => go.then(() => undefined);
    return [session({ store }) as Handler, "text/plain", "text"];
  },
};

for (const [name, make] of Object.entries(SLOW_READERS)) {
  Deno.test(`no handler runs behind ${name} once the client was told to try again`, async () => {
    using time = virtualTimers();
    const go = Promise.withResolvers<void>();
    const [reader, type, body] = make(go.promise);
    let ran = false;
    const inner = sluice().use(reader).post("/", (_req, res) => {
      ran = true;
      res.send("done");
    });
    const app = quiet().use(timeout(10)).use("/inner", inner);
    app.use(
      (async (_error, _req, res, _next) => {
        await new Promise((resolve) => setTimeout(resolve, 100));
        res.status(503).send("try again");
      }) as (error: unknown, ...rest: Parameters<Handler>) => Promise<void>,
    );
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    void writer.write(new TextEncoder().encode(body.slice(0, 3)));
    const headers = { "content-type": type, cookie: `session=${"a".repeat(43)}` };
    const response = outcome(app.inject("/inner", { method: "POST", headers, body: readable }));
    await time.advance(10);
    void writer.write(new TextEncoder().encode(body.slice(3))).catch(() => {});
    void writer.close().catch(() => {});
    go.resolve();
    await time.advance(10);
    await time.advance(100);
    assertEquals([response()?.status, await response()?.text(), ran], [503, "try again", false]);
  });
}

Deno.test("req.timedout tells of no response that has begun, as in connect-timeout", async () => {
  using time = virtualTimers();
  const app = quiet().use(timeout(10));
  const seen: unknown[] = [];
  app.get("/", (req, res) => {
    res.write("begun");
    setTimeout(() => {
      seen.push(req.timedout);
      res.end();
    }, 20);
  });
  const response = app.inject("/");
  await time.advance(20);
  assertEquals([await (await response).text(), seen], ["begun", [false]]);
});

Deno.test("of two, the shorter one counts, whichever is outside", async () => {
  for (const [outer, inner] of [[10, 1000], [1000, 10]] as const) {
    using time = virtualTimers();
    const router = Router();
    let reason: { timeout?: number } = {};
    router.get("/", timeout(inner), ({ signal }) => signal.addEventListener("abort", () => reason = signal.reason));
    const app = quiet().use("/in", timeout(outer), router);
    const response = app.inject("/in");
    await time.advance(10);
    assertEquals([(await response).status, reason.timeout], [503, 10]);
    await time.advance(2000);
    assertEquals([reason.timeout, time.pending], [10, 0]);
  }
});

Deno.test("a limit of one route leaves the others alone", async () => {
  using time = virtualTimers();
  const app = quiet();
  const later: Handler = (_req, res) => void setTimeout(() => res.send("done"), 100);
  app.get("/limited", timeout(10), later).get("/free", later);
  const responses = [app.inject("/limited"), app.inject("/free")];
  await time.advance(100);
  assertEquals((await Promise.all(responses)).map(({ status }) => status), [503, 200]);
});

Deno.test("a program may have a signal of its own on the request", async () => {
  const app = quiet().use(timeout(1000));
  app.get("/", (req, res) => {
    Object.assign(req, { signal: "mine" });
    res.send(String(req.signal));
  });
  assertEquals(await (await app.inject("/")).text(), "mine");
});

Deno.test("a fetch that was given the signal is aborted", async () => {
  const inner = quiet().get("/", () => {});
  const server = inner.listen({ port: 0, hostname: "127.0.0.1" });
  const app = quiet().use(timeout(20));
  const failed = Promise.withResolvers<unknown>();
  app.get("/", async (req) => {
    await assertRejects(() => fetch(server.url, { signal: req.signal })).then(failed.resolve);
  });
  assertEquals((await app.inject("/")).status, 503);
  assertEquals((await failed.promise as Error).name, "TimeoutError");
  await inner.close({ timeoutMs: 0 });
});

Deno.test("a WebSocket may stay open for longer", async () => {
  const app = quiet().use(timeout(20));
  const told = reported(app);
  app.ws("/", { open: (ws) => void setTimeout(() => ws.send("still open"), 60) });
  const server = app.listen({ port: 0, hostname: "127.0.0.1" });
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}/`);
  assertEquals(await new Promise((resolve) => socket.onmessage = ({ data }) => resolve(data)), "still open");
  const closed = new Promise<number>((resolve) => socket.onclose = ({ code }) => resolve(code));
  socket.close(1000);
  assertEquals([await closed, told], [1000, []]);
  await app.close({ timeoutMs: 0 });
});

Deno.test("the error is that of connect-timeout, and so is what happens to a response that has begun", async () => {
  const seen = async (limit: Handler): Promise<unknown[]> => {
    using time = virtualTimers();
    const app = quiet().use(limit);
    app.get("/", () => {});
    app.get("/begun", (_req, res) => {
      res.write("be");
      setTimeout(() => res.end("gun"), 100);
    });
    const errors: unknown[] = [];
    app.use(
      ((error, _req, res, _next) => {
        errors.push([error.status, error.code, error.timeout]);
        res.sendStatus(error.status);
      }) as (error: { [name: string]: unknown; status: number }, ...rest: Parameters<Handler>) => void,
    );
    const response = app.inject("/");
    await time.advance(50);
    const begun = await app.inject("/begun");
    const text = begun.text();
    await time.advance(100);
    return [(await response).status, errors, begun.status, await text];
  };
  const ours = await seen(timeout(50));
  assertEquals(ours, await seen(connectTimeout(50) as unknown as Handler));
  assertEquals(ours, [503, [[503, "ETIMEDOUT", 50]], 200, "begun"]);
});

Deno.test("the limit is shown where routes are listed", () => {
  const app = quiet().get("/", timeout(1500), (_req, res) => res.send("x"));
  const [route] = app.getRegisteredRoutes("", { details: true });
  assertEquals(JSON.stringify(route).includes('"ms":1500'), true, JSON.stringify(route));
});

Deno.test("arguments of timeout are checked", () => {
  const failing: [unknown, TimeoutOptions | undefined, string][] = [
    [0, undefined, "timeout: option ms must be an integer from 1"],
    ["soon", undefined, 'timeout must be a number of ms or a string such as "1d", not "soon"'],
    [2 ** 31, undefined, "timeout: option ms must be an integer from 1 to 2147483647"],
    [1, { retryAfterMs: -1 }, "timeout: option retryAfterMs"],
    [1, { retryAfter: 1 } as TimeoutOptions, "timeout: there is no option retryAfter; did you mean retryAfterMs?"],
  ];
  for (const [ms, options, message] of failing) assertThrows(() => timeout(ms as number, options), Error, message);
});

Deno.test("the time may be text, and req.timedout tells when it is over", async () => {
  using timers = virtualTimers();
  const seen: unknown[] = [];
  const app = quiet();
  app.get("/", timeout("2s"), async (req, res) => {
    seen.push(req.timedout);
    res.once("close", () => seen.push(req.timedout));
    await timers.advance(2000);
    res.send("late");
  });
  assertEquals([(await app.inject("/")).status, seen], [503, [false, true]]);
});

Deno.test("req.clearTimeout removes the limit from one request, as in connect-timeout", async () => {
  using time = virtualTimers();
  const app = quiet();
  app.get("/", timeout(1000), async (req, res) => {
    req.clearTimeout();
    await new Promise((resolve) => setTimeout(resolve, 5000));
    res.json([req.timedout, req.signal.aborted]);
  });
  const response = outcome(app.inject("/"));
  await time.advance(5000);
  assertEquals(await response()?.json(), [false, false]);
});

Deno.test("a client that leaves while a session holds the 503 back causes no error, and its request is over", async () => {
  using time = virtualTimers();
  const saving = Promise.withResolvers<boolean>();
  class Slow extends MemorySessionStore {
    override set(): Promise<boolean> {
      return saving.promise;
    }
  }
  const measured = metrics({ openTelemetry: false });
  const app = quiet().use(measured, session({ store: new Slow() }), timeout(1000));
  const errors = reported(app);
  app.get("/", async (req, res) => {
    req.session.set = true;
    await new Promise((resolve) => setTimeout(resolve, 2000));
    res.send("late");
  });
  const leaving = new AbortController();
  const response = app.inject("/", { signal: leaving.signal });
  await time.advance(1000);
  leaving.abort();
  await time.advance(1);
  saving.resolve(true);
  await time.advance(2000);
  await response.catch(() => {});
  assertEquals(errors, ["TimeoutError: No response within 1000 ms"]);
  assertEquals(/^http_server_active_requests\{.*\} (\d+)$/m.exec(measured.metrics())?.[1], "0");
});

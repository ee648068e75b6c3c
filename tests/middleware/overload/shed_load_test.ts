import { assertEquals, assertThrows } from "@std/assert";
import { type FrameworkApp, type LoadShedder, shedLoad, type ShedLoadOptions } from "@sluice/sluice";
import { ask, quietApp, serving } from "../../support/app.ts";

/** An application behind `shedLoad`, and a clock that only its handler at /work moves. */
class Loaded {
  readonly shedder: LoadShedder;
  readonly app: FrameworkApp = quietApp();
  /** Ends the response to each /wait request. */
  readonly waiting: (() => void)[] = [];
  #now = 1_000_000;

  constructor(options: ShedLoadOptions) {
    this.shedder = shedLoad({ ...options, clock: () => this.#now });
    this.app.use(this.shedder);
    this.app.get("/work/:ms", (req, res) => {
      this.pass(Number(req.params.ms));
      res.send("done");
    });
    this.app.get("/critical", (_req, res) => res.send("ok"));
    this.app.get("/wait", (_req, res) => void this.waiting.push(() => res.send("done")));
    this.app.get("/", (_req, res) => res.send("ok"));
  }

  pass(ms: number): void {
    this.#now += ms;
  }

  async status(path = "/"): Promise<number> {
    return (await ask(this.app, path)).status;
  }

  /** Sends requests that arrive on the same tick. */
  statuses(...paths: string[]): Promise<number[]> {
    return Promise.all(paths.map((path) => this.status(path)));
  }
}

/** Resolves after everything scheduled for the next tick has run. */
function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

Deno.test("requests behind a turn that takes too long are refused while it lasts", async () => {
  const loaded = new Loaded({ maxEventLoopDelayMs: 200 });
  const responses = ["/work/150", "/work/60", "/", "/"].map((path) => loaded.status(path));
  assertEquals(await Promise.all(responses), [200, 200, 503, 503]);
  await turn();
});

Deno.test("requests are admitted again after a turn of less than half the limit", async () => {
  const loaded = new Loaded({ maxEventLoopDelayMs: 200 });
  assertEquals(await loaded.statuses("/work/100", "/work/101"), [200, 200]);
  await turn();
  loaded.pass(20);
  // measured now, but refused, because the previous tick was too long
  assertEquals(await loaded.status(), 503);
  assertEquals(loaded.shedder.figures.overloaded, true);
  await turn();
  assertEquals(await loaded.status(), 200);
  assertEquals(loaded.shedder.figures.overloaded, false);
});

Deno.test("one slow handler is no overload", async () => {
  const loaded = new Loaded({ maxEventLoopDelayMs: 200 });
  assertEquals(await loaded.status("/work/5000"), 200);
  await turn();
  loaded.pass(20);
  assertEquals(await loaded.statuses("/", "/"), [200, 200]);
  await turn();
});

Deno.test("between half the limit and the limit, what was decided before holds", async () => {
  const loaded = new Loaded({ maxEventLoopDelayMs: 200, priority: (req) => req.path === "/" ? "normal" : "critical" });
  const seen: number[] = [];
  for (const ms of [150, 201, 150, 150, 99]) {
    loaded.pass(20);
    await loaded.statuses(`/work/${ms}`, "/critical");
    await turn();
    seen.push(await loaded.status());
  }
  assertEquals(seen, [200, 503, 503, 503, 200]);
});

Deno.test("a long turn says nothing about requests that come much later", async () => {
  const loaded = new Loaded({ maxEventLoopDelayMs: 200 });
  await loaded.statuses("/work/2500", "/work/2500");
  await turn();
  assertEquals(loaded.shedder.figures.eventLoopDelayMs, 2500);
  assertEquals(loaded.shedder.figures.overloaded, true);
  loaded.pass(201);
  assertEquals(await loaded.status(), 200);
  await turn();
});

Deno.test("figures forget a rush that no request has followed, as when they keep a load balancer from sending any", async () => {
  const loaded = new Loaded({ maxEventLoopDelayMs: 200 });
  await loaded.statuses("/work/2500", "/work/2500");
  await turn();
  loaded.pass(200);
  assertEquals(loaded.shedder.figures.overloaded, true);
  loaded.pass(1);
  const { overloaded, eventLoopDelayMs } = loaded.shedder.figures;
  assertEquals([overloaded, eventLoopDelayMs], [false, 0]);
});

Deno.test("a refused request gets 503 and when to come back", async () => {
  const loaded = new Loaded({ maxEventLoopDelayMs: 1, retryAfterMs: 2500 });
  const [, refused] = await Promise.all([ask(loaded.app, "/work/2"), ask(loaded.app, "/")]);
  assertEquals([refused.status, refused.headers.get("retry-after")], [503, "3"]);
  assertEquals(await refused.text(), "Service Unavailable");
  await turn();
});

Deno.test("only so many responses may be pending, and each that ends makes room", async () => {
  const loaded = new Loaded({ maxPending: 2 });
  const admitted = [loaded.status("/wait"), loaded.status("/wait")];
  assertEquals(await loaded.status(), 503);
  assertEquals(loaded.shedder.figures.pending, 2);
  loaded.waiting.shift()!();
  assertEquals(await admitted[0], 200);
  assertEquals(await loaded.status(), 200);
  loaded.waiting.shift()!();
  assertEquals(await admitted[1], 200);
  await turn();
  assertEquals(loaded.shedder.figures.pending, 0);
});

Deno.test("a client that leaves makes room when its handler has ended, or after a minute", async () => {
  const loaded = new Loaded({ maxPending: 1 });
  const leave = async () => {
    const client = new AbortController();
    const left = ask(loaded.app, "/wait", { signal: client.signal });
    assertEquals(await loaded.status(), 503);
    client.abort();
    assertEquals((await left).status, 499);
    await turn();
    assertEquals([await loaded.status(), loaded.shedder.figures.pending], [503, 1]);
  };
  await leave();
  loaded.waiting.shift()!();
  assertEquals([loaded.shedder.figures.pending, await loaded.status()], [0, 200]);
  await leave();
  loaded.pass(59_999);
  assertEquals(await loaded.status(), 503);
  loaded.pass(1);
  assertEquals(await loaded.status(), 200);
  // a request that ends late must not free its slot twice
  loaded.waiting.shift()!();
  await turn();
  assertEquals(loaded.shedder.figures.pending, 0);
});

Deno.test("a client that leaves in the middle of a stream makes room at once", async () => {
  const loaded = new Loaded({ maxPending: 1 });
  loaded.app.get("/stream", (_req, res) => void res.write("the beginning"));
  const { body } = await ask(loaded.app, "/stream");
  assertEquals(await loaded.status(), 503);
  await body!.cancel();
  await turn();
  assertEquals(await loaded.status(), 200);
});

Deno.test("a request that asks for an upgrade is pending until it is a WebSocket, whatever it asks for", async () => {
  const loaded = new Loaded({ maxPending: 1 });
  loaded.app.ws("/socket", { message: () => {} });
  loaded.app.get("/own-socket", (req) => Deno.upgradeWebSocket(req.request).response);
  for (const upgrade of ["h2c", "websocket"]) {
    const waiting = ask(loaded.app, "/wait", { headers: { upgrade } });
    assertEquals([await loaded.status(), loaded.shedder.figures.pending], [503, 1], upgrade);
    loaded.waiting.shift()!();
    assertEquals([(await waiting).status, await loaded.status()], [200, 200], upgrade);
  }
  await serving(loaded.app, async (origin) => {
    for (const path of ["/socket", "/own-socket"]) {
      const socket = new WebSocket(`${origin.replace("http", "ws")}${path}`);
      await new Promise((resolve) => socket.onopen = resolve);
      assertEquals([await loaded.status(), loaded.shedder.figures.pending], [200, 0], path);
      const closed = new Promise((resolve) => socket.onclose = resolve);
      socket.close();
      await closed;
      assertEquals([await loaded.status(), loaded.shedder.figures.pending], [200, 0], path);
    }
  });
  await turn();
});

Deno.test("a heap that is too large refuses requests", async () => {
  const full = new Loaded({ maxHeapBytes: 1 });
  assertEquals(await full.status(), 503);
  assertEquals(full.shedder.figures.refused, { eventLoopDelay: 0, pending: 0, heap: 1 });
  await turn();
  const roomy = new Loaded({ maxHeapBytes: 2 ** 40 });
  assertEquals(await roomy.status(), 200);
  await turn();
});

Deno.test("critical requests are always admitted, and low ones refused at half the limits", async () => {
  const priority: ShedLoadOptions["priority"] = (req) => req.query["as"] as "critical" | "low" | undefined;
  const loaded = new Loaded({ maxEventLoopDelayMs: 200, maxPending: 4, priority });
  const pending = [loaded.status("/wait"), loaded.status("/wait")];
  const statuses = () => loaded.statuses("/?as=low", "/", "/?as=critical");
  assertEquals(await statuses(), [503, 200, 200]);
  for (const end of loaded.waiting) end();
  await Promise.all(pending);
  await turn();
  assertEquals(await statuses(), [200, 200, 200]);
  loaded.pass(20);
  assertEquals(await loaded.statuses("/work/101", "/?as=low", "/work/100"), [200, 503, 200]);
  assertEquals(await statuses(), [503, 503, 200]);
  await turn();
});

Deno.test("everything is counted", async () => {
  const loaded = new Loaded({ maxEventLoopDelayMs: 10 });
  for (const path of ["/work/5", "/work/6", "/", "/"]) await loaded.app.fetch(new Request(`http://localhost${path}`));
  const { admitted, refused } = loaded.shedder.figures;
  assertEquals({ admitted, refused }, { admitted: 2, refused: { eventLoopDelay: 2, pending: 0, heap: 0 } });
  await turn();
});

Deno.test("nothing runs before the first request, and nothing after the last", async () => {
  const before = setTimeout;
  let timers = 0;
  globalThis.setTimeout = ((...args: Parameters<typeof setTimeout>) => {
    timers++;
    return before(...args);
  }) as typeof setTimeout;
  try {
    const loaded = new Loaded({});
    for (let i = 0; i < 100; i++) await loaded.status();
  } finally {
    globalThis.setTimeout = before;
  }
  assertEquals(timers, 0);
  // this test's sanitizers would report leaks
  await turn();
});

Deno.test("options that make no sense are refused when the middleware is made", () => {
  assertThrows(() => shedLoad({ maxPending: 0 }), RangeError, "shedLoad: option maxPending must be an integer from 1");
  assertThrows(() => shedLoad({ maxEventLoopDelayMs: NaN }), RangeError, "maxEventLoopDelayMs");
  assertThrows(() => shedLoad({ retryAfterMs: Infinity }), RangeError, "retryAfterMs");
  assertThrows(() => shedLoad({ priority: "low" as never }), TypeError, "shedLoad: option priority must be a function");
  assertThrows(() => shedLoad({ maxDelay: 1 } as never), TypeError, "shedLoad: there is no option maxDelay; there are");
});

Deno.test("a priority that does not exist goes to the error handlers", async () => {
  const loaded = new Loaded({ priority: () => "high" as never });
  loaded.app.use((error: Error, _req: unknown, res: { send(text: string): unknown }, _next: unknown) => {
    res.send(error.message);
  });
  const response = await ask(loaded.app, "/");
  assertEquals(await response.text(), 'shedLoad: priority must return "critical", "normal" or "low", not "high"');
  await turn();
});

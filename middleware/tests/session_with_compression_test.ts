import sluice, { type ErrorHandler, type FrameworkApp, type Response as SluiceResponse } from "@sluice/sluice";
import { compress } from "@sluice/middleware/compress";
import { MemorySessionStore, session, type SetSessionOptions } from "@sluice/middleware/session";
import { assertEquals, assertMatch } from "@std/assert";
import compression from "compression";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { brotliDecompressSync, gunzipSync } from "node:zlib";

const CHUNK = new TextEncoder().encode("0123456789abcdef".repeat(8 * 1024));
const CHUNKS = 18;

const DECODERS: Record<string, (bytes: Uint8Array) => Uint8Array> = { br: brotliDecompressSync, gzip: gunzipSync };

// deno-lint-ignore no-explicit-any -- typed for Express
const COMPRESSIONS: Record<string, () => any> = {
  "compress": () => compress(),
  "npm's compression": () => compression(),
};

async function* chunks(): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < CHUNKS; i++) yield await Promise.resolve(CHUNK);
}

/** Ways to write more than a session buffers while it waits for its store. */
const WAYS: Record<string, (res: SluiceResponse) => unknown> = {
  "a writer that waits for drain": async (res) => {
    for await (const chunk of chunks()) {
      if (!res.write(chunk)) await new Promise<void>((resolve) => res.once("drain", resolve));
    }
    res.end();
  },
  "a pipe": (res) => void Readable.from(chunks()).pipe(res as unknown as NodeJS.WritableStream),
  "a pipeline": (res) => pipeline(chunks(), res as unknown as NodeJS.WritableStream),
  "res.send of a stream": (res) => res.send(ReadableStream.from(chunks())),
};

/** A store that writes only once the response exceeds the buffer. */
class WaitingStore extends MemorySessionStore {
  #full = Promise.withResolvers<void>();

  /** Lets the store continue. */
  noteFull(): void {
    this.#full.resolve();
  }

  override async set(id: string, content: string, options: SetSessionOptions): Promise<boolean> {
    await this.#full.promise;
    return await super.set(id, content, options);
  }
}

/** An application whose session waits until the handler's writes meet backpressure. */
function waitingApp(respond: (res: SluiceResponse) => unknown, order: (sessions: Handler) => Handler[]): FrameworkApp {
  const store = new WaitingStore();
  const app = sluice();
  app.use(...order(session({ store }) as Handler));
  app.get("/", (req, res) => {
    req.session.user = 1;
    const { end, write } = res;
    res.write = (...args: Parameters<typeof write>) => {
      const hasRoom = write.apply(res, args);
      if (!hasRoom) store.noteFull();
      return hasRoom;
    };
    res.end = (...args: Parameters<typeof end>) => {
      store.noteFull();
      return end.apply(res, args);
    };
    res.type("text");
    return respond(res) as undefined;
  });
  return app;
}

// deno-lint-ignore no-explicit-any -- middleware for both
type Handler = any;

// reads the session, so that it wraps what is registered after it
const begin: Handler = (req: { session: unknown }, _res: unknown, next: () => void) => (void req.session, next());

for (const [compressed, make] of Object.entries(COMPRESSIONS)) {
  for (const [way, respond] of Object.entries(WAYS)) {
    for (const coding of Object.keys(DECODERS)) {
      const orders = {
        "behind": (sessions: Handler) => [make(), sessions],
        "in front of": (sessions: Handler) => [sessions, begin, make()],
      };
      for (const [where, order] of Object.entries(orders)) {
        Deno.test(`${way} ends with a slow session ${where} ${compressed} in ${coding}`, async () => {
          const app = waitingApp(respond, order);
          const response = await app.inject("/", { headers: { "accept-encoding": coding } });
          assertEquals([response.headers.get("content-encoding"), response.headers.getSetCookie().length], [coding, 1]);
          const body = DECODERS[coding]!(await response.bytes());
          assertEquals(body.length, CHUNKS * CHUNK.length);
        });
      }
    }
  }
}

const HOUR_MS = 3_600_000;

for (const [compressed, make] of Object.entries(COMPRESSIONS)) {
  for (const [way, respond] of Object.entries(WAYS)) {
    Deno.test(`${way} sends the lifetime of one session, with a slow store or sealed, and ${compressed}`, async () => {
      for (
        const order of [(sessions: Handler) => [make(), sessions], (sessions: Handler) => [sessions, begin, make()]]
      ) {
        for (const isSealed of [false, true]) {
          const store = new SlowStore();
          const app = sluice();
          app.use(...order(session(isSealed ? { secret: "5VnrkxJ0fTuGGq7ZJvqCCiTTQ9SXYH2l" } : { store })));
          app.get("/", (req, res) => {
            req.session.user = 1;
            req.session.cookie.maxAge = HOUR_MS;
            res.type("text");
            return respond(res) as undefined;
          });
          app.get("/lifetime", (req, res) => res.json(req.session.cookie.maxAge));
          const response = await app.inject("/", { headers: { "accept-encoding": "gzip" } });
          const [cookie = ""] = response.headers.getSetCookie();
          assertMatch(cookie, /; Max-Age=3600;/);
          assertEquals(gunzipSync(await response.bytes()).length, CHUNKS * CHUNK.length);
          const headers = { "accept-encoding": "gzip", "cookie": cookie.slice(0, cookie.indexOf(";")) };
          assertEquals(await (await app.inject("/lifetime", { headers })).json(), HOUR_MS);
        }
      }
    });
  }
}

class SlowStore extends MemorySessionStore {
  override async set(id: string, content: string, options: SetSessionOptions): Promise<boolean> {
    await new Promise((resolve) => setTimeout(resolve));
    return await super.set(id, content, options);
  }
}

// in any order, with nothing from the first response left in the second
const BROKEN_WAYS: Record<string, (res: SluiceResponse) => unknown> = {
  ...WAYS,
  "res.send": (res) => res.send("0123456789abcdef".repeat(1000)),
  "res.end": (res) => res.end("short"),
};

class FailingStore extends MemorySessionStore {
  override async set(): Promise<boolean> {
    await new Promise((resolve) => setTimeout(resolve));
    throw new Error("no store today");
  }
}

for (const [compressed, make] of Object.entries(COMPRESSIONS)) {
  for (const [way, respond] of Object.entries(BROKEN_WAYS)) {
    Deno.test(`${way} leaves nothing in an error handler's response, with a failing store and ${compressed}`, async () => {
      for (
        const order of [(sessions: Handler) => [make(), sessions], (sessions: Handler) => [sessions, begin, make()]]
      ) {
        const app = sluice();
        const errors: unknown[] = [];
        app.on("error", (error) => errors.push(error));
        app.use(...order(session({ store: new FailingStore() }) as Handler));
        app.get("/", (req, res) => {
          req.session.user = 1;
          res.type("text");
          // the new response interrupts a pipeline
          return Promise.resolve(respond(res)).catch(() => {}) as Promise<undefined>;
        });
        app.use(((error: Error, _req, res, _next) => res.status(503).json({ error: error.message })) as ErrorHandler);
        const response = await app.inject("/", { headers: { "accept-encoding": "gzip" } });
        assertEquals([response.status, response.headers.get("content-encoding")], [503, null]);
        assertEquals(await response.json(), { error: "no store today" });
        assertEquals(errors, []);
      }
    });
  }
}

for (const [compressed, make] of Object.entries(COMPRESSIONS)) {
  Deno.test(`a head that is flushed while a session waits says how ${compressed} codes the body`, async () => {
    const store = new WaitingStore();
    const app = sluice();
    app.use(session({ store }) as Handler, begin, make());
    app.get("/", async (_req, res) => {
      res.type("text").flushHeaders();
      await Promise.resolve();
      res.write("0123456789abcdef".repeat(200));
      (res as SluiceResponse).flush!();
      res.end("end");
      store.noteFull();
    });
    const response = await app.inject("/", { headers: { "accept-encoding": "gzip" } });
    assertEquals(response.headers.get("content-encoding"), "gzip");
    assertEquals(gunzipSync(await response.bytes()).length, 3203);
  });

  Deno.test(`a part that is flushed while a session behind ${compressed} waits reaches the client before the end`, async () => {
    const store = new WaitingStore();
    const app = sluice();
    const read = Promise.withResolvers<void>();
    app.use(make(), session({ store }) as Handler);
    app.get("/", async (req, res) => {
      req.session.user = 1;
      res.type("text").write("first");
      (res as SluiceResponse).flush!();
      store.noteFull();
      await read.promise;
      res.end(", last");
    });
    const response = await app.inject("/", { headers: { "accept-encoding": "gzip" } });
    const reader = response.body!.pipeThrough(new DecompressionStream("gzip")).pipeThrough(new TextDecoderStream())
      .getReader();
    assertEquals((await reader.read()).value, "first");
    read.resolve();
    assertEquals((await reader.read()).value, ", last");
  });
}

Deno.test("listeners for drain are found, counted and removed behind both", () => {
  const app = sluice();
  app.use(compress(), session({ store: new MemorySessionStore() }) as Handler);
  app.get("/", (req, res) => {
    req.session.user = 1;
    const heard: string[] = [];
    const listener = () => heard.push("on");
    res.on("drain", listener).once("drain", () => heard.push("once")).addListener("drain", listener);
    assertEquals([res.listenerCount("drain"), res.listeners("drain")[0]], [3, listener]);
    res.off("drain", listener).removeListener("drain", listener);
    assertEquals(res.listenerCount("drain"), 1);
    assertEquals(res.removeAllListeners("drain").listenerCount("drain"), 0);
    res.end();
  });
  return app.inject("/").then((response) => assertEquals(response.status, 200));
});

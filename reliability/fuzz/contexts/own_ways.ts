/** Ways to continue a chain that exist only in Sluice: every callback must see its request's context. */
import { compress } from "@sluice/middleware/compress";
import { csrf } from "@sluice/middleware/csrf";
import { log } from "@sluice/middleware/log";
import { session } from "@sluice/middleware/session";
import { sse } from "@sluice/middleware/sse";
import { timeout } from "@sluice/middleware/timeout";
import { upload } from "@sluice/middleware/upload";
import { adaptiveConcurrency, MemoryStore, rateLimit } from "@sluice/rate-limit";
import { rateLimit as coreRateLimit } from "@sluice/sluice";
import type { Any } from "../../../tests/support/sluice_and_express.ts";
import { type Content, done, FILES, listen, pause, ROOMY, type Way } from "./way.ts";

/** Stores sessions slowly, like a database. */
class SlowSessions {
  readonly #kept = new Map<string, string>();
  async get(id: string): Promise<string | undefined> {
    await pause(1);
    return this.#kept.get(id);
  }
  async set(id: string, content: string): Promise<boolean> {
    await pause(1);
    this.#kept.set(id, content);
    return true;
  }
  async destroy(id: string): Promise<void> {
    await pause(1);
    this.#kept.delete(id);
  }
  async touch(id: string): Promise<boolean> {
    await pause(1);
    return this.#kept.has(id);
  }
}

/** Counts in memory, slowly. */
function slowCounts(): MemoryStore {
  const store = new MemoryStore();
  const decide = store.decide.bind(store);
  return Object.assign(store, {
    decide: async (...args: Parameters<typeof decide>) => {
      await pause(1);
      return await decide(...args);
    },
    decideEach: undefined,
  });
}

const READERS: Readonly<Record<string, Content>> = {
  json: "json",
  text: "text",
  arrayBuffer: "bytes",
  bytes: "bytes",
  blob: "text",
  formData: "multipart",
};

const readers: readonly Way[] = [
  ...Object.entries(READERS).map(([method, content]): Way => ({
    name: `req.${method}()`,
    content,
    set(router, _lib, see) {
      router.post("/", async (req: Any, res: Any) => {
        await req[method]();
        see(req, "behind the promise")();
        res.json({});
      });
    },
  })),
  {
    name: "req.text().then()",
    content: "text",
    set(router, _lib, see) {
      router.post("/", (req: Any, res: Any) => {
        const settled = see(req, "then");
        req.text().then(settled, settled).finally(() => res.json({}));
      });
    },
  },
  {
    name: "the web request's body",
    content: "bytes",
    set(router, _lib, see) {
      router.post("/", async (req: Any, res: Any) => {
        for await (const _ of req.request.body ?? []) see(req, "chunk")();
        see(req, "behind the loop")();
        res.json({});
      });
    },
  },
  {
    name: "the web request's text()",
    content: "text",
    set(router, _lib, see) {
      router.post("/", async (req: Any, res: Any) => {
        await req.request.text();
        see(req, "behind the promise")();
        res.json({});
      });
    },
  },
];

const responses: readonly Way[] = [
  {
    name: "a generator as the body",
    content: "json",
    set(router, lib, see) {
      router.post("/", lib.json(ROOMY), (req: Any, res: Any) => {
        listen(req, res, see);
        res.send(async function* () {
          for (let i = 0; i < 3; i++) {
            see(req, "generator")();
            yield "x".repeat(30_000);
            await pause(0);
          }
        }());
      });
    },
  },
  {
    name: "a returned Response with a stream",
    content: "json",
    set(router, lib, see) {
      router.post("/", lib.json(ROOMY), (req: Any, res: Any) => {
        listen(req, res, see);
        let left = 3;
        return new Response(
          new ReadableStream({
            start: () => see(req, "start")(),
            async pull(controller) {
              see(req, "pull")();
              await pause(0);
              see(req, "pull, behind a timer")();
              controller.enqueue(new Uint8Array(1000));
              if (--left === 0) controller.close();
            },
          }, { highWaterMark: 0 }),
        );
      });
    },
  },
  {
    name: "a returned Response",
    content: "json",
    set(router, lib, see) {
      router.post("/", lib.json(ROOMY), async (req: Any, res: Any) => {
        listen(req, res, see);
        await pause(0);
        see(req, "handler")();
        return Response.json({});
      });
    },
  },
  {
    name: "waitUntil()",
    content: "json",
    set(router, lib, see) {
      router.post("/", lib.json(ROOMY), (req: Any, res: Any) => {
        const later = see(req, "behind the response");
        req.waitUntil(pause(2).then(later));
        res.json({});
      });
    },
  },
  {
    name: "sse()",
    content: "json",
    set(router, lib, see) {
      router.post("/", lib.json(ROOMY), (req: Any, res: Any) => {
        const events = sse(req, res);
        events.closed.then(see(req, "closed"));
        return events.sendAll(async function* () {
          for (let i = 0; i < 3; i++) {
            see(req, "generator")();
            yield `event ${i}`;
            await pause(0);
          }
        }());
      });
    },
  },
  {
    name: "a request to another application",
    content: "json",
    set(router, lib, see) {
      const other = lib().set("env", "test");
      other.post("/", lib.json(ROOMY), async (req: Any, res: Any) => {
        see(req, "handler of the other")();
        await null;
        res.json({});
      });
      router.post("/", lib.json(ROOMY), async (req: Any, res: Any) => {
        const headers = { "content-type": "application/json", "x-id": req.get("x-id"), "x-enter": req.get("x-enter") };
        await other.inject("/", { method: "POST", headers, body: JSON.stringify(req.body ?? {}) });
        see(req, "behind inject()")();
        res.json({});
      });
    },
  },
];

const middleware: readonly Way[] = [
  {
    name: "session() with a slow store",
    content: "json",
    set(router, lib, see) {
      router.use(session({ secret: "x".repeat(32), store: new SlowSessions(), rolling: true }));
      router.use((req: Any, res: Any, next: Any) => {
        see(req, "behind the session")();
        listen(req, res, see);
        next();
      });
      router.post("/", lib.json(ROOMY), async (req: Any, res: Any) => {
        req.session.seen = true;
        await req.session.save();
        see(req, "behind save()")();
        await req.session.regenerate();
        see(req, "behind regenerate()")();
        req.session.seen = true;
        res.json({});
      });
    },
  },
  {
    name: "upload() in memory",
    content: "multipart",
    set: (router, _lib, see) => router.post("/", upload(), done(see)),
  },
  {
    name: "upload() to a function",
    content: "multipart",
    set(router, _lib, see) {
      router.use((req: Any, res: Any, next: Any) => {
        listen(req, res, see);
        next();
      });
      const to = async ({ stream }: Any, req: Any) => {
        see(req, "to")();
        for await (const _ of stream) see(req, "chunk of a file")();
        see(req, "behind the loop")();
      };
      router.post("/", upload({ storage: to as Any }), done(see));
    },
  },
  {
    name: "upload() with a low limit",
    content: "multipart",
    set: (router, _lib, see) => router.post("/", upload({ limits: { fileSize: 2 } }), done(see)),
  },
  {
    name: "compress() and drain",
    content: "json",
    set(router, lib, see) {
      router.use(compress({ threshold: 0 }), lib.json(ROOMY));
      router.post("/", async (req: Any, res: Any) => {
        listen(req, res, see);
        res.type("txt");
        for (let i = 0; i < 4; i++) {
          if (!res.write("compressed ".repeat(6000), see(req, "callback of write()"))) {
            await new Promise((resolve) => res.once("drain", resolve));
            see(req, "behind drain")();
          }
        }
        res.end();
      });
    },
  },
  {
    name: "compress() of a whole response",
    content: "json",
    set(router, lib, see) {
      router.use(compress({ threshold: 0 }), lib.json(ROOMY));
      router.post("/", (req: Any, res: Any) => {
        listen(req, res, see);
        see(req, "handler")();
        res.send("compressed ".repeat(1000));
      });
    },
  },
  {
    name: "the core's rateLimit",
    content: "json",
    set(router, lib, see) {
      const keyGenerator = (req: Any) => {
        see(req, "keyGenerator")();
        return req.get("x-id");
      };
      router.use(lib.json(ROOMY), coreRateLimit({ windowMs: 60_000, limit: 100, keyGenerator }));
      router.post("/", done(see));
    },
  },
  {
    name: "rateLimit with a slow store",
    content: "json",
    set(router, lib, see) {
      const keyGenerator = async (req: Any) => {
        await pause(1);
        see(req, "keyGenerator")();
        return "everybody";
      };
      const max = 1e6;
      router.use(
        lib.json(ROOMY),
        rateLimit({ windowMs: 60_000, limit: max, keyGenerator, store: slowCounts() }) as Any,
      );
      router.post("/", done(see));
    },
  },
  {
    name: "a refusal of rateLimit",
    content: "json",
    set(router, lib, see) {
      const message = (req: Any) => {
        see(req, "message")();
        return "refused";
      };
      const limit = { windowMs: 60_000, limit: 0, keyGenerator: () => "everybody", message, store: slowCounts() };
      router.use(lib.json(ROOMY), rateLimit(limit as Any) as Any);
      router.post("/", done(see));
    },
  },
  {
    name: "requests that wait for one another",
    content: "json",
    set(router, lib, see) {
      // one at a time: when a request ends, it admits the next
      const one = { algorithm: "concurrency", limit: 1, windowMs: 30_000 } as const;
      const keyGenerator = () => "everybody";
      router.use(lib.json(ROOMY), rateLimit({ ...one, keyGenerator, delay: { maxMs: 5000 } } as Any) as Any);
      router.post("/", async (req: Any, res: Any) => {
        listen(req, res, see);
        see(req, "handler")();
        await pause(1);
        res.json({});
      });
    },
  },
  {
    name: "adaptiveConcurrency()",
    content: "json",
    set: (router, lib, see) => router.post("/", lib.json(ROOMY), adaptiveConcurrency() as Any, done(see)),
  },
  {
    name: "csrf()",
    content: "form",
    set(router, lib, see) {
      router.use(lib.urlencoded(ROOMY), csrf());
      router.post("/", done(see));
    },
  },
  {
    name: "timeout()",
    content: "text",
    set: (router) => router.post("/", timeout(3), () => {}),
  },
  {
    name: "log()",
    content: "json",
    set(router, lib, see) {
      const fields = (req: Any) => {
        req.noteLine();
        return {};
      };
      router.use((req: Any, _res: Any, next: Any) => {
        // a line is written when the response is over
        req.noteLine = see(req, "res close");
        next();
      });
      router.use(log({ fields, stream: () => {} }));
      router.post("/", lib.json(ROOMY), done(see));
    },
  },
  {
    name: "an engine that is an async function",
    content: "json",
    rest: "/inner",
    set(router, lib, see) {
      const inner = lib().set("env", "test").set("views", FILES);
      inner.engine("tpl", async (_path: string, values: Any, callback: Any) => {
        see(values.req, "engine")();
        await pause(1);
        callback(null, "rendered");
      });
      inner.post("/", lib.json(ROOMY), (req: Any, res: Any) => {
        const rendered = see(req, "callback");
        res.render("page.tpl", { req }, () => {
          rendered();
          res.json({});
        });
      });
      router.use("/inner", inner);
    },
  },
];

const sockets: readonly Way[] = [
  {
    name: "a WebSocket",
    content: "text",
    method: "WS",
    set(router, _lib, see) {
      router.ws("/", {
        open(ws: Any) {
          see(ws.data.req, "open")();
          ws.data.closed = see(ws.data.req, "close");
          ws.data.received = see(ws.data.req, "message");
        },
        async message(ws: Any, data: string) {
          ws.data.received();
          await pause(0);
          see(ws.data.req, "message, behind a timer")();
          ws.send(data);
        },
        close: (ws: Any) => ws.data.closed(),
      });
    },
  },
  {
    name: "a WebSocket behind a slow middleware",
    content: "text",
    method: "WS",
    set(router, _lib, see) {
      router.use(async (req: Any, _res: Any, next: Any) => {
        await pause(1);
        see(req, "middleware")();
        next();
      });
      router.ws("/", {
        open(ws: Any) {
          see(ws.data.req, "open")();
          ws.subscribe("all");
        },
        message: (ws: Any, data: string) => ws.send(data),
        close: (ws: Any) => see(ws.data.req, "close")(),
      });
    },
  },
];

/** All ways that exist only in Sluice. */
export const OWN_WAYS: readonly Way[] = [...readers, ...responses, ...middleware, ...sockets];

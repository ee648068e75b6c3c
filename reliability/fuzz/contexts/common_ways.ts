/** Ways to continue a chain that also exist in Express, which is the oracle. */
import { once } from "node:events";
import process from "node:process";
import { finished, PassThrough, pipeline, Readable, Writable } from "node:stream";
import { pipeline as pipelined } from "node:stream/promises";
import bodyParser from "body-parser";
import compression from "compression";
import timeout from "connect-timeout";
import limit from "express-rate-limit";
import session from "express-session";
import morgan from "morgan";
import multer from "multer";
import serveStatic from "serve-static";
import type { Any } from "../../../tests/support/sluice_and_express.ts";
import { done, FILES, listen, pause, ROOMY, type See, type Way } from "./way.ts";

const EXTENDED = { ...ROOMY, extended: true };

/** Awaits every kind of callback in turn. */
async function waited(req: Any, see: See): Promise<void> {
  await null;
  see(req, "await")();
  for (const [label, wait] of Object.entries(WAITS)) {
    await new Promise<void>((resolve) => {
      const note = see(req, label);
      wait(() => {
        note();
        resolve();
      });
    });
    see(req, `await of ${label}`)();
  }
}

const WAITS: Readonly<Record<string, (callback: () => void) => void>> = {
  setTimeout: (callback) => setTimeout(callback, 1),
  setImmediate: (callback) => setImmediate(callback),
  queueMicrotask: (callback) => queueMicrotask(callback),
  nextTick: (callback) => process.nextTick(callback),
};

function discarding(): Writable {
  return new Writable({ write: (_chunk, _encoding, callback) => callback() });
}

/** Listens for the end of the response and of the request. */
function listenToBoth(req: Any, res: Any, see: See): void {
  listen(req, res, see);
  req.on("close", see(req, "req close"));
}

class SlowSessions extends session.Store {
  readonly #kept = new Map<string, string>();
  get(id: string, callback: Any): void {
    setTimeout(() => callback(null, JSON.parse(this.#kept.get(id) ?? "null")), 1);
  }
  set(id: string, value: Any, callback: Any): void {
    this.#kept.set(id, JSON.stringify(value));
    setTimeout(callback, 1);
  }
  destroy(id: string, callback: Any): void {
    this.#kept.delete(id);
    setTimeout(callback, 1);
  }
}

/** Counts after a delay, like a store in a database. */
const slowCounts = {
  increment: async () => {
    await pause(1);
    return { totalHits: 1, resetTime: undefined };
  },
  decrement: () => {},
  resetKey: () => {},
};

const PARSERS: Readonly<Record<string, readonly [content: Way["content"], parser: (lib: Any, options: Any) => Any]>> = {
  "json()": ["json", (lib, options) => lib.json(options)],
  "urlencoded()": ["form", (lib, options) => lib.urlencoded(options)],
  "urlencoded({ extended })": ["form", (lib, options) => lib.urlencoded({ ...options, extended: true })],
  "text()": ["text", (lib, options) => lib.text(options)],
  "raw()": ["bytes", (lib, options) => lib.raw({ ...options, type: "*/*" })],
  "body-parser's json()": ["json", (_lib, options) => bodyParser.json(options)],
};

const parsing: readonly Way[] = Object.entries(PARSERS).flatMap(([name, [content, parser]]): Way[] => [
  { name, content, set: (router, lib, see) => router.post("/", parser(lib, ROOMY), done(see)) },
  {
    name: `${name} with verify`,
    content,
    set: (router, lib, see) =>
      router.post("/", parser(lib, { ...ROOMY, verify: (req: Any) => see(req, "verify")() }), done(see)),
  },
  {
    name: `${name} whose verify throws`,
    content,
    set(router, lib, see) {
      const verify = () => {
        throw new Error("refused");
      };
      router.post("/", parser(lib, { ...ROOMY, verify }), done(see));
    },
  },
  {
    name: `${name} with a low limit`,
    content,
    set: (router, lib, see) => router.post("/", parser(lib, { limit: 5 }), done(see)),
  },
  {
    name: `${name} that does not inflate`,
    content,
    set: (router, lib, see) => router.post("/", parser(lib, { ...ROOMY, inflate: false }), done(see)),
  },
]);

const chains: readonly Way[] = [
  {
    name: "all parsers in a row",
    content: "text",
    set(router, lib, see) {
      router.use(lib.json(ROOMY), lib.urlencoded(EXTENDED), lib.raw(ROOMY), lib.text(ROOMY));
      router.post("/", done(see));
    },
  },
  {
    name: "timers and promises behind json()",
    content: "json",
    set(router, lib, see) {
      router.use(lib.json(ROOMY));
      router.post("/", async (req: Any, res: Any) => {
        await waited(req, see);
        res.json({});
      });
    },
  },
  {
    name: "timers and promises",
    content: "text",
    set(router, _lib, see) {
      router.post("/", async (req: Any, res: Any) => {
        await waited(req, see);
        res.json({});
      });
    },
  },
  {
    name: "next() behind each kind of wait",
    content: "json",
    set(router, lib, see) {
      for (const [label, wait] of Object.entries(WAITS)) {
        router.use((req: Any, _res: Any, next: Any) =>
          wait(() => {
            see(req, label)();
            next();
          })
        );
      }
      router.use(lib.json(ROOMY));
      router.post("/", done(see));
    },
  },
  {
    name: "a mounted router with parameters",
    content: "json",
    rest: "/inner/7",
    set(router, lib, see) {
      const inner = lib.Router({ mergeParams: true });
      inner.use(lib.json(ROOMY));
      inner.param("id", (req: Any, _res: Any, next: Any) => {
        see(req, "param")();
        setTimeout(next, 1);
      });
      inner.post("/:id", (req: Any, _res: Any, next: Any) => {
        see(req, "route")();
        next("route");
      });
      inner.post("/:id", done(see));
      router.use("/inner", inner);
    },
  },
  {
    name: "a parameter in front of a parser",
    content: "form",
    rest: "/7",
    set(router, lib, see) {
      router.param("id", async (req: Any, _res: Any, next: Any) => {
        await null;
        see(req, "param")();
        next();
      });
      router.post("/:id", lib.urlencoded(EXTENDED), done(see));
    },
  },
  {
    name: "a mounted application",
    content: "json",
    rest: "/inner",
    set(router, lib, see) {
      const inner = lib().set("env", "test");
      inner.use(lib.json(ROOMY));
      inner.post("/", (req: Any, _res: Any, next: Any) => {
        see(req, "handler of the mounted application")();
        next();
      });
      router.use("/inner", inner);
      router.post("/inner", done(see));
    },
  },
  {
    name: "error handlers behind json()",
    content: "json",
    set(router, lib, see) {
      router.use(lib.json(ROOMY));
      router.post("/", async () => {
        await null;
        throw new Error("failed");
      });
      router.use((error: unknown, req: Any, _res: Any, next: Any) => {
        see(req, "first error handler")();
        setTimeout(next, 1, error);
      });
    },
  },
  {
    name: "no error handler",
    content: "json",
    set(router, lib, see) {
      router.use(lib.json(ROOMY));
      router.post("/", (req: Any) => {
        req.isUnhandled = true;
        see(req, "handler")();
        throw new Error("failed");
      });
    },
  },
];

const streams: readonly Way[] = [
  {
    name: "for await of the request",
    content: "text",
    set(router, _lib, see) {
      router.post("/", async (req: Any, res: Any) => {
        for await (const chunk of req) see(req, chunk.length > 0 ? "chunk" : "empty chunk")();
        see(req, "behind the loop")();
        res.json({});
      });
    },
  },
  {
    name: "data and end of the request",
    content: "bytes",
    set(router, _lib, see) {
      router.post("/", (req: Any, res: Any) => {
        req.on("data", () => see(req, "data")());
        const ended = see(req, "end");
        req.on("end", () => {
          ended();
          res.json({});
        });
        req.on("close", see(req, "close"));
      });
    },
  },
  {
    name: "readable and read()",
    content: "bytes",
    set(router, _lib, see) {
      router.post("/", (req: Any, res: Any) => {
        req.on("readable", () => {
          see(req, "readable")();
          while (req.read() !== null);
        });
        const ended = see(req, "end");
        req.on("end", () => {
          ended();
          res.json({});
        });
      });
    },
  },
  {
    name: "once(req, end)",
    content: "text",
    set(router, _lib, see) {
      router.post("/", async (req: Any, res: Any) => {
        req.resume();
        await once(req, "end");
        see(req, "behind the promise")();
        res.json({});
      });
    },
  },
  {
    name: "req.pipe()",
    content: "bytes",
    set(router, _lib, see) {
      router.post("/", (req: Any, res: Any) => {
        const ended = see(req, "finish of the target");
        req.pipe(discarding()).on("finish", () => {
          ended();
          res.json({});
        });
      });
    },
  },
  {
    name: "pipeline()",
    content: "bytes",
    set(router, _lib, see) {
      router.post("/", (req: Any, res: Any) => {
        const ended = see(req, "callback");
        pipeline(req, new PassThrough(), discarding(), () => {
          ended();
          res.json({});
        });
      });
    },
  },
  {
    name: "pipeline() as a promise",
    content: "bytes",
    set(router, _lib, see) {
      router.post("/", async (req: Any, res: Any) => {
        await pipelined(req, async function* (source: AsyncIterable<Uint8Array>) {
          for await (const chunk of source) {
            see(req, "chunk")();
            yield chunk;
          }
        }, discarding());
        see(req, "behind the promise")();
        res.json({});
      });
    },
  },
  {
    name: "finished(req)",
    content: "text",
    set(router, _lib, see) {
      router.post("/", (req: Any, res: Any) => {
        const ended = see(req, "callback");
        finished(req, { writable: false }, () => {
          ended();
          res.json({});
        });
        req.resume();
      });
    },
  },
  {
    name: "an echo: req.pipe(res)",
    content: "bytes",
    set(router, _lib, see) {
      router.post("/", (req: Any, res: Any) => {
        res.on("pipe", see(req, "pipe"));
        listenToBoth(req, res, see);
        req.pipe(res);
      });
    },
  },
];

const endings: readonly Way[] = [
  {
    name: "listeners for the end",
    content: "text",
    set(router, _lib, see) {
      router.post("/", (req: Any, res: Any) => {
        listenToBoth(req, res, see);
        const ended = see(req, "req end");
        req.on("end", () => {
          ended();
          res.json({});
        });
        req.resume();
      });
    },
  },
  {
    name: "listeners for the end, in front of json()",
    content: "json",
    set(router, lib, see) {
      router.use((req: Any, res: Any, next: Any) => {
        listenToBoth(req, res, see);
        next();
      });
      router.post("/", lib.json(ROOMY), done(see));
    },
  },
  {
    name: "listeners for the end, behind json()",
    content: "json",
    set(router, lib, see) {
      router.post("/", lib.json(ROOMY), (req: Any, res: Any) => {
        // behind a compressed body, Express emits no `close` event on the request
        listen(req, res, see);
        setTimeout(() => res.json({}), 1);
      });
    },
  },
  {
    name: "callbacks of write() and end()",
    content: "json",
    set(router, lib, see) {
      router.post("/", lib.json(ROOMY), (req: Any, res: Any) => {
        res.write("first", see(req, "callback of write()"));
        setTimeout(() => res.end("last", see(req, "callback of end()")), 1);
      });
    },
  },
  {
    name: "drain",
    content: "json",
    set(router, lib, see) {
      router.post("/", lib.json(ROOMY), (req: Any, res: Any) => {
        while (res.write("x".repeat(65_536)));
        const drained = see(req, "drain");
        res.once("drain", () => {
          drained();
          res.end();
        });
      });
    },
  },
  {
    name: "pipeline() to the response",
    content: "form",
    set(router, lib, see) {
      router.post("/", lib.urlencoded(EXTENDED), (req: Any, res: Any) => {
        pipeline(Readable.from(["a", "b"]), res, see(req, "callback"));
      });
    },
  },
  {
    name: "a response that breaks off",
    content: "json",
    set(router, lib, see) {
      router.post("/", lib.json(ROOMY), (req: Any, res: Any) => {
        res.write("first");
        res.on("close", see(req, "res close"));
        setTimeout(() => res.destroy(), 1);
      });
    },
  },
];

const files: readonly Way[] = [
  {
    name: "the callback of sendFile()",
    content: "json",
    set(router, lib, see) {
      router.post("/", lib.json(ROOMY), (req: Any, res: Any) => {
        res.sendFile("hello.txt", { root: FILES }, see(req, "callback"));
      });
    },
  },
  {
    name: "the callback of sendFile() for a missing file",
    content: "text",
    set(router, _lib, see) {
      router.post("/", (req: Any, res: Any) => {
        const failed = see(req, "callback");
        res.sendFile("missing.txt", { root: FILES }, () => {
          failed();
          res.status(404).json({});
        });
      });
    },
  },
  {
    name: "the callback of download()",
    content: "text",
    set(router, _lib, see) {
      router.post("/", (req: Any, res: Any) => res.download(`${FILES}/hello.txt`, "hi.txt", see(req, "callback")));
    },
  },
  {
    name: "static() in front of a handler",
    content: "text",
    method: "GET",
    rest: "/missing.txt",
    set(router, lib, see) {
      router.use(lib.static(FILES));
      router.get("/missing.txt", done(see));
    },
  },
  {
    name: "serve-static in front of a handler",
    content: "text",
    method: "GET",
    rest: "/missing.txt",
    set(router, _lib, see) {
      router.use(serveStatic(FILES));
      router.get("/missing.txt", done(see));
    },
  },
  {
    name: "setHeaders of static()",
    content: "text",
    method: "GET",
    rest: "/hello.txt",
    set(router, lib, see) {
      router.use((req: Any, res: Any, next: Any) => {
        listenToBoth(req, res, see);
        next();
      });
      router.use(lib.static(FILES, { setHeaders: (res: Any) => see(res.req, "setHeaders")() }));
    },
  },
];

const views: readonly Way[] = [
  {
    name: "render() with a callback",
    content: "json",
    rest: "/inner",
    set(router, lib, see) {
      const inner = lib().set("env", "test").set("views", FILES);
      inner.engine("tpl", (_path: string, values: Any, callback: Any) => {
        see(values.req, "engine")();
        setTimeout(callback, 1, null, "rendered");
      });
      inner.post("/", lib.json(ROOMY), (req: Any, res: Any) => {
        const rendered = see(req, "callback of res.render()");
        res.render("page.tpl", { req }, (_error: unknown, html: string) => {
          rendered();
          inner.render("page.tpl", { req }, see(req, "callback of app.render()"));
          res.send(html);
        });
      });
      router.use("/inner", inner);
    },
  },
  {
    name: "an engine that fails",
    content: "form",
    rest: "/inner",
    set(router, lib) {
      const inner = lib().set("env", "test").set("views", FILES).enable("view cache");
      inner.engine("tpl", (_path: string, _values: Any, callback: Any) => setImmediate(callback, new Error("failed")));
      inner.post("/", lib.urlencoded(EXTENDED), (_req: Any, res: Any) => res.render("page.tpl"));
      router.use("/inner", inner);
    },
  },
];

const packages: readonly Way[] = [
  {
    name: "express-session with a slow store",
    content: "json",
    set(router, lib, see) {
      router.use(session({ secret: "s", resave: false, saveUninitialized: true, store: new SlowSessions() }));
      router.use((req: Any, res: Any, next: Any) => {
        see(req, "behind the session")();
        listenToBoth(req, res, see);
        next();
      });
      router.post("/", lib.json(ROOMY), (req: Any, res: Any) => {
        const saved = see(req, "callback of save()");
        req.session.save(() => {
          saved();
          const regenerated = see(req, "callback of regenerate()");
          req.session.regenerate(() => {
            regenerated();
            req.session.seen = true;
            res.json({});
          });
        });
      });
    },
  },
  {
    name: "multer in memory",
    content: "multipart",
    set(router, _lib, see) {
      const fileFilter = (req: Any, _file: unknown, callback: Any) => {
        see(req, "fileFilter")();
        setTimeout(callback, 1, null, true);
      };
      router.post("/", multer({ storage: multer.memoryStorage(), fileFilter }).any(), done(see));
    },
  },
  {
    name: "multer with a store of its own",
    content: "multipart",
    set(router, _lib, see) {
      const storage = {
        _handleFile(req: Any, file: Any, callback: Any) {
          file.stream.on("data", () => see(req, "data of a file")());
          file.stream.on("end", () => {
            see(req, "end of a file")();
            callback(null, {});
          });
        },
        _removeFile: (_req: unknown, _file: unknown, callback: Any) => callback(null),
      };
      router.post("/", multer({ storage }).any(), done(see));
    },
  },
  {
    name: "multer with a low limit",
    content: "multipart",
    set: (router, _lib, see) => router.post("/", multer({ limits: { fileSize: 2 } }).any(), done(see)),
  },
  {
    name: "compression behind json()",
    content: "json",
    set(router, lib, see) {
      router.use(compression({ threshold: 0 }), lib.json(ROOMY));
      router.post("/", (req: Any, res: Any) => {
        // behind a compressed body, Express emits no `close` event on the request
        listen(req, res, see);
        see(req, "handler")();
        res.send("compressed ".repeat(1000));
      });
    },
  },
  {
    name: "express-rate-limit with a slow store",
    content: "json",
    set(router, lib, see) {
      const keyGenerator = async (req: Any) => {
        await pause(1);
        see(req, "keyGenerator")();
        return req.get("x-id");
      };
      const options = { windowMs: 60_000, limit: 100, validate: false, keyGenerator, store: slowCounts };
      router.use(lib.json(ROOMY), limit(options as Any));
      router.post("/", done(see));
    },
  },
  {
    name: "connect-timeout",
    content: "text",
    set: (router) => router.post("/", timeout("3ms"), () => {}),
  },
  {
    name: "morgan",
    content: "json",
    set(router, lib, see) {
      router.use((req: Any, _res: Any, next: Any) => {
        req.noteLine = see(req, "line of morgan");
        next();
      });
      router.use(morgan((_tokens: unknown, req: Any) => req.noteLine()));
      router.post("/", lib.json(ROOMY), done(see));
    },
  },
];

/** All ways that Express has. */
export const COMMON_WAYS: readonly Way[] = [
  ...[...parsing, ...chains, ...streams, ...endings],
  ...[...files, ...views, ...packages],
];

/**
 * A first route's only handler runs without the walk behind `next()`. Its results must be the same as behind
 * middleware, where there is a walk.
 */
import { assertEquals } from "@std/assert";
import sluice, { type FrameworkApp, type NextFunction, type Request, type Response as Res } from "@sluice/sluice";
import { ask, quietApp } from "../support/app.ts";

type Log = unknown[];
type Handler = (req: Request, res: Res, next: NextFunction, log: Log, app: FrameworkApp) => unknown;

const HANDLERS: Record<string, Handler> = {
  "answers": (req, res) => res.send(req.params.id),
  "answers later": (_req, res) => void queueMicrotask(() => res.send("later")),
  "answers in a promise": async (_req, res) => {
    await undefined;
    res.send("late");
  },
  "returns its answer": () => new Response("returned"),
  "returns a promise of its answer": async () => await Promise.resolve(new Response("promised")),
  "returns an answer after sending another": (_req, res) => {
    res.send("sent");
    return new Response("returned");
  },
  "goes on": (_req, _res, next) => next(),
  "calls next, and then looks at the request": (req, _res, next, log) => {
    next();
    log.push(req.params, req.baseUrl, typeof req.next);
  },
  "goes on later": (_req, _res, next) => void queueMicrotask(() => next()),
  "calls next in a promise": async (_req, _res, next) => {
    await undefined;
    next();
  },
  "goes on twice": (_req, _res, next) => {
    next();
    next();
  },
  "calls next twice, later": (_req, _res, next) => {
    queueMicrotask(() => next());
    queueMicrotask(() => next());
  },
  "calls next through req.next": (req) => req.next(),
  "calls next through the arguments": function () {
    arguments[2]();
  },
  "reports its this": function (this: unknown) {
    arguments[1].send(String(this));
  },
  "calls next('route')": (_req, _res, next) => next("route"),
  "leaves its router": (_req, _res, next) => next("router"),
  "passes an error to next": (_req, _res, next) => next(new Error("told")),
  "throws": () => {
    throw new Error("thrown");
  },
  "throws a value that is not an error": () => {
    throw undefined;
  },
  "rejects": () => Promise.reject(new Error("rejected")),
  "rejects with nothing": () => Promise.reject(),
  "calls next, and then throws": (_req, _res, next) => {
    next();
    throw new Error("too late");
  },
  "calls next, and then rejects": async (_req, _res, next) => {
    next();
    await undefined;
    throw new Error("much too late");
  },
  "throws after its answer": (_req, res) => {
    res.send("sent");
    throw new Error("after that");
  },
  "rewrites the URL and calls next": (req, _res, next) => {
    req.url = "/other?x=1";
    next();
  },
  "rewrites the method and calls next": (req, _res, next) => {
    req.method = "PUT";
    next();
  },
  "registers a layer and calls next": (_req, _res, next, log, app) => {
    app.use((_req, _res, next) => {
      log.push("registered");
      next();
    });
    next();
  },
  "registers a layer and fails": (_req, _res, next, log, app) => {
    app.use(
      ((error, _req, _res, next) => {
        log.push(String(error));
        next(error);
      }) as sluice.ErrorRequestHandler,
    );
    next(new Error("told"));
  },
};

type Shape = (app: FrameworkApp, handler: sluice.RequestHandler) => void;

const SHAPES: Record<string, Shape> = {
  "a route": (app, handler) => app.get("/:id", handler),
  "a route in a mounted router": (app, handler) => app.use("/", sluice.Router().get("/:id", handler)),
  "a route among others": (app, handler) => {
    app.get("/:id", handler);
    app.get("/:name", (req, res) => res.send(`second ${JSON.stringify(req.params)}`));
    app.put("/:id", (_req, res) => res.send("put"));
    app.all("/other", (req, res) => res.send(`other ${JSON.stringify(req.query)} ${req.method}`));
  },
};

async function seen(shape: Shape, handler: Handler, isWalked: boolean, path: string): Promise<unknown> {
  const log: Log = [];
  const app = quietApp();
  if (isWalked) app.use((_req, _res, next) => next());
  shape(app, function (this: unknown, req, res, next) {
    return handler.length === 0 ? handler.apply(this, arguments as never) : handler(req, res, next, log, app);
  });
  app.use((req, _res, next) => {
    log.push(["behind", req.url, req.method, req.params, req.route?.path]);
    next();
  });
  app.use(
    ((error, _req, _res, next) => {
      log.push(["failed", String(error)]);
      next(error);
    }) as sluice.ErrorRequestHandler,
  );
  const response = await ask(app, path);
  const body = await response.text();
  // handler actions after the response are recorded on later ticks
  await new Promise((resolve) => setTimeout(resolve, 0));
  return {
    status: response.status,
    headers: [...response.headers],
    body: body.replace(/<pre>.*<\/pre>/s, "an error"),
    log,
  };
}

for (const [what, handler] of Object.entries(HANDLERS)) {
  Deno.test(`a first handler that ${what} works like any other`, async () => {
    for (const [where, shape] of Object.entries(SHAPES)) {
      for (const path of ["/7", "/%E0%A4%A"]) {
        const [first, walked] = [await seen(shape, handler, false, path), await seen(shape, handler, true, path)];
        assertEquals({ where, path, seen: first }, { where, path, seen: walked });
      }
    }
  });
}

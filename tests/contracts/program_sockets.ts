/** The WebSocket part of the program. */
import sluice, {
  type FrameworkApp,
  type FrameworkRequest,
  HttpError,
  Router,
  type WebSocketConnection,
} from "@sluice/sluice";
import { socketLimitRoutes, socketOriginRoutes } from "./program_socket_limits.ts";

/** Connection events, by the name in `?flag=`; cases poll for them. */
const notes = new Map<string, unknown[]>();

/** Socket routes, and routes that report on them. */
export function socketRoutes(app: FrameworkApp): void {
  app.get("/socket-notes/:flag", (req, res) => res.json(notes.get(req.params.flag) ?? []));
  handshakes(app);
  mounted(app);
  messages(app);
  endings(app);
  failures(app);
  topics(app);
  socketLimitRoutes(app, note);
  socketOriginRoutes(app);
}

function note(ws: WebSocketConnection, what: unknown): void {
  noteOf(ws.data.req, what);
}

function noteOf(req: FrameworkRequest, what: unknown): void {
  const flag = String(req.query["flag"]);
  notes.set(flag, [...notes.get(flag) ?? [], what]);
}

function handshakes(app: FrameworkApp): void {
  app.ws("/socket/rooms/:room", async (req, res, next) => {
    await Promise.resolve();
    if (req.query["key"] === undefined) {
      return res.status(401).set("WWW-Authenticate", 'Bearer realm="rooms"').json({ error: "key, please" });
    }
    res.locals["key"] = req.query["key"];
    next();
  }, {
    open(ws) {
      const { routePath, params, req } = ws.data;
      const { url, query, path } = req;
      const locals = req.res!.locals["key"];
      ws.send(JSON.stringify({ routePath, params, url, path, query, locals, x: req.get("x-client") ?? null }));
    },
  });
  app.ws("/socket/moved", (_req, res) => res.redirect("/socket/echo"), { open() {} });
  app.ws("/socket/broken", () => {
    throw new HttpError(403, "not for you");
  }, { open() {} });
  app.ws("/socket/past", (_req, _res, next) => next("route"), { open: (ws) => ws.send("not this") });
  app.ws("/socket/past", { open: (ws) => ws.send("the next route") });
  app.get("/socket/shared", (_req, res) => res.send("a page"));
  app.ws("/socket/shared", { open: (ws) => ws.send("a socket") });
  app.use("/socket/headers", (_req, res, next) => {
    res.set("X-Before", "yes").cookie("a", "1").cookie("b", "2");
    // the handshake sets these itself
    res.set("Connection", "close").set("Content-Length", "5").set("Sec-WebSocket-Accept", "no");
    next();
  });
  app.ws("/socket/headers", { open: (ws) => ws.send("open") });
  app.ws("/socket/peer", { message: (ws) => ws.send(String(ws.data.req.ip)) });
  const told = (ws: WebSocketConnection) => ws.send(`speaks ${ws.protocol}`);
  app.ws("/socket/protocols/any", { open: told });
  app.ws("/socket/protocols/list", { protocols: ["v3", "v2"], open: told });
  app.ws("/socket/protocols/picked", { protocols: (offered) => offered.at(-1), open: told });
}

function mounted(app: FrameworkApp): void {
  const router = Router({ mergeParams: true });
  router.ws("/feed/:id", { open: (ws) => ws.send(JSON.stringify([ws.data.params, ws.data.req.baseUrl])) });
  app.use("/socket/tenants/:tenant", router);
  const inner = sluice().set("env", "test");
  inner.ws("/inside", {
    open(ws) {
      ws.subscribe(String(ws.data.req.query["flag"]));
      ws.send("inside");
    },
  });
  app.use("/socket/app", inner);
}

function messages(app: FrameworkApp): void {
  app.ws("/socket/echo", { message: (ws, data) => ws.send(data) });
  app.ws("/socket/echo-large", { maxMessageBytes: 16 * 1024 * 1024, message: (ws, data) => ws.send(data) });
  app.ws("/socket/kind", {
    message: (ws, data) => ws.send(`${typeof data === "string" ? "text" : data.constructor.name} ${data.length}`),
  });
  app.ws("/socket/sends", {
    message(ws, what) {
      const bytes = new Uint8Array([1, 2, 3, 4, 5, 6]);
      if (what === "views") {
        ws.send(bytes.subarray(1, 4));
        ws.send(new DataView(bytes.buffer, 4, 2));
        ws.send(new Uint16Array(bytes.buffer, 2, 1));
        ws.send(bytes.buffer);
      }
      if (what === "blobs") {
        ws.send("before");
        ws.send(new Blob([new Uint8Array(300_000).fill(7)]));
        ws.send(bytes);
        bytes.fill(0);
        ws.send(new Blob(["second"]));
        ws.send("after");
        ws.close(4000, "after the blobs");
        ws.send("too late");
      }
      if (what === "numbers") { for (let i = 0; i < 10_000; i++) ws.send(String(i)); }
      if (what === "object") ws.send({ a: 1 } as unknown as string);
    },
    error: (ws, error) => ws.send(String(error)),
  });
  app.ws("/socket/flood", {
    maxBufferedBytes: 32 * 1024 * 1024,
    open(ws) {
      const piece = new Uint8Array(1024 * 1024);
      for (let i = 0; i < 24; i++) ws.send(piece);
      note(ws, ws.bufferedAmount);
    },
    drain: (ws) => note(ws, ws.bufferedAmount),
  });
}

function endings(app: FrameworkApp): void {
  const close = (ws: WebSocketConnection, code: number, reason: string) => note(ws, [code, reason]);
  app.ws("/socket/close", {
    open: (ws) => ws.send("open"),
    message(ws, data) {
      const [code, reason] = JSON.parse(data as string);
      ws.close(code ?? undefined, reason ?? undefined);
      ws.send("never sent");
      note(ws, ws.readyState);
    },
    close,
    error: (ws, error) => ws.send(String(error)),
  });
  app.ws("/socket/heard", (req, res, next) => {
    req.on("close", () => noteOf(req, "req"));
    res.on("close", () => noteOf(req, "res")).on("finish", () => noteOf(req, "finished"));
    req.signal.addEventListener("abort", () => {});
    next();
  }, {
    open(ws) {
      ws.data.req.on("close", () => note(ws, "req, from open"));
      ws.send("open");
    },
    message: (ws, data) => ws.send(data),
    close: (ws) => note(ws, "close"),
  });
  app.ws("/socket/pinged-slowly", { pingTimeoutMs: 4000, message: (ws, data) => ws.send(data), close });
  app.ws("/socket/pinged", { pingTimeoutMs: 400, message: (ws, data) => ws.send(data), close });
  const fill = (ws: WebSocketConnection): void => {
    for (let i = 0; i < 24; i++) ws.send(new Uint8Array(1024 * 1024));
  };
  app.ws("/socket/filled", { pingTimeoutMs: 400, maxBufferedBytes: 32 * 1024 * 1024, open: fill, close });
  app.get("/socket-count", (_req, res) => res.json(app.connections.size));
}

function failures(app: FrameworkApp): void {
  const fails = (how: unknown, where: string): unknown => {
    const error = new Error(`${how} in ${where}`);
    if (how === "thrown") throw error;
    return Promise.reject(error);
  };
  const handlers = {
    open: (ws: WebSocketConnection) => ws.data.params["where"] === "open" ? fails(ws.data.params["how"], "open") : 0,
    message: (ws: WebSocketConnection) => fails(ws.data.params["how"], "message"),
    close: (ws: WebSocketConnection) => ws.data.params["where"] === "close" ? fails(ws.data.params["how"], "close") : 0,
  };
  app.ws("/socket/fails/:where/:how", handlers);
  app.ws("/socket/handles/:where/:how", {
    ...handlers,
    error(ws, error) {
      note(ws, (error as Error).message);
      ws.send((error as Error).message);
    },
  });
  app.ws("/socket/fails-twice", {
    message: () => fails("thrown", "message"),
    error: () => fails("rejected", "error"),
  });
}

function topics(app: FrameworkApp): void {
  app.ws("/socket/topics", {
    open(ws) {
      ws.subscribe(String(ws.data.req.query["flag"]));
      ws.send("following");
    },
    message(ws, data) {
      const topic = String(ws.data.req.query["flag"]);
      if (data instanceof Uint8Array) return void ws.publish(topic, data);
      const [what, text] = data.split(" ");
      if (what === "leave") ws.unsubscribe(topic);
      if (what === "follows") ws.send(String(ws.isSubscribed(topic)));
      if (what === "publish") ws.send(`told ${ws.publish(topic, text!)}`);
      if (what === "nothing") ws.subscribe(undefined as unknown as string);
    },
    error: (ws, error) => ws.send(String(error)),
  });
  app.post("/socket-publish/:topic", sluice.text(), (req, res) => {
    res.json(app.connections.publish(req.params.topic, req.body));
  });
  app.post("/socket-publish/:topic/mebibyte", (req, res) => {
    res.json(app.connections.publish(req.params.topic, new Uint8Array(1024 * 1024)));
  });
}

/** A Worker: its environment, work after the response, files, and connections outside any Durable Object. */
import sluice, {
  type FrameworkApp,
  type FrameworkRequest,
  type Handler,
  rateLimit as builtIn,
  type WebSocketConnection,
} from "@sluice/sluice";
import { DurableObjectStore, fromCounter, Limiter, rateLimit, RateLimitObject } from "@sluice/rate-limit";

export { RateLimitObject };

/** The application, for a separate main module. */
export const app: FrameworkApp = sluice();

// pages show errors
const usual = app.get("env");
app.set("env", "development");

app.post("/parsed", sluice.json(), sluice.text(), (req, res) => res.json(req.body));

app.get("/env", (req, res) => res.json({ name: req.env["NAME"], env: usual, views: app.get("views") }));

app.get("/listen", (_req, res) => {
  try {
    app.listen(3000, () => {});
  } catch (error) {
    res.json([(error as Error).name, (error as Error).message]);
  }
});

app.get("/context", (req, res) => {
  req.executionCtx.passThroughOnException();
  res.json({ props: req.executionCtx.props });
});

let limiter: Handler | undefined = undefined;
app.get("/limited", (req, res, next) => {
  limiter ??= rateLimit({
    name: "everybody",
    windowMs: 600_000,
    limit: 3,
    keyGenerator: () => "everybody",
    store: new DurableObjectStore({ namespace: req.env["RATE_LIMIT"] }),
  });
  return limiter(req, res, next);
}, (_req, res) => res.send("in"));

// objects with a pending request, which respond on demand
const asked = new Map<string, (response: string) => void>();
const namespace = {
  idFromName: (name: string) => name,
  get: (name: string) => ({
    fetch: async () => {
      const response = await new Promise<string>((resolve) => asked.set(name, resolve));
      return { ok: true, status: 200, text: () => Promise.resolve(response) };
    },
  }),
};
const late = new Limiter({ timeoutMs: 2000, onStoreFailure: "open", store: new DurableObjectStore({ namespace }) });
app.get("/checked/:key", async (req, res) => {
  const { decidedBy } = await late.consume(req.params.key);
  res.send(decidedBy);
});
app.get("/asked", (_req, res) => res.json([...asked.keys()]));
app.get("/tell/:key", (req, res) => {
  const verdict = {
    granted: 1,
    limit: 60,
    remaining: 59,
    denied: false,
    retryAfterMs: 0,
    nextMs: 0,
    resetMs: 1000,
    stamp: 0,
  };
  for (const [name, tell] of asked) if (name.includes(req.params.key)) tell(JSON.stringify([verdict]));
  res.send("told");
});

const slow = new Limiter({ limit: 1, windowMs: 1000, maxWaiting: 1 });
let waiting = 0;
app.get("/waited", async (_req, res) => {
  waiting++;
  await slow.waitFor("everybody");
  res.send("granted");
});
app.get("/waiting", (_req, res) => res.send(String(waiting)));

const done: string[] = [];
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
let hits = 0;
const elsewhere = {
  increment: () => Promise.resolve({ totalHits: ++hits, resetTime: undefined }),
  decrement: async () => {
    await wait(20);
    hits--;
  },
  resetKey: () => Promise.resolve(),
};
const forgiving = rateLimit({
  limit: 1,
  skipSuccessfulRequests: true,
  keyGenerator: () => "everybody",
  store: elsewhere,
});
app.get("/forgiven", forgiving, (_req, res) => res.send("in"));
let inits = 0;
const beginning = {
  ...elsewhere,
  // the first request waits longer than its client
  init: async () => {
    if (++inits === 1) await wait(60_000);
  },
};
const begun = new Limiter({ timeoutMs: 60_000, onStoreFailure: "open", store: fromCounter(beginning) });
app.get("/begun", async (_req, res) => {
  const { decidedBy } = await begun.consume("everybody");
  res.send(decidedBy);
});
app.get("/inits", (_req, res) => res.send(String(inits)));
app.get("/hits", (_req, res) => res.send(String(hits)));
app.get("/done", (_req, res) => res.json(done));
app.get("/later", (req, res) => {
  req.waitUntil(wait(100).then(() => done.push("waited for")));
  res.send(`answered before ${done.length}`);
});
app.get("/async", async (_req, res) => {
  res.send("answered");
  await wait(100);
  done.push("went on");
});
app.get("/dropped", (_req, res) => {
  wait(20).then(() => done.push("not waited for"));
  res.send("answered");
});

// "packed once", in gzip
const packed = Uint8Array.from(atob("H4sIAAAAAAAAAytITM5OTVHIz0tOBQAbIMGaCwAAAA=="), (byte) => byte.charCodeAt(0));
app.get("/coded/sent", (_req, res) => res.set("Content-Encoding", "gzip").type("text").send(packed));
app.get("/coded/written", (_req, res) => {
  res.writeHead(202, { "content-encoding": "gzip" });
  res.write(packed.subarray(0, 9));
  res.end(packed.subarray(9));
});
app.get("/coded/returned", (_req, res) => {
  res.set("Content-Encoding", "gzip");
  return new Response(packed);
});
const inGzip = { headers: { "content-encoding": "gzip", "content-type": "text/plain" } };
app.get("/coded/by-the-runtime", () => new Response("packed once", inGzip));
app.get("/coded/by-the-runtime/heard", (_req, res) => {
  res.once("finish", () => {});
  return new Response("packed once", inGzip);
});
const packedByHand: ResponseInit & { encodeBody: "manual" } = { ...inGzip, encodeBody: "manual" };
app.get("/coded/by-the-handler", () => new Response(packed, packedByHand));
app.get("/coded/by-the-handler/heard", (_req, res) => {
  res.cookie("own", "1").once("finish", () => {});
  return new Response(packed, packedByHand);
});
app.get("/coded/by-the-handler/hooked", (_req, res) => {
  const { end } = res;
  res.end = (...args) => end.apply(res, args);
  return new Response(packed, packedByHand);
});

app.use("/changed", (_req, res, next) => {
  res.once("finish", () => {});
  next();
});
// as fetch returns a compressed response: a decoded body, but the compressed body's length
app.get("/changed/decoded", () => {
  const headers = { ...inGzip.headers, "content-length": String("packed".length) };
  return new Response("packed once", { headers });
});
app.get("/changed/rewritten", () => {
  const headers = { "content-type": "text/html; charset=utf-8", "content-length": "11" };
  return rewritten(new Response("<p>page</p>", { headers }));
});
app.get("/changed/kept", () => {
  return new Response("packed once", { headers: { "content-type": "text/plain", "content-length": "11" } });
});

interface Rewriter {
  on(selector: string, handlers: { element(element: { setInnerContent(text: string): void }): void }): Rewriter;
  transform(response: Response): Response;
}

function rewritten(response: Response): Response {
  const { HTMLRewriter } = globalThis as unknown as { HTMLRewriter: new () => Rewriter };
  return new HTMLRewriter().on("p", { element: (p) => p.setInnerContent("longer than before") }).transform(response);
}

interface Remote {
  page(): Promise<Response>;
  fail(): Promise<never>;
  key(): Promise<string>;
  isAdmin(): Promise<boolean>;
}

const remoteOf = (req: FrameworkRequest): Remote =>
  (req.env["REMOTE"] as { getByName(name: string): Remote }).getByName("one");
app.get("/remote/page", (req) => remoteOf(req).page());
app.get("/remote/fail", (req) => remoteOf(req).fail());
app.get("/remote/background", (req, res) => {
  req.waitUntil(remoteOf(req).key());
  res.send("answered");
});
const remotely = {
  windowMs: 600_000,
  limit: 1,
  keyGenerator: (req: object) => remoteOf(req as FrameworkRequest).key(),
  skip: (req: object) => remoteOf(req as FrameworkRequest).isAdmin(),
};
app.get("/remote/limited/built-in", builtIn(remotely), (_req, res) => res.send("in"));
app.get("/remote/limited/advanced", rateLimit(remotely), (_req, res) => res.send("in"));

app.get("/long", (_req, res) => {
  res.set("Content-Length", "300000");
  const piece = "x".repeat(100_000);
  res.write(piece);
  res.write(piece);
  setTimeout(() => res.end(piece), 1);
});
app.get("/cut", (_req, res) => {
  res.once("close", () => done.push(`closed, finished: ${res.writableFinished}`));
  res.set("Content-Length", "10").write("short");
  setTimeout(() => res.destroy(), 1);
});

const inner = sluice();
inner.get("/name", (req, res) => res.send(`inner, below ${req.baseUrl}`));
app.use("/handed-on", (req, res, next) => inner.handle(req, res, next));

app.use("/static", sluice.static("files"));
app.get("/sent", (_req, res) => res.sendFile("files/page.txt", { root: "." }));
app.engine("txt", (_path, options, callback) => callback(null, `rendered ${(options as { name: string }).name}`));
app.get("/view", (_req, res) => res.render("hello.txt", { name: "here" }));

const present: WebSocketConnection[] = [];
app.ws("/talk", {
  open(ws) {
    done.push("open");
    present.push(ws);
    ws.subscribe("all");
    ws.send("open");
  },
  message(ws, data) {
    if (data === "publish") return ws.send(`reached ${ws.publish("all", "never arrives")}`);
    if (data === "reach") return present.find((other) => other !== ws)?.send("never arrives");
    ws.send(data);
  },
  error: (ws, error) => ws.send(`${(error as Error).name}: ${(error as Error).message}`),
  close: (ws, code) => done.push(`close ${code} ${ws.readyState}`),
});

export default app;

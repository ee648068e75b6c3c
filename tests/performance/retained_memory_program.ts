/** Prints, as JSON, whether requests of each kind leave anything behind after garbage collection. */
import sluice from "@sluice/sluice";

/** Requests per round. */
const REQUESTS = 10_000;
/** Rounds after the first, during which code is compiled and caches fill. */
const ROUNDS = 5;
/** Bytes per round too few to mean that part of a request is retained. */
const LITTLE = 3 * REQUESTS;
const { gc } = globalThis as unknown as { gc(): void };

let asked = 0;
const app = sluice().set("env", "test");
app.use((_req, _res, next) => next());
app.get("/user/:id", (req, res) => res.json({ id: req.params.id, search: req.query["search"] }));
for (let i = 0; i < 100; i++) app.get(`/r/${i}/:id`, (req, res) => res.json(req.params));
app.post("/echo", sluice.json(), (req, res) => res.json(req.body));
app.get("/fail", () => {
  throw Object.assign(new Error("no"), { status: 503 });
});

const QUESTIONS: Readonly<Record<string, (i: number) => Request>> = {
  "parameters and queries": (i) => get(`/user/${i}?search=${i}`),
  "many routes": (i) => get(`/r/${i % 100}/${i}`),
  "paths without a route": (i) => get(`/nobody${i}/${i}`),
  "errors": () => get("/fail"),
  "bodies": (i) => {
    const headers = { "content-type": "application/json" };
    return new Request("http://localhost/echo", { method: "POST", headers, body: `{"i":${i}}` });
  },
};

function get(path: string): Request {
  return new Request(`http://localhost${path}`);
}

async function used(): Promise<number> {
  for (let i = 0; i < 3; i++) {
    gc();
    // memory outside the heap is released on a later tick
    await new Promise((done) => setTimeout(done));
  }
  return Deno.memoryUsage().heapUsed;
}

async function ask(question: (i: number) => Request): Promise<number> {
  const before = await used();
  for (let i = 0; i < REQUESTS; i++) await (await app.fetch(question(asked++))).arrayBuffer();
  return await used() - before;
}

// compiled code appears late and stays, whereas a leak grows with every request: one round that retains little is
// enough
async function leftBy(question: (i: number) => Request): Promise<number> {
  await ask(question);
  let least = Infinity;
  for (let round = 0; round < ROUNDS && least > LITTLE; round++) least = Math.min(least, await ask(question));
  return least;
}

// number of retained routers after mounting many in turn at one path, as programs that reload plug-ins do
async function keptOfRouters(): Promise<number> {
  const kept: WeakRef<object>[] = [];
  const outer = sluice();
  for (let i = 0; i < 20; i++) kept.push(new WeakRef(await replace(outer)));
  outer.router.stack = [];
  await (await outer.fetch(get("/plugin/name"))).text();
  await used();
  return kept.filter((one) => one.deref() !== undefined).length;
}

async function replace(outer: ReturnType<typeof sluice>): Promise<object> {
  const router = sluice.Router().get("/name", (_req, res) => res.send("loaded"));
  outer.router.stack = [];
  outer.use("/plugin", router);
  await (await outer.fetch(get("/plugin/name"))).text();
  return router;
}

// number of retained requests whose clients vanished mid-upload, after receiving part of the response
async function keptOfUploads(): Promise<number> {
  const kept: WeakRef<object>[] = [];
  let over = 0;
  app.post("/back", (req, res) => {
    kept.push(new WeakRef(req));
    req.on("error", () => over++).pipe(res);
  });
  const server = app.listen({ port: 0, hostname: "127.0.0.1" });
  for (let i = 0; i < 20; i++) {
    await vanish(server.port, "POST /back HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nopen");
  }
  while (over < 20) await used();
  await used();
  const count = kept.filter((one) => one.deref() !== undefined).length;
  await app.close({ timeoutMs: 0 });
  return count;
}

// number of retained objects that applications attached to connections
async function keptOfSockets(): Promise<number> {
  const kept: WeakRef<object>[] = [];
  let over = 0;
  app.ws("/socket", {
    open(ws) {
      kept.push(new WeakRef(ws.data["own"] = {}));
      ws.send("open");
    },
    close: () => void over++,
  });
  const server = app.listen({ port: 0, hostname: "127.0.0.1" });
  const head = "Host: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13";
  const handshake = `GET /socket HTTP/1.1\r\n${head}\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`;
  for (let i = 0; i < 20; i++) await vanish(server.port, handshake);
  while (over < 20) await used();
  await used();
  const count = kept.filter((one) => one.deref() !== undefined).length;
  await app.close();
  return count;
}

async function vanish(port: number, request: string): Promise<void> {
  using client = await Deno.connect({ port, hostname: "127.0.0.1" });
  await client.write(new TextEncoder().encode(request));
  let response = "";
  while (!response.includes("open")) {
    const bytes = new Uint8Array(1024);
    response += new TextDecoder().decode(bytes.subarray(0, await client.read(bytes) ?? 0));
  }
}

const left: Record<string, number | "little"> = {};
for (const [name, question] of Object.entries(QUESTIONS)) {
  const bytes = await leftBy(question);
  left[name] = bytes > LITTLE ? bytes : "little";
}
left["routers that were replaced"] = await keptOfRouters() || "little";
left["uploads whose clients have vanished"] = await keptOfUploads() || "little";
left["sockets whose clients have vanished"] = await keptOfSockets() || "little";
console.log(JSON.stringify(left));
// Deno would wait for the pings due to those clients
Deno.exit();

/** The target for socket attacks, on every runtime: prints its port, and on Node also an HTTP/2 server's. */
import sluice from "@sluice/sluice";

const isNode = !("Deno" in globalThis) && !("Bun" in globalThis);
const seen: string[] = [];
const waiting = { now: 0, most: 0 };

const app = sluice().set("env", "test").set("body limit", 1000);
app.get("/seen", (_req, res) => res.json(seen));
app.get("/alive", (_req, res) => res.send("alive"));
app.get("/waiting", (_req, res) => res.json(waiting));
app.use((req, _res, next) => {
  seen.push(req.url);
  next();
});
app.use("/admin", (_req, res) => res.status(403).send("guarded"));
app.get("/admin/page", (_req, res) => res.send("secret"));
app.get("/host", (req, res) => res.json({ hostname: req.hostname, path: req.path }));
app.get("/headers", (req, res) => {
  res.json({
    named: req.get("constructor"),
    distinct: Object.entries(req.headersDistinct),
    rank: req.rawHeaders.length,
  });
});
app.post("/text", async (req, res) => res.send(await req.text()));
app.post("/parsed", sluice.text({ limit: 1000 }), (req, res) => res.json(req.body ?? null));
app.get("/waits", (_req, res) => {
  waiting.most = Math.max(waiting.most, ++waiting.now);
  res.on("close", () => waiting.now--);
  return new Promise<void>(() => {});
});
app.get("/works", async (_req, res) => {
  waiting.most = Math.max(waiting.most, ++waiting.now);
  await new Promise((resolve) => setTimeout(resolve, 10));
  waiting.now--;
  res.end();
});
app.ws("/socket", {
  maxMessageBytes: 1000,
  message: (socket: { send(data: string): void }, data: unknown) => socket.send(`got ${String(data).length}`),
});

const ports: number[] = [];
const server = app.listen({ port: 0, hostname: "127.0.0.1" }, async () => {
  ports.push(server.port);
  if (isNode) ports.push(await listenHttp2());
  console.log(JSON.stringify(ports));
});

/** Node supports HTTP/2 without TLS only on a separate server. */
async function listenHttp2(): Promise<number> {
  const { createServer } = await import("node:http2");
  const http2 = createServer(app);
  await new Promise<void>((resolve) => http2.listen(0, "127.0.0.1", resolve));
  return (http2.address() as { port: number }).port;
}

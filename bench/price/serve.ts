/**
 * Serves everything that can keep a connection busy, on any runtime: `serve.ts <folder> [cert] [key]`. Prints its port
 * when it listens. `/figures` returns the requests in progress, and the runtime's abilities.
 */
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import process from "node:process";
import zlib from "node:zlib";
import sluice, { type Response } from "@sluice/sluice";
import { compress } from "@sluice/middleware/compress";
import { sse } from "@sluice/middleware/sse";
import { upload } from "@sluice/middleware/upload";
import { type Figures, QUEUED_BYTES, RESPONSE_BYTES } from "./figures.ts";

await import("@sluice/sluice/node");

const [folder = "", certFile, keyFile] = process.argv.slice(2);
const app = sluice().set("env", "test");
let running = 0;
let tlsPort: number | null = null;

app.get(
  "/figures",
  (_req, res) => res.json({ running, tlsPort, zstd: "createZstdCompress" in zlib } satisfies Figures),
);
app.use((_req, res, next) => {
  running++;
  res.once("close", () => running--);
  next();
});
app.get("/", (_req, res) => res.send("hello"));
app.get("/waits", () => new Promise<void>(() => {}));
app.post("/json", async (req, res) => void res.json(typeof await req.json()));
app.post("/form", async (req, res) => void res.json([...await req.formData()].length));
app.post("/upload", upload(), (_req, res) => void res.send("uploaded"));
// new bytes each time: a shared buffer would cost a connection nothing
app.get("/sent", (_req, res) => void res.type("text").send(randomBytes(RESPONSE_BYTES)));
app.get("/written", (_req, res) => writeForever(res));
app.use("/compressed", compress());
app.get("/compressed/written", (_req, res) => writeForever(res));
app.get("/compressed/sent", (_req, res) => void res.type("text").send(randomBytes(RESPONSE_BYTES)));
app.use("/files", sluice.static(folder));
app.get("/events", (req, res) => void sse(req, res).send({ data: "hello" }));
app.ws("/socket", { message: (ws, message) => ws.send(message) });
app.ws("/queue", {
  open: (ws) => {
    while (ws.bufferedAmount < QUEUED_BYTES) ws.send(Uint8Array.from(randomBytes(65_536)));
  },
});

// as an endless stream: the kernel buffers a different amount each time
function writeForever(res: Response): void {
  const write = (): void => {
    while (!res.destroyed) if (!res.write(randomBytes(16_384))) return void res.once("drain", write);
  };
  res.type("text");
  write();
}

const hostname = "127.0.0.1";
if (certFile !== undefined && keyFile !== undefined) {
  const [cert, key] = [readFileSync(certFile, "utf8"), readFileSync(keyFile, "utf8")];
  await new Promise<void>((resolve) => {
    const secure = app.listen({ port: 0, hostname, cert, key }, () => {
      tlsPort = secure.port;
      resolve();
    });
  });
}
const server = app.listen({ port: 0, hostname }, () => console.log(server.port));

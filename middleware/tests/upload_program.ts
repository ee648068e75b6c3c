/** A server that receives uploads, on every runtime that listens; it prints its port. */
import sluice, { type Request } from "@sluice/sluice";
import { upload, type UploadedFile } from "@sluice/middleware/upload";

const folder = (globalThis as unknown as { process: { argv: string[] } }).process.argv[2]!;
const limits = { fileSize: Infinity };
const seen = { aborted: 0, close: 0 };

const app = sluice().set("env", "test");

function said(req: Request): object {
  const files = (req.files as UploadedFile[]).map(({ size, value, path }) => ({ size, value, path }));
  return { body: req.body, files };
}

async function counted({ stream }: { stream: ReadableStream<Uint8Array> }): Promise<number> {
  let bytes = 0;
  for await (const chunk of stream) bytes += chunk.length;
  return bytes;
}

/** Never reads, as a service that does not respond. */
function stalled({ stream }: { stream: ReadableStream<Uint8Array> }): Promise<never> {
  return stream.getReader().closed.catch(() => seen.aborted++).then(() => new Promise<never>(() => {}));
}

app.post("/stream", upload({ limits, to: counted }), (req, res) => res.json(said(req)));
app.post("/discarded", upload({ limits, to: () => "not read" }), (req, res) => res.json(said(req)));
app.post("/stalled", upload({ limits, to: stalled }), (req, res) => res.json(said(req)));
app.post("/folder", upload({ limits, to: { folder }, keep: false }), (req, res) => res.json(said(req)));
app.post("/small", upload({ to: { folder }, limits: { fileSize: 100_000 } }), (req, res) => res.json(said(req)));
app.get("/seen", (_req, res) => res.json(seen));

const server = app.listen(0, "127.0.0.1", () => console.log((server.address() as { port: number }).port));

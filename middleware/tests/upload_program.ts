/** A server that receives uploads, on every runtime that listens; it prints its port. */
import sluice, { type ErrorRequestHandler, type Request } from "@sluice/sluice";
import { upload, type UploadedFile } from "@sluice/middleware/upload";

const folder = (globalThis as unknown as { process: { argv: string[] } }).process.argv[2]!;
const limits = { fileSize: Infinity };
const seen = { begun: 0, told: 0, failed: "" };

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

let goOn = (): void => {};

/** Does not read, as a service that does not respond, until it is told why, or may go on. */
async function stalled({ stream }: { stream: ReadableStream<Uint8Array> }): Promise<void> {
  const reader = stream.getReader();
  const mayRead = new Promise<void>((resolve) => goOn = resolve);
  seen.begun++;
  try {
    await Promise.race([reader.closed, mayRead]);
    while (!(await reader.read()).done);
  } catch {
    seen.told++;
  }
}

app.post("/stream", upload({ limits, to: counted }), (req, res) => res.json(said(req)));
app.post("/discarded", upload({ limits, to: () => "not read" }), (req, res) => res.json(said(req)));
app.post("/stalled", upload({ limits, to: stalled }), (req, res) => res.json(said(req)));
app.post("/folder", upload({ limits, to: { folder, keep: false } }), (req, res) => res.json(said(req)));
app.post(
  "/small",
  upload({ to: { folder }, limits: { fileSize: 100_000, total: Infinity } }),
  (req, res) => res.json(said(req)),
);
const note: ErrorRequestHandler = (error, _req, _res, next) => {
  seen.failed = error.code;
  next(error);
};
app.use(note);
app.get("/go-on", (_req, res) => {
  goOn();
  res.end();
});
app.get("/seen", (_req, res) => res.json(seen));

const server = app.listen(0, "127.0.0.1", () => console.log((server.address() as { port: number }).port));

/** An upload server for every runtime that listens; prints its port. */
import { readdirSync, rmSync } from "node:fs";
import sluice, { type ErrorRequestHandler, type Request } from "@sluice/sluice";
import { log } from "@sluice/middleware/log";
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

/** Stops reading, like an unresponsive service, until the request is aborted or may continue. */
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

app.post("/stream", upload({ limits, storage: counted }), (req, res) => res.json(said(req)));
app.post("/discarded", upload({ limits, storage: () => "not read" }), (req, res) => res.json(said(req)));
app.post("/stalled", upload({ limits, storage: stalled }), (req, res) => res.json(said(req)));
app.post("/folder", upload({ limits, dest: folder, keep: false }), (req, res) => res.json(said(req)));
app.post(
  "/small",
  upload({ dest: folder, limits: { fileSize: 100_000, total: Infinity } }),
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
/** Closes an application during uploads, and returns how many files are left. */
async function leftByClosing(): Promise<number> {
  const own = `${folder}-closing`;
  const closing = sluice().set("env", "test");
  let come = 0;
  let arrived = (): void => {};
  const someCame = new Promise<void>((resolve) => arrived = resolve);
  closing.use((_req, _res, next) => {
    if (++come === 3) arrived();
    next();
  });
  closing.post("/", upload({ dest: own, keep: false }), (req, res) => res.json(said(req)));
  const listening = closing.listen(0, "127.0.0.1");
  await new Promise<void>((resolve) => listening.once("listening", resolve));
  const { port } = listening.address() as { port: number };
  const sent = Array.from({ length: 6 }, async () => {
    const body = new FormData();
    body.append("file", new Blob([new Uint8Array(500_000)]), "a");
    // the application may have closed by then
    await fetch(`http://127.0.0.1:${port}`, { method: "POST", body }).then((response) => response.text(), () => {});
  });
  await someCame;
  await closing.close();
  const left = readdirSync(own).length;
  await Promise.all(sent);
  rmSync(own, { recursive: true });
  return left;
}

app.get("/closing", async (_req, res) => {
  const left: number[] = [];
  for (let i = 0; i < 5; i++) left.push(await leftByClosing());
  res.json(left);
});

const lines: unknown[] = [];
const logged = log({ stream: (_line, { level, status, aborted }) => lines.push([level, status, aborted]) });
app.post("/logged/json", logged, sluice.json(), (_req, res) => res.end());
app.post("/logged/form", logged, upload(), (_req, res) => res.end());
app.get("/lines", (_req, res) => res.json(lines.splice(0)));
app.get("/seen", (_req, res) => res.json(seen));

const server = app.listen(0, "127.0.0.1", () => console.log((server.address() as { port: number }).port));

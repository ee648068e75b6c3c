/** A service with everything that keeps a server occupied for a long time: bodies, streams, WebSockets. */
import sluice, { type FrameworkApp } from "@sluice/sluice";

/** The part of a runtime's global object that measures memory. */
const runtime = globalThis as unknown as {
  gc?: () => void;
  Bun?: { gc(sync: boolean): void };
  process: { memoryUsage(): { heapUsed: number } };
};

export function buildService(): FrameworkApp {
  const app = sluice().set("env", "test");
  app.get("/control/heap", async (_req, res) => {
    // the second collection frees what only finalizers hold
    for (let i = 0; i < 3; i++) {
      runtime.Bun?.gc(true);
      runtime.gc?.();
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    res.json(runtime.process.memoryUsage().heapUsed);
  });
  app.post("/json", sluice.json(), (req, res) => res.json(req.body));
  app.post("/upload", async (req, res) => {
    let length = 0;
    for await (const chunk of req.request.body!) length += chunk.length;
    res.json(length);
  });
  app.get("/download/:bytes", (req, res) => res.type("bin").send(new Uint8Array(Number(req.params.bytes))));
  app.get("/stream/:pieces", async (req, res) => {
    for (let i = 0; i < Number(req.params.pieces); i++) {
      res.write(`piece ${i}\n`);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    res.end();
  });
  app.get(
    "/users/:id/:part",
    (req, res) => res.json({ ...req.params, query: req.query, agent: req.get("user-agent") }),
  );
  app.ws("/echo", { message: (ws, data) => void ws.send(data) });
  return app;
}

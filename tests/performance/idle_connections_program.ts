/**
 * Serves connections that stay idle, on Node and Bun; `/` returns the heap's size in bytes after garbage collection.
 */
import sluice from "@sluice/sluice";
import { sse } from "@sluice/middleware/sse";

await import("@sluice/sluice/node");

/** The parts of the runtimes' garbage collectors and statistics that the program uses. */
const runtime = globalThis as unknown as {
  gc(): void;
  Bun?: { gc(isThorough: boolean): void };
  process: {
    memoryUsage(): { heapUsed: number };
    getBuiltinModule(name: string): { heapStats(): { heapSize: number; extraMemorySize: number } };
  };
};

function heapBytes(): number {
  if (runtime.Bun === undefined) return runtime.process.memoryUsage().heapUsed;
  const { heapSize, extraMemorySize } = runtime.process.getBuiltinModule("bun:jsc").heapStats();
  return heapSize + extraMemorySize;
}

const app = sluice().set("env", "test");
app.get("/", async (_req, res) => {
  for (let i = 0; i < 3; i++) {
    runtime.Bun === undefined ? runtime.gc() : runtime.Bun.gc(true);
    // memory outside the heap is released on a later tick
    await new Promise((done) => setTimeout(done));
  }
  res.json(heapBytes());
});
app.get("/events", (req, res) => void sse(req, res).send({ data: "hello" }));
app.ws("/socket", { message: (ws, message) => ws.send(message) });
const server = app.listen({ port: 0, hostname: "127.0.0.1" }, () => console.log(server.port));

/** The service in docs/guide/production-checklist.md, with handlers that use the CPU for 20 ms. Prints its port. */
import process from "node:process";
import sluice, { type ErrorHandler, HttpError, rateLimit, shedLoad } from "@sluice/sluice";
import { csrf } from "@sluice/middleware/csrf";
import { health } from "@sluice/middleware/health";
import { log } from "@sluice/middleware/log";
import { metrics } from "@sluice/middleware/metrics";
import { requestId } from "@sluice/middleware/request-id";
import { timeout } from "@sluice/middleware/timeout";

const app = sluice();
const load = shedLoad({ maxPending: 1000 });
// standard output is reserved for the port
const requests = log({ slowMs: 1000, load, stream: process.stderr });
const measured = metrics();
app.use(measured, load, requests, requestId(), health({ load }));
app.get("/metrics", measured.page);
app.use(csrf(), timeout(10_000));
app.use(rateLimit({ windowMs: 60_000, limit: 1_000_000 }));
app.post("/work", sluice.json({ limit: 1000 }), (req, res) => {
  const end = performance.now() + 20;
  while (performance.now() < end);
  res.json(req.body);
});
app.use(() => {
  throw new HttpError(404);
});
const onError: ErrorHandler = (error, _req, res, _next) => {
  res.status(error.expose ? error.status : 500).json({ error: error.expose ? error.message : "Something went wrong" });
};
app.use(requests.errors, onError);
app.on("error", (error, { phase }) => console.error(phase, error));

const server = app.listen({ port: 0, hostname: "127.0.0.1" }, () => console.log(server.port));
process.once("SIGTERM", async () => {
  await app.close({ drainDelayMs: Number(process.env["DRAIN_MS"]), timeoutMs: 25_000 });
  process.exit(0);
});

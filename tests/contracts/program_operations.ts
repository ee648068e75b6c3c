/** The part of the program for operating a service: time limits, request ids, logs and probes. */
import { health } from "@sluice/middleware/health";
import { log, type LogRecord } from "@sluice/middleware/log";
import { requestId, type RequestIdExtras } from "@sluice/middleware/request-id";
import { timeout } from "@sluice/middleware/timeout";
import sluice, { type FrameworkApp, type FrameworkRequest, Router } from "@sluice/sluice";

/** Routes behind each middleware. */
export function operationRoutes(app: FrameworkApp): void {
  const records: LogRecord[] = [];
  const aborted = new Set<string>();
  const routes = Router();
  routes.use(log({ stream: (_line, record) => void records.push(record) }), requestId({ trust: true }));
  routes.get("/late", timeout(20, { retryAfterMs: 1000 }), (req, res) => {
    const { signal } = req;
    signal.addEventListener("abort", () => {
      aborted.add(`${req.query["flag"]} ${signal.reason.name}`);
      res.send("too late");
    });
  });
  routes.get("/aborted/:flag", (req, res) => res.json(aborted.has(`${req.params.flag} TimeoutError`)));
  routes.get("/named", (req, res) => {
    const { id, traceId } = req as FrameworkRequest & RequestIdExtras;
    res.json({ id, traceId });
  });
  routes.get("/lines/:id", (req, res) => res.json(records.filter(({ id }) => id === req.params.id)));
  let checks = 0;
  routes.use("/probes", health({ checks: { counted: { run: () => ++checks, cacheMs: 60_000 } } }));
  routes.use("/failing", health({ checks: { failing: () => false } }));
  const bound = sluice().set("env", "test");
  const kept: unknown[] = [];
  bound.get("/", (req, res) => {
    req.waitUntil(Promise.resolve());
    res.json([
      req.env["GREETING"],
      typeof (req.executionCtx as { waitUntil?: unknown } | undefined)?.waitUntil,
      req.ip,
    ]);
  });
  const env = { GREETING: "Hello" };
  const ctx = { waitUntil: (work: unknown) => void kept.push(work) };
  routes.get("/bindings/fetch", async (_req, res) => {
    res.json(await (await bound.fetch(new Request("http://localhost/"), env, ctx)).json());
  });
  routes.get("/bindings/inject", async (_req, res) => res.json(await (await bound.inject("/", { env, ctx })).json()));
  routes.get("/bindings/alone", async (_req, res) => {
    const response = await bound.fetch(new Request("http://localhost/"), env);
    res.json(await response.json());
  });
  app.use("/operations", routes);
}

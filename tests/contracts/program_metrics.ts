/** The part of the program with metrics. */
import { metrics } from "@sluice/middleware/metrics";
import sluice, { type FrameworkApp } from "@sluice/sluice";

/** Measured routes, one set per flag, and the metrics. */
export function metricsRoutes(app: FrameworkApp): void {
  const measured = metrics();
  const inner = sluice().set("env", "test");
  inner.use(measured);
  inner.get("/page", measured.page);
  inner.get("/of/:flag/json", (req, res) => res.json(req.params));
  inner.get("/of/:flag/response", () => new Response("a response"));
  inner.get("/of/:flag/fails", () => Promise.reject(new Error("on purpose")));
  app.use("/measured", inner);
}

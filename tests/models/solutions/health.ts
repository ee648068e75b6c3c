import { health } from "@sluice/middleware/health";
import { metrics } from "@sluice/middleware/metrics";
import sluice from "@sluice/sluice";

export function createApp(check: () => Promise<void>) {
  const app = sluice();
  const measure = metrics();
  app.use(measure).get("/metrics", measure.page);
  app.use(health({ checks: { database: check } }));
  app.get("/", (_req, res) => res.send("ok"));
  return app;
}

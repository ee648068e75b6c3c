/** The service in Sluice; prints its port. */
import sluice from "@sluice/sluice";
import { adaptiveConcurrency, rateLimit } from "@sluice/rate-limit";
import { SLOTS, TOKENS, WatchedService } from "./watched_service.ts";

const service = new WatchedService();
const adaptive = adaptiveConcurrency();
const tokens = rateLimit({ ...TOKENS, costAfter: (_req, res) => res.locals["tokens"] });
const slots = rateLimit(SLOTS);

const app = sluice();
app.get("/open", (_req, res) => {
  service.open();
  res.send("opened");
});
app.get("/figures", async (_req, res) => {
  res.json(await service.figures(tokens.limiter, slots.limiter, adaptive.figures.inFlight));
});
app.ws("/socket", adaptive, slots, {
  open: (ws) => service.begin({ on: (_event, closed) => ws.data.closed = closed }),
  close: (ws) => ws.data.closed(),
});
app.use(adaptive, tokens, slots);
app.get("/model", async (_req, res) => {
  service.begin(res);
  res.locals["tokens"] = (await service.model()).tokens;
  res.send("done");
});
app.get("/stream", (_req, res) => {
  service.begin(res);
  res.locals["tokens"] = 30;
  res.write("the beginning of an endless text");
});
const server = app.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as { port: number };
  console.log(port);
});

import sluice, { type ErrorHandler, HttpError, shedLoad } from "@sluice/sluice";
import { durableSockets } from "@sluice/sluice/workers";
import { DurableObjectStore, rateLimit, type RateLimitMiddleware } from "@sluice/rate-limit";

// the Durable Object classes in wrangler.jsonc must be exported: this one, and Live
export { RateLimitObject } from "@sluice/rate-limit";

const METRES = new Map([["m", 1], ["km", 1000], ["ft", 0.3048], ["mi", 1609.344]]);

function convert(amount: number, from: string, to: string): number {
  const [a, b] = [METRES.get(from), METRES.get(to)];
  if (a === undefined || b === undefined) throw new HttpError(422, `There is no unit ${a === undefined ? from : to}`);
  if (!Number.isFinite(amount)) throw new HttpError(400, "The amount must be a number");
  return amount * a / b;
}

const app = sluice();

// An instance with this many pending responses refuses further requests. The event loop delay is meaningless here: the
// clock of Workers stands still while code runs, and only advances while it waits.
app.use(shedLoad({ maxPending: 1000, maxEventLoopDelayMs: Infinity }));

// counted in Durable Objects, one per client; bindings are available from the first request on
let limit: RateLimitMiddleware | undefined;
app.use("/convert", (req, res, next) => {
  limit ??= rateLimit({
    name: "convert",
    limit: 10,
    windowMs: 60_000,
    store: new DurableObjectStore({ namespace: req.env.RATE_LIMIT }),
    // a new object starts first, which may take longer than the default 100 ms for a decision
    timeoutMs: 1000,
  });
  return limit(req, res, next);
});

app.get("/", (req, res) => {
  res.json({ service: req.env.SERVICE_NAME ?? "converter", units: [...METRES.keys()] });
});

app.get("/convert/:amount/:from/:to", (req, res) => {
  const { amount, from, to } = req.params;
  const result = convert(Number(amount), from, to);
  res.json({ result });
  // continues after the response
  if (req.env.AUDIT_URL) req.waitUntil(audit(req.env.AUDIT_URL, { amount, from, to, ip: req.ip }));
});

app.post("/convert", sluice.json({ limit: "10kb" }), (req, res) => {
  const { amount, from, to } = req.body ?? {};
  res.json({ result: convert(amount, from, to) });
});

// WebSockets stay open in an object that hibernates while there are no messages
app.get("/live", (req) => {
  const { LIVE } = req.env;
  return LIVE.get(LIVE.idFromName("live")).fetch(req.request);
});

export class Live extends durableSockets(() => {
  const live = sluice();
  live.ws("/live", {
    message: (ws, text) => {
      const [amount, from = "", to = ""] = String(text).split(" ");
      ws.send(JSON.stringify({ result: convert(Number(amount), from, to) }));
    },
  });
  return live;
}) {}

app.use((req, res) => {
  res.status(404).json({ error: `There is nothing at ${req.path}` });
});

const onError: ErrorHandler = (error, _req, res, _next) => {
  // client errors, including those of body parsers, may be exposed
  if (!error.expose) console.error(error);
  res.status(error.expose ? error.status : 500).json({ error: error.expose ? error.message : "Something went wrong" });
};
app.use(onError);

async function audit(url: string, entry: unknown): Promise<void> {
  await fetch(url, { method: "POST", body: JSON.stringify(entry) });
}

export default app;

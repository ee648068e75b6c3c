import sluice, { type ErrorHandler, HttpError, shedLoad } from "@sluice/sluice";
import { serve } from "@sluice/sluice/node";
import { MemoryStore, rateLimit, RedisStore } from "@sluice/rate-limit";

const METRES = new Map([["m", 1], ["km", 1000], ["ft", 0.3048], ["mi", 1609.344]]);

function convert(amount: number, from: string, to: string): number {
  const [a, b] = [METRES.get(from), METRES.get(to)];
  if (a === undefined || b === undefined) throw new HttpError(422, `There is no unit ${a === undefined ? from : to}`);
  if (!Number.isFinite(amount)) throw new HttpError(400, "The amount must be a number");
  return amount * a / b;
}

const app = sluice();

// before everything else: requests that cannot be handled in time are refused at once
app.use(shedLoad({ maxPending: 1000, priority: (req) => req.path === "/health" ? "critical" : "normal" }));

// behind a load balancer: number of proxies to trust for the client's address
app.set("trust proxy", Number(process.env.PROXIES ?? 0));

// one container counts in memory; several need Redis to count together
const { PORT = "3000", REDIS_URL } = process.env;
const store = REDIS_URL ? new RedisStore({ url: REDIS_URL }) : new MemoryStore();
app.use("/convert", rateLimit({ limit: 10, windowMs: 60_000, store }));

app.get("/health", (_req, res) => res.json({ ok: true }));

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

app.ws("/live", {
  message: (ws, text) => {
    const [amount, from = "", to = ""] = String(text).split(" ");
    ws.send(JSON.stringify({ result: convert(Number(amount), from, to) }));
  },
});

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

const server = serve(app, { port: Number(PORT) }, () => console.log(`Listening on http://localhost:${server.port}`));

// docker stop: in-flight requests are completed, then the process exits
process.once("SIGTERM", () => app.close({ timeoutMs: 8000 }).then(() => process.exit(0)));

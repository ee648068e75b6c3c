import sluice, { type ErrorHandler, HttpError } from "@sluice/sluice";
import { toStreamingHandler } from "@sluice/sluice/lambda";
import { MemoryStore, rateLimit, RedisStore } from "@sluice/rate-limit";
import { createClient } from "redis";

const METRES = new Map([["m", 1], ["km", 1000], ["ft", 0.3048], ["mi", 1609.344]]);

function convert(amount: number, from: string, to: string): number {
  const [a, b] = [METRES.get(from), METRES.get(to)];
  if (a === undefined || b === undefined) throw new HttpError(422, `There is no unit ${a === undefined ? from : to}`);
  if (!Number.isFinite(amount)) throw new HttpError(400, "The amount must be a number");
  return amount * a / b;
}

const app = sluice();

// without Redis, every instance of the function counts separately, so a client gets more than 10
const { REDIS_URL } = process.env;
const store = REDIS_URL ? await redisStore(REDIS_URL) : new MemoryStore();
// a thawed instance reconnects first, which takes longer than the default 100 ms for a decision
app.use("/convert", rateLimit({ limit: 10, windowMs: 60_000, store, timeoutMs: 1000 }));

async function redisStore(url: string): Promise<RedisStore> {
  const client = createClient({ url }).on("error", console.error);
  // a cold start waits at most one second; while Redis is unavailable, instances count separately
  await Promise.race([client.connect(), new Promise((resolve) => setTimeout(resolve, 1000))]);
  return new RedisStore({ client });
}

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

// for a function URL; behind API Gateway use toLambdaHandler(app)
export const handler = toStreamingHandler(app);

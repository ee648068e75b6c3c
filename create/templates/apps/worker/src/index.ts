import sluice, { type ErrorHandler, HttpError } from "@sluice/sluice";
import { DurableObjectStore, rateLimit, type RateLimitMiddleware } from "@sluice/rate-limit";

// the class of the Durable Objects in wrangler.jsonc: each counts one client
export { RateLimitObject } from "@sluice/rate-limit";

const app = sluice();

// each client gets 100 requests a minute; bindings are available once the first request arrives
let limit: RateLimitMiddleware | undefined;
app.use((req, res, next) => {
  const store = () => new DurableObjectStore({ namespace: req.env.RATE_LIMIT });
  limit ??= rateLimit({ name: "api", windowMs: 60_000, limit: 100, store: store() });
  return limit(req, res, next);
});

app.get("/greetings/:name", (req, res) => {
  res.json({ greeting: `${req.env.GREETING}, ${req.params.name}` });
});

app.post("/sums", sluice.json({ limit: "10kb" }), (req, res) => {
  res.json({ sum: validNumbers(req.body).reduce((a, b) => a + b, 0) });
});

app.use((req) => {
  throw new HttpError(404, `There is nothing at ${req.path}`);
});

function validNumbers(body: unknown): number[] {
  const { numbers } = Object(body) as { numbers?: unknown };
  if (!Array.isArray(numbers) || !numbers.every((one) => typeof one === "number")) {
    throw new HttpError(422, "numbers must be a list of numbers");
  }
  return numbers;
}

const onError: ErrorHandler = (error, _req, res, _next) => {
  // clients see details only for their own errors, such as invalid JSON
  if (!error.expose) console.error(error);
  res.status(error.expose ? error.status : 500).json({ error: error.expose ? error.message : "Something went wrong" });
};
app.use(onError);

export default app;

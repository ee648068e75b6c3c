import { rateLimit } from "@sluice/rate-limit";
import sluice, { type Handler, HttpError } from "@sluice/sluice";

const keys = new Set(["alpha", "beta"]);

const requireKey: Handler = (req, res, next) => {
  const key = req.get("x-api-key") ?? "";
  if (!keys.has(key)) throw new HttpError(401, "The header X-API-Key is missing or wrong");
  res.locals["key"] = key;
  next();
};

export function createApp() {
  const app = sluice();
  app.use(
    requireKey,
    rateLimit({
      algorithm: "sliding-window",
      windowMs: 60_000,
      limit: 5,
      keyGenerator: (req) => req.get("x-api-key") ?? "",
    }),
  );
  app.get("/data", (_req, res) => res.json({ key: res.locals["key"] }));
  return app;
}

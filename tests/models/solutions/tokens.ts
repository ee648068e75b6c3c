import { rateLimit } from "@sluice/rate-limit";
import sluice, { HttpError } from "@sluice/sluice";

type Complete = (prompt: string) => Promise<{ text: string; tokens: number }>;

export function createApp(complete: Complete) {
  const app = sluice();
  app.use("/complete", (req, _res, next) => {
    if (!req.get("x-user")) throw new HttpError(401, "The header X-User is missing");
    next();
  });
  app.use(
    "/complete",
    rateLimit({
      algorithm: "sliding-window",
      windowMs: 3_600_000,
      limit: 1000, // tokens
      maxDebt: 1000,
      keyGenerator: (req) => req.get("x-user") ?? "nobody",
      cost: 50, // the estimate
      costAfter: (_req, res) => res.locals["tokens"],
    }),
  );
  app.post("/complete", sluice.json(), async (req, res) => {
    const { text, tokens } = await complete(req.body.prompt);
    res.locals["tokens"] = tokens;
    res.json({ text });
  });
  return app;
}

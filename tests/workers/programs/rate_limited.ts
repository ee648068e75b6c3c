/** A Worker that counts requests with Cloudflare's rate limiting binding, in every way a program may use it. */
import { Hono } from "hono";
import sluice, { type FrameworkApp } from "@sluice/sluice";
import { Limiter, rateLimit } from "@sluice/rate-limit";
import { CloudflareRateLimitStore, type RateLimitBindingLike } from "@sluice/rate-limit/cloudflare";
import { rateLimit as honoLimit } from "@sluice/rate-limit/hono";

interface Env {
  LIMITER: RateLimitBindingLike;
}

const LIMIT = { limit: 5, windowMs: 60_000 };

export function makeApp(env: Env): FrameworkApp {
  const app = sluice();
  const store = new CloudflareRateLimitStore({ binding: env.LIMITER });
  const keyGenerator = (req: { query: { key?: unknown } }) => String(req.query.key);

  app.use("/once", rateLimit({ name: "once", ...LIMIT, store, keyGenerator, standardHeaders: "draft-8" }));
  app.get("/once", (req, res) => res.json("rateLimit" in req ? req.rateLimit : null));

  app.use("/each", (req, res, next) => {
    const own = new CloudflareRateLimitStore({ binding: req.env["LIMITER"] as RateLimitBindingLike });
    return rateLimit({ name: "each", ...LIMIT, store: own, keyGenerator })(req, res, next);
  });
  app.get("/each", (_req, res) => res.send("hello"));

  const limiters = {
    plain: new Limiter({ name: "plain", ...LIMIT, store }),
    merged: new Limiter({ name: "merged", ...LIMIT, store, coalesce: true }),
  };
  app.get("/turn/:name", async (req, res) => {
    const limiter = limiters[req.params.name as keyof typeof limiters];
    const decisions = await Promise.all(Array.from({ length: 8 }, () => limiter.consume(String(req.query["key"]))));
    res.json(decisions.map(({ allowed, decidedBy }) => [allowed, decidedBy]));
  });

  const hono = new Hono<{ Bindings: Env }>();
  hono.use(honoLimit({ name: "hono", ...LIMIT, store, keyGenerator: (c) => c.req.query("key") }));
  hono.get("/hono", (c) => c.text("hello"));
  app.get("/hono", (req) => hono.fetch(req.request, req.env));
  return app;
}

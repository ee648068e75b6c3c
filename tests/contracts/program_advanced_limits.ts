/** The `@sluice/rate-limit` part of the program, as routes under `/advanced`. */
import {
  clientKey,
  type Decision,
  fetchLimit,
  fromCounter,
  Limiter,
  MemoryStore,
  rateLimit,
  type RateLimitMiddleware,
  type RateLimitOptions,
} from "@sluice/rate-limit";
import { FaultyStore } from "@sluice/rate-limit/testing";
import sluice, { type FrameworkApp, type FrameworkRequest } from "@sluice/sluice";
import { PATIENCE_MS } from "../support/patience.ts";
import { lateCounter, lateDatabase, lateStore } from "./program_limit_stores.ts";
import { byClient, type RequestedClock } from "./program_limits.ts";

type Options = RateLimitOptions<FrameworkRequest>;

/**
 * Routes behind the `@sluice/rate-limit` limiter.
 *
 * @param app The application
 * @param clock The clock
 */
export function advancedLimitRoutes(app: FrameworkApp, clock: RequestedClock): void {
  const common = { clock: clock.read, keyGenerator: byClient };
  const limited = (name: string, options: Options): RateLimitMiddleware => {
    const limiter = rateLimit<FrameworkRequest>({ ...common, ...(options.limits ? {} : { limit: 2 }), ...options });
    app.get(`/advanced/${name}`, limiter, (req, res) => {
      const { limit, used, remaining } = req.rateLimit ?? {};
      res.json({ limit, used, remaining });
    });
    return limiter;
  };
  algorithms(limited);
  headers(limited);
  refusals(limited);
  takings(limited, app);
  stores(limited, clock);
  controls(app, limited("controlled", {}));
  clients(app, clock);
  const limit = fetchLimit({
    ...{ limit: 2, windowMs: 60_000, clock: clock.read, standardHeaders: "draft-8", name: "fetch" },
    keyGenerator: (request) => request.headers.get("x-client") ?? undefined,
  });
  app.mount("/advanced/fetch", limit((request: Request) => new Response(`plain ${request.method}`)));
  turns(app);
  app.ws("/advanced/socket", rateLimit({ ...common, limit: 1 }), { open: (ws) => ws.send("admitted") });
}

type Limited = (name: string, options: Options) => RateLimitMiddleware;

function algorithms(limited: Limited): void {
  for (const algorithm of ["fixed-window", "sliding-window", "sliding-log", "token-bucket"] as const) {
    limited(algorithm, { algorithm, limit: 20 });
  }
  limited("sliding-approximate", { algorithm: "sliding-approximate", limit: 20 });
  limited("burst", { algorithm: "token-bucket", limit: 6, burst: 2 });
  limited("limits", { limits: [{ name: "second", limit: 1, windowMs: 1000 }, { name: "minute", limit: 3 }] });
  limited("blocking", { block: { after: 2, forMs: 600_000 } });
}

function headers(limited: Limited): void {
  const limits = [{ name: "a", limit: 10, windowMs: 60_000 }, { name: "b", limit: 3, windowMs: 5000 }];
  limited("draft-6", { limits, standardHeaders: true, legacyHeaders: false });
  limited("draft-7", { limits, standardHeaders: "draft-7", legacyHeaders: false });
  limited("draft-8", { limits, standardHeaders: "draft-8", legacyHeaders: false });
  limited("epoch", { legacyReset: "epoch" });
  limited("silent", { headers: false });
}

function refusals(limited: Limited): void {
  limited("text", { limit: 0, message: "not now", statusCode: 503 });
  limited("made", { limit: 0, message: (req) => Promise.resolve({ path: req.path }) });
  limited("problem", { limit: 0, name: "quota", problemDetails: true });
  limited("handler", {
    limit: 0,
    handler: (_req, res, _next, { statusCode }) => {
      res.statusCode = 418;
      res.end(`instead of ${statusCode}`);
    },
  });
  limited("passed-on", {
    limit: 0,
    handler: (_req, _res, next) => next(Object.assign(new Error("told"), { status: 420 })),
  });
  limited("dry", { limit: 0, dryRun: true });
}

function takings(limited: Limited, app: FrameworkApp): void {
  limited("costing", { limit: 10, cost: (req) => Number(req.query["cost"] ?? 1) });
  limited("tiers", { limit: (req) => Promise.resolve(req.query["gold"] === undefined ? 1 : 3) });
  limited("skipping", { limit: 1, skip: (req) => Promise.resolve("free" in req.query) });
  limited("by-keys", {
    limits: [{ name: "client", limit: 1 }, { name: "group", limit: 2 }],
    keyGenerator: (req) => ({ client: req.get("x-client")!, group: req.get("x-group")! }),
  });
  const forgiving = rateLimit<FrameworkRequest>({ limit: 1, keyGenerator: byClient, skipFailedRequests: true });
  app.get("/advanced/forgiving/:status", forgiving, (req, res) => res.status(Number(req.params.status)).end());
  const under = rateLimit<FrameworkRequest>({ algorithm: "concurrency", limit: 1, keyGenerator: byClient });
  app.get("/advanced/concurrency", under, async (req, res, next) => {
    const flag = req.query["until"];
    if (flag === undefined) return next();
    while (!released.has(String(flag))) await new Promise((resolve) => setTimeout(resolve, 2));
    res.send("done");
  }, (_req, res) => res.send("admitted"));
  const released = new Set<string>();
  app.post("/advanced/concurrency/:flag", (req, res) => {
    released.add(req.params.flag);
    res.end();
  });
}

function stores(limited: Limited, clock: RequestedClock): void {
  const memory = () => new MemoryStore({ clock: clock.read });
  const failing = () => new FaultyStore(memory()).fail(new Error("the store is down"));
  // many decisions are in progress at once, which on two cores takes longer than the default timeout for a decision
  const late = { limit: 20, timeoutMs: PATIENCE_MS };
  limited("store-later", { ...late, store: lateStore(clock.read) });
  limited("store-counter", { ...late, store: fromCounter(lateCounter(clock.read), { clock: clock.read }) });
  limited("store-database", { ...late, store: lateDatabase(clock.read) });
  limited("store-fails", { limit: 1, store: failing() });
  limited("store-fails-open", { limit: 1, store: failing(), passOnStoreError: true });
  limited("store-fails-closed", { limit: 1, store: failing(), onStoreFailure: "closed" });
  limited("store-hangs", { limit: 1, store: new FaultyStore(memory()).hang(), timeoutMs: 20 });
}

function controls(app: FrameworkApp, limiter: RateLimitMiddleware): void {
  app.get("/advanced/controlled/:key", async (req, res) => {
    const { tightest } = await limiter.getKey(req.params.key);
    res.json({ remaining: tightest.remaining });
  });
  app.delete("/advanced/controlled", async (_req, res) => res.json(await limiter.reset() > 0));
  app.delete("/advanced/controlled/:key", async (req, res) => res.json(await limiter.resetKey(req.params.key)));
}

function clients(app: FrameworkApp, clock: RequestedClock): void {
  const behind = sluice().set("trust proxy", 1).set("env", "test");
  const limits = [{ name: "client", limit: 1 }, { name: "site", limit: 2, ipv6Subnet: 48 }];
  behind.use(rateLimit({ limits, clock: clock.read }));
  behind.get("/", (req, res) => res.send(req.ip));
  app.use("/advanced/behind-proxy", behind);
  const composite = sluice().set("trust proxy", 1).set("env", "test");
  const keyGenerator = (req: FrameworkRequest): string => `${clientKey(req)}:${byClient(req)}`;
  const cost = (req: FrameworkRequest): number => "free" in req.query ? 0 : 1;
  composite.use(rateLimit({ limit: 2, windowMs: 60_000, clock: clock.read, keyGenerator, cost }));
  composite.get("/", (_req, res) => res.send("admitted"));
  app.use("/advanced/composite", composite);
}

// queued callers
function turns(app: FrameworkApp): void {
  const limiter = new Limiter({ algorithm: "concurrency", limit: 1 });
  const entered = new Map<string, number>();
  const held = new Map<string, Decision>();
  app.post("/advanced/turns/:flag", async (req, res) => {
    const { flag } = req.params;
    entered.set(flag, (entered.get(flag) ?? 0) + 1);
    held.set(flag, await limiter.waitFor(flag, { timeoutMs: PATIENCE_MS }));
    res.send("your turn");
  });
  app.get("/advanced/turns/:flag", (req, res) => res.json(entered.get(req.params.flag) ?? 0));
  app.delete("/advanced/turns/:flag", async (req, res) => res.json(await limiter.release(held.get(req.params.flag)!)));
}

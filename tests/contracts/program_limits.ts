/**
 * The rate-limiting part of the program, for the core's limiter. Requests advance its clock, so no case has to wait.
 */
import sluice, {
  clientKey,
  type FrameworkApp,
  type FrameworkRequest,
  rateLimit,
  type RateLimitOptions,
  Router,
} from "@sluice/sluice";

/** Identifies a client by a header. */
export const byClient = (req: FrameworkRequest): string | undefined => req.get("x-client");

/** A clock that requests advance. */
export class RequestedClock {
  #now = Date.UTC(2026, 0, 2, 3, 4, 5);

  /** Current time in ms. */
  readonly read = (): number => this.#now;

  advance(ms: number): void {
    this.#now += ms;
  }
}

/**
 * Routes behind the core's limiter, under `/limits`.
 *
 * @param app The application
 * @param clock The clock
 */
export function limitRoutes(app: FrameworkApp, clock: RequestedClock): void {
  app.post("/clock/:ms", (req, res) => {
    clock.advance(Number(req.params.ms));
    res.json(clock.read());
  });
  const common = { limit: 2, windowMs: 60_000, clock: clock.read, keyGenerator: byClient };
  const limited = (name: string, options: RateLimitOptions): void => {
    app.get(`/limits/${name}`, rateLimit({ ...common, ...options }), (_req, res) => res.send("admitted"));
  };
  limited("two", {});
  limited("twenty", { limit: 20 });
  limited("none", { limit: 0 });
  limited("text", { limit: 0, message: "not now", statusCode: 503 });
  limited("object", { limit: 0, message: { error: "slower" } });
  limited("silent", { limit: 1, headers: false });
  limited("skipping", { limit: 1, skip: (req) => Promise.resolve("free" in req.query) });
  limited("later", { limit: 1, keyGenerator: (req) => Promise.resolve(byClient(req)) });
  const refused = new Map<string, number>();
  limited("told", {
    limit: 1,
    onLimitReached: (req) => refused.set(byClient(req)!, (refused.get(byClient(req)!) ?? 0) + 1),
  });
  app.get("/limits/told/:client", (req, res) => res.json(refused.get(req.params.client) ?? 0));

  app.get("/limits/made-inside", (req, res, next) => rateLimit({ ...common, name: "made inside" })(req, res, next));
  app.get("/limits/made-inside", (_req, res) => res.send("admitted"));
  app.use("/limits/peer", rateLimit({ limit: 1, windowMs: 60_000, message: { error: "slower" } }));
  app.get("/limits/peer", (_req, res) => res.send("admitted"));

  controls(app, rateLimit(common));
  mounted(app, rateLimit(common));
  const behind = sluice().set("trust proxy", 1).set("env", "test");
  behind.use(rateLimit({ limit: 1, windowMs: 60_000, clock: clock.read }));
  behind.get("/", (req, res) => res.send(req.ip));
  app.use("/limits/behind-proxy", behind);
  const composite = sluice().set("trust proxy", 1).set("env", "test");
  const keyGenerator = (req: FrameworkRequest): string => `${clientKey(req)}:${byClient(req)}`;
  composite.use(rateLimit({ limit: 2, windowMs: 60_000, clock: clock.read, keyGenerator }));
  composite.get("/", (_req, res) => res.send("admitted"));
  app.use("/limits/composite", composite);
  app.ws("/limits/socket", rateLimit({ ...common, limit: 1 }), { open: (ws) => ws.send("admitted") });
}

function controls(app: FrameworkApp, limiter: ReturnType<typeof rateLimit>): void {
  app.get("/limits/controlled", limiter, (_req, res) => res.send("admitted"));
  app.get("/limits/controlled/size", (_req, res) => res.json(limiter.size));
  app.delete("/limits/controlled", (_req, res) => {
    limiter.reset();
    res.status(204).end();
  });
  app.delete("/limits/controlled/:key", (req, res) => {
    limiter.resetKey(req.params.key);
    res.status(204).end();
  });
}

function mounted(app: FrameworkApp, limiter: ReturnType<typeof rateLimit>): void {
  const router = Router();
  router.use(limiter);
  router.get("/answer", (_req, res) => res.send("admitted"));
  app.use(["/limits/first", "/limits/second"], router);
  app.get("/limits/first-of-all", (_req, res) => res.send("not limited"));
}

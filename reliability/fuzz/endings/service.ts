/** The target for endings: handlers behind everything that counts requests in progress. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import process from "node:process";
import { metrics } from "@sluice/middleware/metrics";
import { adaptiveConcurrency, MemoryStore, rateLimit } from "@sluice/rate-limit";
import type { Way } from "./ways.ts";

// deno-lint-ignore no-explicit-any -- Sluice and Express, which comes without types here
type Any = any;

/** Parts that only one of the frameworks has. */
export interface Extras {
  /** Middleware in front of the handlers. */
  readonly middleware: readonly Any[];
  /** Further counters by name. */
  readonly counters: Readonly<Record<string, () => number>>;
  /** Budgets in use, as far as a request can find out; a fully free budget is omitted. */
  probe(): Promise<readonly string[]>;
  /** Closes everything that can be closed. */
  close(): Promise<unknown>;
}

/** The service's report. */
export interface Report {
  /** Requests in front of the counters. */
  readonly arriving: number;
  /** Handlers waiting at the gate. */
  readonly waiting: number;
  /** The waiting handlers whose clients have disconnected. */
  readonly left: number;
  /** Values that are 0 while no request is in progress. */
  readonly counters: Readonly<Record<string, number>>;
}

let ahead = 0;

/** Time for all counters in ms; the command `later` advances it by an hour. */
export function now(): number {
  return performance.now() + ahead;
}

/**
 * Serves an application, and prints its port.
 *
 * @param app The application
 * @param ways Its handlers' ways to end
 * @param extras Parts that only this framework has
 */
export async function serve(
  app: Any,
  ways: Readonly<Record<string, Way>>,
  extras: Extras,
): Promise<void> {
  // a fault that a test must find: a counter that forgets, or a counter that treats a disconnect as the end
  const fault = process.env["PLANTED_FAULT"];
  // long enough for a client to disconnect
  const slowMs = Number(process.env["SLOW_MS"] ?? 5);
  const adaptive = adaptiveConcurrency({ initial: 1000, clock: now });
  const measured = metrics({ clock: now, openTelemetry: false });
  const store = new MemoryStore({ clock: now });
  const slots = rateLimit({
    ...{ algorithm: "concurrency", limit: 1000, windowMs: 600_000, keyGenerator: () => "key" },
    ...{ store, clock: now },
  });
  let unsettled = 0;
  const asked = new WeakSet<object>();
  const tokens = rateLimit({
    ...{ limit: 1_000_000, maxDebt: 0, cost: 2, windowMs: 60_000, keyGenerator: () => "key", clock: now },
    costAfter(req: object) {
      if (!asked.has(req)) unsettled--;
      asked.add(req);
      return 1;
    },
  });
  let planted = 0;
  function plant(_req: Any, res: Any, next: () => void): void {
    if (fault !== undefined) {
      planted++;
      res.once(fault === "forgets" ? "finish" : "close", () => planted--);
    }
    next();
  }
  let arriving = 0;
  let waiting = 0;
  let left = 0;
  const open: (() => void)[] = [];

  app.get("/control/report", async (_req: Any, res: Any) => {
    const { remaining } = await slots.limiter.peek("key");
    const active = [...measured.metrics().matchAll(/^http_server_active_requests\{.*\} (\d+)$/gm)];
    const counters = {
      concurrency: 1000 - remaining,
      adaptive: adaptive.figures.inFlight,
      metrics: active.reduce((sum, [, count]) => sum + Number(count), 0),
      ...Object.fromEntries(Object.entries(extras.counters).map(([name, read]) => [name, read()])),
      ...fault !== undefined && { planted },
      unsettled,
    };
    res.json({ arriving, waiting, left, counters } satisfies Report);
  });
  app.get("/control/open", (_req: Any, res: Any) => {
    for (const resolve of open.splice(0)) resolve();
    res.send("opened");
  });
  app.get("/control/later", (_req: Any, res: Any) => {
    ahead += 3_600_000;
    res.send("later");
  });
  app.get("/control/probe", async (_req: Any, res: Any) => res.json(await extras.probe()));
  app.get("/control/close", (_req: Any, res: Any) => {
    res.set("Connection", "close").send("closing");
    void extras.close().then(() => console.log("closed"));
  });
  app.use("/:front/:gate/:way", (req: Any, _res: Any, next: () => void) => {
    if (req.params.front !== "slow") return next();
    arriving++;
    setTimeout(() => {
      arriving--;
      next();
    }, slowMs);
  });
  app.use(measured, plant, adaptive, slots, tokens, (_req: Any, _res: Any, next: () => void) => {
    unsettled++;
    next();
  });
  if (extras.middleware.length > 0) app.use(...extras.middleware);
  app.all("/:front/:gate/:way", async (req: Any, res: Any, next: () => void) => {
    const way = ways[req.params.way]!;
    if (req.params.gate !== "gate") return way(req, res, next);
    waiting++;
    let isHere = true;
    const leave = (): void => {
      if (isHere) left++;
      isHere = false;
    };
    res.on("close", leave);
    // Node does not close a response that waits behind another response on its connection
    req.on("close", () => req.aborted && leave());
    if (req.aborted || res.destroyed) leave();
    await new Promise<void>((resolve) => open.push(resolve));
    waiting--;
    if (!isHere) left--;
    isHere = false;
    return await way(req, res, next);
  });
  const server = app.listen(0, "127.0.0.1");
  if (!server.listening) await once(server, "listening");
  console.log((server.address() as AddressInfo).port);
}

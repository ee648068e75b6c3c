import {
  asciiLowerCase,
  checkInteger,
  checkNames,
  checkObject,
  checkType,
  LONGEST_TIMER_MS,
  noteResponded,
  type OptionNames,
  reasonOf,
  refuseOption,
  withDetails,
} from "@sluice/shared";
import type { Next, Request, Response } from "@sluice/sluice";
import { type Check, type CheckFunction, CheckRunner, type Result } from "./check.ts";
import type { CheckReport, HealthReport, HealthStatus } from "./health_report.ts";

/** The part of `shedLoad`'s return value used here. */
export interface HealthLoad {
  /** The current figures. */
  readonly figures: { readonly overloaded: boolean };
}

/**
 * Decides whether a process should get requests.
 *
 * @example Ready when the database is ready
 * ```ts
 * import sluice from "@sluice/sluice";
 * import { health } from "@sluice/middleware/health";
 *
 * const app = sluice();
 * app.use(health({ checks: { database: () => Promise.resolve(true) }, timeoutMs: 1000, cacheMs: 5000 }));
 * console.log((await app.inject("/readyz")).status); // 200
 * ```
 */
export interface HealthOptions {
  /** Checks by name: functions, or objects with their own timeout and cache. */
  checks?: Readonly<Record<string, CheckFunction | Check>>;
  /** Timeout for a check in ms, 1000 by default. */
  timeoutMs?: number;
  /**
   * How long to reuse a check's result, in ms, so that frequent probes, which are exempt from limits, do not query the
   * database each time. By default 1000 for asynchronous results, and 0 for synchronous ones, such as `() =>
   * !isDraining`. Requests that arrive while a check runs always share its result.
   */
  cacheMs?: number;
  /** The return value of `shedLoad`: the report includes its figures, and warns while it refuses requests. */
  load?: HealthLoad;
  /**
   * Whether overload makes a process not ready, false by default: all replicas may be overloaded at once, and if none
   * is ready, clients get no response at all, not even a 503.
   */
  loadCritical?: boolean;
  /** Whether reports include errors; by default unless the setting `env` is `"production"`. */
  details?: boolean;
  /** The time in ms, `performance.now` by default. */
  clock?: () => number;
}

/** A middleware that responds to probes, and its handlers. */
export interface Health {
  /**
   * Responds at `/livez` and `/readyz`; mounted at a path, also at `/live` and `/ready` below it, and at the path itself
   * if its last name is `live`, `livez`, `ready`, `readyz`, `health` or `healthz`. As a route's handler it always
   * responds: with liveness if the path's last name is `live` or `livez`, otherwise with readiness.
   */
  (req: Request, res: Response, next: Next): unknown;
  /** Liveness, for your own path: always responds with 200. Runs no check. */
  readonly live: (req: Request, res: Response) => void;
  /** Readiness, for your own path: 200 if the process should get requests, otherwise 503. */
  readonly ready: (req: Request, res: Response) => Promise<void>;
}

/** Options from terminus, lightship and health-check packages. */
const INSTEAD = {
  ready: "use checks: { name: () => … }; a process is ready while none of them fails",
  readiness: "use checks: { name: () => … }",
  healthChecks: 'use checks: { name: () => … }; probes request "/livez" and "/readyz"',
  live: "a process that responds is alive: liveness needs no check",
  liveness: "a process that responds is alive: liveness needs no check",
  path: 'mount it: app.use("/health", health()) responds at /health/live and /health/ready; for any other path write ' +
    'app.get("/status", health())',
  cache: "use cacheMs",
  onShutdown: 'app.close runs it: app.on("close", …)',
};

const NAMES: OptionNames<HealthOptions> = {
  checks: true,
  timeoutMs: true,
  cacheMs: true,
  load: true,
  loadCritical: true,
  details: true,
  clock: true,
};

const CHECK_MS = 1000;

const HEADERS = { "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" };

/**
 * Responds to liveness and readiness probes, GET and HEAD, with a JSON report.
 *
 * A process is ready unless a critical check fails or the application is closing. Readiness is 503 once `app.close` is
 * called, and `drainDelayMs` keeps the server open until the load balancer has noticed. When a check begins to fail,
 * the error is reported like background errors.
 *
 * `shedLoad`, `rateLimit` and `adaptiveConcurrency` let probes pass, wherever they are mounted; any other middleware in
 * front, such as authentication, applies. The settings `strict routing` and `case sensitive routing` apply to the
 * paths.
 *
 * @param options The checks that make a process ready
 * @returns The middleware, for an application or a router at any path, and for a route
 * @throws {TypeError} If an option is unknown or of the wrong type
 * @throws {RangeError} If a number is out of bounds
 *
 * @example Below a path, with a check that only warns
 * ```ts
 * import sluice, { shedLoad } from "@sluice/sluice";
 * import { health } from "@sluice/middleware/health";
 *
 * const load = shedLoad();
 * const cache = { ping: (_signal: AbortSignal) => Promise.resolve("PONG") };
 *
 * const app = sluice();
 * app.use(load);
 * // GET /health/live and GET /health/ready
 * app.use("/health", health({ load, checks: { cache: { run: cache.ping, timeoutMs: 200, critical: false } } }));
 * ```
 */
export function health(options: HealthOptions = {}): Health {
  const { ready, live } = new Readiness(options);
  // req.route alone does not tell: it stays set when a route calls next
  const routes = new WeakSet<object>();
  function health(req: Request, res: Response, next: Next): unknown {
    if (req.method !== "GET" && req.method !== "HEAD") return next();
    const probe = probeAt(req.path, req.baseUrl, routes.has(req.route), req.app);
    if (probe === undefined) return next();
    return probe === "live" ? live(req, res) : ready(req, res);
  }
  for (const handler of [live, ready]) withDetails(handler, { page: () => true });
  const page = (...at: Parameters<typeof probeAt>): boolean => probeAt(...at) !== undefined;
  return withDetails(Object.assign(health, { live, ready }), {
    name: "health",
    page,
    registered: ({ route }) => void routes.add(route),
  });
}

type Probe = "live" | "ready";

/** Probes by path, also for a middleware that is itself mounted at a path. */
const PROBES: Readonly<Record<string, Probe>> = { "/livez": "live", "/readyz": "ready" };
const MOUNTED: Readonly<Record<string, Probe>> = { ...PROBES, "/live": "live", "/ready": "ready" };

/** Probes by the last name in the path of a mount. */
const MOUNTS: Readonly<Record<string, Probe>> = { ...MOUNTED, "/health": "ready", "/healthz": "ready" };

/** Length of the longest path, with a trailing slash. */
const LONGEST = "/healthz/".length;

// decides for the middleware and for limits, which must agree
function probeAt(
  path: string,
  mount: string,
  isRoute: boolean,
  app: { enabled(setting: string): boolean },
): Probe | undefined {
  if (isRoute) return named(lastOf(mount + path), MOUNTED, app) ?? "ready";
  if (path === "/" && mount !== "") return named(lastOf(mount), MOUNTS, app);
  // matches like routes: in any case, and with a trailing slash, unless settings forbid it
  const bare = path.endsWith("/") && !app.enabled("strict routing") ? path.slice(0, -1) : path;
  return named(bare, mount === "" ? PROBES : MOUNTED, app);
}

function named(
  path: string,
  probes: Readonly<Record<string, Probe>>,
  app: { enabled(setting: string): boolean },
): Probe | undefined {
  if (path.length > LONGEST) return undefined;
  const spelt = app.enabled("case sensitive routing") ? path : asciiLowerCase(path);
  return Object.hasOwn(probes, spelt) ? probes[spelt] : undefined;
}

function lastOf(path: string): string {
  const bare = path.endsWith("/") ? path.slice(0, -1) : path;
  return bare.slice(bare.lastIndexOf("/"));
}

class Readiness {
  readonly #checks: readonly CheckRunner[];
  readonly #load: HealthLoad | undefined;
  readonly #loadStatus: HealthStatus;
  readonly #details: boolean | undefined;
  /** Checks that failed on their last run. */
  readonly #failing = new Set<string>();

  constructor(options: HealthOptions) {
    checkNames("health", options, NAMES, INSTEAD);
    const { checks = {}, timeoutMs = CHECK_MS, cacheMs, load, loadCritical = false, details } = options;
    const { clock = () => performance.now() } = options;
    checkObject("health", "checks", checks, "an object of functions by names");
    if (load !== undefined && typeof load?.figures?.overloaded !== "boolean") {
      refuseOption("health", "load", "what shedLoad returned", load);
    }
    checkInteger("health", "timeoutMs", timeoutMs, 1, LONGEST_TIMER_MS);
    if (cacheMs !== undefined) checkInteger("health", "cacheMs", cacheMs, 0, LONGEST_TIMER_MS);
    checkType("health", "loadCritical", loadCritical, "boolean");
    checkType("health", "details", details, "boolean");
    checkType("health", "clock", clock, "function");
    this.#checks = Object.entries(checks).map(([name, one]) =>
      new CheckRunner(name, one, { timeoutMs, cacheMs, clock })
    );
    this.#load = load;
    this.#loadStatus = loadCritical ? "fail" : "warn";
    this.#details = details;
  }

  readonly live = (req: Request, res: Response): void => send(req, res, { status: "pass" });

  readonly ready = async (req: Request, res: Response): Promise<void> => {
    // takes precedence; and the database may also be closing, so it must not be queried
    if (req.app.isClosing) return send(req, res, { status: "fail", closing: true });
    const results = await Promise.all(this.#checks.map((check) => check.result()));
    const figures = this.#load?.figures;
    const checks: Record<string, CheckReport> = {};
    for (const [i, { name }] of this.#checks.entries()) checks[name] = this.#shown(req, results[i]!);
    this.#tell(req, results);
    const statuses = Object.values(checks).map(({ status }) => status);
    if (figures?.overloaded) statuses.push(this.#loadStatus);
    // closing may have begun while the checks ran
    const closing = req.app.isClosing;
    send(req, res, {
      status: closing ? "fail" : worstOf(statuses),
      ...closing ? { closing } : {},
      ...this.#checks.length > 0 && { checks },
      ...figures && { load: figures },
    });
  };

  #shown(req: Request, { report }: Result): CheckReport {
    if (this.#details ?? req.app.get("env") !== "production") return report;
    const { error: _error, ...rest } = report;
    return rest;
  }

  // reported once per persistent failure, because probes come every few seconds
  #tell(req: Request, results: readonly Result[]): void {
    for (const [i, { name }] of this.#checks.entries()) {
      const { report, error } = results[i]!;
      if (report.status === "pass") this.#failing.delete(name);
      else if (!this.#failing.has(name)) {
        this.#failing.add(name);
        const failure = new Error(`health: the check ${name} fails: ${reasonOf(error)}`, { cause: error });
        req.app.reportError(failure, { req, phase: "background" });
      }
    }
  }
}

function send(req: Request, res: Response, report: HealthReport): void {
  noteResponded(req);
  res.status(report.status === "fail" ? 503 : 200).set(HEADERS).json(report);
}

function worstOf(statuses: readonly HealthStatus[]): HealthStatus {
  if (statuses.includes("fail")) return "fail";
  return statuses.includes("warn") ? "warn" : "pass";
}

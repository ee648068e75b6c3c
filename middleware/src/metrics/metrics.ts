import {
  checkNames,
  checkObject,
  checkType,
  describe,
  noteResponded,
  type OptionNames,
  refuseMembers,
  refuseOption,
  RequestsInProgress,
  withDetails,
} from "@sluice/shared";
import type { Next, Request, Response } from "@sluice/sluice";
import { DurationHistogram } from "./duration_histogram.ts";
import {
  type CountedConnections,
  type CountedLimiter,
  type CountedLoad,
  type Figure,
  limiterFigures,
  loadFigures,
  socketFigure,
} from "./figures.ts";
import { type MeasuredRequests, registeredMeter } from "./open_telemetry.ts";
import { processFigures } from "./process_figures.ts";
import { PROMETHEUS_TYPE, prometheusText } from "./prometheus_text.ts";
import { checkRegister, familiesIn, type MetricsRegister, textOf } from "./register.ts";

/**
 * Further measurements, and how to report them.
 *
 * @example Buckets for a fast service
 * ```ts
 * import sluice from "@sluice/sluice";
 * import { metrics } from "@sluice/middleware/metrics";
 *
 * const app = sluice();
 * const measured = metrics({ buckets: [0.001, 0.01, 0.1, 1] });
 * app.use(measured);
 * app.get("/metrics", measured.page);
 * ```
 */
export interface MetricsOptions {
  /**
   * Upper bounds for the duration buckets, in s, in ascending order; by default the bounds in OpenTelemetry's semantic
   * conventions, from 5 ms to 10 s.
   */
  buckets?: readonly number[];
  /** Limiters from `@sluice/rate-limit` by name: `{ login: limit.limiter }`. */
  limiters?: Readonly<Record<string, CountedLimiter>>;
  /** The return value of `shedLoad`. */
  load?: CountedLoad;
  /**
   * The program's own metrics: prom-client's `register`, or anything else with a method `metrics` for the Prometheus
   * text format (0.0.4). They follow on the page. A metric of the same name replaces Sluice's, such as those of
   * prom-client's `collectDefaultMetrics`. OpenTelemetry does not get them.
   */
  register?: MetricsRegister;
  /**
   * Whether to report the figures to OpenTelemetry as well, if it is set up, `true` by default. Deno, and
   * instrumentation for Node's `http`, measure requests under the same names; their figures include Sluice's routes.
   */
  openTelemetry?: boolean;
  /** The time in ms, `performance.now` by default. */
  clock?: () => number;
}

/**
 * A middleware that measures requests, and its results.
 *
 * @typeParam Text What `metrics` returns: with the option `register`, that may be a promise
 */
export interface Metrics<Text extends string | Promise<string> = string> {
  /**
   * Measures a request; the measurement covers all later handlers, so mount it first. As a route's handler at a path
   * that ends with `/metrics`, it responds with `page` instead.
   */
  (req: Request, res: Response, next: Next): void | Promise<void>;
  /**
   * A handler that responds with all metrics in the Prometheus text format (0.0.4), at most one second old. `shedLoad`
   * and limits let its requests pass; other guards in front of it apply.
   */
  readonly page: (req: Request, res: Response) => void | Promise<void>;
  /** Returns all metrics in the Prometheus text format, like prom-client's `register.metrics()`, for your own page. */
  metrics(): Text;
  /** The page's content type. */
  readonly contentType: string;
}

const PAGE = 'the program chooses the path: const measure = metrics(); app.use(measure).get("/metrics", measure.page)';
const FIXED = "names and labels follow OpenTelemetry's conventions, which dashboards expect";

const COUNTERS = "count with prom-client, on the same page: " +
  'import { Counter, register } from "prom-client", and metrics({ register })';
const HANDLER = 'write app.use(measure).get("/metrics", measure.page)';

const TEXT = "write metrics(), which returns the Prometheus text format";

/** Members of prom-client and of similar packages. */
const NO_MEMBERS = {
  counter: COUNTERS,
  gauge: COUNTERS,
  histogram: COUNTERS,
  summary: COUNTERS,
  Counter: COUNTERS,
  Gauge: COUNTERS,
  Histogram: COUNTERS,
  Summary: COUNTERS,
  Registry: COUNTERS,
  register: COUNTERS,
  registry: COUNTERS,
  registerMetric: COUNTERS,
  getSingleMetric: COUNTERS,
  getSingleMetricAsString: COUNTERS,
  removeSingleMetric: COUNTERS,
  resetMetrics: COUNTERS,
  clear: COUNTERS,
  setDefaultLabels: COUNTERS,
  getMetricsAsArray: TEXT,
  getMetricsAsJSON: TEXT,
  getMetricsAsString: TEXT,
  setContentType: TEXT,
  collectDefaultMetrics: "process metrics are always on the page",
  handler: HANDLER,
  endpoint: HANDLER,
  middleware: HANDLER,
  metricsMiddleware: HANDLER,
};

/** Options from prom-client and express-prom-bundle. */
const INSTEAD = {
  path: PAGE,
  metricsPath: PAGE,
  endpoint: PAGE,
  prefix: FIXED,
  labels: FIXED,
  customLabels: FIXED,
  defaultLabels: FIXED,
  includeMethod: FIXED,
  includePath: FIXED,
  includeStatusCode: FIXED,
  promRegistry: "use register",
  registry: "use register",
  registers: "use register",
  customMetrics: COUNTERS,
  collectDefaultMetrics: "process metrics are always included",
};

const NAMES: OptionNames<MetricsOptions> = {
  buckets: true,
  limiters: true,
  load: true,
  register: true,
  openTelemetry: true,
  clock: true,
};

/** OpenTelemetry, "Semantic conventions for HTTP metrics". */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** How long the page is cached, in ms. */
const RECENT_MS = 1000;

const HEADERS = {
  "Content-Type": PROMETHEUS_TYPE,
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
};

/** Otherwise, each method a client makes up would create its own series. */
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT", "TRACE", "QUERY"]);

/**
 * Measures requests: how many by route, method and status, how long they take, and how many are in flight. A request
 * whose client disconnects is in flight until its handler ends the response, for at most one minute.
 *
 * If the process has an OpenTelemetry meter provider at the first request (an SDK, or Deno with `OTEL_DENO`), it gets
 * `http.server.request.duration`, `http.server.active_requests` and all other figures. In every process, `page` exposes
 * them to Prometheus, with prom-client's process metrics where the runtime provides them. Paths that match no route
 * count as one, so clients cannot create series.
 *
 * @param options Further measurements
 * @returns The middleware
 * @throws {TypeError} If an option is unknown or of the wrong type
 *
 * @example Limiters and load, too
 * ```ts
 * import sluice, { shedLoad } from "@sluice/sluice";
 * import { metrics } from "@sluice/middleware/metrics";
 * import { rateLimit } from "@sluice/rate-limit";
 *
 * const app = sluice();
 * const load = shedLoad({ maxPending: 1000 });
 * const login = rateLimit({ windowMs: 60_000, limit: 5 });
 * const measured = metrics({ limiters: { login: login.limiter }, load });
 * app.use(measured, load);
 * app.post("/login", login, (req, res) => res.json({ welcome: true }));
 * app.get("/metrics", measured.page);
 * ```
 */
export function metrics(options?: MetricsOptions & { readonly register?: undefined }): Metrics;
/**
 * Measures requests, with the program's own metrics on the same page.
 *
 * @param options Further measurements, and the option `register`
 * @returns The middleware; its method `metrics` may return a promise
 * @throws {TypeError} If an option is unknown or of the wrong type
 *
 * @example Metrics of the program, with prom-client
 * ```ts ignore
 * import { Counter, register } from "prom-client";
 *
 * const orders = new Counter({ name: "orders_total", help: "Orders" });
 * const measured = metrics({ register });
 * app.use(measured);
 * app.post("/orders", (req, res) => (orders.inc(), res.sendStatus(201)));
 * app.get("/metrics", measured.page);
 * ```
 */
export function metrics(options: MetricsOptions): Metrics<string | Promise<string>>;
export function metrics(options: MetricsOptions = {}): Metrics<string | Promise<string>> {
  checkNames("metrics", options, NAMES, INSTEAD);
  const { buckets = BUCKETS, limiters = {}, load, openTelemetry = true, clock = () => performance.now() } = options;
  checkType("metrics", "openTelemetry", openTelemetry, "boolean");
  checkType("metrics", "clock", clock, "function");
  checkBuckets(buckets);
  checkCounted(limiters, load);
  const { register } = options;
  if (register !== undefined) checkRegister(register);
  const figures = [...limiterFigures(limiters), ...load === undefined ? [] : loadFigures(load)];
  const measuring = new Measuring(buckets, openTelemetry, clock, figures, register);
  // req.route alone does not tell: it stays set when a route calls next
  const routes = new WeakSet<object>();
  function measure(req: Request, res: Response, next: Next): void | Promise<void> {
    if (routes.has(req.route) && isPage(req.path)) return metricsPage(req, res);
    measuring.begin(req, res);
    next();
  }
  function metricsPage(req: Request, res: Response): void | Promise<void> {
    noteResponded(req);
    const send = (text: string): void => void res.set(HEADERS).send(text);
    const text = measuring.recentText();
    return typeof text === "string" ? send(text) : text.then(send);
  }
  refuseMembers(measure, "metrics()", NO_MEMBERS);
  const page = withDetails(metricsPage, { page: () => true });
  return withDetails(Object.assign(measure, { page, metrics: () => measuring.text(), contentType: PROMETHEUS_TYPE }), {
    name: "metrics",
    page: (path, _mount, isRoute) => isRoute && isPage(path),
    registered: ({ route }) => void routes.add(route),
  });
}

// decides for the middleware and for limits, which must agree
function isPage(path: string): boolean {
  return /\/metrics\/?$/i.test(path);
}

class Measuring {
  readonly #openTelemetry: boolean;
  readonly #clock: () => number;
  readonly #histogram: DurationHistogram;
  readonly #figures: readonly Figure[];
  /** Not for OpenTelemetry, whose SDKs have their own. */
  readonly #ofProcess = processFigures();
  readonly #requests: RequestsInProgress;
  readonly #inFlight = new Map<string, number>();
  /** Requests measured, because it may be registered for an application and again for a router. */
  readonly #measured = new WeakSet<Request>();
  readonly #register: MetricsRegister | undefined;
  #connections: CountedConnections | undefined;
  #recent: string | Promise<string> = "";
  #recentSince = Number.NEGATIVE_INFINITY;
  /** Looked up on each request until found: an SDK may be registered after the application was created. */
  #meter: MeasuredRequests | null = null;

  constructor(
    buckets: readonly number[],
    openTelemetry: boolean,
    clock: () => number,
    figures: readonly Figure[],
    register: MetricsRegister | undefined,
  ) {
    this.#register = register;
    this.#openTelemetry = openTelemetry;
    this.#clock = clock;
    this.#histogram = new DurationHistogram(buckets);
    this.#requests = new RequestsInProgress(clock);
    this.#figures = [...figures, socketFigure(() => this.#connections)];
  }

  /** Returns the page, built at most once a second, because no limit applies to its clients. */
  recentText(): string | Promise<string> {
    const now = this.#clock();
    if (now - this.#recentSince >= RECENT_MS) {
      this.#recent = this.text();
      this.#recentSince = now;
    }
    return this.#recent;
  }

  text(): string | Promise<string> {
    if (this.#register === undefined) return this.#page("");
    const own = textOf(this.#register);
    return typeof own === "string" ? this.#page(own) : own.then((text) => this.#page(text));
  }

  /** Returns the page, with the program's own metrics last. */
  #page(own: string): string {
    this.#requests.expire();
    const figures = [this.#activeFigure(), ...this.#figures, ...this.#ofProcess];
    return prometheusText(this.#histogram, figures, familiesIn(own)) + own;
  }

  begin(req: Request, res: Response): void {
    if (this.#measured.has(req)) return;
    this.#measured.add(req);
    if (this.#openTelemetry && this.#meter === null) this.#meter = this.#findMeter(req.app);
    this.#connections ??= (req.app as { connections?: CountedConnections }).connections;
    this.#requests.expire();
    const method = METHODS.has(req.method) ? req.method : "_OTHER";
    const scheme = req.protocol;
    const start = this.#clock();
    this.#count(method, scheme, 1);
    this.#requests.watch(res, () => this.#count(method, scheme, -1));
    res.once("close", () => this.#end(req, res, method, scheme, (this.#clock() - start) / 1000));
  }

  // a broken provider would fail on every request
  #findMeter(app: Request["app"]): MeasuredRequests | null {
    const reported = new Set<string>();
    return registeredMeter(this.#histogram.bounds, this.#figures, (what, cause) => {
      if (reported.has(what)) return;
      reported.add(what);
      const message = `metrics: OpenTelemetry failed with ${what}; this is reported once and fails no request`;
      app.reportError(new Error(message, { cause }), { phase: "telemetry" });
    });
  }

  #count(method: string, scheme: string, change: 1 | -1): void {
    this.#inFlight.set(method, (this.#inFlight.get(method) ?? 0) + change);
    this.#meter?.active(change, { "http.request.method": method, "url.scheme": scheme });
  }

  #end(req: Request, res: Response, method: string, scheme: string, seconds: number): void {
    // the time a WebSocket was open is not a request duration
    if (res.statusCode === 101) return;
    const isAborted = !res.headersSent;
    const route = req.routePath ?? "";
    const statusClass = isAborted ? "aborted" : `${Math.floor(res.statusCode / 100)}xx`;
    const status = isAborted ? undefined : res.statusCode;
    this.#histogram.record({ method, route, statusClass, status }, seconds);
    if (!this.#meter) return;
    this.#meter.took(seconds, {
      "http.request.method": method,
      "url.scheme": scheme,
      ...route === "" ? {} : { "http.route": route },
      ...isAborted ? { "error.type": "aborted" } : { "http.response.status_code": res.statusCode },
    });
  }

  #activeFigure(): Figure {
    return {
      name: "http.server.active_requests",
      kind: "gauge",
      description: "Requests in flight",
      unit: "{request}",
      read: () =>
        [...this.#inFlight].map(([method, value]) => ({ value, attributes: { "http.request.method": method } })),
    };
  }
}

function checkBuckets(buckets: unknown): void {
  const isAscending = Array.isArray(buckets) && buckets.length > 0 &&
    buckets.every((bound, i) =>
      typeof bound === "number" && bound > (i === 0 ? 0 : buckets[i - 1]) && bound < Infinity
    );
  if (!isAscending) refuseOption("metrics", "buckets", "a list of seconds above 0 in ascending order", buckets);
}

function checkCounted(limiters: Readonly<Record<string, CountedLimiter>>, load: CountedLoad | undefined): void {
  checkObject("metrics", "limiters", limiters, "an object such as { login: limit.limiter }");
  for (const [name, limiter] of Object.entries(limiters)) {
    if (typeof limiter?.counters?.admitted === "number") continue;
    throw new TypeError(
      `metrics: limiters.${name} must be a limiter of @sluice/rate-limit, as rateLimit(…).limiter, not ` +
        describe(limiter),
    );
  }
  if (load !== undefined && typeof load?.figures?.admitted !== "number") {
    refuseOption("metrics", "load", "what shedLoad returned", load);
  }
}

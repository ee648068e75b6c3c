import {
  builtinModule,
  checkInteger,
  checkNames,
  checkType,
  describe,
  isThenable,
  type OptionNames,
  refuseOption,
  withDetails,
} from "@sluice/limiting/core";
import type { Next, Request, Response } from "@sluice/sluice";
import { jsonLine, readableLine } from "./lines.ts";
import { loggedError } from "./logged_error.ts";
import type { LogLevel, LogRecord } from "./log_record.ts";
import { type LogSink, type WriteRecord, writerOf } from "./log_sink.ts";
import { Redaction } from "./redaction.ts";
import { isInSample } from "./sample.ts";

/**
 * What is written, and where.
 *
 * @example One of ten successes, and every failure
 * ```ts
 * import sluice from "@sluice/sluice";
 * import { log } from "@sluice/middleware/log";
 *
 * const app = sluice();
 * app.use(log({ format: "json", sample: 0.1, slowMs: 500, fields: (req) => ({ agent: req.get("user-agent") }) }));
 * ```
 */
export interface LogOptions {
  /**
   * Where lines go: a function, a logger such as pino, a stream of Node's, the console. By default to the console, except
   * if the setting `env` is `"test"`.
   */
  sink?: LogSink;
  /** `"json"` or `"text"`; by default text if the setting `env` is `"development"`, otherwise JSON. */
  format?: "json" | "text";
  /** Whether text has colours; by default if the sink is the console, on a terminal, and `NO_COLOR` is not set. */
  color?: boolean;
  /**
   * What is left out besides passwords, tokens, cookies, keys and the like: names, wherever they are, such as `email` or
   * `ip`; and paths in the record, such as `user.address.*` or `query.q`.
   */
  redact?: readonly string[];
  /** Whether the query is part of the path; true by default, without the values of secrets. */
  query?: boolean;
  /** Fraction of the requests that are logged, 1 by default. Errors and slow requests always are. */
  sample?: number;
  /** The least level that is written, `"info"` by default. */
  level?: LogLevel;
  /** ms after which a request is slow, `Infinity` by default. */
  slowMs?: number;
  /** Further fields, asked for at the end of each request. */
  fields?: (req: Request, res: Response) => Readonly<Record<string, unknown>> | undefined;
  /** The time in ms, `performance.now` by default. */
  clock?: () => number;
}

/** A middleware that logs requests. */
export interface RequestLog {
  /** Logs a request when it is over; mount it first. */
  (req: Request, res: Response, next: Next): void;
  /**
   * An error handler that notes an error for the line, and passes it on: for programs whose own error handlers respond.
   * All other errors are noted without it.
   */
  readonly errors: (error: unknown, req: Request, res: Response, next: Next) => void;
}

const NAMES: OptionNames<LogOptions> = {
  sink: true,
  format: true,
  color: true,
  redact: true,
  query: true,
  sample: true,
  level: true,
  slowMs: true,
  fields: true,
  clock: true,
};

const LEVELS: readonly LogLevel[] = ["info", "warn", "error"];

/** Most characters of what a stranger sent. */
const MAX_PATH = 2048;
const MAX_TEXT = 256;

/**
 * Logs each request with one line when it is over, also if the client left. Errors that no error handler took are part
 * of the line, instead of being written to the console; those that come later, and those of no request, have lines of
 * their own.
 *
 * @param options What is written, and where
 * @returns The middleware
 * @throws {TypeError} If an option is unknown or of the wrong type
 * @throws {RangeError} If a number is out of bounds
 *
 * @example With pino, and error handlers of the program's own
 * ```ts ignore
 * const requests = log({ sink: pino(), redact: ["email"] });
 * app.use(requests);
 * app.use(routes);
 * app.use(requests.errors, (error, req, res, next) => res.status(500).render("sorry"));
 * ```
 */
export function log(options: LogOptions = {}): RequestLog {
  const logging = new Logging(checked(options));
  function log(req: Request, res: Response, next: Next): void {
    logging.begin(req, res);
    next();
  }
  function logErrors(error: unknown, req: Request, _res: Response, next: Next): void {
    logging.note(error, req);
    next(error);
  }
  return withDetails(Object.assign(log, { errors: logErrors }), { name: "log" });
}

/** The options, complete where something has to be looked at for every request. */
interface Checked extends LogOptions {
  readonly redaction: Redaction;
  /** Index of the least level. */
  readonly least: number;
  readonly query: boolean;
  readonly sample: number;
  readonly slowMs: number;
  readonly clock: () => number;
}

/** A request that is not over. */
class Pending {
  readonly start: number;
  readonly ip: string | undefined;
  /** What failed, in an object because a program may throw anything. */
  failure: { readonly error: unknown } | undefined = undefined;

  constructor(start: number, ip: string | undefined) {
    this.start = start;
    this.ip = ip;
  }
}

type App = Request["app"];

class Logging {
  readonly #options: Checked;
  /** Writes to the sink; `null` without one, which means the console. */
  readonly #write: WriteRecord | null;
  readonly #pending = new WeakMap<object, Pending>();
  /** The applications whose errors are heard. */
  readonly #heard = new WeakSet<App>();
  #isColoured: boolean | undefined;

  constructor(options: Checked) {
    this.#options = options;
    this.#write = options.sink === undefined ? null : writerOf(options.sink);
    this.#isColoured = options.color;
  }

  begin(req: Request, res: Response): void {
    const { app } = req;
    if (!this.#heard.has(app)) this.#hear(app, req);
    // the address now, because some runtimes forget it
    const pending = new Pending(this.#options.clock(), req.ip);
    this.#pending.set(req, pending);
    res.once("close", () => this.#end(app, req, res, pending));
  }

  note(error: unknown, req: Request): void {
    const pending = this.#pending.get(req);
    if (pending !== undefined) pending.failure ??= { error };
  }

  #hear(app: App, req: Request): void {
    this.#heard.add(app);
    const { sink } = this.#options;
    this.#isColoured ??= (sink === undefined || sink === console) && isColourful(req);
    app.on("error", (error: unknown, context: { req?: Request; phase: string }) => {
      // whoever can connect causes these
      if (context.phase === "connection") return;
      const isPart = context.phase !== "background";
      const pending = isPart && context.req ? this.#pending.get(context.req) : undefined;
      if (pending !== undefined && pending.failure === undefined) pending.failure = { error };
      else if (pending?.failure?.error !== error) this.#putError(app, error, context);
    });
  }

  #end(app: App, req: Request, res: Response, pending: Pending): void {
    const { clock, slowMs, sample, least, redaction, query } = this.#options;
    const isWebSocket = res.statusCode === 101;
    const isAborted = !res.writableFinished && !isWebSocket;
    const status = isAborted && !res.headersSent ? 499 : res.statusCode;
    const durationMs = Math.round((clock() - pending.start) * 1000) / 1000;
    const isSlow = durationMs > slowMs && !isWebSocket;
    const { id, traceId } = req as { id?: string | number; traceId?: string };
    const added = this.#added(app, req, res);
    const { failure, ip } = pending;
    this.#pending.delete(req);
    const level = levelOf(status, isSlow, failure !== undefined);
    if (LEVELS.indexOf(level) < least) return;
    if (level !== "error" && !isSlow && sample < 1 && !isInSample(id, sample)) return;
    const { originalUrl } = req;
    const end = query ? -1 : originalUrl.indexOf("?");
    const url = end === -1 ? redaction.url(originalUrl) : originalUrl.slice(0, end);
    const record: LogRecord = {
      time: new Date().toISOString(),
      level,
      method: req.method.slice(0, MAX_TEXT),
      path: redaction.text("path", url)!.slice(0, MAX_PATH),
      route: req.routePath,
      status,
      durationMs,
      bytes: bytesOf(res),
      ip: redaction.text("ip", ip),
      id: typeof id === "number" ? id : redaction.text("id", id),
      traceId: redaction.text("traceId", traceId),
      userAgent: redaction.text("userAgent", req.get("user-agent"))?.slice(0, MAX_TEXT),
      slow: isSlow || undefined,
      aborted: isAborted || undefined,
      sample: sample < 1 ? sample : undefined,
      error: failure && loggedError(failure.error, level === "error"),
    };
    this.#put(app, added === undefined ? record : { ...record, ...added });
  }

  #added(app: App, req: Request, res: Response): Record<string, unknown> | undefined {
    const { fields, redaction } = this.#options;
    if (fields === undefined) return undefined;
    try {
      const added: unknown = fields(req, res);
      if (added === undefined) return undefined;
      if (typeof added === "object" && added !== null && !isThenable(added)) return redaction.fields(added);
      throw new TypeError(`log: fields must return an object or undefined, not ${describe(added)}`);
    } catch (error) {
      // becomes part of the line
      app.reportError(error, { req, phase: "listener" });
      return undefined;
    }
  }

  #putError(app: App, error: unknown, { req, phase }: { req?: Request; phase: string }): void {
    const { id, traceId } = (req ?? {}) as { id?: string; traceId?: string };
    const { redaction } = this.#options;
    this.#put(app, {
      time: new Date().toISOString(),
      level: "error",
      id: redaction.text("id", id),
      traceId: redaction.text("traceId", traceId),
      phase,
      error: loggedError(error, true),
    });
  }

  #put(app: App, record: LogRecord): void {
    const env: unknown = app.get("env");
    if (this.#write === null && env === "test") return;
    const isText = this.#options.format === undefined ? env === "development" : this.#options.format === "text";
    const line = (record: LogRecord): string => isText ? readableLine(record, this.#isColoured!) : jsonLine(record);
    try {
      if (this.#write === null) return console.log(line(record));
      const written = this.#write(record, line);
      if (isThenable(written)) written.then(undefined, complain);
    } catch (error) {
      complain(error);
    }
  }
}

// not reported like other errors: that would be logged again
function complain(error: unknown): void {
  console.error("log: the sink failed:", error);
}

function levelOf(status: number, isSlow: boolean, hasFailed: boolean): LogLevel {
  // an error without such a status broke off a response that had begun
  if (status >= 500 || (hasFailed && status < 400)) return "error";
  return status >= 400 && status !== 499 || isSlow ? "warn" : "info";
}

function bytesOf(res: Response): number | undefined {
  const length = res.getHeader("content-length");
  return length === undefined ? undefined : Number(length);
}

/** The used part of `node:tty`, which Deno and Bun have, too. */
interface Terminals {
  isatty(descriptor: number): boolean;
}

const STDOUT = 1;

function isColourful(req: Request): boolean {
  if (req.app.get("env") !== "development" || (req.env as Record<string, unknown>)["NO_COLOR"]) return false;
  return builtinModule<Terminals>("node:tty")?.isatty(STDOUT) ?? false;
}

function checked(options: LogOptions): Checked {
  checkNames("log", options, NAMES);
  const { format, redact = [], sample = 1, level = "info", slowMs = Infinity, query = true } = options;
  const { clock = () => performance.now() } = options;
  if (format !== undefined && format !== "json" && format !== "text") {
    refuseOption("log", "format", '"json" or "text"', format);
  }
  if (!LEVELS.includes(level)) refuseOption("log", "level", '"info", "warn" or "error"', level);
  if (typeof sample !== "number" || !(sample >= 0 && sample <= 1)) {
    throw new RangeError(`log: option sample must be a number from 0 to 1, not ${describe(sample)}`);
  }
  if (slowMs !== Infinity) checkInteger("log", "slowMs", slowMs, 0, Number.MAX_SAFE_INTEGER);
  if (!Array.isArray(redact) || !redact.every((one) => typeof one === "string" && one !== "")) {
    refuseOption("log", "redact", 'a list of names and paths, such as ["email", "user.address.*"]', redact);
  }
  for (const name of ["color", "query"] as const) checkType("log", name, options[name], "boolean");
  checkType("log", "fields", options.fields, "function");
  checkType("log", "clock", clock, "function");
  return { ...options, redaction: new Redaction(redact), least: LEVELS.indexOf(level), query, sample, slowMs, clock };
}

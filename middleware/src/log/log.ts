import {
  builtinModule,
  checkInteger,
  checkNames,
  checkType,
  describe,
  isThenable,
  type OptionNames,
  refuseMembers,
  refuseOption,
  takeFormer,
  withDetails,
} from "@sluice/shared";
import type { Next, Request, Response } from "@sluice/sluice";
import { currentRequest } from "../context/current_request.ts";
import { jsonLine, readableLine } from "./lines.ts";
import { loggedError } from "./logged_error.ts";
import type { LogLevel, LogRecord } from "./log_record.ts";
import { type LogStream, type WriteRecord, writerOf } from "./log_stream.ts";
import { INSTEAD, NO_MEMBERS } from "./other_loggers.ts";
import { Redaction } from "./redaction.ts";
import { isInSample } from "./sample.ts";

/**
 * Which requests to log, and where.
 *
 * @example One in ten successes, and every failure
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
   * Where lines go: a function, a logger such as pino, a Node stream, or the console. The console by default, unless
   * the setting `env` is `"test"`.
   */
  stream?: LogStream;
  /** `"json"` or `"text"`; by default text if the setting `env` is `"development"`, otherwise JSON. */
  format?: "json" | "text";
  /** Whether text is coloured; by default if the stream is the console, on a terminal, and `NO_COLOR` is not set. */
  color?: boolean;
  /**
   * Fields to redact besides passwords, tokens, cookies, keys and the like: names at any depth, such as `email` or
   * `ip`, and paths in the record, such as `user.address.*` or `query.q`.
   */
  redact?: readonly string[];
  /** Whether the path includes the query; true by default, without secret values. */
  query?: boolean;
  /** Fraction of requests to log, 1 by default. Errors and slow requests are always logged. */
  sample?: number;
  /** Minimum level to log, `"info"` by default. */
  level?: LogLevel;
  /** Duration above which a request counts as slow, in ms; `Infinity` by default. */
  slowMs?: number;
  /**
   * The return value of `shedLoad`: a line at level `warn`, at most every ten seconds, reports how many requests it has
   * refused.
   */
  load?: LoggedLoad;
  /** Returns additional fields; called when each request ends. */
  fields?: (req: Request, res: Response) => Readonly<Record<string, unknown>> | undefined;
  /** The time in ms, `performance.now` by default. */
  clock?: () => number;
}

/** The part of `shedLoad`'s return value used here. */
export interface LoggedLoad {
  /** The current figures. */
  readonly figures: { readonly refused: Readonly<Record<string, number>> };
}

/**
 * Writes a line.
 *
 * @example In the order of console and winston, or of pino
 * ```ts
 * import { log } from "@sluice/middleware/log";
 *
 * const logger = log();
 * logger.warn("almost sold out", { book: 7 });
 * logger.warn({ book: 7 }, "almost sold out"); // the same line
 * logger.error("not reserved:", new Error("sold out"));
 * ```
 */
export interface WriteLine {
  /** Writes a message, with optional fields or an error; the error may also be the field `error` or `err`. */
  (message: string, fields?: object): void;
  /** Writes fields or an error, with an optional message. */
  (fields: object, message?: string): void;
}

/**
 * A middleware that logs requests, and a logger for the program's own lines, with the same stream, format and
 * redaction. Behind `context`, each line has the `id` and the `traceId` of its request.
 *
 * @example Lines from a function that is not passed the request
 * ```ts
 * import sluice from "@sluice/sluice";
 * import { context } from "@sluice/middleware/context";
 * import { log } from "@sluice/middleware/log";
 * import { requestId } from "@sluice/middleware/request-id";
 *
 * const logger = log();
 * const reserve = (book: string) => logger.info({ book }, "reserved");
 *
 * const app = sluice();
 * app.use(context(), logger, requestId());
 * app.post("/books/:id", (req, res) => {
 *   reserve(req.params.id); // {"time":"…","level":"info","id":"…","traceId":"…","message":"reserved","book":"7"}
 *   res.sendStatus(204);
 * });
 * ```
 */
export interface RequestLog {
  /** Logs a request when it ends; mount it first. */
  (req: Request, res: Response, next: Next): void;
  /**
   * An error handler that records an error for the request's line and passes it on: for programs whose own error
   * handlers respond. All other errors are recorded even without this handler.
   */
  readonly errors: (error: unknown, req: Request, res: Response, next: Next) => void;
  /** Writes a line about normal operation. */
  readonly info: WriteLine;
  /** Writes a warning. */
  readonly warn: WriteLine;
  /** Writes an error. */
  readonly error: WriteLine;
}

const NAMES: OptionNames<LogOptions> = {
  stream: true,
  format: true,
  color: true,
  redact: true,
  query: true,
  sample: true,
  level: true,
  slowMs: true,
  load: true,
  fields: true,
  clock: true,
};

/** Minimum interval between lines about refused requests, in ms. */
const REFUSED_EVERY_MS = 10_000;

/** Interval between checks for refused requests, in ms. */
const LOOK_EVERY_MS = 1000;

const LEVELS: readonly LogLevel[] = ["info", "warn", "error"];

/** Maximum number of characters to log from client input. */
const MAX_PATH = 2048;
const MAX_TEXT = 256;

/**
 * Logs each request with one line when it ends, even if the client disconnected. Errors without an error handler are
 * part of the line instead of going to the console. Later errors, and errors outside any request, get their own
 * lines.
 *
 * @param options Which requests to log, and where
 * @returns The middleware
 * @throws {TypeError} If an option is unknown or of the wrong type
 * @throws {RangeError} If a number is out of bounds
 *
 * @example With pino, and the program's own error handlers
 * ```ts ignore
 * const requests = log({ stream: pino(), redact: ["email"] });
 * app.use(requests);
 * app.use(routes);
 * app.use(requests.errors, (error, req, res, next) => res.status(500).render("sorry"));
 * ```
 */
export function log(options: LogOptions = {}): RequestLog {
  const logging = new Logging(checked(options));
  function log(req: Request, res: Response, next: Next): void {
    logging.begin(req, res);
    // pino-http may be mounted before this
    req.log ??= new RequestLines(logging, req);
    next();
  }
  function logErrors(error: unknown, req: Request, _res: Response, next: Next): void {
    logging.note(error, req);
    next(error);
  }
  const own = Object.fromEntries(LEVELS.map((level): [LogLevel, WriteLine] => [
    level,
    (...given: unknown[]) => logging.say(level, given),
  ])) as Record<LogLevel, WriteLine>;
  refuseMembers(log, "log()", NO_MEMBERS);
  return withDetails(Object.assign(log, { errors: logErrors, ...own }), { name: "log" });
}

/** Lines about one request: `req.log`, as in pino-http. */
class RequestLines {
  readonly #logging: Logging;
  readonly #req: Request;

  constructor(logging: Logging, req: Request) {
    this.#logging = logging;
    this.#req = req;
  }

  info(...given: unknown[]): void {
    this.#logging.say("info", given, this.#req);
  }

  warn(...given: unknown[]): void {
    this.#logging.say("warn", given, this.#req);
  }

  error(...given: unknown[]): void {
    this.#logging.say("error", given, this.#req);
  }
}

refuseMembers(RequestLines.prototype, "req.log", NO_MEMBERS);

/** The options, with defaults for the ones read on every request. */
interface Checked extends LogOptions {
  readonly redaction: Redaction;
  /** Index of the minimum level. */
  readonly least: number;
  readonly query: boolean;
  readonly sample: number;
  readonly slowMs: number;
  readonly clock: () => number;
}

/** A request in progress. */
class Pending {
  readonly start: number;
  readonly ip: string | undefined;
  /** The error, wrapped in an object because a program may throw anything. */
  failure: { readonly error: unknown } | undefined = undefined;

  constructor(start: number, ip: string | undefined) {
    this.start = start;
    this.ip = ip;
  }
}

type App = Request["app"];

type Fields = Record<string, unknown>;

class Logging {
  readonly #options: Checked;
  /** Writes to the stream; `null` if there is none, which means the console. */
  readonly #write: WriteRecord | null;
  readonly #pending = new WeakMap<object, Pending>();
  /** Applications whose errors are listened for. */
  readonly #heard = new WeakSet<App>();
  /** The first of these applications; its `env` applies to lines outside any request. */
  #app: App | undefined;
  #isColoured: boolean | undefined;
  #refusedLookAt = Number.NEGATIVE_INFINITY;
  #refused: Readonly<Record<string, number>> = {};

  constructor(options: Checked) {
    this.#options = options;
    this.#write = options.stream === undefined ? null : writerOf(options.stream);
    this.#isColoured = options.color;
  }

  begin(req: Request, res: Response): void {
    const { app } = req;
    if (!this.#heard.has(app)) this.#hear(app, req);
    // it may be registered for an application and again for a router
    if (this.#pending.has(req)) return;
    if (this.#options.load !== undefined) this.#putRefused(app, this.#options.load);
    // read the address now, because some runtimes forget it
    const pending = new Pending(this.#options.clock(), req.ip);
    this.#pending.set(req, pending);
    res.once("close", () => {
      const ms = this.#options.clock() - pending.start;
      const end = (): void => this.#end(app, req, res, pending, ms);
      // the reader of a truncated body is about to fail, with a status
      if (!res.headersSent && req.request?.bodyUsed) setTimeout(end, 0);
      else end();
    });
  }

  note(error: unknown, req: Request): void {
    const pending = this.#pending.get(req);
    if (pending !== undefined) pending.failure ??= { error };
  }

  /** Writes one of the program's own lines. Like other loggers, it accepts anything and never throws. */
  say(level: LogLevel, given: readonly unknown[], req = currentRequest()): void {
    if (LEVELS.indexOf(level) < this.#options.least) return;
    try {
      const { redaction } = this.#options;
      const { texts, fields: { err, error = err, ...own } } = sorted(given);
      const { message, ...fields } = redaction.fields(own);
      // one line has both messages
      if (message !== undefined) texts.push(typeof message === "string" ? message : JSON.stringify(message));
      const { id, traceId } = (req ?? {}) as { id?: string | number; traceId?: string };
      this.#put(req?.app ?? this.#app, {
        time: new Date().toISOString(),
        level,
        id: typeof id === "number" ? id : redaction.text("id", id),
        traceId: redaction.text("traceId", traceId),
        message: texts.length === 0 ? undefined : redaction.message(texts.join(" ")),
        ...fields,
        ...error !== undefined && { error: loggedError(error, redaction, true) },
      });
    } catch (error) {
      console.error("log: a line cannot be created:", error);
    }
  }

  #hear(app: App, req: Request): void {
    this.#app ??= app;
    this.#heard.add(app);
    const { stream } = this.#options;
    this.#isColoured ??= (stream === undefined || stream === console) && isColourful(req);
    app.on("error", (error: unknown, context: { req?: Request; phase: string }) => {
      // any client can cause these errors
      if (context.phase === "connection") return;
      const isPart = context.phase !== "background";
      const pending = isPart && context.req ? this.#pending.get(context.req) : undefined;
      if (pending !== undefined && pending.failure === undefined) pending.failure = { error };
      else if (pending?.failure?.error !== error) this.#putError(app, error, context);
    });
  }

  #end(app: App, req: Request, res: Response, pending: Pending, ms: number): void {
    const { slowMs, sample, least, redaction, query } = this.#options;
    const isWebSocket = res.statusCode === 101;
    const isAborted = !res.writableFinished && !isWebSocket;
    const status = isAborted && !res.headersSent ? 499 : res.statusCode;
    const durationMs = Math.round(ms * 1000) / 1000;
    const isSlow = durationMs > slowMs && !isWebSocket;
    const { id, traceId } = req as { id?: string | number; traceId?: string };
    const added = this.#added(app, req, res);
    const { failure, ip } = pending;
    this.#pending.delete(req);
    const level = levelOf(status, isSlow, failure);
    if (LEVELS.indexOf(level) < least) return;
    if (level !== "error" && !isSlow && sample < 1 && !isInSample(id, sample)) return;
    const { originalUrl } = req;
    const end = query ? -1 : originalUrl.indexOf("?");
    const url = redaction.url(end === -1 ? originalUrl : originalUrl.slice(0, end), req.params ?? {}, req.routePath);
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
      error: failure && loggedError(failure.error, redaction, level === "error"),
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
      // becomes part of the request's line
      app.reportError(error, { req, phase: "listener" });
      return undefined;
    }
  }

  #putError(app: App, error: unknown, { req, phase }: { req?: Request; phase: string }): void {
    const { id, traceId } = (req ?? {}) as { id?: string; traceId?: string };
    const { redaction } = this.#options;
    // recorded when its request ended
    const isClients = req !== undefined && isClientsFault(error);
    const level = isClients ? "warn" : "error";
    if (LEVELS.indexOf(level) < this.#options.least) return;
    this.#put(app, {
      time: new Date().toISOString(),
      level,
      id: redaction.text("id", id),
      traceId: redaction.text("traceId", traceId),
      phase,
      error: loggedError(error, redaction, !isClients),
    });
  }

  // Runs on admitted requests, to avoid a timer: probes come every few seconds.
  #putRefused(app: App, load: LoggedLoad): void {
    const { clock, least } = this.#options;
    const now = clock();
    if (now < this.#refusedLookAt) return;
    this.#refusedLookAt = now + LOOK_EVERY_MS;
    const { refused } = load.figures;
    const since = Object.entries(refused).map(([cause, count]) => [cause, count - (this.#refused[cause] ?? 0)] as const)
      .filter(([, count]) => count > 0);
    if (since.length === 0) return;
    this.#refusedLookAt = now + REFUSED_EVERY_MS;
    this.#refused = refused;
    if (LEVELS.indexOf("warn") < least) return;
    this.#put(app, { time: new Date().toISOString(), level: "warn", refused: Object.fromEntries(since) });
  }

  // before the first request, the application is unknown
  #put(app: App | undefined, record: LogRecord): void {
    const env: unknown = app?.get("env");
    if (this.#write === null && env === "test") return;
    const isText = this.#options.format === undefined ? env === "development" : this.#options.format === "text";
    const line = (record: LogRecord): string =>
      isText ? readableLine(record, this.#isColoured ?? false) : jsonLine(record);
    try {
      if (this.#write === null) return console.log(line(record));
      const written = this.#write(record, line);
      if (isThenable(written)) written.then(undefined, complain);
    } catch (error) {
      complain(error);
    }
  }
}

/** Sorts what a program gives in any order: strings and fields. */
function sorted(given: readonly unknown[]): { texts: string[]; fields: Fields } {
  const texts: string[] = [];
  let fields: Fields = {};
  given.forEach((one, at) => {
    if (one instanceof Error && fields["error"] === undefined) fields = { ...fields, error: one };
    else if (typeof one === "object" && one !== null && !(one instanceof Error)) fields = { ...fields, ...one };
    // the message is optional
    else if (one !== undefined || at === 0) texts.push(String(one));
  });
  return { texts, fields };
}

// not reported like other errors, because that would be logged again
function complain(error: unknown): void {
  console.error("log: the stream failed:", error);
}

function levelOf(status: number, isSlow: boolean, failure: Pending["failure"]): LogLevel {
  // an error without such a status aborted the response
  const isAbort = status < 400 || (status === 499 && failure !== undefined && !isClientsFault(failure.error));
  if (status >= 500 || (failure !== undefined && isAbort)) return "error";
  return status >= 400 && status !== 499 || isSlow ? "warn" : "info";
}

function isClientsFault(error: unknown): boolean {
  const { status } = Object(error) as { status?: unknown };
  return typeof status === "number" && status >= 400 && status < 500;
}

function bytesOf(res: Response): number | undefined {
  const length = res.getHeader("content-length");
  return length === undefined ? undefined : Number(length);
}

/** The part of `node:tty` used here, which Deno and Bun have, too. */
interface Terminals {
  isatty(descriptor: number): boolean;
}

const STDOUT = 1;

function isColourful(req: Request): boolean {
  if (req.app.get("env") !== "development" || (req.env as Record<string, unknown>)["NO_COLOR"]) return false;
  return builtinModule<Terminals>("node:tty")?.isatty(STDOUT) ?? false;
}

function checked(given: LogOptions): Checked {
  const options = takeFormer(given, "sink", (stream) => ({ stream: stream as LogStream }));
  if (typeof options === "string") {
    throw new TypeError(
      `log: there is no format ${describe(options)}, as in morgan: write log(), or log({ format: "json" })`,
    );
  }
  checkNames("log", options, NAMES, INSTEAD);
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
  if (options.load !== undefined && typeof options.load?.figures?.refused !== "object") {
    refuseOption("log", "load", "what shedLoad returned", options.load);
  }
  checkType("log", "fields", options.fields, "function");
  checkType("log", "clock", clock, "function");
  return { ...options, redaction: new Redaction(redact), least: LEVELS.indexOf(level), query, sample, slowMs, clock };
}

import {
  checkInteger,
  checkNames,
  checkObject,
  checkType,
  decided,
  LONGEST_TIMER_MS,
  type OptionNames,
  refuseMembers,
  refuseOption,
  takeFormer,
} from "@sluice/shared";
import type { Middleware, NextFunction, Request, Response } from "@sluice/sluice";
import { type CookieAttributes, KeptCookie } from "../cookies/kept_cookie.ts";
import { checkSecrets } from "../cookies/secrets.ts";
import { LiveSession, type SessionSettings } from "./live_session.ts";
import { lostKeeper, lostSession } from "./lost_session.ts";
import { SealedSessions } from "./sealed_sessions.ts";
import type { SessionKeeper } from "./session_keeper.ts";
import type { SessionMethods } from "./request_session.ts";
import type { SessionStore } from "./session_store.ts";
import { StoredSessions } from "./stored_sessions.ts";

/**
 * Options for {@linkcode session}.
 *
 * @example An hour after the last request, a day at most
 * ```ts
 * import sluice from "@sluice/sluice";
 * import { session } from "@sluice/middleware/session";
 *
 * const app = sluice();
 * app.use(session({
 *   secret: "of at least 32 characters, from the environment",
 *   cookie: { maxAge: 3_600_000 },
 *   absoluteTtlMs: 86_400_000,
 *   rolling: true,
 * }));
 * ```
 */
export interface SessionOptions {
  /**
   * The secret that seals the cookies: 32 characters or more. Of several secrets, the first seals and all unseal, so a
   * secret can be replaced without ending the sessions sealed by the old one. Neither needed nor used with a store.
   */
  secret?: string | string[];
  /** Name of the cookie; by default `session`, and `__Host-session` over TLS, where its attributes allow that. */
  name?: string;
  /** Attributes of the cookie. */
  cookie?: SessionCookieOptions;
  /**
   * express-session's option. Sessions are only written when changed: `false` is accepted for compatibility, `true` is
   * rejected.
   */
  resave?: false;
  /**
   * express-session's option. Sessions begin when data is put into them: `false` is accepted for compatibility, `true`
   * is rejected.
   */
  saveUninitialized?: false;
  /**
   * Maximum lifetime of a session in ms, however often it is prolonged; 30 days by default, or `cookie.maxAge` if that
   * is longer.
   */
  absoluteTtlMs?: number;
  /** Whether every response prolongs the session; `false` by default, where only changes prolong it. */
  rolling?: boolean;
  /** Where sessions are stored; in their cookies by default. */
  store?: SessionStore;
  /**
   * Whether a request has a session; other requests have no `req.session`, and cause no store access. By default, all
   * requests have a session.
   *
   * @param req The request
   */
  when?(req: Request): boolean;
  /**
   * Timeout for a store call, in ms; a call that exceeds it fails with a 503. No timeout by default: the store decides
   * how long requests wait.
   */
  timeoutMs?: number;
  /**
   * The session a request gets when its own cannot be read. `"fail"`, the default: the store's error goes to the error
   * handlers. `"empty"`: an empty session that stays empty, because changing or ending it fails with that error, which
   * is also reported to the application. A function decides per request, and reports the error itself.
   */
  onStoreError?: "fail" | "empty" | ((error: unknown, req: Request) => "fail" | "empty");
  /** Current time in ms; for tests. */
  clock?: () => number;
}

/**
 * Attributes of a session's cookie.
 *
 * @example A cookie that ends with the browser session
 * ```ts
 * import sluice from "@sluice/sluice";
 * import { session } from "@sluice/middleware/session";
 *
 * const app = sluice();
 * app.use(session({ secret: "of at least 32 characters, from the environment", cookie: { persistent: false, sameSite: "strict" } }));
 * ```
 */
export interface SessionCookieOptions extends CookieAttributes {
  /** Lifetime of a session in ms after the last response that changed or prolonged it; one day by default. */
  maxAge?: number | undefined;
  /** Whether the cookie survives closing the browser; `true` by default. */
  persistent?: boolean | undefined;
}

/**
 * The type of `req.session`: the program's data, all of it optional, and methods.
 *
 * @typeParam Data The program's data
 */
// deno-lint-ignore no-explicit-any -- `any` unless the program declares its data
export type Session<Data extends object = Record<string, any>> = SessionMethods & Partial<Data>;

/**
 * The program's data, declared as for express-session: handlers behind `session()` in the same call get its type. With
 * {@linkcode SessionExtras}, all handlers do.
 *
 * @example A program's data
 * ```ts ignore
 * declare module "@sluice/middleware/session" {
 *   interface SessionData {
 *     userId: string;
 *   }
 * }
 * ```
 */
// deno-lint-ignore no-empty-interface -- programs augment it
export interface SessionData {}

/** The data that the program declares in {@linkcode SessionData}; `any` if it declares none. */
// deno-lint-ignore no-explicit-any -- `any` unless the program declares its data
export type OwnSessionData = keyof SessionData extends never ? Record<string, any> : SessionData;

/** The data that the program declares in {@linkcode SessionData} or `RequestExtras`; `any` if it declares none. */
export type DeclaredSessionData = keyof SessionData extends never
  ? 0 extends 1 & Request["session"] ? OwnSessionData : Omit<NonNullable<Request["session"]>, keyof SessionMethods>
  : SessionData;

/**
 * Properties added to requests; a program declares them once, with its data.
 *
 * @typeParam Data The program's data; by default what it declares in {@linkcode SessionData}
 *
 * @example A program's data
 * ```ts ignore
 * declare module "@sluice/sluice" {
 *   interface RequestExtras extends SessionExtras<{ userId: string; views: number }> {}
 * }
 * ```
 */
export interface SessionExtras<Data extends object = OwnSessionData> {
  /** The session. Assigning `null` ends it, like `destroy`. */
  session: Session<Data>;
  /** The session's id, `req.session.id`, as in express-session. */
  readonly sessionID: string;
  /** Messages for the next page. */
  flash: Flash;
}

/** Messages that are shown once, such as after a redirect; compatible with `connect-flash`. */
export interface Flash {
  /**
   * Adds messages.
   *
   * @param kind Their kind, such as `"error"`
   * @param message The message, or several
   */
  (kind: string, message: string | string[]): void;
  /**
   * Reads and removes one kind of message.
   *
   * @param kind Their kind
   */
  (kind: string): string[];
  /** Reads and removes all messages, by kind. */
  (): Record<string, string[]>;
}

const NAMES: OptionNames<SessionOptions> = {
  secret: true,
  name: true,
  cookie: true,
  resave: true,
  saveUninitialized: true,
  absoluteTtlMs: true,
  rolling: true,
  store: true,
  when: true,
  timeoutMs: true,
  onStoreError: true,
  clock: true,
};

/** Hints for options from other packages. */
const INSTEAD: Record<string, string> = {
  maxAge: "use cookie: { maxAge }",
  key: "use name",
  keys: "use secret, which accepts a list",
  proxy: 'set "trust proxy" in the application',
  genid: "ids are random, and made here",
  unset: "req.session = null ends a session",
};

const DAY_MS = 86_400_000;
const ABSOLUTE_TTL_MS = 30 * DAY_MS;
const LONGEST_TTL_MS = 3650 * DAY_MS;

/**
 * Session middleware: `req.session` holds data that belongs to a client and lasts across requests. Sessions are stored
 * in sealed cookies or in a store.
 *
 * A session begins when data is put into it, and is saved before the response head is sent, if it has changed. If two
 * requests from one client change it concurrently, the request that ends last wins.
 *
 * A sealed cookie holds the session itself, so ending one leaves copies of the cookie valid until they expire, such as a
 * thief's. Only a store ends a session everywhere. In development, a warning says so.
 *
 * @typeParam Data The program's data, for handlers behind it in the same call; for all handlers, declare it once with
 *   {@linkcode SessionExtras}
 * @param options How sessions are stored
 * @returns Middleware; store errors go to `next`, unless `onStoreError` decides otherwise
 * @throws {TypeError} If an option is unknown or of the wrong type, or there is neither a secret nor a store
 * @throws {RangeError} If an option is out of bounds, or a secret is too short
 *
 * @example A counter
 * ```ts
 * import sluice from "@sluice/sluice";
 * import { session } from "@sluice/middleware/session";
 *
 * const app = sluice();
 * app.use(session({ secret: "5VnrkxJ0fTuGGq7ZJvqCCiTTQ9SXYH2l" }));
 *
 * app.get("/", (req, res) => {
 *   req.session.views = (req.session.views ?? 0) + 1;
 *   res.send(`Visit ${req.session.views}`);
 * });
 * ```
 */
export function session<Data extends object = DeclaredSessionData>(
  options: SessionOptions,
): Middleware<SessionExtras<Data>> {
  const settings = checked(options);
  const { keeper, cookie, clock, absoluteTtlMs } = settings;
  const { when, onStoreError = "fail" } = options;

  async function load(value: string, req: Request, res: Response, next: NextFunction): Promise<void> {
    let live: LiveSession;
    try {
      const found = await keeper.find(value, cookie.nameFor(req));
      const isOver = found !== null && found.created + absoluteTtlMs <= clock();
      live = new LiveSession(settings, { req, res, next }, isOver ? null : found);
    } catch (error) {
      const isDecided = typeof onStoreError === "function";
      if ((isDecided ? onStoreError(error, req) : onStoreError) !== "empty") throw error;
      if (!isDecided) req.app.reportError(error, { req, phase: "handler" });
      const lost = { ...settings, keeper: lostKeeper(error, keeper), rolling: false };
      live = new LiveSession(lost, { req, res, next }, lostSession(value, clock()));
    }
    attach(live, req);
    // a client that was told to try again expects that nothing was done
    if (!req.timedout) next();
  }

  return function session(req: Request, res: Response, next: NextFunction) {
    // as in express-session, the first of two middlewares wins
    if (Object.hasOwn(req, "session") || when !== undefined && !decided("session", "when", when(req))) return next();
    const value = cookie.read(req);
    if (value !== undefined) return load(value, req, res, next);
    attach(new LiveSession(settings, { req, res, next }, null), req);
    next();
  };
}

refuseMembers(session, "session", { MemoryStore: "import MemorySessionStore" });

function attach(live: LiveSession, req: Request): void {
  Object.defineProperties(req, {
    sessionID: { configurable: true, get: () => live.object.id },
    session: {
      configurable: true,
      get: () => live.object,
      set(value: unknown) {
        if (value === null || value === undefined) return live.empty("req.session = null");
        throw new TypeError(
          "req.session can only be assigned null, which ends the session: set its properties instead",
        );
      },
    },
  });
  Object.assign(req, {
    flash(kind?: string, message?: string | string[]): unknown {
      if (message !== undefined) return live.addFlash(String(kind), [message].flat());
      const taken = live.takeFlash(kind);
      if (kind !== undefined) return taken.map(([, text]) => text);
      const all = new Map<string, string[]>();
      for (const [one, text] of taken) all.set(one, [...all.get(one) ?? [], text]);
      return Object.fromEntries(all);
    },
  });
}

function checked(given: SessionOptions): SessionSettings {
  const options = takeFormer(given, "ttlMs", (ttlMs) => ({ cookie: { ...given.cookie, maxAge: ttlMs as number } }));
  checkNames("session", options, NAMES, INSTEAD);
  const {
    secret,
    name,
    cookie = {},
    resave = false,
    saveUninitialized = false,
    rolling = false,
    store,
    clock = () => Date.now(),
  } = options;
  const { when, timeoutMs, onStoreError } = options;
  if (resave !== false) refuseOption("session", "resave", "false: a session is written when it has changed", resave);
  if (saveUninitialized !== false) {
    const wanted = "false: a session begins when something is put into it";
    refuseOption("session", "saveUninitialized", wanted, saveUninitialized);
  }
  checkObject("session", "cookie", cookie, "an object of attributes");
  const { maxAge: ttlMs = DAY_MS, persistent = true, ...attributes } = cookie;
  checkInteger("session", "cookie.maxAge", ttlMs, 1, LONGEST_TTL_MS);
  const { absoluteTtlMs = Math.max(ABSOLUTE_TTL_MS, ttlMs) } = options;
  checkInteger("session", "absoluteTtlMs", absoluteTtlMs, 1, LONGEST_TTL_MS);
  checkType("session", "name", name, "string");
  checkType("session", "rolling", rolling, "boolean");
  checkType("session", "clock", clock, "function");
  checkType("session", "when", when, "function");
  if (timeoutMs !== undefined) checkInteger("session", "timeoutMs", timeoutMs, 1, LONGEST_TIMER_MS);
  if (typeof onStoreError !== "function" && ![undefined, "fail", "empty"].includes(onStoreError)) {
    refuseOption("session", "onStoreError", '"fail", "empty" or a function', onStoreError);
  }
  if (store === undefined && (timeoutMs ?? onStoreError) !== undefined) {
    throw new TypeError("session: options timeoutMs and onStoreError need option store: sealed cookies have none");
  }
  checkType("session", "cookie.persistent", persistent, "boolean");
  return {
    keeper: keeperOf(secret, store, clock, timeoutMs),
    cookie: new KeptCookie("session", name, "session", attributes, "use maxAge, in ms"),
    ttlMs,
    absoluteTtlMs,
    rolling,
    maxAge: persistent ? ttlMs : null,
    clock,
  };
}

function keeperOf(
  secret: unknown,
  store: SessionStore | undefined,
  clock: () => number,
  timeoutMs: number | undefined,
): SessionKeeper {
  const secrets = secret === undefined ? undefined : checkSecrets("session", "secret", secret);
  if (store === undefined) {
    if (secrets !== undefined) return new SealedSessions(secrets, clock);
    throw new TypeError("session: give option secret, which seals the sessions' cookies, or option store");
  }
  for (const method of ["get", "set", "destroy", "touch"] as const) {
    if (typeof store?.[method] === "function") continue;
    refuseOption("session", "store", "a SessionStore, with get, set, destroy and touch", store);
  }
  return new StoredSessions(store, clock, timeoutMs);
}

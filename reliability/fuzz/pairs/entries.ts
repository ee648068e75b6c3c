/** The middleware to combine in pairs, ours and npm's, with a new instance for each mount. */
import { compress } from "@sluice/middleware/compress";
import { context } from "@sluice/middleware/context";
import { csrf } from "@sluice/middleware/csrf";
import { health } from "@sluice/middleware/health";
import { log } from "@sluice/middleware/log";
import { metrics } from "@sluice/middleware/metrics";
import { requestId } from "@sluice/middleware/request-id";
import { MemorySessionStore, session, type SetSessionOptions } from "@sluice/middleware/session";
import { timeout } from "@sluice/middleware/timeout";
import { upload } from "@sluice/middleware/upload";
import { adaptiveConcurrency, MemoryStore, rateLimit as quota, type Store } from "@sluice/rate-limit";
import sluice, { rateLimit, shedLoad } from "@sluice/sluice";
import compression from "compression";
import cors from "cors";
import expressSession from "express-session";
import helmet from "helmet";
import morgan from "morgan";
import multer from "multer";
import type { Any } from "../../../tests/support/sluice_and_express.ts";

/** How a middleware's store behaves. */
export type StoreKind = "fast" | "slow" | "failing";

/** How a middleware behaves, and where it logs. */
export interface Making {
  /** How its store behaves. */
  readonly store: StoreKind;
  /** Called with a request's case when the middleware logs it. */
  logged(name: string): void;
}

/** Makes a middleware. */
export type Make = (making: Making) => Any;

/** A slow store's delay in ms. */
const SLOW_MS = 3;
const SECRET = "of at least 32 characters, for tests";
const PLENTY = 1_000_000_000;

export const OURS: Readonly<Record<string, Make>> = {
  adaptiveConcurrency: () => adaptiveConcurrency({ min: 1000, initial: 1000, max: 10_000 }),
  compress: () => compress(),
  context: () => context(),
  csrf: () => csrf({ token: { secret: SECRET } }),
  health: () => health(),
  json: () => sluice.json({ limit: "10mb" }),
  log: ({ logged }) =>
    log({
      stream: (_line: string, record: Any) => logged(record.case),
      fields: (req: Any) => ({ case: req.get("x-case") }),
    }),
  metrics: () => metrics(),
  quota: ({ store }) => quota({ limit: PLENTY, windowMs: 60_000, store: countersOf(store), passOnStoreError: true }),
  rateLimit: () => rateLimit({ limit: PLENTY, windowMs: 60_000 }),
  raw: () => sluice.raw({ limit: "10mb" }),
  requestId: () => requestId(),
  session: ({ store }) => session({ store: sessionsOf(store) }),
  // a session used before, not after, later middleware replaces the response's methods
  sessionBegun: ({ store }) => begun(session({ store: sessionsOf(store) }) as Any),
  sealedSession: () => session({ secret: SECRET }),
  shedLoad: () => shedLoad({ maxEventLoopDelayMs: 60_000 }),
  static: () => sluice.static("docs/decisions"),
  text: () => sluice.text({ limit: "10mb" }),
  timeout: () => timeout(60_000),
  upload: () => upload(),
  urlencoded: () => sluice.urlencoded({ extended: true, limit: "10mb" }),
};

/** npm's middleware, which also runs on Express. */
export const THEIRS: Readonly<Record<string, Make>> = {
  "npm:compression": () => compression(),
  "npm:cors": () => cors({ exposedHeaders: ["X-Own"] }),
  "npm:express-session": ({ store }) =>
    expressSession({ secret: SECRET, resave: false, saveUninitialized: false, store: expressSessionsOf(store) }),
  "npm:helmet": () => helmet(),
  "npm:morgan": ({ logged }) => morgan(":req[x-case]", { stream: { write: (line: string) => logged(line.trim()) } }),
  "npm:multer": () => multer().any(),
};

/** All of them. */
export const ENTRIES: Readonly<Record<string, Make>> = { ...OURS, ...THEIRS };

/** Pairs in which both hold back writes, and which therefore interact most. */
export const QUEUES: readonly (readonly [string, string])[] = ["compress", "npm:compression"].flatMap((one) =>
  ["session", "sessionBegun", "sealedSession", "npm:express-session"].map((two) => [one, two] as const)
);

/** Groups of entries in which only the first takes effect. */
export const ROLES: readonly (readonly string[])[] = [
  ["session", "sessionBegun", "sealedSession", "npm:express-session"],
  ["compress", "npm:compression"],
  ["quota", "rateLimit"],
  ["json", "raw", "text", "urlencoded", "upload", "npm:multer"],
];

function begun(middleware: Any): Any {
  return function sessionBegun(req: Any, res: Any, next: Any) {
    return middleware(req, res, (error?: unknown) => {
      if (error === undefined) req.session.begun = true;
      next(error);
    });
  };
}

function late<T>(result: () => T | Promise<T>): Promise<T> {
  return new Promise<void>((resolve) => setTimeout(resolve, SLOW_MS)).then(result);
}

function fails(): Promise<never> {
  return Promise.reject(new Error("planted: no store"));
}

class OtherSessions extends MemorySessionStore {
  readonly #kind: StoreKind;

  constructor(kind: StoreKind) {
    super();
    this.#kind = kind;
  }

  override set(id: string, content: string, options: SetSessionOptions): Promise<boolean> {
    return this.#kind === "slow" ? late(() => super.set(id, content, options)) : fails();
  }

  override touch(id: string, ttlMs: number): Promise<boolean> {
    return this.#kind === "slow" ? late(() => super.touch(id, ttlMs)) : fails();
  }
}

function sessionsOf(kind: StoreKind): MemorySessionStore {
  return kind === "fast" ? new MemorySessionStore() : new OtherSessions(kind);
}

function expressSessionsOf(kind: StoreKind): Any {
  const store: Any = new expressSession.MemoryStore();
  if (kind === "fast") return store;
  for (const name of ["set", "touch"]) {
    const plain = store[name];
    store[name] = (...args: Any[]) => {
      if (kind === "slow") setTimeout(() => plain.apply(store, args), SLOW_MS);
      else setTimeout(() => args.at(-1)(new Error("planted: no store")));
    };
  }
  return store;
}

// not derived from it, because the limiter calls a MemoryStore synchronously
function countersOf(kind: StoreKind): Store {
  const store = new MemoryStore();
  if (kind === "fast") return store;
  return {
    capabilities: store.capabilities,
    decide: (takes, times) => kind === "slow" ? late(() => store.decide(takes, times)) : fails(),
    give: (take, stamp, amount) => store.give(take, stamp, amount),
    reset: (selector) => store.reset(selector),
  };
}

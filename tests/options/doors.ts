/** Functions that accept options. */
import sluice, { clientKey, rateLimit, Router, shedLoad } from "../../mod.ts";
import { durableSockets } from "../../workers.ts";
import { redisTopics } from "../../redis.ts";
import { DenoKvStore, Limiter, LoggedMemoryStore, MemoryStore, rateLimit as limitAnything } from "@sluice/rate-limit";
import { adaptiveConcurrency, fetchLimit, fromCounter, fromExclusive, RedisStore } from "@sluice/rate-limit";
import { compress } from "@sluice/middleware/compress";
import { csrf } from "@sluice/middleware/csrf";
import { health } from "@sluice/middleware/health";
import { log } from "@sluice/middleware/log";
import { metrics } from "@sluice/middleware/metrics";
import { requestId } from "@sluice/middleware/request-id";
import { MemorySessionStore, session } from "@sluice/middleware/session";
import { sse } from "@sluice/middleware/sse";
import { timeout } from "@sluice/middleware/timeout";
import { upload } from "@sluice/middleware/upload";
import { openapi, operation, validate } from "@sluice/openapi";
import { openapiPages } from "@sluice/openapi/pages";

// deno-lint-ignore no-explicit-any -- what plain JavaScript may give
export type Given = any;

const SECRET = "a secret of at least 32 characters";
export const INFO = { title: "Notes", version: "1.0.0" };
export const quiet = () => sluice().set("env", "test");

/** Every function that accepts options and rejects unknown ones. */
export const DOORS: Readonly<Record<string, (options: Given) => unknown>> = {
  "app.close": (options) => quiet().close(options),
  "app.listen": (options) => quiet().listen({ port: 0, ...options }),
  "app.ws": (options) => quiet().ws("/", { open() {}, ...options }),
  "router.group": (options) => Router().group("/a", options, () => {}),
  "rateLimit of the core": rateLimit,
  clientKey: (options) => clientKey({ ip: "192.0.2.1" }, options),
  shedLoad,
  durableSockets: (options) => durableSockets(() => quiet(), options),
  redisTopics: (options) => redisTopics({} as never, options),
  Limiter: (options) => new Limiter(options),
  "limiter.consume": (options) => new Limiter().consume("key", options),
  "limiter.peek": (options) => new Limiter().peek("key", options),
  "rateLimit of @sluice/rate-limit": limitAnything,
  fetchLimit,
  adaptiveConcurrency,
  MemoryStore: (options) => new MemoryStore(options),
  LoggedMemoryStore: (options) => new LoggedMemoryStore({ write() {}, ...options }),
  RedisStore: (options) => new RedisStore({ url: "redis://localhost", ...options }),
  DenoKvStore: (options) => new DenoKvStore({ kv: {} as never, ...options }),
  fromCounter: (options) =>
    fromCounter({ increment: () => ({ totalHits: 1, resetTime: undefined }) } as never, options),
  fromExclusive: (options) => fromExclusive((() => {}) as never, options),
  compress,
  csrf,
  health,
  "health, a check": (options) => health({ checks: { a: { run: () => true, ...options } } }),
  log,
  metrics,
  requestId,
  session: (options) => session({ secret: SECRET, ...options }),
  "session, its cookie": (options) => session({ secret: SECRET, cookie: options }),
  MemorySessionStore: (options) => new MemorySessionStore(options),
  sse: (options) => sse({ get() {} } as never, { writeHead() {} } as never, options),
  timeout: (options) => timeout(1000, options),
  upload,
  "upload, a field": (options) => upload({ fields: { avatar: options } }),
  "upload, limits": (options) => upload({ limits: options }),
  validate,
  operation,
  openapi: (options) => openapi(quiet(), INFO, options),
  "openapi, info": (options) => openapi(quiet(), { ...INFO, ...options }),
  openapiPages: (options) => openapiPages(quiet(), INFO, options),
};

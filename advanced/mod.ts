/**
 * A rate limiter for multiple processes: exact sliding windows, several limits decided atomically, shared stores, and
 * timely decisions even when the store is slow or down.
 *
 * @example Rate limit an API
 * ```ts
 * import sluice from "@sluice/sluice";
 * import { rateLimit } from "@sluice/rate-limit";
 *
 * const app = sluice();
 * app.use("/api", rateLimit({ algorithm: "sliding-window", windowMs: 60_000, limit: 100 }));
 * app.get("/api/time", (_req, res) => res.json({ now: Date.now() }));
 * ```
 *
 * @module
 */
export {
  type AdaptiveConcurrency,
  adaptiveConcurrency,
  type AdaptiveConcurrencyOptions,
  type ConcurrencyFigures,
  type EndConcurrent,
  type Priority,
} from "./src/concurrency/adaptive_concurrency.ts";
export { clientKey } from "./src/http/request_client_key.ts";
export type { ClientKeyOptions, HeaderSink, Validate } from "@sluice/limiting";
export {
  type Emitter,
  type EmitterMethods,
  type EventName,
  type Listener,
  parseSubnet,
  subnetOf,
  type SubnetTest,
} from "@sluice/shared";
export type {
  AnyRequest,
  AnyResponse,
  RequestLike,
  ResponseLike,
  ResponseOf,
  SendingResponse,
} from "./src/http/request_like.ts";
export {
  type FetchHandler,
  type FetchLimit,
  fetchLimit,
  type FetchLimitOptions,
  type FetchResult,
} from "./src/http/fetch_limit.ts";
export type { FetchRefusal } from "./src/http/fetch_refusal.ts";
export type { StandardHeaders } from "./src/http/rate_limit_headers.ts";
export type { DelayOptions, HandlerOptions, RateLimitOptions, RequestLimitOptions } from "./src/http/http_options.ts";
export { rateLimit, type RateLimitMiddleware } from "./src/http/rate_limit.ts";
export type { RateLimitExtras, RateLimitInfo } from "./src/http/rate_limit_info.ts";
export type { Counters } from "./src/wrappers/counters.ts";
export type { Decision } from "./src/limiter/decision.ts";
export type { ConsumeOptions, LimiterKeys, PeekOptions } from "./src/limiter/demand.ts";
export { Limiter, type WaitOptions } from "./src/limiter/limiter.ts";
export type { RefusedKey } from "./src/limiter/top_refusals.ts";
export { type MeterLike, type ObservableLike, type ObservableResultLike, observe } from "./src/limiter/telemetry.ts";
export type {
  LimiterOptions,
  LimitOptions,
  LimitsOptions,
  OwnLimit,
  PolicyChoice,
  StoreOptions,
} from "./src/limiter/limiter_options.ts";
export type { CalendarUnit, CalendarWindow, Weekday } from "./src/policy/calendar_window.ts";
export { ALGORITHM_NAMES, type AlgorithmName, type Block, type OnDenied, type Policy } from "./src/policy/policy.ts";
export type {
  CommitResult,
  CommitTime,
  CompareAndSet,
  ListedValue,
  StateKey,
  StateWrite,
  VersionedValue,
} from "./src/stores/compare_and_set.ts";
export { type CompareAndSetOptions, fromCompareAndSet } from "./src/stores/compare_and_set_store.ts";
export { type CounterOptions, fromCounter } from "./src/stores/counter_store.ts";
export type { CallbackCounterLike, CounterInfo, CounterInit, CounterLike } from "./src/stores/counter_like.ts";
export {
  DenoKvStore,
  type DenoKvStoreOptions,
  type KvAtomic,
  type KvDatabase,
  type KvEntry,
  type KvKeyPart,
} from "./src/stores/deno_kv_store.ts";
export type { DurableObjectNamespaceLike, DurableObjectResponse, DurableObjectStubLike } from "@sluice/shared";
export { DurableObjectStore, type DurableObjectStoreOptions } from "./src/stores/durable_object_store.ts";
export {
  type DurableObjectStateLike,
  type DurableObjectStorageLike,
  RateLimitObject,
} from "./src/stores/rate_limit_object.ts";
export { type ExclusiveOptions, fromExclusive, type RunExclusive } from "./src/stores/exclusive_store.ts";
export { dropExpired, type StateRecords } from "./src/stores/partition_records.ts";
export {
  type LoggedLine,
  LoggedMemoryStore,
  type LoggedMemoryStoreOptions,
  type LoggedTake,
} from "./src/stores/logged_memory_store.ts";
export { MemoryStore, type MemoryStoreOptions } from "./src/stores/memory_store.ts";
export type {
  BunRedisClient,
  IoRedisClient,
  NodeRedisClient,
  RedisClient,
  RedisPort,
  UpstashClient,
} from "./src/stores/redis/redis_port.ts";
export { RedisStore, type RedisStoreOptions } from "./src/stores/redis/redis_store.ts";
export type { Awaitable, Capabilities, Entry, Selector, Store, Take, Verdict } from "./src/policy/store.ts";
export type { DecidedBy, OnStoreFailure } from "./src/wrappers/failure_policy.ts";
export type { Timers } from "./src/wrappers/timers.ts";

/**
 * The engine behind both limiters: key tables, client keys, limiters created during requests, headers. It is not
 * published: the framework includes this folder, and the build copies it into `@sluice/rate-limit`
 * (docs/decisions/0037-one-limiter-engine.md).
 *
 * @module
 */
export { ChunkedCells, ChunkedList } from "./chunked_list.ts";
export { ClientFinder, type Clients } from "./client_finder.ts";
export { clientKey, type ClientKeyOptions, IPV6_SUBNET } from "./client_key.ts";
export { AddressKeys, remedyFor } from "./address_keys.ts";
export { exhaustedFor, noteExhausted } from "./exhausted_limits.ts";
export { limitOf } from "./limit_option.ts";
export { type HeaderSink, LEGACY, type LimitNames, seconds, writeLimit, writeRetryAfter } from "./limit_headers.ts";
export { isMadeInRequest, MAX_MADE_IN_REQUESTS, noteMadeInRequest, routeLabel } from "./made_in_request.ts";
export { Mistakes, trustOf, type TrustSetting, type Validate } from "./mistakes.ts";
export { DEFAULT_MESSAGE, failureOf } from "./refusal_error.ts";
export { RequestsInProgress } from "./requests_in_progress.ts";
export { indexOf, type SlotStates, SlotTable } from "./slot_table.ts";
export { elapsedTime, StoreClock } from "./store_clock.ts";
export { warnOnce } from "./warn_once.ts";
export { type EndingResponse, type RequestEnd, WatchedResponse, whenOver } from "./when_over.ts";

/**
 * The engine of both limiters: tables of keys, keys of clients, limiters made inside requests, headers. Nobody publishes
 * it: the framework has this folder among its rooms, and the build copies it into `@sluice/rate-limit`
 * (docs/decisions/0037-one-limiter-engine.md).
 *
 * @module
 */
export { ChunkedCells, ChunkedList } from "./chunked_list.ts";
export { clientKey, type ClientKeyOptions } from "./client_key.ts";
export { ClientKeys, remedyFor } from "./client_keys.ts";
export { noteUsedUp, usedUpFor } from "./exhausted_limits.ts";
export { KeyMap } from "./key_map.ts";
export { isMadeInside, MAX_MADE_INSIDE, noteMadeInside, placeOf } from "./made_in_request.ts";
export { containsClient, Mistakes, trustOf, type TrustSetting, type Validate } from "./mistakes.ts";
export { DEFAULT_MESSAGE, failureOf } from "./refusal.ts";
export { type SharedPlace, SharedPlaces } from "./shared_slots.ts";
export { sharesBegin, SourceShares } from "./source_shares.ts";
export { StoreClock } from "./store_clock.ts";

/**
 * Building blocks for limiters outside this package: keys of clients, addresses compared by their bits, checks of
 * options, the order in which requests and limiters were made, and synchronous hashes. It loads no part of the
 * framework.
 *
 * @module
 */
export { Emitter } from "./src/http/emitter.ts";
export type { EmitterMethods, EventName, Listener } from "./src/http/emitter_methods.ts";
export { checkInteger, checkNames, checkType, type OptionNames, refuseOption } from "./src/http/check_option.ts";
export { describe, reasonOf } from "./src/http/error_text.ts";
export { canonicalAddress, subnetOf } from "./src/http/ip_address.ts";
export { isThenable } from "./src/http/is_thenable.ts";
export { ownText } from "./src/http/own_text.ts";
export { newSeed, seededHash } from "./src/http/seeded_hash.ts";
export { nextSequence } from "./src/http/sequence.ts";
export { sha1 } from "./src/http/sha1.ts";
export { sha256 } from "./src/http/sha256.ts";
export { TwoGenerations } from "./src/http/two_generations.ts";
export { LONGEST_TIMER_MS } from "./src/http/units.ts";
export { clientKey, type ClientKeyOptions } from "./src/middleware/rate_limit/client_key.ts";
export {
  containsClient,
  Mistakes,
  trustOf,
  type TrustSetting,
  type Validate,
} from "./src/middleware/rate_limit/mistakes.ts";
export { ClientKeys, remedyFor } from "./src/middleware/rate_limit/client_keys.ts";
export { DEFAULT_MESSAGE, failureOf } from "./src/middleware/rate_limit/options.ts";
export { isMadeInside, MAX_MADE_INSIDE, noteMadeInside, placeOf } from "./src/middleware/rate_limit/made_inside.ts";
export { type SharedPlace, SharedPlaces } from "./src/middleware/rate_limit/shared_places.ts";
export { sharesBegin, SourceShares } from "./src/middleware/rate_limit/source_shares.ts";
export { noteUsedUp, usedUpFor } from "./src/middleware/rate_limit/used_up.ts";
export { importsExist, requirePackage, type Resolve } from "./src/platform/installed_package.ts";
export { peerOf } from "./src/platform/peer_of.ts";
export type { Peer } from "./src/request/peer.ts";

/**
 * Parts of the framework that other packages use: `@sluice/rate-limit` and `@sluice/middleware` get copies of these
 * modules, and of nothing else. None of them knows of routes or applications.
 *
 * @module
 */
export { ByteCollector } from "../src/util/byte_collector.ts";
export { asciiLowerCase, asciiUpperCase, trimBlanks } from "../src/util/ascii.ts";
export { Emitter, listenerFailed, tell } from "../src/util/emitter.ts";
export type { EmitterMethods, EventName, Listener } from "../src/util/emitter_methods.ts";
export { checkInteger, checkNames, checkType, type OptionNames, refuseOption } from "../src/util/check_option.ts";
export { describe, reasonOf } from "../src/util/error_text.ts";
export {
  ALARM_DELAY_MS,
  askDurableObject,
  type DurableObjectNamespaceLike,
  type DurableObjectResponse,
  type DurableObjectStubLike,
} from "./durable_object.ts";
export { RequestsInProgress } from "./requests_in_progress.ts";
export { HttpError, type HttpErrorOptions } from "../src/http/http_error.ts";
export { rankEncodings } from "../src/http/negotiation.ts";
export { statusText } from "../src/http/status_text.ts";
export { subnetOf } from "../src/http/ip_address.ts";
export { type HandlerDetails, type Registration, withDetails } from "../src/util/handler_details.ts";
export { isThenable } from "../src/util/is_thenable.ts";
export { detachedString } from "../src/util/detached_string.ts";
export { unpaddedBase64, utf8Bytes } from "../src/util/encodings.ts";
export { nextSequence } from "../src/util/sequence.ts";
export { sha1 } from "../src/util/sha1.ts";
export { hmacSha256, sha256 } from "../src/util/sha256.ts";
export { FairBudget, Reservation } from "../src/util/fair_budget.ts";
export { GenerationalCache } from "../src/util/generational_cache.ts";
export { chunkBytes } from "../src/util/chunk_bytes.ts";
export { LONGEST_TIMER_MS, parseBytes } from "../src/util/units.ts";
export { builtinModule, type BuiltinName } from "../src/platform/shared/builtin_module.ts";
export { findPackage, importsExist, requirePackage } from "../src/platform/shared/installed_package.ts";
export { nodeBytes } from "../src/platform/shared/node_bytes.ts";
export { peerOf } from "../src/platform/shared/peer_of.ts";

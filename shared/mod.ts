/**
 * Modules that the packages share: `@sluice/rate-limit`, `@sluice/middleware` and `@sluice/openapi` get copies of only
 * these framework modules. None depends on routes or applications.
 *
 * @module
 */
export { ByteCollector } from "../src/util/byte_collector.ts";
export { asciiLowerCase, asciiUpperCase, trimBlanks } from "../src/util/ascii.ts";
export { Emitter, listenerFailed, tell } from "../src/util/emitter.ts";
export type { EmitterMethods, EventName, Listener } from "../src/util/emitter_methods.ts";
export {
  checkInteger,
  checkNames,
  checkObject,
  checkType,
  decided,
  type Instead,
  type OptionNames,
  refuseOption,
  takeFormer,
} from "../src/util/check_option.ts";
export { isDeveloped, warnInDevelopment } from "../src/util/development_warning.ts";
export { describe, reasonOf } from "../src/util/error_text.ts";
export { refuseMembers } from "../src/util/refuse_members.ts";
export {
  ALARM_DELAY_MS,
  askDurableObject,
  type DurableObjectNamespaceLike,
  type DurableObjectResponse,
  type DurableObjectStubLike,
} from "./durable_object.ts";
export { RequestsInProgress } from "../limiting/requests_in_progress.ts";
export { HttpError, type HttpErrorOptions } from "../src/http/http_error.ts";
export { rankEncodings } from "../src/http/negotiation.ts";
export { statusText } from "../src/http/status_text.ts";
export { parseSubnet, subnetOf, type SubnetTest } from "../src/http/ip_address.ts";
export { compileTrust, walkForwarded } from "../src/http/trust_proxy.ts";
export { type HandlerDetails, type Registration, withDetails } from "../src/util/handler_details.ts";
export { isExempt, noteResponded } from "../src/util/exempt_pages.ts";
export { hasEncodedSecret, REDACTED, redactedPath, redactedText } from "../src/util/redacted_text.ts";
export { isSecretName, isSecretParameter, parameterNames } from "../src/util/secret_names.ts";
export { guardClient } from "../src/util/guard_client.ts";
export { isPlainObject } from "../src/util/is_plain_object.ts";
export { isThenable } from "../src/util/is_thenable.ts";
export { detachedString } from "../src/util/detached_string.ts";
export { unpaddedBase64, utf8Bytes } from "../src/util/encodings.ts";
export { runtimeKey } from "../src/util/runtime_key.ts";
export { nextSequence } from "../src/util/sequence.ts";
export { sha1 } from "../src/util/sha1.ts";
export { hmacSha256, sha256 } from "../src/util/sha256.ts";
export { FairBudget, Reservation } from "../src/util/fair_budget.ts";
export { GenerationalCache } from "../src/util/generational_cache.ts";
export { chunkBytes } from "../src/util/chunk_bytes.ts";
export { LONGEST_TIMER_MS, parseBytes, parseDuration } from "../src/util/units.ts";
export { builtinModule, type BuiltinName } from "../src/platform/shared/builtin_module.ts";
export { findPackage, importsExist, requirePackage } from "../src/platform/shared/installed_package.ts";
export { nodeBytes } from "../src/platform/shared/node_bytes.ts";
export { peerOf } from "../src/platform/shared/peer_of.ts";

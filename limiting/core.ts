/**
 * Parts of the framework that limiters use: `@sluice/rate-limit` gets copies of these modules, and of nothing else. None
 * of them knows of requests, routes or applications.
 *
 * @module
 */
export { Emitter } from "../src/http/emitter.ts";
export type { EmitterMethods, EventName, Listener } from "../src/http/emitter_methods.ts";
export { checkInteger, checkNames, checkType, type OptionNames, refuseOption } from "../src/http/check_option.ts";
export { describe, reasonOf } from "../src/http/error_text.ts";
export { subnetOf } from "../src/http/ip_address.ts";
export { isThenable } from "../src/http/is_thenable.ts";
export { ownText } from "../src/http/own_text.ts";
export { nextSequence } from "../src/http/sequence.ts";
export { sha1 } from "../src/http/sha1.ts";
export { sha256 } from "../src/http/sha256.ts";
export { TwoGenerations } from "../src/http/two_generations.ts";
export { LONGEST_TIMER_MS } from "../src/http/units.ts";
export { importsExist, requirePackage } from "../src/platform/installed_package.ts";
export { peerOf } from "../src/platform/peer_of.ts";

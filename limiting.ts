/**
 * What limiters outside this package build on: addresses told by their bits, the order in which requests and limiters
 * came, and a hash that needs no promise. No part of the framework comes along.
 *
 * @module
 */
export { Emitter, type EventName, type Listener } from "./src/http/emitter.ts";
export { canonicalAddress, subnetOf } from "./src/http/ip_address.ts";
export { nextSequence } from "./src/http/sequence.ts";
export { sha256 } from "./src/http/sha256.ts";
export { isMadeInside, placeOf } from "./src/middleware/rate_limit/made_inside.ts";

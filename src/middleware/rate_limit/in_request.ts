import { requestSequence } from "../../http/sequence.ts";
import { MemoryStore } from "./memory_store.ts";
import type { CheckedRateLimit } from "./options.ts";

const shared = new Map<string, MemoryStore>();
/** Namespaces for limiters made inside requests; more than this many would mean that options differ per request. */
const MAX_SHARED = 1000;
let warned = false;

/**
 * Tells whether a limiter was made while a request was under way, rather than before it.
 *
 * @param limiterSequence Place of the limiter in the order of creation
 * @param req The first request it is asked about
 */
export function isMadeInside(limiterSequence: number, req: object): boolean {
  const sequence = (req as { [requestSequence]?: number })[requestSequence];
  return sequence !== undefined && sequence < limiterSequence;
}

/**
 * The store that limiters made inside requests share.
 *
 * Each of them lives for one request only and would never count past one. They are taken for the same limiter if they
 * have the same `name`, or else the same plain options and the same mount path.
 *
 * @param options The limiter's options
 * @param mountPath Where the request met it
 * @returns The shared store
 * @throws {RangeError} If there are more than a thousand of them
 */
export function sharedStore(options: CheckedRateLimit, mountPath: string): MemoryStore {
  const { name, windowMs, max, statusCode, headers, maxKeys, ipv6Subnet, missingKey } = options;
  const plain = [windowMs, max, statusCode, headers, maxKeys, ipv6Subnet, missingKey, mountPath];
  const identity = name === undefined ? JSON.stringify(plain) : `name:${name}:${windowMs}`;
  const known = shared.get(identity);
  if (known !== undefined) return known;
  if (shared.size >= MAX_SHARED) {
    throw new RangeError(
      "rateLimit: more than 1000 different limiters were made inside requests; make them once, outside, or give them a name",
    );
  }
  warnOnce();
  const made = new MemoryStore(windowMs, maxKeys);
  shared.set(identity, made);
  return made;
}

function warnOnce(): void {
  if (warned) return;
  warned = true;
  console.warn(
    "rateLimit: a limiter was made inside a request. It counts together with others of the same options and path; " +
      "make it once, outside, or give it a name",
  );
}

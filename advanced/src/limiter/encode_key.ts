import { describe, sha256 } from "@sluice/shared";

/** Longer keys are stored as a hash, so that a few of them cannot fill the store. */
const LONGEST = 256;
/** Hash prefix, and total length. Shorter keys cannot look like a hash. */
const HASHED = "\u0002";
const HASH_LENGTH = 45;

/**
 * Encodes a key for the memory store: the key itself, or its SHA-256 if it is long. Different keys stay different.
 *
 * @param key A key
 * @returns At most 256 characters
 */
export function shortenKey(key: string): string {
  return key.length < HASH_LENGTH || key.length <= LONGEST && key.charCodeAt(0) !== 2 ? key : hashOf(key);
}

/**
 * Encodes a key for a store outside this process: as above, and hashed if it is not a well-formed string.
 *
 * @param key A key
 * @returns At most 256 characters that survive UTF-8
 */
export function encodeKey(key: string): string {
  return key.isWellFormed() ? shortenKey(key) : hashOf(key);
}

// UTF-8 cannot represent lone surrogates; JSON keeps them distinct
function hashOf(key: string): string {
  return HASHED + btoa(String.fromCharCode(...sha256(new TextEncoder().encode(JSON.stringify(key)))));
}

/**
 * Returns the forms in which a store may hold a key: its encoded form, and the key itself if it looks like a hash,
 * because that is how `keys()` lists long keys.
 *
 * @param key A key, as counted or as listed
 * @param encode Encodes it
 * @returns One form, or two
 */
export function formsOf(key: string, encode: (key: string) => string): string[] {
  return key.startsWith(HASHED) && /^.[\w+/]{43}=$/.test(key) ? [encode(key), key] : [encode(key)];
}

/**
 * Checks a key returned by a user's function.
 *
 * @param key The key
 * @param source Its source, for the message
 * @param caller Caller name for error messages
 * @throws {TypeError} If it is not a non-empty string: a bug must not make clients share a counter
 */
export function assertKey(key: unknown, source: string, caller: string): asserts key is string {
  if (typeof key === "string" && key !== "") return;
  throw new TypeError(`${caller}: ${source} must be a non-empty string, not ${describe(key)}`);
}

import { describe, sha256 } from "@sluice/shared";

/** Longer keys are kept as their hash, so that nobody fills the store with few of them. */
const LONGEST = 256;
/** What a hash begins with, and how long it is then; shorter keys cannot look like one. */
const HASHED = "\u0002";
const HASH_LENGTH = 45;

/**
 * The form in which memory keeps a key: the key itself, or a SHA-256 when it is long. Different keys stay different.
 *
 * @param key A key
 * @returns At most 256 characters
 */
export function shortenKey(key: string): string {
  return key.length < HASH_LENGTH || key.length <= LONGEST && key.charCodeAt(0) !== 2 ? key : hashOf(key);
}

/**
 * The form in which a store outside of this process keeps a key: the same, and a hash when it is no well-formed text.
 *
 * @param key A key
 * @returns At most 256 characters, all of which survive UTF-8
 */
export function encodeKey(key: string): string {
  return key.isWellFormed() ? shortenKey(key) : hashOf(key);
}

// UTF-8 has no lone surrogates; JSON tells them apart
function hashOf(key: string): string {
  return HASHED + btoa(String.fromCharCode(...sha256(new TextEncoder().encode(JSON.stringify(key)))));
}

/**
 * The forms in which a store may have a key that somebody names: the one that it is kept in, and the key itself where
 * it looks like a hash, for so `keys()` lists long ones.
 *
 * @param key A key, as it was counted or as it was listed
 * @param encode How it is kept
 * @returns One form, or two
 */
export function formsOf(key: string, encode: (key: string) => string): string[] {
  return key.startsWith(HASHED) && /^.[\w+/]{43}=$/.test(key) ? [encode(key), key] : [encode(key)];
}

/**
 * Checks a key that a user's function gave.
 *
 * @param key What it gave
 * @param source Whose it is, for the message
 * @param caller Name of the caller for error messages
 * @throws {TypeError} If it is no text, or empty: an accident must not make clients share a counter
 */
export function assertKey(key: unknown, source: string, caller: string): asserts key is string {
  if (typeof key === "string" && key !== "") return;
  throw new TypeError(`${caller}: ${source} must be a non-empty string, not ${describe(key)}`);
}

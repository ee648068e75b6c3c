import { describe, sha256 } from "@sluice/sluice/limiting";

/** Longer keys are kept as their hash, so that nobody fills the store with few of them. */
const LONGEST = 256;
const HASHED = "\u0002";

/**
 * The form in which a store keeps a key: the key itself, or a SHA-256 when it is long or no well-formed text. Different
 * keys stay different.
 *
 * @param key A key
 * @returns At most 256 characters, all of which survive UTF-8
 */
export function encodeKey(key: string): string {
  const isWellFormed = key.isWellFormed();
  if (isWellFormed && key.length <= LONGEST && key.charCodeAt(0) !== 2) return key;
  // UTF-8 has no lone surrogates; JSON tells them apart, and the mark tells its text from a key that looks like it
  const digest = sha256(new TextEncoder().encode(isWellFormed ? key : JSON.stringify(key)));
  return `${HASHED}${isWellFormed ? "" : '"'}${btoa(String.fromCharCode(...digest))}`;
}

/**
 * The forms in which a store may have a key that somebody names: the one that {@linkcode encodeKey} gives it, and the
 * key itself where it looks like a hash, for so `keys()` lists long ones.
 *
 * @param key A key, as it was counted or as it was listed
 * @returns One form, or two
 */
export function formsOf(key: string): string[] {
  return key.startsWith(HASHED) && /^."?[\w+/]{43}=$/.test(key) ? [encodeKey(key), key] : [encodeKey(key)];
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

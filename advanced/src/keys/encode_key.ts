import { sha256 } from "@sluice/sluice/limiting";

/** Longer keys are kept as their hash, so that nobody fills the store with few of them. */
const LONGEST = 256;
const HASHED = "\u0002";

/**
 * The form in which a store keeps a key: the key itself, or its SHA-256 when it is long. Different keys stay different.
 *
 * @param key A key
 * @returns At most 256 characters
 */
export function encodeKey(key: string): string {
  if (key.length <= LONGEST && key.charCodeAt(0) !== 2) return key;
  const digest = sha256(new TextEncoder().encode(key.toWellFormed()));
  // text that is not well-formed would share its hash with the text that is
  const mark = key.isWellFormed() ? "" : `${JSON.stringify(key).slice(0, 64)}/`;
  return HASHED + mark + btoa(String.fromCharCode(...digest));
}

/**
 * Checks a key that a user's function gave.
 *
 * @param key What it gave
 * @param source Whose it is, for the message
 * @throws {TypeError} If it is no text, or empty: an accident must not make clients share a counter
 */
export function assertKey(key: unknown, source: string): asserts key is string {
  if (typeof key === "string" && key !== "") return;
  throw new TypeError(`rateLimit: ${source} must be a non-empty string, not ${key === "" ? '""' : describe(key)}`);
}

function describe(value: unknown): string {
  return typeof value === "object" && value !== null ? Object.prototype.toString.call(value) : String(value);
}

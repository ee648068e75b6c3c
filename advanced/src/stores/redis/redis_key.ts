import { REDIS_ALGORITHMS } from "./redis_algorithms.ts";

/** Suffix for a policy name in the key for the state of a block. */
export const BLOCK_ENDING = "\u0001block";

/** All suffixes for a policy name. */
export function allEndings(): string[] {
  return [BLOCK_ENDING, ...Object.values(REDIS_ALGORITHMS).map(({ ending }) => ending)];
}

/**
 * Returns the key for a state: `prefix{key}policy`. The part in braces selects the cluster slot, so all of a key's
 * policies share one. Different keys always have different Redis keys.
 *
 * @param prefix The store's prefix
 * @param policy The policy name, and a suffix
 * @param key The key
 */
export function redisKey(prefix: string, policy: string, key: string): string {
  return `${prefix}{${/[{}%\ud800-\udfff]/.test(key) ? escapeKey(key) : key}}${policy}`;
}

// a brace would end the part that selects the slot, and all lone surrogates would be sent as the same character
function escapeKey(key: string): string {
  return key.replace(/[{}%]|\p{Surrogate}/gu, (char) => `%${char.charCodeAt(0).toString(16)}`);
}

/**
 * Extracts the key from a Redis key.
 *
 * @returns The key, or `null` if it is a different kind of Redis key
 */
export function keyOf(prefix: string, policy: string, redisKey: string): string | null {
  if (!redisKey.startsWith(`${prefix}{`) || !redisKey.endsWith(`}${policy}`)) return null;
  const inner = redisKey.slice(prefix.length + 1, redisKey.length - policy.length - 1);
  // the brace belongs to another policy name
  if (/[{}]/.test(inner)) return null;
  return inner.replace(/%(7b|7d|25|d[89a-f]..)/g, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
}

/**
 * Returns a pattern for all of a policy's keys. It contains only the developer's own strings, with wildcards escaped.
 */
export function patternOf(prefix: string, policy: string): string {
  return `${quote(prefix)}{*}${quote(policy)}`;
}

/**
 * Escapes a string as a literal pattern.
 *
 * @param text The string
 */
export function quote(text: string): string {
  return text.replace(/[\\*?[\]^-]/g, "\\$&");
}

import { REDIS_ALGORITHMS } from "./redis_algorithms.ts";

/** Suffix of a policy's name in the key of a block's state. */
export const BLOCK_ENDING = "\u0001block";

/** All suffixes of a policy's name. */
export function allEndings(): string[] {
  return [BLOCK_ENDING, ...Object.values(REDIS_ALGORITHMS).map(({ ending }) => ending)];
}

/**
 * Returns the key of a state: `prefix{key}policy`. The part in braces selects the cluster's slot, so all policies of a
 * key share one. Different keys always have different Redis keys.
 *
 * @param prefix The store's prefix
 * @param policy Name of the policy, and a suffix
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
 * @returns The key, `null` for another kind of Redis key
 */
export function keyOf(prefix: string, policy: string, redisKey: string): string | null {
  if (!redisKey.startsWith(`${prefix}{`) || !redisKey.endsWith(`}${policy}`)) return null;
  const inner = redisKey.slice(prefix.length + 1, redisKey.length - policy.length - 1);
  // the brace belongs to the name of another policy
  if (/[{}]/.test(inner)) return null;
  return inner.replace(/%(7b|7d|25|d[89a-f]..)/g, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
}

/** Returns a pattern for all keys of a policy. It only contains the developer's own strings, with wildcards escaped. */
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

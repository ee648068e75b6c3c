import { REDIS_ALGORITHMS } from "./redis_algorithms.ts";

/** What stands behind a policy's name in the key that has a block's state. */
export const BLOCK_ENDING = "\u0001block";

/** All endings that stand behind a policy's name. */
export function allEndings(): string[] {
  return [BLOCK_ENDING, ...Object.values(REDIS_ALGORITHMS).map(({ ending }) => ending)];
}

/**
 * The key under which a state is kept: `prefix{key}policy`. What stands in braces decides the cluster's slot, so all
 * policies of one key share one. Two different keys never give the same one.
 *
 * @param prefix The store's prefix
 * @param policy Name of the policy, and an ending
 * @param key The key
 */
export function redisKey(prefix: string, policy: string, key: string): string {
  return `${prefix}{${/[{}%\ud800-\udfff]/.test(key) ? escapeKey(key) : key}}${policy}`;
}

// a brace would end the part that decides the slot, and lone surrogates would all be sent as the same character
function escapeKey(key: string): string {
  return key.replace(/[{}%]|\p{Surrogate}/gu, (char) => `%${char.charCodeAt(0).toString(16)}`);
}

/**
 * Reads the key out of a Redis key.
 *
 * @returns The key, `null` for a Redis key of another kind
 */
export function keyOf(prefix: string, policy: string, redisKey: string): string | null {
  if (!redisKey.startsWith(`${prefix}{`) || !redisKey.endsWith(`}${policy}`)) return null;
  const inner = redisKey.slice(prefix.length + 1, redisKey.length - policy.length - 1);
  // the brace belongs to the name of another policy
  if (/[{}]/.test(inner)) return null;
  return inner.replace(/%(7b|7d|25|d[89a-f]..)/g, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
}

/** A pattern for all keys of a policy. Only the developer's own words stand in it, and none of them as a wildcard. */
export function patternOf(prefix: string, policy: string): string {
  return `${quote(prefix)}{*}${quote(policy)}`;
}

/**
 * A text as a pattern that only it matches.
 *
 * @param text The text
 */
export function quote(text: string): string {
  return text.replace(/[\\*?[\]^-]/g, "\\$&");
}

/**
 * Whether a value is a Redis client, which may have been passed instead of a store or its options.
 *
 * @param value Any value
 */
export function isRedisClient(value: unknown): boolean {
  return typeof value === "object" && value !== null && ("evalSha" in value || "evalsha" in value);
}

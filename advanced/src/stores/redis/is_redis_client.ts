/**
 * Tells whether a value is a client of Redis, which may have been given in place of a store or of its options.
 *
 * @param value Any value
 */
export function isRedisClient(value: unknown): boolean {
  return typeof value === "object" && value !== null && ("evalSha" in value || "evalsha" in value);
}

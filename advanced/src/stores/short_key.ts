import { sha256 } from "@sluice/shared";
import { hex } from "./hex.ts";

/**
 * Longest key in bytes that is stored unchanged. Deno KV allows 2048 for all parts together, a PostgreSQL index 2700.
 */
const LONGEST_PLAIN_KEY = 1024;

/**
 * Encodes a key for a database: the key itself, or its SHA-256 if it is long.
 *
 * @param key The key
 * @returns At most 1024 bytes
 */
export function shortKey(key: string): string {
  // at most three bytes per UTF-16 unit
  if (key.length * 3 <= LONGEST_PLAIN_KEY) return key;
  const bytes = new TextEncoder().encode(key);
  return bytes.length <= LONGEST_PLAIN_KEY ? key : hashKey(key);
}

/** The SHA-256 of a key, marked as such. */
export function hashKey(key: string): string {
  return `sha-256:${hex(sha256(new TextEncoder().encode(key)))}`;
}

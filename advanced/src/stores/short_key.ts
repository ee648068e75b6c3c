import { sha256 } from "@sluice/shared";
import { hex } from "./hex.ts";

/** Longest key in bytes that is written as it is; Deno KV takes 2048 for all parts together, PostgreSQL's index 2700. */
const LONGEST_PLAIN_KEY = 1024;

/**
 * The form in which a database keeps a key: itself, or its SHA-256 when it is long.
 *
 * @param key The key
 * @returns At most 1024 bytes
 */
export function shortKey(key: string): string {
  // a character has at most three bytes
  if (key.length * 3 <= LONGEST_PLAIN_KEY) return key;
  const bytes = new TextEncoder().encode(key);
  return bytes.length <= LONGEST_PLAIN_KEY ? key : hashKey(key);
}

/** The SHA-256 of a key, which says that it is one. */
export function hashKey(key: string): string {
  return `sha-256:${hex(sha256(new TextEncoder().encode(key)))}`;
}

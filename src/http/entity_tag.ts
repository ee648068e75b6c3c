import { unpaddedBase64, utf8Bytes } from "../util/encodings.ts";
import { murmur3 } from "../util/murmur3.ts";
import { sha1 } from "../util/sha1.ts";

/** A runtime that creates entity tags itself. */
export interface TagMaker {
  /** Creates a strong entity tag; returns `null` if the runtime cannot, or has not loaded what it needs. */
  entityTag?(body: string | Uint8Array): string | null;
}

/** Longest string, in characters, that is always hashed here, because calling the runtime would take longer. */
const SHORT = 512;
const NO_MAKER: TagMaker = {};

/**
 * Creates a weak entity tag for a body (RFC 9110 section 8.8.3): its length and a fast 64-bit hash. The format is
 * Express's, the hash is not: {@linkcode sha1EntityTag} produces Express's bytes.
 *
 * @param body String or bytes
 * @returns For example `W/"d-PM0Vkq0uYHQ"`
 */
export function weakEntityTag(body: string | Uint8Array): string {
  const { hash, length } = murmur3(body);
  return `W/"${length.toString(16)}-${hash}"`;
}

/**
 * Creates a weak entity tag for a body as Express does: its length and its SHA-1.
 *
 * @param body String or bytes
 * @param runtime Creates tags for long bodies, if it can
 * @returns For example `W/"d-HwnTDHB9U/PRbFMN1z1wps51lqk"`
 */
export function sha1EntityTag(body: string | Uint8Array, runtime: TagMaker = NO_MAKER): string {
  return `W/${strongEntityTag(body, runtime)}`;
}

/**
 * Creates a strong entity tag for a body: its length and its SHA-1, byte for byte as in Express.
 *
 * @param body String or bytes
 * @param runtime Creates tags for long bodies, if it can
 * @returns For example `"d-HwnTDHB9U/PRbFMN1z1wps51lqk"`
 */
export function strongEntityTag(body: string | Uint8Array, runtime: TagMaker = NO_MAKER): string {
  const own = body.length > SHORT ? runtime.entityTag?.(body) : null;
  if (own) return own;
  const bytes = typeof body === "string" ? utf8Bytes(body) : body;
  return `"${bytes.byteLength.toString(16)}-${unpaddedBase64(sha1(bytes))}"`;
}

/**
 * Creates a weak entity tag for a file from its size and modification time.
 *
 * @param file Size in bytes and modification time in ms
 */
export function fileEntityTag(file: { readonly size: number; readonly mtimeMs: number }): string {
  return `W/"${file.size.toString(16)}-${Math.floor(file.mtimeMs).toString(16)}"`;
}

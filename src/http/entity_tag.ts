import { unpaddedBase64, utf8Bytes } from "../util/encodings.ts";
import { murmur3 } from "../util/murmur3.ts";
import { sha1 } from "../util/sha1.ts";

/** A runtime that makes entity tags itself. */
export interface TagMaker {
  /** Makes a strong entity tag; returns `null` if the runtime cannot, or has not loaded yet what it needs for that. */
  entityTag?(body: string | Uint8Array): string | null;
}

/** Longest text, in characters, that is hashed here in any case: calling the runtime would take longer. */
const SHORT = 512;
const NO_MAKER: TagMaker = {};

/**
 * Weak entity tag of a body (RFC 9110 section 8.8.3): its length and a fast hash of 64 bits. The form is Express's, the
 * hash is not: {@linkcode sha1EntityTag} makes Express's bytes.
 *
 * @param body Text or bytes
 * @returns For example `W/"d-PM0Vkq0uYHQ"`
 */
export function weakEntityTag(body: string | Uint8Array): string {
  const { hash, length } = murmur3(body);
  return `W/"${length.toString(16)}-${hash}"`;
}

/**
 * Weak entity tag of a body as Express makes it: its length and its SHA-1.
 *
 * @param body Text or bytes
 * @param runtime Makes the tags of long bodies, if it can
 * @returns For example `W/"d-HwnTDHB9U/PRbFMN1z1wps51lqk"`
 */
export function sha1EntityTag(body: string | Uint8Array, runtime: TagMaker = NO_MAKER): string {
  return `W/${strongEntityTag(body, runtime)}`;
}

/**
 * Strong entity tag of a body: its length and its SHA-1, byte for byte what Express sends.
 *
 * @param body Text or bytes
 * @param runtime Makes the tags of long bodies, if it can
 * @returns For example `"d-HwnTDHB9U/PRbFMN1z1wps51lqk"`
 */
export function strongEntityTag(body: string | Uint8Array, runtime: TagMaker = NO_MAKER): string {
  const own = body.length > SHORT ? runtime.entityTag?.(body) : null;
  if (own) return own;
  const bytes = typeof body === "string" ? utf8Bytes(body) : body;
  return `"${bytes.byteLength.toString(16)}-${unpaddedBase64(sha1(bytes))}"`;
}

/**
 * Weak entity tag of a file, from its size and last change.
 *
 * @param file Size in bytes and last change in ms
 */
export function fileEntityTag(file: { readonly size: number; readonly mtimeMs: number }): string {
  return `W/"${file.size.toString(16)}-${Math.floor(file.mtimeMs).toString(16)}"`;
}

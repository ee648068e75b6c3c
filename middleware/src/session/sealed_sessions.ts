import { utf8Bytes } from "@sluice/limiting/core";
import { fromBase64url, randomText, toBase64url } from "../cookies/base64url.ts";
import type { FoundSession, KeptSession, SessionKeeper } from "./session_keeper.ts";

/** Version of the format: its first byte. */
const VERSION = 1;
const KEY_ID_BYTES = 4;
const IV_BYTES = 12;
const HEAD_BYTES = 1 + KEY_ID_BYTES + IV_BYTES;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
const ID_BYTES = 16;

/** A key that seals. */
interface SealingKey {
  readonly id: Uint8Array;
  readonly key: CryptoKey;
}

/**
 * Sessions inside their cookies, sealed with AES-256-GCM.
 *
 * A cookie is a version, the id of the key, an IV of 96 random bits, and the sealed JSON of when it expires, when the
 * session began, its id, and what is in it. Version, key and the cookie's name are authenticated, too, so that the
 * cookie of one middleware is nothing to another. Keys come from the secrets by HKDF (RFC 5869).
 */
export class SealedSessions implements SessionKeeper {
  readonly isApart = false;
  readonly #secrets: readonly string[];
  readonly #clock: () => number;
  #keys: Promise<SealingKey[]> | null = null;

  /**
   * @param secrets The first seals, all unseal
   * @param clock The present time in ms
   */
  constructor(secrets: readonly string[], clock: () => number) {
    this.#secrets = secrets;
    this.#clock = clock;
  }

  begin(): KeptSession {
    return { id: randomText(ID_BYTES), token: "", created: this.#clock(), isNew: true };
  }

  async find(value: string, name: string): Promise<FoundSession | null> {
    const bytes = fromBase64url(value);
    if (bytes === null || bytes.length < HEAD_BYTES + TAG_BYTES || bytes[0] !== VERSION) return null;
    const keys = await this.#allKeys();
    const index = keys.findIndex(({ id }) => id.every((byte, i) => byte === bytes[1 + i]));
    if (index === -1) return null;
    let text: ArrayBuffer;
    try {
      text = await crypto.subtle.decrypt(algorithm(bytes, name), keys[index]!.key, bytes.subarray(HEAD_BYTES));
    } catch {
      // it was tampered with, or has another name: the client has no session
      return null;
    }
    const [expires, created, id, content] = JSON.parse(new TextDecoder().decode(text));
    if (expires <= this.#clock()) return null;
    return { id, token: "", created, isNew: false, content, isStale: index > 0 };
  }

  async keep(session: KeptSession, content: string, ttlMs: number, name: string): Promise<string> {
    const text = `[${this.#clock() + ttlMs},${session.created},"${session.id}",${content}]`;
    const [{ id, key }] = await this.#allKeys() as [SealingKey];
    const head = new Uint8Array(HEAD_BYTES);
    head[0] = VERSION;
    head.set(id, 1);
    crypto.getRandomValues(head.subarray(1 + KEY_ID_BYTES));
    const sealed = await crypto.subtle.encrypt(algorithm(head, name), key, utf8Bytes(text));
    session.isNew = false;
    const bytes = new Uint8Array(HEAD_BYTES + sealed.byteLength);
    bytes.set(head);
    bytes.set(new Uint8Array(sealed), HEAD_BYTES);
    return toBase64url(bytes);
  }

  renew(session: KeptSession, content: string, ttlMs: number, name: string): Promise<string> {
    return this.keep(session, content, ttlMs, name);
  }

  drop(): Promise<void> {
    return Promise.resolve();
  }

  #allKeys(): Promise<SealingKey[]> {
    return this.#keys ??= Promise.all(this.#secrets.map(keyOf));
  }
}

function algorithm(head: Uint8Array, name: string): AesGcmParams {
  const named = utf8Bytes(name);
  const additionalData = new Uint8Array(1 + KEY_ID_BYTES + named.length);
  additionalData.set(head.subarray(0, 1 + KEY_ID_BYTES));
  additionalData.set(named, 1 + KEY_ID_BYTES);
  return { name: "AES-GCM", iv: head.slice(1 + KEY_ID_BYTES, HEAD_BYTES), additionalData };
}

async function keyOf(secret: string): Promise<SealingKey> {
  const material = await crypto.subtle.importKey("raw", utf8Bytes(secret), "HKDF", false, ["deriveBits"]);
  const bits = await crypto.subtle.deriveBits(
    { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: utf8Bytes("sluice sealed session") },
    material,
    (KEY_BYTES + KEY_ID_BYTES) * 8,
  );
  const key = await crypto.subtle.importKey("raw", bits.slice(0, KEY_BYTES), "AES-GCM", false, ["encrypt", "decrypt"]);
  return { id: new Uint8Array(bits, KEY_BYTES), key };
}

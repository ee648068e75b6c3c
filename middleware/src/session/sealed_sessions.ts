import { GenerationalCache, utf8Bytes } from "@sluice/shared";
import { fromBase64url, randomText, toBase64url } from "../cookies/base64url.ts";
import type { FoundSession, KeptSession, SessionKeeper } from "./session_keeper.ts";

/** The format's version: its first byte. */
const VERSION = 1;
const SECRET_ID_BYTES = 4;
const SALT_BYTES = 16;
/**
 * Leading bytes shared by all cookies sealed with one key. In base64, they are exactly {@linkcode KEY_CHARACTERS}
 * characters.
 */
const KEY_HEAD_BYTES = 1 + SECRET_ID_BYTES + SALT_BYTES;
const KEY_CHARACTERS = KEY_HEAD_BYTES / 3 * 4;
const IV_BYTES = 12;
const HEAD_BYTES = KEY_HEAD_BYTES + IV_BYTES;
const TAG_BYTES = 16;
const ID_BYTES = 16;
/**
 * Maximum cookies sealed with one key: with random 96-bit IVs, the probability of a collision is then at most 2^-32
 * (NIST SP 800-38D).
 */
const MOST_SEALED = 2 ** 32;
/** Number of keys to cache: each process that seals cookies has one. */
const MOST_KEYS = 1000;

/** The input that keys are derived from. */
interface Secret {
  readonly id: Uint8Array<ArrayBuffer>;
  readonly material: CryptoKey;
}

/** This process's key. */
interface SealingKey {
  /** Prefix of its cookies. */
  readonly head: Uint8Array<ArrayBuffer>;
  readonly key: CryptoKey;
}

/** A key that has opened a cookie. */
interface OpeningKey {
  readonly key: CryptoKey;
  /** Its secret's index. */
  readonly index: number;
}

/**
 * Sessions inside their cookies, sealed with AES-256-GCM.
 *
 * A cookie consists of a version, the secret's id, a salt, a random 96-bit IV, and sealed JSON with the expiry time and
 * the session's start, id and content. Each process has a random salt; its key is derived from the secret and the salt
 * by HKDF (RFC 5869). The number of cookies per secret is therefore unlimited: a process switches keys after 2^32. The
 * head and the cookie's name are also authenticated, so one middleware rejects another's cookie.
 */
export class SealedSessions implements SessionKeeper {
  readonly isApart = false;
  readonly #texts: readonly string[];
  readonly #clock: () => number;
  readonly #mostSealed: number;
  #secrets: Promise<Secret[]> | null = null;
  #sealing: Promise<SealingKey> | null = null;
  /** Number of cookies sealed with the current key. */
  #sealed = 0;
  /** By the prefix of their cookies. Only keys that have opened a cookie, because anyone can invent a salt. */
  readonly #opening = new GenerationalCache<OpeningKey>(MOST_KEYS);

  /**
   * @param secrets The first secret seals, all unseal
   * @param clock Current time in ms
   * @param mostSealed Maximum cookies sealed with one key
   */
  constructor(secrets: readonly string[], clock: () => number, mostSealed: number = MOST_SEALED) {
    this.#texts = secrets;
    this.#clock = clock;
    this.#mostSealed = mostSealed;
  }

  begin(): KeptSession {
    return { id: randomText(ID_BYTES), token: "", created: this.#clock(), isNew: true };
  }

  async find(value: string, name: string): Promise<FoundSession | null> {
    const bytes = fromBase64url(value);
    if (bytes === null || bytes.length < HEAD_BYTES + TAG_BYTES || bytes[0] !== VERSION) return null;
    const keyHead = value.slice(0, KEY_CHARACTERS);
    const known = this.#opening.get(keyHead);
    const opening = known ?? await this.#openingKey(bytes);
    if (opening === null) return null;
    const { index, key } = opening;
    let text: ArrayBuffer;
    try {
      text = await crypto.subtle.decrypt(algorithm(bytes, name), key, bytes.subarray(HEAD_BYTES));
    } catch {
      // tampered with, or under a different name: the client has no session
      return null;
    }
    if (known === undefined) this.#opening.set(keyHead, opening);
    const [expires, created, id, content] = JSON.parse(new TextDecoder().decode(text));
    if (expires <= this.#clock()) return null;
    return { id, token: "", created, isNew: false, content, isStale: index > 0 };
  }

  async keep(session: KeptSession, content: string, ttlMs: number, name: string): Promise<string> {
    const text = `[${this.#clock() + ttlMs},${session.created},"${session.id}",${content}]`;
    const { head: keyHead, key } = await this.#sealingKey();
    const head = new Uint8Array(HEAD_BYTES);
    head.set(keyHead);
    crypto.getRandomValues(head.subarray(KEY_HEAD_BYTES));
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

  #sealingKey(): Promise<SealingKey> {
    if (this.#sealing === null || this.#sealed >= this.#mostSealed) {
      this.#sealed = 0;
      this.#sealing = this.#newSealingKey();
    }
    this.#sealed++;
    return this.#sealing;
  }

  async #newSealingKey(): Promise<SealingKey> {
    const [secret] = await this.#allSecrets() as [Secret];
    const salt = crypto.getRandomValues(new Uint8Array(SALT_BYTES));
    return { head: new Uint8Array([VERSION, ...secret.id, ...salt]), key: await derivedKey(secret, salt) };
  }

  async #openingKey(bytes: Uint8Array<ArrayBuffer>): Promise<OpeningKey | null> {
    const secrets = await this.#allSecrets();
    const index = secrets.findIndex(({ id }) => id.every((byte, i) => byte === bytes[1 + i]));
    if (index === -1) return null;
    return { index, key: await derivedKey(secrets[index]!, bytes.slice(1 + SECRET_ID_BYTES, KEY_HEAD_BYTES)) };
  }

  #allSecrets(): Promise<Secret[]> {
    return this.#secrets ??= Promise.all(this.#texts.map(secretOf));
  }
}

function algorithm(head: Uint8Array, name: string): AesGcmParams {
  const named = utf8Bytes(name);
  const additionalData = new Uint8Array(KEY_HEAD_BYTES + named.length);
  additionalData.set(head.subarray(0, KEY_HEAD_BYTES));
  additionalData.set(named, KEY_HEAD_BYTES);
  return { name: "AES-GCM", iv: head.slice(KEY_HEAD_BYTES, HEAD_BYTES), additionalData };
}

async function secretOf(text: string): Promise<Secret> {
  const material = await crypto.subtle.importKey("raw", utf8Bytes(text), "HKDF", false, ["deriveBits", "deriveKey"]);
  const id = await crypto.subtle.deriveBits(hkdf("sluice session secret"), material, 8 * SECRET_ID_BYTES);
  return { id: new Uint8Array(id), material };
}

function derivedKey({ material }: Secret, salt: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  const aes = { name: "AES-GCM", length: 256 };
  return crypto.subtle.deriveKey(hkdf("sluice sealed session", salt), material, aes, false, ["encrypt", "decrypt"]);
}

function hkdf(info: string, salt: Uint8Array<ArrayBuffer> = new Uint8Array()): HkdfParams {
  return { name: "HKDF", hash: "SHA-256", salt, info: utf8Bytes(info) };
}

import { utf8Bytes } from "@sluice/limiting/core";
import { fromBase64url, randomText, toBase64url } from "../cookies/base64url.ts";
import type { FoundSession, KeptSession, SessionKeeper } from "./session_keeper.ts";

/** Version of the format: its first byte. */
const VERSION = 2;
/** Cookies of version 1 have an IV instead of a salt, and one key for all. They are read, and sealed anew. */
const RANDOM_KEY_VERSION = 1;
const KEY_ID_BYTES = 4;
const SALT_BYTES = 24;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
const ID_BYTES = 16;

/** What a secret is used for: the id and the key of version 1, and the keys of single cookies. */
const INFO = utf8Bytes("sluice sealed session");
const COOKIE_INFO = utf8Bytes("sluice sealed session cookie");

const AES = { name: "AES-GCM", length: KEY_BYTES * 8 };

/** Each key seals one cookie, so that its IV need not differ from another's. */
const ONLY_IV = new Uint8Array(IV_BYTES);

/** What seals, made of a secret. */
interface Sealer {
  readonly id: Uint8Array;
  /** What keys of cookies are derived from. */
  readonly material: CryptoKey;
  /** The key of version 1. */
  readonly sharedKey: CryptoKey;
}

/**
 * Sessions inside their cookies, sealed with AES-256-GCM.
 *
 * A cookie is a version, the id of the secret, a salt of 192 random bits, and the sealed JSON of when it expires, when
 * the session began, its id, and what is in it. Version, id and the cookie's name are authenticated, too, so that the
 * cookie of one middleware is nothing to another.
 *
 * Each cookie has a key of its own, which HKDF (RFC 5869) derives from the secret and the salt. One key for all with
 * random IVs of 96 bits may seal 2^32 cookies (NIST SP 800-38D section 8.3); salts of 192 bits are as unlikely to be
 * equal after 2^80.
 */
export class SealedSessions implements SessionKeeper {
  readonly isApart = false;
  readonly #secrets: readonly string[];
  readonly #clock: () => number;
  #sealers: Promise<Sealer[]> | null = null;

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
    const version = bytes?.[0];
    if (bytes === null || (version !== VERSION && version !== RANDOM_KEY_VERSION)) return null;
    const contentAt = 1 + KEY_ID_BYTES + (version === VERSION ? SALT_BYTES : IV_BYTES);
    if (bytes.length < contentAt + TAG_BYTES) return null;
    const sealers = await this.#allSealers();
    const index = sealers.findIndex(({ id }) => id.every((byte, i) => byte === bytes[1 + i]));
    if (index === -1) return null;
    const head = bytes.subarray(0, contentAt);
    let text: ArrayBuffer;
    try {
      const key = await keyFor(sealers[index]!, head);
      text = await crypto.subtle.decrypt(algorithm(head, name), key, bytes.subarray(contentAt));
    } catch {
      // it was tampered with, or has another name: the client has no session
      return null;
    }
    const [expires, created, id, content] = JSON.parse(new TextDecoder().decode(text));
    if (expires <= this.#clock()) return null;
    return { id, token: "", created, isNew: false, content, isStale: index > 0 || version !== VERSION };
  }

  async keep(session: KeptSession, content: string, ttlMs: number, name: string): Promise<string> {
    const text = `[${this.#clock() + ttlMs},${session.created},"${session.id}",${content}]`;
    const [sealer] = await this.#allSealers() as [Sealer];
    const head = new Uint8Array(1 + KEY_ID_BYTES + SALT_BYTES);
    head[0] = VERSION;
    head.set(sealer.id, 1);
    crypto.getRandomValues(head.subarray(1 + KEY_ID_BYTES));
    const key = await keyFor(sealer, head);
    const sealed = await crypto.subtle.encrypt(algorithm(head, name), key, utf8Bytes(text));
    session.isNew = false;
    const bytes = new Uint8Array(head.length + sealed.byteLength);
    bytes.set(head);
    bytes.set(new Uint8Array(sealed), head.length);
    return toBase64url(bytes);
  }

  renew(session: KeptSession, content: string, ttlMs: number, name: string): Promise<string> {
    return this.keep(session, content, ttlMs, name);
  }

  drop(): Promise<void> {
    return Promise.resolve();
  }

  #allSealers(): Promise<Sealer[]> {
    return this.#sealers ??= Promise.all(this.#secrets.map(sealerOf));
  }
}

function algorithm(head: Uint8Array<ArrayBuffer>, name: string): AesGcmParams {
  const named = utf8Bytes(name);
  const additionalData = new Uint8Array(1 + KEY_ID_BYTES + named.length);
  additionalData.set(head.subarray(0, 1 + KEY_ID_BYTES));
  additionalData.set(named, 1 + KEY_ID_BYTES);
  const iv = head[0] === VERSION ? ONLY_IV : head.slice(1 + KEY_ID_BYTES);
  return { name: "AES-GCM", iv, additionalData };
}

async function keyFor({ material, sharedKey }: Sealer, head: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  if (head[0] !== VERSION) return sharedKey;
  const algorithm = hkdf(head.slice(1 + KEY_ID_BYTES), COOKIE_INFO);
  return await crypto.subtle.deriveKey(algorithm, material, AES, false, ["encrypt", "decrypt"]);
}

async function sealerOf(secret: string): Promise<Sealer> {
  const material = await crypto.subtle.importKey("raw", utf8Bytes(secret), "HKDF", false, ["deriveBits", "deriveKey"]);
  const algorithm = hkdf(new Uint8Array(), INFO);
  const bits = await crypto.subtle.deriveBits(algorithm, material, (KEY_BYTES + KEY_ID_BYTES) * 8);
  const sharedKey = await crypto.subtle.importKey("raw", bits.slice(0, KEY_BYTES), AES, false, ["decrypt"]);
  return { id: new Uint8Array(bits, KEY_BYTES), material, sharedKey };
}

function hkdf(salt: Uint8Array<ArrayBuffer>, info: Uint8Array<ArrayBuffer>): HkdfParams {
  return { name: "HKDF", hash: "SHA-256", salt, info };
}
